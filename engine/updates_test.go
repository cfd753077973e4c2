package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
)

// The order of Cai et al. by the method, with its own graph.
func TestGoldenGNMFCodesFirst(t *testing.T) {
	golden.Cases(t, "smrmf-baselines", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol  float64
			X    [][]float64
			GNMF struct {
				K, Iters  int
				Lam       float64
				F0, G0    [][]float64
				F, G      [][]float64
				Objective []float64
			}
		}
		decode(t, raw, &c)
		g := c.GNMF
		r := factorized(t, transposed(c.X), GNMF{Protocol: Protocol{Protocol: "paper"}, Neighbors: g.K, Lambda: &g.Lam, Order: "codes-first", Updates: Updates{Iterations: g.Iters, Tolerance: 1e-300, Normalize: "none"}},
			FactorizeOptions{Rank: len(g.F0[0]), InitW: matrix(g.G0), InitH: transposed(g.F0), TraceEvery: 1})
		expectClose(t, "G", r.W.RawMatrix().Data, golden.Flat(g.G), c.Tol)
		expectClose(t, "F", r.H.RawMatrix().Data, transposed(g.F).RawMatrix().Data, c.Tol)
		for i, want := range g.Objective {
			expectClose(t, "objective", []float64{r.Trace[i+1].Objective}, []float64{want}, c.Tol)
		}
	})
}

// A clustering takes the codes first and says so, a factorisation the components.
func TestOrderByTask(t *testing.T) {
	paper := Protocol{Protocol: "paper"}
	x, _ := groups(90, 20)
	for _, m := range []Method{NMF{Protocol: paper}, GNMF{Protocol: paper}} {
		t.Run(m.Name(), func(t *testing.T) {
			r := factorized(t, x, m, FactorizeOptions{})
			for key, want := range map[string]any{"order": "basis-first", "iterations": 200, "tolerance": 0.0} {
				if r.Params[key] != want {
					t.Errorf("factorize: %s=%v, want %v", key, r.Params[key], want)
				}
			}
			if r.Iterations != 200 {
				t.Errorf("%d iterations", r.Iterations)
			}
			c := clusteringOf(t, x, m, ClusterOptions{Clusters: 3})
			for key, want := range map[string]any{"order": "codes-first", "iterations": 500, "tolerance": 1e-5} {
				if c.Params[key] != want {
					t.Errorf("cluster: %s=%v, want %v", key, c.Params[key], want)
				}
			}
		})
	}
	for _, m := range []Method{NMF{}, NMF{LeastSquares: LeastSquares{Solver: "hals"}}, GNMF{LeastSquares: LeastSquares{Solver: "auto"}}} {
		if c, err := Cluster(context.Background(), x, m, ClusterOptions{Clusters: 3}); err != nil || c.Params["order"] != "basis-first" || c.Params["solver"] != "hals" {
			t.Errorf("hals: %v, %v", c.Params, err)
		}
	}
	if r := factorized(t, x, NMF{Order: "codes-first"}, FactorizeOptions{}); r.Params["solver"] != "mu" {
		t.Errorf("codes first: %v", r.Params)
	}
	if _, err := Factorize(context.Background(), x, GNMF{LeastSquares: LeastSquares{Solver: "hals"}, Order: "codes-first"}, FactorizeOptions{Rank: 3}); err == nil || !strings.Contains(err.Error(), "Order: \"codes-first\" is for Solver: \"mu\"") {
		t.Errorf("hals with codes first: %v", err)
	}
	// The two orders do not give the same: the first step is another.
	a := factorized(t, x, NMF{Order: "codes-first", Updates: Updates{Iterations: 3, Tolerance: 1e-300}}, FactorizeOptions{})
	if b := factorized(t, x, NMF{Updates: Updates{Iterations: 3}}, FactorizeOptions{}); slices.Equal(a.W.RawMatrix().Data, b.W.RawMatrix().Data) {
		t.Error("both orders give the same")
	}
}

// A rule to stop that is named ends the fit, whichever factor is updated first; a decrease
// is looked at in every tenth iteration.
func TestNamedRulesToStop(t *testing.T) {
	x, _ := groups(60, 20)
	for name, m := range map[string]Method{
		"mu":          NMF{LeastSquares: LeastSquares{Solver: "mu"}, Updates: Updates{Tolerance: 1e-3}, Stopping: Stopping{Stop: "relative-decrease"}},
		"codes first": NMF{Order: "codes-first", Updates: Updates{Tolerance: 1e-3}, Stopping: Stopping{Stop: "relative-decrease"}},
		"kl":          NMFKL{Updates: Updates{Tolerance: 1e-3}, Stopping: Stopping{Stop: "relative-decrease"}},
		"hals":        NMF{Updates: Updates{Tolerance: 1e-3}, Stopping: Stopping{Stop: "violation"}},
	} {
		r := factorized(t, x, m, FactorizeOptions{})
		if !r.Converged || r.Iterations >= 200 || name != "hals" && r.Iterations%10 != 0 {
			t.Errorf("%s: %d iterations, converged %v", name, r.Iterations, r.Converged)
		}
	}
}

// A fixed factor comes back to the bit, also of data that are divided for their size; the
// other follows the data, and starts of its own lead to the same place.
func TestFixedFactorStays(t *testing.T) {
	const n, m, r = 60, 20, 3
	x, _ := groups(n, m)
	random := blas.NewStream(3)
	of := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		random.Uniforms(a.RawMatrix().Data)
		return a
	}
	w, h := of(n, r), of(r, m)
	for name, with := range map[string]func(FixedFactor) Method{
		"hals": func(f FixedFactor) Method { return NMF{FixedFactor: f} },
		"mu":   func(f FixedFactor) Method { return NMF{FixedFactor: f, LeastSquares: LeastSquares{Solver: "mu"}} },
		"kl":   func(f FixedFactor) Method { return NMFKL{FixedFactor: f} },
	} {
		t.Run(name, func(t *testing.T) {
			for _, scale := range []float64{1, 1e-30, 1e60} {
				y := mat.DenseCopyOf(x)
				y.Scale(scale, y)
				one := factorized(t, y, with(FixedFactor{Fixed: "h"}), FactorizeOptions{Options: Options{Seed: 4}, InitH: h})
				two := factorized(t, y, with(FixedFactor{Fixed: "w"}), FactorizeOptions{Options: Options{Seed: 4}, InitW: w})
				if !slices.Equal(one.H.RawMatrix().Data, h.RawMatrix().Data) || !slices.Equal(two.W.RawMatrix().Data, w.RawMatrix().Data) {
					t.Errorf("times %g: a fixed factor moved", scale)
				}
				if one.Quality.Verdict == Doubtful || two.Quality.Verdict == Doubtful {
					t.Errorf("times %g: %+v, %+v", scale, one.Quality, two.Quality)
				}
				given := factorized(t, y, with(FixedFactor{Fixed: "h"}), FactorizeOptions{Options: Options{Seed: 4}, InitW: scaledBy(w, scale), InitH: h})
				if d := relativeDistance(given.W, one.W, 1); d > 1e-3 {
					t.Errorf("times %g: from another start W is off by %.2g", scale, d)
				}
			}
		})
	}
}

func scaledBy(a *mat.Dense, c float64) *mat.Dense {
	b := mat.DenseCopyOf(a)
	b.Scale(c, b)
	return b
}
