package patch

import (
	"encoding/json"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/bandwidth"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/layout"
	"github.com/orthant-go/orthant/sparse"
)

// mapCase has samples, and the intermediate results of a map.
type mapCase struct {
	X    [][]float64
	UMAP struct {
		Neighbors  int `json:"neighbors_with_self"`
		Rho, Sigma []float64
		Edges      [][3]float64
	}
	TSNE struct {
		Perplexity float64
		Neighbors  int
		Beta       []float64
		P          [][3]float64
	}
	PaCMAP struct {
		Sigma      []float64
		Candidates int
		Near       [][]int32
	}
}

// localOf returns the samples of a case with their k nearest neighbours.
func localOf(t *testing.T, c mapCase, k int) Local {
	t.Helper()
	x := steptest.Samples(c.X)
	g := must.Get(neighbors.Exact(t.Context(), x.Points(), k, neighbors.Options{}))(t)
	return Local{Run: steptest.Run(t), X: x, Graph: g}
}

// sums returns the weights of a graph's edges as a symmetric matrix.
func sums(e sparse.Edges, n int) *mat.SymDense {
	w := mat.NewSymDense(n, nil)
	for i := range n {
		for q := e.Ptr[i]; q < e.Ptr[i+1]; q++ {
			j := int(e.Index[q])
			w.SetSym(i, j, w.At(i, j)+e.Weight[q])
		}
	}
	return w
}

// expectEdges compares with the entries above the diagonal, and expects no others.
func expectEdges(t *testing.T, got *mat.SymDense, want [][3]float64) {
	t.Helper()
	n := got.SymmetricDim()
	expected := mat.NewSymDense(n, nil)
	for _, e := range want {
		expected.SetSym(int(e[0]), int(e[1]), e[2])
	}
	for i := range n {
		for j := range i {
			if math.Abs(got.At(i, j)-expected.At(i, j)) > 1e-12 {
				t.Errorf("edge %d, %d: %.17g, want %.17g", i, j, got.At(i, j), expected.At(i, j))
			}
		}
	}
}

func TestGoldenFuzzy(t *testing.T) {
	golden.Cases(t, "maps", func(t *testing.T, raw json.RawMessage) {
		var c mapCase
		golden.Decode(t, raw, &c)
		in := localOf(t, c, c.UMAP.Neighbors-1)
		f := Fuzzy{Mix: 1}
		var rho, sigma []float64
		for i := range in.Graph.Len() {
			d := in.Graph.Distances(i)
			r := f.radius(d)
			rho, sigma = append(rho, r), append(sigma, width(d, r, math.Log2(float64(len(d)+1))))
		}
		golden.Expect(t, "rho", rho, c.UMAP.Rho, 1e-12)
		golden.Expect(t, "sigma", sigma, c.UMAP.Sigma, 1e-12)
		e := must.Get(f.Rule().Edges(in))(t)
		expectEdges(t, sums(e, len(c.X)), c.UMAP.Edges)
	})
}

func TestGoldenPerplexity(t *testing.T) {
	golden.Cases(t, "maps", func(t *testing.T, raw json.RawMessage) {
		var c mapCase
		golden.Decode(t, raw, &c)
		in := localOf(t, c, c.TSNE.Neighbors)
		var beta []float64
		for i := range in.Graph.Len() {
			d := in.Graph.Distances(i)
			beta = append(beta, bandwidth.Probabilities(d, c.TSNE.Perplexity, make([]float64, len(d))))
		}
		golden.Expect(t, "beta", beta, c.TSNE.Beta, 1e-10)
		e := must.Get(Perplexity(c.TSNE.Perplexity).Rule().Edges(in))(t)
		expectEdges(t, sums(e, len(c.X)), c.TSNE.P)
	})
}

func TestGoldenPairs(t *testing.T) {
	golden.Cases(t, "maps", func(t *testing.T, raw json.RawMessage) {
		var c mapCase
		golden.Decode(t, raw, &c)
		in := localOf(t, c, c.PaCMAP.Candidates)
		golden.Expect(t, "sigma", LocalWidths(in.Graph), c.PaCMAP.Sigma, 1e-12)
		pairs := must.Get(ControlledPairs{Near: len(c.PaCMAP.Near[0]), MidNear: 2, Further: 4}.Of(in))(t)
		var want []layout.Pair
		for i, list := range c.PaCMAP.Near {
			for _, j := range list {
				want = append(want, layout.Pair{I: int32(i), J: j})
			}
		}
		for k, p := range want {
			if pairs.Near[k] != p {
				t.Fatalf("near pair %d is %v, want %v", k, pairs.Near[k], p)
			}
		}
		near := map[layout.Pair]bool{}
		for _, p := range pairs.Near {
			near[p] = true
		}
		for _, p := range pairs.Further {
			if p.I == p.J || near[p] {
				t.Errorf("the further pair %v is a near one", p)
			}
		}
		if len(pairs.MidNear) != 2*len(c.X) {
			t.Errorf("%d mid-near pairs", len(pairs.MidNear))
		}
	})
}

// Distances that are equal, zero or of very different magnitudes determine no width or precision.
func TestWeightsOfOddDistances(t *testing.T) {
	for _, d := range [][]float64{{0, 0, 0, 0}, {1, 1, 1, 1}, {0, 0, 0, 5}, {1e-150, 1e150}, {3}, {0}, {1, 1e200}} {
		f := Fuzzy{}
		r := f.radius(d)
		if w := width(d, r, math.Log2(float64(len(d)+1))); !(w >= 0) || math.IsInf(w, 0) {
			t.Errorf("%v: σ is %v", d, w)
		}
		p := make([]float64, len(d))
		b := bandwidth.Probabilities(d, 1.5, p)
		var sum float64
		for _, v := range p {
			sum += v
		}
		if !(b >= 0) || math.Abs(sum-1) > 1e-12 {
			t.Errorf("%v: β is %v, and the probabilities sum to %v", d, b, sum)
		}
	}
}

// The connectivity may be a fraction.
func TestFuzzyConnectivity(t *testing.T) {
	d := []float64{0, 1, 2, 4}
	for connectivity, want := range map[float64]float64{0: 1, 1: 1, 0.5: 0.5, 2: 2, 2.25: 2.5, 3: 4, 7: 4} {
		if got := (Fuzzy{Connectivity: connectivity}).radius(d); got != want {
			t.Errorf("%g: ρ is %g, want %g", connectivity, got, want)
		}
	}
}
