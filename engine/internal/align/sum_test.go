package align

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// The stacked factors multiply out to the sum of the patches.
func TestFactorsMultiplyOut(t *testing.T) {
	zero, one := 0.0, 1.0
	multiple := func(lambda *float64) patch.Rule {
		return patch.MultipleWeights{Dim: 2, By: patch.Regularized(1e-3, 2), Lambda: lambda}.Rule()
	}
	s, err := datasets.Generate("swiss-roll", 300, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, copied := range []int{5, 7} {
		s.X.SetRow(copied, s.X.RawRowView(4))
	}
	x := samples.Of(s.X)
	g, err := neighbors.Exact(t.Context(), x.Points(), 9, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, rule := range map[string]patch.Rule{
		"lle": patch.Reconstruction(patch.Regularized(1e-3, 2)), "ltsa": patch.Tangent(2, false), "ltsa without self": patch.Tangent(2, true),
		"hlle": patch.Hessian(2, false), "hlle without self": patch.Hessian(2, true),
		"neml": multiple(nil), "mlle": multiple(&zero), "orthogonal": multiple(&one),
	} {
		t.Run(name, func(t *testing.T) {
			job, n := steptest.Run(t), x.N()
			a, err := SumOfPatches(Input{Local: patch.Local{Run: job, X: x, Graph: g}, Patch: rule})
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := a.Factored()
			if err != nil {
				t.Fatal(err)
			}
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
