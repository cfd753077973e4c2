package align

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
)

// The nullity of Φ is the number of closed classes, and constants are null.
func TestClosedClassesAreTheNullity(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			s := blas.NewStream(seed)
			const n = 120
			x := mat.NewDense(n, 3, nil)
			for i := range n { // an open curve, unevenly sampled
				u := 3 * s.Uniform()
				x.SetRow(i, []float64{math.Cos(u), math.Sin(2 * u), u})
			}
			for _, k := range []int{1, 2, 3, 5, 20} {
				job, none := steptest.Run(t), 0
				found := must.Get(neighborhood.Pursuit{Nearest: neighborhood.Nearest(k), Cap: &none}.Find(job, samples.Of(x)))(t)
				sum := must.Get(SumOfPatches(Input{Local: patch.Local{Run: job, X: samples.Of(x), Graph: found.Graph}, Patch: patch.GivenWeights(2)}))(t)
				var eigen mat.EigenSym
				dense := sum.Phi.Dense()
				symmetric := mat.NewSymDense(n, dense.RawMatrix().Data)
				if !eigen.Factorize(symmetric, false) {
					t.Fatal("no eigenvalues")
				}
				nullity := 0
				for _, v := range eigen.Values(nil) {
					if v < 1e-12 {
						nullity++
					}
				}
				classes := neighborhood.ClosedClasses(found.Graph)
				// Slow chains have eigenvalues that no threshold distinguishes from 0.
				if nullity < classes || k <= 5 && nullity != classes {
					t.Errorf("seed %d, K = %d: nullity %d, %d closed classes", seed, k, nullity, classes)
				}
				seen[min(classes, 3)] = true
				for i := range n {
					var row float64
					for j := range n {
						row += dense.At(i, j)
					}
					if math.Abs(row) > 1e-13 {
						t.Errorf("seed %d, K = %d: row %d of Φ1 is %g", seed, k, i, row)
					}
				}
			}
		})
	}
	if !seen[1] || !seen[3] {
		t.Errorf("the test has only seen %v classes", seen)
	}
}
