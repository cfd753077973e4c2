package smrmf

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
)

// records are made-up records of every case, with one figure for all methods that
// change may alter.
func records(change func(name string, quality map[string]float64, cpu *float64)) *bench.Records {
	r := &bench.Records{Suite: "smrmf"}
	for _, c := range Suite.Cases(&bench.Env{}) {
		cpu := 1.0
		quality := map[string]float64{"acc": 0.5, "acc-low": 0.45, "acc-high": 0.55, "nmi": 0.4, "grid-median": 0.4, "bad-nn": 0.3, "bad-nbh": 0.2, "snbh": 0.3,
			"similarity-good": 0.7, "similarity-bad": 0.7, "nsnbh": 0.4, "near-selected": 0.2, "near-others": 0.3, "passes": 150, "acc-sd": 0, "range": 0.03, "residual": 1e-6, "rises": 2}
		if change != nil {
			change(c.Name, quality, &cpu)
		}
		one := &bench.Record{Suite: r.Suite, Case: c.Name, Quality: map[string]bench.Statistics{}, Series: map[string][]float64{"acc": {quality["acc"]}, "acc-by-lambda": {0.3, quality["acc"]}},
			CPUSeconds: map[string]bench.Statistics{"total": {Median: cpu, Values: []float64{cpu}}, "solve": {Median: cpu / 2}}, PeakBytes: 1 << 30, Pictures: map[string]string{"samples": "s.npy", "edges": "e.npy"}}
		for key, v := range quality {
			one.Quality[key] = bench.Statistics{Median: v, Values: []float64{v}}
		}
		switch {
		case strings.HasPrefix(c.Name, "sweep-"):
			one.Series = map[string][]float64{"share": sweeps[0].shares, "acc": {0.5, 0.5, 0.5, 0.5, 0.5 + quality["range"]}}
		case strings.HasPrefix(c.Name, "convergence/"):
			one.Series = map[string][]float64{"pass": {5, 10}, "objective": {3, 2, 2.5}, "residual_data": {1, quality["residual"]}, "residual_indicators": {1, 0}, "residual_graph": {0, 0}}
		}
		key, _, _ := strings.Cut(c.Name, "/")
		if shape, known := printedShapes[key]; known {
			one.Samples, one.Features = shape[0], shape[1]
		}
		r.List = append(r.List, one)
	}
	return r
}

func TestSMRMFClaimsWhereThePaperHolds(t *testing.T) {
	number := func(text string) float64 {
		v, _ := strconv.ParseFloat(text, 64)
		return v
	}
	r := records(func(name string, quality map[string]float64, cpu *float64) {
		key, title, _ := strings.Cut(name, "/")
		if title == "neighbours" {
			quality["bad-nn"], quality["bad-nbh"], quality["similarity-bad"] = number(printedNeighbors[key][0]), number(printedNeighbors[key][1]), number(printedNeighbors[key][3])
			return
		}
		at := slices.IndexFunc(clusterings, func(m method) bool { return m.title == title })
		if at >= 0 {
			*cpu = 1.5 * clusterings[at].seconds
		}
		if list := printedACC[key]; list != nil && at >= 0 {
			at = clusterings[at].column()
			quality["acc"], quality["nmi"] = number(list[at]), number(printedNMI[key][at])
		}
		if printedNeighbors[key] != nil && title == "SMRMF" {
			quality["bad-nn"], quality["bad-nbh"] = number(printedNeighbors[key][4]), number(printedNeighbors[key][5])
		}
		if rows := printedSelection[key]; rows != nil && title == "SMRMF" {
			quality["snbh"], quality["nsnbh"] = number(rows[0]), number(rows[1])
		}
		if rows, known := printedMoons[key]; known {
			for i, what := range []string{"acc", "nmi"} {
				v := number(rows[map[bool]int{true: 0, false: 1}[title == "RMNMF"]][i])
				quality[what], quality[what+"-low"], quality[what+"-high"] = v, v-0.02, v+0.02
			}
		}
	})
	// All of them, but for what the stated kernel and a drawn set cannot give.
	want := map[string]bench.Verdict{}
	for _, c := range Suite.Claims {
		want[c.Name] = bench.Reproduces
		if c.Source == "orthant" {
			want[c.Name] = bench.TargetReached
		}
	}
	want["kernel-similarities"] = bench.PartlyHolds
	want["figure-1"] = bench.Reproduces
	benchtest.CheckFindings(t, &Suite, r, want)
	benchtest.CheckSections(t, &Suite, r)
}

func TestSMRMFClaimsWhereItDoesNot(t *testing.T) {
	r := records(func(name string, quality map[string]float64, _ *float64) {
		quality["acc-sd"], quality["range"], quality["residual"], quality["nmi"] = 0.02, -0.2, 1e-3, 0.7
		quality["similarity-bad"], quality["bad-nbh"], quality["nsnbh"] = 0.9, 0.45, 0.55
		if strings.HasPrefix(name, "sweep-") && !strings.Contains(name, "10dmoons") {
			quality["range"] = 0.2
		}
		if strings.HasSuffix(name, "/RMNMF") {
			quality["acc"], quality["nmi"] = 0.9, 0.9
		}
		if strings.HasSuffix(name, "/SMRMF") {
			quality["snbh"], quality["bad-nn"] = 0.6, 0.6
		}
	})
	for _, one := range r.List {
		one.Samples = 7
	}
	benchtest.CheckFindings(t, &Suite, r, map[string]bench.Verdict{
		"after-selection-sonar": bench.DoesNot, "selected-neighbourhoods": bench.DoesNot, "2dmoons": bench.DoesNot, "2dmoons-gain": bench.DoesNot,
		"figure-1": bench.DoesNot, "2dmoons-nmi": bench.DoesNot, "before-neighbourhoods": bench.DoesNot, "kernel-similarities-bad": bench.DoesNot, "after-neighbours": bench.DoesNot, "after-neighbourhoods": bench.DoesNot,
		"mismatch-selected": bench.DoesNot, "mismatch-others": bench.DoesNot, "selection-lowers": bench.DoesNot, "shapes": bench.DoesNot, "rmnmf-nmi": bench.DoesNot, "smrmf-nmi": bench.DoesNot, "ds3-row": bench.DoesNot,
		"apmf-row": bench.DoesNot, "dpp-row": bench.DoesNot, "dpp-greedy-row": bench.DoesNot, "dpp-spread": bench.DoesNot, "averages-acc": bench.DoesNot, "averages-nmi": bench.DoesNot, "best-average-nmi": bench.DoesNot,
		"nmf-seconds": bench.DoesNot, "apmf-seconds": bench.DoesNot, "smrmf-seconds": bench.DoesNot, "nmf-over-smrmf": bench.DoesNot, "apmf-over-smrmf": bench.DoesNot, "exemplars-insensitive": bench.TargetMissed, "neighbors-insensitive": bench.TargetMissed,
		"10dmoons-exemplars": bench.DoesNot, "splitting-closes": bench.TargetMissed,
		"rmnmf-row": bench.DoesNot, "SMRMF-over-RMNMF": bench.DoesNot, "best-average": bench.DoesNot, "f-smrmf-saves": bench.DoesNot, "smrmf-over-rmnmf": bench.DoesNot, "cheap-end": bench.DoesNot,
	})
	benchtest.CheckSections(t, &Suite, r)
}

// A few sets are not all of them.
func TestSMRMFClaimsOfTheQuickRun(t *testing.T) {
	planned, _ := Suite.Planned(&bench.Env{Quick: true})
	r := records(nil)
	r.List = slices.DeleteFunc(r.List, func(one *bench.Record) bool {
		return !slices.ContainsFunc(planned, func(c bench.Case) bool { return c.Name == one.Case })
	})
	benchtest.CheckFindings(t, &Suite, r, map[string]bench.Verdict{
		"before-selection": bench.NotRun, "rmnmf-row": bench.NotRun, "SMRMF-over-RMNMF": bench.NotRun, "best-average": bench.NotRun, "f-smrmf-saves": bench.NotRun, "cheap-end": bench.NotRun,
		"selected-neighbourhoods": bench.NotRun, "2dmoons-gain": bench.DoesNot, "after-selection-sonar": bench.DoesNot,
	})
	benchtest.CheckSections(t, &Suite, r)
}

// Methods that a build does not have are named, not passed over.
func TestSMRMFClaimsWithoutMethods(t *testing.T) {
	r := records(nil)
	for _, one := range r.List {
		if strings.HasSuffix(one.Case, "SMRMF") {
			one.Missing = "method smrmf is not built yet"
		}
	}
	benchtest.CheckFindings(t, &Suite, r, map[string]bench.Verdict{
		"2dmoons": bench.CannotCheck, "SMRMF-over-RMNMF": bench.CannotCheck, "selected-neighbourhoods": bench.CannotCheck, "f-smrmf-saves": bench.CannotCheck, "best-average": bench.CannotCheck, "smrmf-row": bench.CannotCheck,
	})
	benchtest.CheckSections(t, &Suite, r)
	benchtest.CheckSections(t, &Suite, &bench.Records{Suite: "smrmf"})
}

// Every claim on the paper has its place in the list of the paper's statements, and a
// statement without a claim says why.
func TestInventory(t *testing.T) {
	for _, c := range claims {
		held := c.Source == "orthant"
		for _, one := range statements {
			held = held || one.judged != nil && one.judged(c)
		}
		if !held {
			t.Errorf("%s (%s) is judged for no statement", c.Name, c.Source)
		}
		if strings.Contains(c.Source, "Table 6") && c.Took == "" {
			t.Errorf("%s does not say on which machine", c.Name)
		}
	}
	for _, one := range statements {
		found := one.judged != nil && slices.ContainsFunc(claims, one.judged)
		if !found && (one.left == "" || one.judged != nil) {
			t.Errorf("%s: nothing judges it", one.what)
		}
	}
}

// The last place of what is printed, and the rule of Table 5.
func TestNearMutualInformation(t *testing.T) {
	for _, v := range []struct {
		ours, printed, deviation float64
		text                     string
		want                     bool
	}{{0.64, 0.59, 0, ".59", true}, {0.66, 0.59, 0, ".59", false}, {0.43, 0.37, 0.03, ".37", true}, {0.014, 0.01, 0, ".01", true}, {0.016, 0.01, 0, ".01", false}, {0.0046, 0.004, 0, ".004", false}, {0.004, 0, 0, "0", true}, {0.006, 0, 0, "0", false}} {
		if got := informationTable.near(v.ours, v.printed, v.deviation, v.text); got != v.want {
			t.Errorf("%v and %s: %v", v.ours, v.text, got)
		}
	}
}
