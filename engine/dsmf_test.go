package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/measures"
)

// rays are samples of any sign on three rays, of very different lengths.
func rays(n, m int) (*mat.Dense, []int64) {
	stream := blas.NewStream(4)
	directions := make([]float64, 3*m)
	stream.Normals(directions)
	x, labels := mat.NewDense(n, m, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 3)
		length := math.Exp(3 * stream.Uniform())
		row := x.RawRowView(i)
		stream.Normals(row)
		for j := range row {
			row[j] = length * (directions[i%3*m+j] + 0.2*row[j])
		}
	}
	return x, labels
}

func TestDSMF(t *testing.T) {
	x, labels := rays(90, 20)
	for _, m := range []Method{DSMF{}, DSMF{Layers: "3"}, DSMF{Layers: "8, 5,3", Iterations: 60}} {
		t.Run(fmt.Sprintf("layers %q", m.(DSMF).Layers), func(t *testing.T) {
			o := FactorizeOptions{TraceEvery: 1, Options: Options{Threads: 1}}
			r := factorized(t, x, m, o)
			o.Threads = 3
			if again := factorized(t, x, m, o); !sameEntries(r.W, again.W) || !sameEntries(r.H, again.H) {
				t.Errorf("%+v: threads change bits", m)
			}
			if mat.Min(r.W) < 0 || mat.Min(r.H) >= 0 {
				t.Errorf("%+v: least coordinate %v, least component %v", m, mat.Min(r.W), mat.Min(r.H))
			}
			var left mat.Dense
			left.Mul(r.W, r.H)
			left.Sub(x, &left)
			if got := mat.Norm(&left, 2) / mat.Norm(x, 2); math.Abs(got-r.RelativeError) > 1e-12 || !(got < 0.3) {
				t.Errorf("%+v: the error is %v, and said to be %v", m, got, r.RelativeError)
			}
			if len(r.Trace) != r.Iterations+1 {
				t.Errorf("%+v: %d points of %d iterations", m, len(r.Trace), r.Iterations)
			}
			if _, err := r.Model(); err == nil || !strings.Contains(err.Error(), "both signs") {
				t.Errorf("%+v: a model: %v", m, err)
			}
			for _, how := range []string{"kmeans", "argmax"} {
				d := m.(DSMF)
				d.Labels = how
				c, err := Cluster(context.Background(), x, d, ClusterOptions{Clusters: 3})
				if err != nil {
					t.Fatal(err)
				}
				// Rays whose lengths differ by e³ are told apart by their directions. A code's
				// largest entry need not tell them: codes are unique up to mixing.
				want := labels
				if how == "argmax" {
					want = make([]int64, 90)
					for i := range want {
						row := r.W.RawRowView(i)
						want[i] = int64(slices.Index(row, slices.Max(row)))
					}
				}
				if acc, err := measures.Accuracy(want, c.Labels); err != nil || acc < 1 {
					t.Errorf("%+v: %v clustered right by %s (%v)", d, acc, how, err)
				}
			}
		})
	}
	zero := factorized(t, mat.NewDense(6, 4, nil), DSMF{}, FactorizeOptions{Rank: 2})
	if zero.RelativeError != 0 || mat.Norm(zero.W, 2) != 0 {
		t.Errorf("zeros get the error %v and the coordinates %v", zero.RelativeError, mat.Formatted(zero.W))
	}
}

func TestDSMFRefuses(t *testing.T) {
	x, _ := rays(12, 5)
	never := 0.0
	for name, c := range map[string]struct {
		m    Method
		o    FactorizeOptions
		want string
	}{
		"rank":    {DSMF{}, FactorizeOptions{Rank: 6}, "dsmf: rank 6 for 12 × 5 data, which have 5 singular vectors"},
		"words":   {DSMF{Layers: "many"}, FactorizeOptions{}, `layers is "many"; give whole numbers`},
		"last":    {DSMF{Layers: "4,2"}, FactorizeOptions{}, "the last of the layers 4,2 has rank 2; give 3"},
		"rising":  {DSMF{Layers: "2,3"}, FactorizeOptions{}, "dsmf: a layer of rank 3 after one of rank 2"},
		"large":   {DSMF{Layers: "6,3"}, FactorizeOptions{}, "a layer of rank 6 for 12 × 5 data"},
		"start":   {DSMF{}, FactorizeOptions{InitW: mat.NewDense(12, 3, nil), InitH: mat.NewDense(3, 5, nil)}, "leave out the given one"},
		"memory":  {DSMF{Tolerance: &never}, FactorizeOptions{Options: Options{Memory: 100}}, "where the limit is 100 B"},
		"a model": {DSMF{}, FactorizeOptions{Options: Options{Model: true}}, "there is no rule for new samples"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.o.Rank == 0 {
				c.o.Rank = 3
			}
			if _, err := Factorize(context.Background(), x, c.m, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		})
	}
}

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
		r := factorized(t, samplesOf(c.X), GNMF{Neighbors: g.K, Lambda: &g.Lam, Order: "codes-first", Updates: Updates{Iterations: g.Iters, Tolerance: 1e-300, Normalise: "none"}},
			FactorizeOptions{Rank: len(g.F0[0]), InitW: matrix(g.G0), InitH: samplesOf(g.F0), TraceEvery: 1})
		expectClose(t, "G", r.W.RawMatrix().Data, rowsOf(g.G), c.Tol)
		expectClose(t, "F", r.H.RawMatrix().Data, samplesOf(g.F).RawMatrix().Data, c.Tol)
		for i, want := range g.Objective {
			expectClose(t, "objective", []float64{r.Trace[i+1].Objective}, []float64{want}, c.Tol)
		}
	})
}

// A clustering takes the codes first and says so, a factorisation the components.
func TestOrderByTask(t *testing.T) {
	x, _ := groups(90, 20)
	for _, m := range []Method{NMF{}, GNMF{}} {
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
			c, err := Cluster(context.Background(), x, m, ClusterOptions{Clusters: 3})
			if err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]any{"order": "codes-first", "iterations": 500, "tolerance": 1e-5} {
				if c.Params[key] != want {
					t.Errorf("cluster: %s=%v, want %v", key, c.Params[key], want)
				}
			}
		})
	}
	c, err := Cluster(context.Background(), x, NMF{LeastSquares: LeastSquares{Solver: "hals"}}, ClusterOptions{Clusters: 3})
	if err != nil || c.Params["order"] != "basis-first" {
		t.Errorf("hals: %v, %v", c, err)
	}
	if _, err := Factorize(context.Background(), x, GNMF{LeastSquares: LeastSquares{Solver: "hals"}, Order: "codes-first"}, FactorizeOptions{Rank: 3}); err == nil || !strings.Contains(err.Error(), "order=codes-first is for solver=mu") {
		t.Errorf("hals with codes first: %v", err)
	}
	// The two orders do not give the same: the first step is another.
	a := factorized(t, x, NMF{Order: "codes-first", Updates: Updates{Iterations: 3, Tolerance: 1e-300}}, FactorizeOptions{})
	if b := factorized(t, x, NMF{Updates: Updates{Iterations: 3}}, FactorizeOptions{}); slices.Equal(a.W.RawMatrix().Data, b.W.RawMatrix().Data) {
		t.Error("both orders give the same")
	}
}
