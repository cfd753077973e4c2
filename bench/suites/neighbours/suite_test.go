package neighbours

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// figures are the seconds and the recall of an invented search.
type figures struct {
	seconds, recall float64
	peak            int64
}

// madeUp returns records of all cases. Every target is reached by the figures that change does not alter.
func madeUp(e *bench.Env, change func(name string, f *figures) (ran bool)) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	for _, c := range Suite.Cases(e) {
		f := figures{seconds: 30 * float64(c.N) / 1e6, recall: 0.9999, peak: 1 << 30}
		p := programOf(c.Name)
		switch {
		case strings.Contains(c.Name, "exact/"):
			f.recall = 1
		case p != nil:
			f.seconds *= 3.5
		case c.Threads == 1:
			f.seconds *= 1.9
		}
		one := &bench.Record{Suite: Suite.Name, Case: c.Name, Accuracy: c.Accuracy, Samples: c.N}
		r.List = append(r.List, one)
		if change != nil && !change(c.Name, &f) {
			one.Missing = "a peer of the test is not there"
			continue
		}
		statistics := func(v float64) bench.Statistics { return bench.Statistics{Median: v, Values: []float64{v}} }
		one.PeakBytes = f.peak
		one.Quality = map[string]bench.Statistics{recallKey: statistics(f.recall)}
		one.Seconds = map[string]bench.Statistics{"total": statistics(f.seconds)}
		one.CPUSeconds = map[string]bench.Statistics{"total": statistics(2 * f.seconds)}
		if p != nil && len(p.values) > 1 { // the less accurate settings take less
			one.Series = map[string][]float64{}
			for i := range p.values {
				left := float64(len(p.values) - 1 - i)
				one.Series[wallSeconds] = append(one.Series[wallSeconds], f.seconds/(1+left))
				one.Series[recallSeries] = append(one.Series[recallSeries], f.recall-0.2*left)
			}
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

func TestClaims(t *testing.T) {
	for name, f := range verdicts(madeUp(&bench.Env{}, nil)) {
		if f.Verdict != bench.TargetReached || f.Ours == "" || len(f.Cases) == 0 {
			t.Errorf("%s of fast searches: %+v", name, f)
		}
	}
	for _, c := range []struct {
		claim, prefix string
		change        func(f *figures)
	}{
		{"mnist/faster", "mnist/hnswlib", func(f *figures) { f.seconds *= 0.8 }},
		{"mnist/faster", "mnist/recall=", func(f *figures) { f.recall = 0.98 }},
		{"mnist/exact", "mnist/pynndescent-20", func(f *figures) { f.seconds *= 0.2 }},
		{"mnist/exact", "mnist/exact/", func(f *figures) { f.recall = 0.9999 }},
		{"1m-128-d15/seconds", "1m-128-d15/recall=", func(f *figures) { f.seconds = 70.1 }},
		{"1m-128-d30/faster", "1m-128-d30/recall=", func(f *figures) { f.recall = 0.94 }},
		{"1m-50-d15/faster", "1m-50-d15/faiss-ivf", func(f *figures) { f.seconds *= 0.8 }},
		{"growth", "100k-128-d15/recall=0.95/", func(f *figures) { f.seconds *= 0.7 }},
		{"threads", "1m-128-d15/recall=0.95/orthant-1-thread", func(f *figures) { f.seconds *= 0.9 }},
		{"3m-384-d30/seconds", "3m-384-d30/", func(f *figures) { f.seconds = 401 }},
		{"3m-384-d30/memory", "3m-384-d30/", func(f *figures) { f.peak = 13 << 30 }},
		{"3m-384-d30/memory", "3m-384-d30/", func(f *figures) { f.recall = 0.7 }},
	} {
		found := verdicts(madeUp(&bench.Env{}, func(name string, f *figures) bool {
			if strings.HasPrefix(name, c.prefix) {
				c.change(f)
			}
			return true
		}))
		if f := found[c.claim]; f.Verdict != bench.TargetMissed {
			t.Errorf("%s with worse %s: %+v", c.claim, c.prefix, f)
		}
	}
}

// A fast setting that misses the recall does not count against ours.
func TestEqualRecall(t *testing.T) {
	f := verdicts(madeUp(&bench.Env{}, nil))["mnist/faster"]
	if !strings.Contains(f.Ours, "3.5 times: 2.1 s (recall=0.8/orthant, recall 0.9999) to 7.35 s (faiss-flat, recall 0.9999)") {
		t.Errorf("%+v", f)
	}
	f = verdicts(madeUp(&bench.Env{}, func(name string, f *figures) bool {
		return !strings.HasPrefix(name, "mnist/") || strings.HasSuffix(name, "/hnswlib") || programOf(name) == nil
	}))["mnist/faster"]
	if f.Verdict != bench.TargetReached || !strings.Contains(f.Ours, "(hnswlib, ef 400, recall 0.9999)") {
		t.Errorf("with hnswlib alone: %+v", f)
	}
}

// Cases that did not run are left out, and the few samples of --quick decide nothing.
func TestWithoutPeers(t *testing.T) {
	for name, f := range verdicts(madeUp(&bench.Env{}, func(name string, _ *figures) bool { return programOf(name) == nil })) {
		compared := strings.HasSuffix(name, "/faster") || name == "mnist/exact"
		if compared != (f.Verdict == bench.CannotCheck) || compared && !strings.Contains(f.Why, "of the test") {
			t.Errorf("%s without any peer: %+v", name, f)
		}
	}
	for name, f := range verdicts(madeUp(&bench.Env{Quick: true}, nil)) {
		if f.Verdict != bench.NotRun || !strings.Contains(f.Why, "--quick") {
			t.Errorf("%s of the quick version: %+v", name, f)
		}
	}
}

func TestSections(t *testing.T) {
	r := madeUp(&bench.Env{}, func(name string, _ *figures) bool { return !strings.HasSuffix(name, "/hnswlib") })
	benchtest.CheckSections(t, &Suite, r)
	list := sections(r)
	first := list[0].Table
	if len(first.Rows) != 10 || first.Rows[3][0].Text != "faiss IVF" || first.Rows[3][1].Text != "3.68 s" || first.Rows[3][1].Error != "nprobe 16, recall 0.7999" ||
		first.Rows[3][4].Error != "nprobe 64, recall 0.9999" || first.Rows[8][1].Mark != bench.Absent {
		t.Errorf("%+v", first.Rows)
	}
	plot := list[1].Plot
	if plot == nil || len(plot.Curves) != 9 || len(plot.Curves[3].X) != 4 || plot.Curves[3].X[0] >= plot.Curves[3].X[3] || len(plot.Curves[8].Cases) != 3 {
		t.Errorf("%+v", list[1])
	}
}

// The quick version runs the same cases on fewer samples, without the largest sets.
func TestQuick(t *testing.T) {
	cases, leftOut := Suite.Planned(&bench.Env{Quick: true})
	if leftOut == 0 {
		t.Error("nothing is left out")
	}
	for _, c := range cases {
		if c.N != quickly || strings.HasPrefix(c.Name, "3m") || strings.HasPrefix(c.Name, "10m") {
			t.Errorf("%+v", c)
		}
	}
}

// TestPrograms searches few samples with each available program, and with ours.
func TestPrograms(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	binary := filepath.Join(t.TempDir(), "orthant")
	build := exec.Command("go", "build", "-o", binary, "github.com/orthant-go/orthant/cmd/orthant")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	e := &bench.Env{Command: []string{binary}}
	few := &dataSet{name: "few", n: 1500, m: 12, intrinsic: 3, peers: true, flat: true}
	list := []bench.Case{few.ours(e, 0, 2), few.ours(e, 0.9, 2), few.ours(e, 0.9, 1)}
	for i := range programs {
		list = append(list, few.theirs(e, &programs[i]))
	}
	for _, c := range list {
		if what, err := bench.Missing(e, &c); err != nil || what != "" {
			t.Logf("%s: left out: %s %v", c.Name, what, err)
			continue
		}
		p := programOf(c.Name)
		if p != nil && p.module == "pynndescent" && (p.name != "pynndescent-20" || testing.Short()) {
			continue // it compiles its code for seconds
		}
		out, err := c.Run(t.Context(), e, &c)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if !(out.Quality[recallKey] > 0.85) || !(out.Seconds["total"] > 0) || !(out.CPUSeconds["total"] > 0) || out.PeakBytes == 0 || out.Samples != few.n {
			t.Errorf("%s: %+v", c.Name, out)
		}
		if strings.Contains(c.Name, "exact") || p != nil && p.all {
			if out.Quality[recallKey] != 1 {
				t.Errorf("%s: recall %g", c.Name, out.Quality[recallKey])
			}
		}
		if p != nil && (len(out.Series[wallSeconds]) != len(p.values) || len(out.Series[recallSeries]) != len(p.values)) {
			t.Errorf("%s: %v by %d settings", c.Name, out.Series, len(p.values))
		}
	}
}
