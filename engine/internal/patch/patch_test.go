package patch

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// nearestOf returns samples with the k nearest neighbours of each, in a run.
func nearestOf(t *testing.T, x samples.Samples, k int) Local {
	t.Helper()
	g := must.Get(neighbors.Exact(t.Context(), x.Points(), k, neighbors.Options{}))(t)
	return Local{Run: steptest.Run(t), X: x, Graph: g}
}

// onRoll returns samples of a Swiss roll with the eight nearest neighbours of each.
func onRoll(t *testing.T) Local {
	t.Helper()
	s := must.Get(datasets.Generate("swiss-roll", 120, 1, nil))(t)
	return nearestOf(t, samples.Of(s.X), 8)
}

// lowerPatch computes one patch and unpacks it.
func lowerPatch(t *testing.T, in Local, rule Rule, i int) *mat.SymDense {
	t.Helper()
	worker := must.Get(rule.Begin(in))(t)
	n := rule.Sets(in.Graph).Size(i)
	lower := make([]float64, n*(n+1)/2)
	worker()(i, lower)
	s := mat.NewSymDense(n, nil)
	at := 0
	for a := range n {
		for b := range a + 1 {
			s.SetSym(a, b, lower[at])
			at++
		}
	}
	return s
}

// annihilates returns ‖Lv‖∞, which is zero up to rounding if the patch annihilates v.
func annihilates(l *mat.SymDense, v []float64) float64 {
	var out mat.VecDense
	out.MulVec(l, mat.NewVecDense(len(v), v))
	return mat.Norm(&out, math.Inf(1))
}

// The factors reproduce the patches: MᵀM = L.
func TestPatchFactors(t *testing.T) {
	in := onRoll(t)
	for _, c := range []struct {
		name string
		rule Rule
	}{
		{"hessian", Hessian(2, false)}, {"hessian without self", Hessian(2, true)}, {"curved", Curved(2, false, 1e-2)}, {"curved without self", Curved(2, true, 1e-2)}, {"tangent", Tangent(2, false)},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, worker := must.Two(c.rule.Factor(in))(t)
			factor := worker()
			for i := range in.X.N() {
				l := lowerPatch(t, in, c.rule, i)
				n := l.SymmetricDim()
				m := mat.NewDense(rows(i), n, nil)
				factor(i, m.RawMatrix().Data)
				var product mat.Dense
				product.Mul(m.T(), m)
				product.Sub(&product, l)
				if far := mat.Norm(&product, 2); far > 1e-13*float64(n) {
					t.Fatalf("factor of patch %d is off by %g", i, far)
				}
			}
		})
	}
}
