package extend

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// A factors model has at most as many components as samples or columns, whichever are more: an
// edited file with more of them is refused before the encoder takes room for them.
func TestFactorsBeyondTheData(t *testing.T) {
	const cols = 3
	for _, c := range []struct {
		rank, samples int
		refused       bool
	}{{3, 1, false}, {4, 1, true}, {4, 4, false}, {5, 4, true}} {
		components := mat.NewDense(c.rank, cols, nil)
		components.Apply(func(i, j int, _ float64) float64 { return float64(1 + (i+j)%3) }, components)
		e := &Extension{Map: FactorsMap{Components: components, Loss: nmf.Frobenius, Iterations: 200, Sigma: nmf.Sigma{Theta: 0.5}}}
		asked := false
		_, err := e.Prepare(Resources{Kernels: blas.MustSelect("native"), Threads: 1, Samples: c.samples, Fit: func(int64) error { asked = true; return nil }})
		if refused := err != nil; refused != c.refused || refused && (asked || !strings.Contains(err.Error(), "makes at most")) {
			t.Errorf("rank %d of %d × %d: %v, room asked for: %v", c.rank, c.samples, cols, err, asked)
		}
	}
}
