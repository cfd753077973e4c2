package maps

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/internal/must"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// madeUp returns records of all cases. Every target is reached by the values that change does not alter.
func madeUp(change func(name string, quality map[string]float64, peak *int64) (ran bool)) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	for _, c := range Suite.Cases(&bench.Env{}) {
		quality := map[string]float64{keptNeighbors: 0.5, classError: 0.1, triplets: 0.7, disparity: 0.2}
		if strings.Contains(c.Name, "/tsne/") {
			quality[divergence] = 1
		}
		peak := int64(200 << 20)
		if strings.HasPrefix(c.Name[strings.LastIndexByte(c.Name, '/')+1:], own) {
			peak /= 2
		}
		one := &bench.Record{Suite: Suite.Name, Case: c.Name, Accuracy: c.Accuracy, Pictures: map[string]string{picture: "x.npy"}}
		r.List = append(r.List, one)
		if change != nil && !change(c.Name, quality, &peak) {
			one.Missing = "a peer of the test is not there"
			continue
		}
		one.PeakBytes, one.Quality = peak, map[string]bench.Statistics{}
		one.CPUSeconds = map[string]bench.Statistics{"total": {Median: 2, Values: []float64{2}}}
		one.Seconds = one.CPUSeconds
		one.Series = map[string][]float64{cpuSeconds: {1, 2, 3}, keptNeighbors: {0.4, 0.5, 0.6}}
		for key, v := range quality {
			one.Quality[key] = bench.Statistics{Median: v, Values: []float64{v}}
		}
	}
	return r
}

func verdicts(r *bench.Records) map[string]bench.Finding {
	list := map[string]bench.Finding{}
	for _, c := range Suite.Claims {
		list[c.Name] = c.Check(r)
	}
	return list
}

// A target fails if our maps are worse by more than its margin on one set.
func TestTargets(t *testing.T) {
	for name, f := range verdicts(madeUp(nil)) {
		if f.Verdict != bench.TargetReached || f.Ours == "" {
			t.Errorf("%s of maps as good as the others: %+v", name, f)
		}
	}
	for _, c := range []struct {
		claim, set, key string
		within, beyond  float64
	}{
		{"umap/neighbors", "usps", keptNeighbors, 0.496, 0.494},
		{"pacmap/classes", "coil20", classError, 0.104, 0.106},
		{"tsne/triplets", "mnist10k", triplets, 0.696, 0.694},
		{"tsne/divergence", "usps", divergence, 1.004, 1.006},
		{"umap/seeds", "swiss-roll-5000", disparity, 0.2, 0.201},
	} {
		method, _, _ := strings.Cut(c.claim, "/")
		for _, v := range []float64{c.within, c.beyond} {
			f := verdicts(madeUp(func(name string, quality map[string]float64, _ *int64) bool {
				if name == caseName(c.set, method, own) {
					quality[c.key] = v
				}
				return true
			}))[c.claim]
			if missed := f.Verdict == bench.TargetMissed; missed != (v == c.beyond) || missed && f.Why != "missed on "+c.set {
				t.Errorf("%s with %s %g: %+v", c.claim, c.key, v, f)
			}
		}
	}
	f := verdicts(madeUp(func(name string, _ map[string]float64, peak *int64) bool {
		if name == caseName("usps", "pacmap", own) {
			*peak += 1 << 20
		}
		return true
	}))
	if f["pacmap/memory"].Verdict != bench.TargetMissed || f["umap/memory"].Verdict != bench.TargetReached {
		t.Errorf("%+v", f)
	}
}

// Cases that did not run are left out, and the divergence is compared with the best of the others.
func TestTargetsWithoutPeers(t *testing.T) {
	none := verdicts(madeUp(func(name string, _ map[string]float64, _ *int64) bool { return strings.Contains(name, "/"+own) }))
	for name, f := range none {
		if f.Verdict != bench.CannotCheck || !strings.Contains(f.Why, "of the test") {
			t.Errorf("%s without any peer: %+v", name, f)
		}
	}
	some := verdicts(madeUp(func(name string, quality map[string]float64, _ *int64) bool {
		if strings.HasSuffix(name, "/opentsne") {
			quality[divergence] = 0.9
		}
		return !strings.HasSuffix(name, "/rtsne")
	}))
	if f := some["tsne/divergence"]; f.Verdict != bench.TargetMissed || !strings.Contains(f.Ours, "1.0000 to 0.9000 (opentsne)") {
		t.Errorf("%+v", f)
	}
	if f := some["tsne/neighbors"]; f.Verdict != bench.TargetReached || !strings.Contains(f.Ours, "(fit-sne)") {
		t.Errorf("without Rtsne: %+v", f)
	}
}

func TestSections(t *testing.T) {
	r := madeUp(func(name string, _ map[string]float64, _ *int64) bool { return !strings.HasSuffix(name, "/opentsne") })
	benchtest.CheckSections(t, &Suite, r)
	list := sections(r)
	if len(list) != len(sets) {
		t.Fatalf("%d tables", len(list))
	}
	first := list[0].Table.Rows[0]
	if first[1].Text != "2 s (1 s–3 s)" || first[1].Error != "np15 0.5" || first[4].Text != "0.5000 (0.4000–0.6000)" {
		t.Errorf("%+v", first)
	}
}

// The quick version needs only the set COIL-20, and computes two maps with ours and one with each other program.
func TestQuick(t *testing.T) {
	cases, leftOut := Suite.Planned(&bench.Env{Quick: true})
	if len(cases) != 6 || leftOut == 0 {
		t.Errorf("%d cases, %d left out", len(cases), leftOut)
	}
	for _, c := range cases {
		maps := 1
		if strings.HasSuffix(c.Name, "/"+own) {
			maps = 2
		}
		if c.Params["seeds"] != maps || !strings.HasPrefix(c.Data, "coil20") || c.Threads != 1 {
			t.Errorf("%+v", c)
		}
	}
}

// TestPrograms computes a map of few samples with each available program, and two with ours as in the suite.
func TestPrograms(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "orthant")
	build := exec.Command("go", "build", "-o", binary, "github.com/orthant-go/orthant/cmd/orthant")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	e := &bench.Env{Command: []string{binary}, Quick: true}
	few := &dataSet{name: "few", generated: bench.Generated("swiss-roll", 200)}
	d, err := few.load(e)
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(t.TempDir(), "x.npy")
	must.Do(t, save(in, d.X))
	for _, p := range programs {
		c := &bench.Case{Name: p.name, Threads: 1, Needs: p.needs}
		if what, err := bench.Missing(e, c); err != nil || what != "" {
			t.Logf("%s: left out: %s %v", p.title, what, err)
			continue
		}
		if p.name == "umap-learn-unseeded" || p.name == "umap-learn" && testing.Short() {
			continue // it compiles its code for seconds
		}
		var out *bench.Outcome
		maps := 1
		if p.own() {
			out, err = run(t.Context(), e, c, few, &p)
			maps = 2
		} else {
			var one *made
			if one, err = p.run(t.Context(), e, job{in: in, dir: t.TempDir(), data: d, seed: 1, threads: 1}); err == nil {
				out, err = outcome(t.Context(), few, &p, d, []made{*one})
			}
		}
		if err != nil {
			t.Errorf("%s: %v", p.title, err)
			continue
		}
		if !(out.Quality[keptNeighbors] > 0.5 && out.Quality[triplets] > 0.4) || len(out.Series[cpuSeconds]) != maps || !(out.CPUSeconds["total"] > 0) || out.PeakBytes == 0 {
			t.Errorf("%s %s: %+v", p.title, p.method, out)
		}
		if kl, found := out.Quality[divergence]; found != (p.method == "tsne") || found && !(kl > 0 && kl < 2) {
			t.Errorf("%s %s: divergence %g", p.title, p.method, kl)
		}
	}
}
