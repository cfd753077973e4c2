package nonnegative

import (
	"context"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/nonnegative"
)

// The claims whose data are drawn hold in every build. Those about digits cannot
// be checked without them, and say why.
func TestNonnegativeSuiteOnGeneratedData(t *testing.T) {
	r := benchtest.RunCases(t, &Suite, &bench.Env{Quick: true}, "roll", "digits", "nmms", "powers")
	want := map[string]bench.Verdict{
		"npca-one-solution": bench.Reproduces, "npca-trace": bench.Reproduces, "npca-curve": bench.Reproduces,
		"nle-curve": bench.Reproduces, "nle-printed": bench.DoesNot, "nle-rich": bench.PartlyHolds,
		"local-optimum": bench.CannotCheck, "nonpp-printed": bench.CannotCheck, "penalty-monotone": bench.CannotCheck, "penalty-orthogonal": bench.CannotCheck,
		"shift-better": bench.CannotCheck, "signed-bound": bench.CannotCheck, "nmms-penalty": bench.CannotCheck,
		"root-frozen":  bench.TargetReached,
		"nlle-printed": bench.CannotCheck, "nolpp-printed": bench.CannotCheck, "faces-recognition": bench.NotRun, "faces-orthonormal": bench.NotRun,
		"dense-pass": bench.NotRun, "sparse-iteration": bench.NotRun, "two-threads": bench.NotRun,
	}
	benchtest.CheckFindings(t, &Suite, r, want)
	benchtest.CheckSections(t, &Suite, r)
}

func TestNonnegativeSuiteOnRealData(t *testing.T) {
	e := &bench.Env{Quick: true, Data: golden.Data(t)}
	r := benchtest.RunCases(t, &Suite, e, "digits", "nmms", "parts/pca", "parts/lda")
	want := map[string]bench.Verdict{
		"local-optimum": bench.DoesNot, "nonpp-printed": bench.DoesNot, "nlle-printed": bench.DoesNot, "nolpp-printed": bench.DoesNot, "penalty-monotone": bench.TargetReached, "penalty-orthogonal": bench.TargetReached,
		"shift-better": bench.TargetReached, "signed-bound": bench.TargetReached, "nmms-penalty": bench.TargetReached,
	}
	benchtest.CheckFindings(t, &Suite, r, want)
	benchtest.CheckSections(t, &Suite, r)
	for _, method := range []string{"pca", "lda"} { // both learnt on the training half alone
		if v, found := r.Quality(partsName(method), "nn-error"); !found || v < 3 || v > 20 {
			t.Errorf("%s: an error of %.1f %% of the digits", method, v)
		}
	}
}

func TestNonnegativeCasesAreDistinct(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// What the operator cases measure is there and plausible; how fast is not a test's
// to say.
func TestIterationsTakeTurns(t *testing.T) {
	ctx := context.Background()
	m := must.Get(graphMatrix(ctx, "laplacian", 500))(t)
	for i := range m.Rows {
		if v := m.At(i, i); v < 1-1e-12 || v > 1+1e-12 {
			t.Fatalf("row %d of the Laplacian has the diagonal %g", i, v)
		}
	}
	c := must.Get(nonnegative.SignedSparse(m, true, 1))(t)
	called, now := 0, 0.0
	clock := func() float64 { now++; return now }
	steps, others, u, err := stepped(ctx, c, 1, 6, clock, func() { called++ })
	if err != nil {
		t.Fatal(err)
	}
	// The clock is read at both ends of an iteration and of what is done after it.
	if called != 6 || !slices.Equal(steps, []float64{1, 1, 1, 1, 1}) || !slices.Equal(others, steps) || len(u) != 500*operatorColumns {
		t.Errorf("called %d times, steps %v, others %v, %d numbers", called, steps, others, len(u))
	}
	for _, graph := range graphs {
		out, err := measureThreads(ctx, graph, 1500)
		if err != nil {
			t.Fatal(err)
		}
		if out.Quality["same-bits"] != 1 || !(out.Quality["times-faster"] > 0) {
			t.Errorf("%s: %v", graph, out.Quality)
		}
		if out, err = measureSparse(ctx, graph, 1500); err != nil || !(out.Quality["of-product"] > 0) {
			t.Errorf("%s: %v, %v", graph, out, err)
		}
	}
	if out, err := measureDensePass(ctx, 300); err != nil || !(out.Quality["of-plain-read"] > 0) {
		t.Errorf("%v, %v", out, err)
	}
}

func TestOperatorClaims(t *testing.T) {
	records := func(share, ratio, times, bits float64, noise string) *bench.Records {
		r := &bench.Records{Suite: "nonnegative"}
		add := func(name string, quality map[string]float64) {
			one := &bench.Record{Case: name, Noise: noise, Machine: bench.Machine{Cores: 2}, Quality: map[string]bench.Statistics{}}
			for key, v := range quality {
				one.Quality[key] = bench.Statistics{Median: v}
			}
			r.List = append(r.List, one)
		}
		add(densePass, map[string]float64{"of-plain-read": share, "gb-per-s": 10})
		for _, graph := range graphs {
			add(sparseName(graph, 100_000), map[string]float64{"of-product": ratio})
			add(threadsName(graph, 20_000), map[string]float64{"times-faster": times, "same-bits": bits})
		}
		return r
	}
	for _, c := range []struct {
		records *bench.Records
		want    [3]bench.Verdict
	}{
		{records(0.9, 1.2, 1.7, 1, ""), [3]bench.Verdict{bench.TargetReached, bench.TargetReached, bench.TargetReached}},
		{records(0.5, 1.6, 1.4, 1, ""), [3]bench.Verdict{bench.TargetMissed, bench.TargetMissed, bench.TargetMissed}},
		{records(0.9, 1.2, 1.4, 1, "busy"), [3]bench.Verdict{bench.TargetReached, bench.TargetReached, bench.CannotCheck}},
		{records(0.9, 1.2, 1.7, 0, "busy"), [3]bench.Verdict{bench.TargetReached, bench.TargetReached, bench.TargetMissed}},
	} {
		for i, claim := range operatorClaims {
			if f := claim.Check(c.records); f.Verdict != c.want[i] {
				t.Errorf("%s: %+v, want %s", claim.Name, f, c.want[i])
			}
		}
	}
}
