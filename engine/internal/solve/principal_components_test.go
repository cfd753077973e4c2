package solve

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
)

// Of large dense samples no Gram matrix is formed, and the components are those by one.
func TestComponentsByProductsAreThoseOfTheGramMatrix(t *testing.T) {
	const n, m, dim = 1300, 900, 3
	random, x := blas.NewStream(3), mat.NewDense(n, m, nil)
	random.Normals(x.RawMatrix().Data)
	for i := range n {
		for k := range dim {
			blas.Axpy(float64(40-10*k)*math.Sin(float64(i*(k+1))), x.RawRowView(k + 1)[:1], x.RawRowView(i)[k:k+1])
		}
	}
	weights := make([]float64, n)
	random.Uniforms(weights)
	for _, by := range [][]float64{nil, weights} {
		for _, whiten := range []bool{false, true} {
			job, data := steptest.Run(t), samples.Of(x)
			g := must.Get(align.WeightedGram(dim, by)(align.Input{Local: patch.Local{Run: job, X: data}}))(t)
			want := must.Get(TopEigenvectors(dim, whiten)(Input{Run: job, X: data}, g))(t)
			g.Product = nil
			got := must.Get(TopEigenvectors(dim, whiten)(Input{Run: job, X: data}, g))(t)
			if got.Plan == nil || got.Plan.Solver == "dense" || !got.Converged {
				t.Fatalf("the plan is %+v", got.Plan)
			}
			if !mat.EqualApprox(got.Y, want.Y, 1e-7*mat.Norm(want.Y, 2)) || math.Abs(got.Next-want.Next) > 1e-2*want.Next {
				t.Errorf("weights %v, whiten %v: other coordinates, next %v and %v", by != nil, whiten, got.Next, want.Next)
			}
			for j, v := range want.Values {
				if math.Abs(got.Values[j]-v) > 1e-12*v || got.Residuals[j] > 1e-9 {
					t.Errorf("variance %d is %v (residual %g), want %v", j, got.Values[j], got.Residuals[j], v)
				}
			}
		}
	}
}
