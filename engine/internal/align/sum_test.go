package align

import (
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// The stacked factors multiply out to the sum of the patches.
func TestFactorsMultiplyOut(t *testing.T) {
	zero, one := 0.0, 1.0
	multiple := func(lambda *float64) patch.Rule {
		return patch.MultipleWeights{Dim: 2, By: patch.Regularized(1e-3, 2), Lambda: lambda}.Rule()
	}
	s := must.Get(datasets.Generate("swiss-roll", 300, 1, nil))(t)
	for _, copied := range []int{5, 7} {
		s.X.SetRow(copied, s.X.RawRowView(4))
	}
	x := samples.Of(s.X)
	g := must.Get(neighbors.Exact(t.Context(), x.Points(), 9, neighbors.Options{}))(t)
	for name, rule := range map[string]patch.Rule{
		"lle": patch.Reconstruction(patch.Regularized(1e-3, 2)), "ltsa": patch.Tangent(2, false), "ltsa without self": patch.Tangent(2, true),
		"hlle": patch.Hessian(2, false), "hlle without self": patch.Hessian(2, true),
		"neml": multiple(nil), "mlle": multiple(&zero), "orthogonal": multiple(&one),
	} {
		t.Run(name, func(t *testing.T) {
			job, n := steptest.Run(t), x.N()
			a := must.Get(SumOfPatches(Input{Local: patch.Local{Run: job, X: x, Graph: g}, Patch: rule}))(t)
			blocks := must.Get(a.Factored())(t)
			bt := steptest.Whole(blocks)
			dense := bt.Dense().RawMatrix()
			product := make([]float64, n*n)
			job.Kernels().Gemm(true, false, n, n, bt.Rows, 1, dense.Data, n, dense.Data, n, 0, product, n)
			phi := a.Phi.Dense().RawMatrix().Data
			scale := a.Phi.RowSumNorm()
			for i, v := range phi {
				if math.Abs(product[i]-v) > 1e-13*scale {
					t.Errorf("entry (%d, %d) is %g in the factors' product, %g in the sum", i/n, i%n, product[i], v)
					break
				}
			}
		})
	}
}

// ring is a ring of five samples, the last of which hangs to it by edges of the given weight.
func ring(t *testing.T, weight float64) Input {
	g := &neighbors.Graph{Ptr: []int{0}}
	for i := range 5 {
		w := 1.0
		if i >= 3 { // the edges from 3 to 4 and from 4 to 0
			w = weight
		}
		g.Index, g.Weight = append(g.Index, int32((i+1)%5)), append(g.Weight, w)
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return Input{Local: patch.Local{Run: steptest.Run(t), X: samples.OfRows(5, 1, make([]float64, 5)), Graph: g}, Patch: patch.GivenEdges()}
}

// A row of zero is refused in every sum that is solved for coordinates; one at rounding where
// no scaling lifts it; and neither in a term next to which others place the samples.
func TestRowsOfZero(t *testing.T) {
	for _, c := range []struct {
		name    string
		rule    Rule[*Sum]
		weight  float64
		refused bool
	}{
		{"a sum", SumOfPatches, 0, true}, {"a sum, at rounding", SumOfPatches, 1e-17, true}, {"a sum, small", SumOfPatches, 1e-12, false},
		{"a Laplacian", NormalizedSum, 0, true}, {"a Laplacian, at rounding", NormalizedSum, 1e-17, false}, {"a term", GraphTerm, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.rule(ring(t, c.weight))
			switch {
			case !c.refused && err != nil:
				t.Error(err)
			case c.refused && (err == nil || !strings.Contains(err.Error(), "no equation places sample 5 (counting from 1): all their weights are 0")):
				t.Errorf("error %v", err)
			}
		})
	}
	in := ring(t, 0)
	if _, err := Regularizer(GraphTerm)(in); err != nil || len(in.Warnings()) != 1 || !strings.Contains(in.Warnings()[0], "sample 5 (counting from 1): the graph term is made without") {
		t.Errorf("a term: %v, warnings %q", err, in.Warnings())
	}
}
