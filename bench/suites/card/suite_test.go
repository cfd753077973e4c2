package card

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/internal/must"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// made are records of every case, with the seconds, errors and peaks that the functions give.
func made(seconds func(c *bench.Case) float64, quality func(c *bench.Case, key string) float64, peak int64) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	for _, c := range Suite.Cases(&bench.Env{}) {
		one := bench.Statistics{Median: seconds(&c), Values: []float64{seconds(&c)}}
		rec := &bench.Record{Suite: Suite.Name, Case: c.Name, Samples: c.N, Accuracy: c.Accuracy, PeakBytes: peak, Pictures: map[string]string{"embedding": "y"},
			Seconds: map[string]bench.Statistics{"total": one}, CPUSeconds: map[string]bench.Statistics{"total": one}, Quality: map[string]bench.Statistics{}}
		keys := []string{"gb-per-second", "solves"}
		for _, a := range c.Accuracy {
			keys = append(keys, a.Quality)
		}
		for _, key := range keys {
			rec.Quality[key] = bench.Statistics{Median: quality(&c, key)}
		}
		r.List = append(r.List, rec)
	}
	return r
}

// ourCase reports whether a case is of this project, and the quick side of a comparison.
func ourCase(c *bench.Case) bool {
	name := filepath.Base(c.Name)
	return name == "orthant" || name == "native" || name == "command"
}

// printedErrors are errors as the README has them, and as small as need be elsewhere.
func printedErrors(c *bench.Case, key string) float64 {
	switch {
	case c.Group == "roll":
		return map[string]float64{rollName("neml"): 0.026, rollName("lle"): 0.18, rollName("lle-default"): 0.05}[c.Name]
	case c.Group == "batch":
		return 0.25
	case key == "reconstruction":
		return 0.26
	}
	return 0
}

func TestFindings(t *testing.T) {
	fast := func(c *bench.Case) float64 {
		if ourCase(c) {
			return 1e-5 * float64(max(c.N, 1))
		}
		return 1e-2 * float64(max(c.N, 1))
	}
	slow := func(c *bench.Case) float64 {
		if ourCase(c) && filepath.Base(c.Name) != "native" {
			return 1e-1 * float64(max(c.N, 1))
		}
		return 1e-2 * float64(max(c.N, 1))
	}
	wrong := func(c *bench.Case, _ string) float64 {
		if ourCase(c) {
			return 0.5
		}
		return 0.4
	}
	all := func(v bench.Verdict) map[string]bench.Verdict {
		want := map[string]bench.Verdict{}
		for _, c := range Suite.Claims {
			want[c.Name] = v
		}
		return want
	}
	t.Run("reached", func(t *testing.T) {
		r := made(fast, printedErrors, 1<<20)
		benchtest.CheckFindings(t, &Suite, r, all(bench.TargetReached))
		benchtest.CheckSections(t, &Suite, r)
	})
	t.Run("slow", func(t *testing.T) {
		want := all(bench.TargetMissed)
		for _, name := range []string{"readme/roll", "readme/nmf-error", "readme/same-bits"} { // no speeds
			want[name] = bench.TargetReached
		}
		benchtest.CheckFindings(t, &Suite, made(slow, printedErrors, 1<<40), want)
	})
	t.Run("wrong", func(t *testing.T) {
		benchtest.CheckFindings(t, &Suite, made(fast, wrong, 1<<20), all(bench.TargetMissed))
	})
	t.Run("missing", func(t *testing.T) {
		r := made(fast, printedErrors, 1<<20)
		for _, one := range r.List {
			if base := filepath.Base(one.Case); base == "slepc" || base == "openblas" || base == "scikit-learn" {
				*one = bench.Record{Suite: one.Suite, Case: one.Case, Missing: base + " is not at hand"}
			}
		}
		benchtest.CheckFindings(t, &Suite, r, map[string]bench.Verdict{"eigenpairs/slepc": bench.CannotCheck, "eigenpairs/arpack": bench.TargetReached,
			"choice/avx2": bench.TargetReached, "readme/batch-joblib": bench.CannotCheck, "readme/nmf-sweep": bench.CannotCheck, "readme/same-bits": bench.TargetReached})
	})
}

func TestAssembledMatricesAreWhatTheyAreSaidToBe(t *testing.T) {
	const samples = 3000
	s := must.Get(rollNeighborhoods(t.Context(), samples))(t)
	for i := range eigenMatrices {
		m := &eigenMatrices[i]
		out := must.Get(m.solve(t.Context(), &bench.Env{}, samples, ""))(t)
		if v := out.Quality["residual"]; v > 1e-8 {
			t.Errorf("%s: residual %g", m.name, v)
		}
		if m.dev && !(out.Quality["dev"] < 0.01) { // the tangents unroll the roll
			t.Errorf("%s: dev %g", m.name, out.Quality["dev"])
		}
		a, _ := must.Two(m.build(t.Context(), samples))(t)
		ones, y := make([]float64, samples), make([]float64, samples)
		for i := range ones {
			ones[i] = 1
		}
		a.MulVec(1, ones, y)
		for i, v := range y {
			if math.Abs(v) > 1e-11 {
				t.Fatalf("%s: row %d sums to %g", m.name, i, v)
			}
		}
	}
	if v := difference(s.scattered(), s.scattered()); v != 0 {
		t.Errorf("a vector differs from itself by %g", v)
	}
}

func TestChoicesAgree(t *testing.T) {
	for i := range choiceOperations {
		op := choiceOperations[i]
		op.n = 48
		for _, backend := range []string{"auto", "native", "gonum"} {
			out := must.Get(op.measure(t.Context(), backend))(t)
			if out.Quality["difference"] > differenceLimit || out.Note == "" || out.ISA == "" {
				t.Errorf("%s by %s: %+v", op.name, backend, out)
			}
		}
	}
}

func TestSmallFactorizations(t *testing.T) {
	s := &nmfSet{name: "small", n: 60, m: 40, rank: 3}
	c := &bench.Case{Threads: 2}
	for _, l := range losses {
		out, err := s.onThreads(t.Context(), &bench.Env{}, c, l.loss)
		if err != nil || out.Quality["differs"] != 0 {
			t.Errorf("%s on threads: %+v, %v", l.name, out, err)
		}
		if out, err = s.ourSweep(t.Context(), &bench.Env{}, l.loss); err != nil || !(out.Quality["reconstruction"] < 0.5) {
			t.Errorf("%s: %+v, %v", l.name, out, err)
		}
	}
}

// TestAgainstPeers runs small stand-ins of what takes both sides.
func TestAgainstPeers(t *testing.T) {
	if exec.Command("/usr/bin/python3", "-c", "import sklearn").Run() != nil {
		t.Skip("scikit-learn is not installed (Debian: python3-sklearn)")
	}
	e := &bench.Env{}
	s := &nmfSet{name: "small", n: 60, m: 40, rank: 3}
	out := must.Get(s.ourDescent(t.Context(), e, false, 20, 1))(t)
	if aim, err := s.aim(t.Context(), e, 20, 1); err != nil || out.Quality["reconstruction"] > 1.001*aim {
		t.Errorf("ours ended at %v, the aim is %g, %v", out.Quality, aim, err)
	}
	m := &eigenMatrices[0]
	out = must.Get(m.solve(t.Context(), e, 3000, "arpack"))(t)
	if !(out.Quality["residual"] < 1e-6 && out.Quality["dev"] < 0.01 && out.Quality["solves"] > 3) {
		t.Errorf("ARPACK: %v", out.Quality)
	}
}

func TestDifferingCountsBits(t *testing.T) {
	a := []float64{0, 1, math.NaN()}
	if n := differing(a, []float64{math.Copysign(0, -1), 1, math.NaN()}); n != 1 {
		t.Errorf("%g differ, want the signed zero alone", n)
	}
	if n := differing(a, a[:2]); n != 3 {
		t.Errorf("%g of another length", n)
	}
}

func TestTurnedRollKeepsDistances(t *testing.T) {
	x, truth := must.Two(turned(50, 1))(t)
	if r, c := x.Dims(); r != 50 || c != mappedColumns {
		t.Fatalf("%d × %d", r, c)
	}
	if r, _ := truth.Dims(); r != 50 {
		t.Error("not as many true coordinates")
	}
	var svd mat.SVD
	svd.Factorize(x, mat.SVDNone)
	if v := svd.Values(nil); v[3] > 1e-10*v[0] || v[2] < 1e-3*v[0] {
		t.Errorf("the roll has not three dimensions: %v", v[:4])
	}
}

// TestBatchAndMappingByTheCommand builds the command and runs small batches and mappings by it.
func TestBatchAndMappingByTheCommand(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "orthant")
	build := exec.Command("go", "build", "-o", binary, "github.com/orthant-go/orthant/cmd/orthant")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	e := &bench.Env{Command: []string{binary}}
	for _, way := range batchWays {
		if !way.ours() {
			continue
		}
		out, err := measureBatch(t.Context(), e, 4, way.run)
		if err != nil || out.Samples != 4 || !(out.Quality["dev"] < 0.6) {
			t.Errorf("%s: %+v, %v", way.name, out, err)
		}
	}
	for _, pipe := range []bool{false, true} {
		out, err := measureMapping(t.Context(), e, &bench.Case{}, 1500, func(ctx context.Context, m *mapping) (*bench.Outcome, error) { return m.byCommand(ctx, pipe) })
		if err != nil || out.Quality["differs"] != 0 || !(out.Quality["dev"] < 0.1) || out.PeakBytes == 0 {
			t.Errorf("pipe %t: %+v, %v", pipe, out, err)
		}
	}
}
