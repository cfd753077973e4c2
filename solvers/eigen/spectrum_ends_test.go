package eigen

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

func TestSpectrumEnds(t *testing.T) {
	kernels := blas.MustSelect("")
	for _, n := range []int{1, 2, 5, 60, 400} {
		m := make([]float64, n*n) // symmetric, random
		blas.NewStream(uint64(n)).Normals(m)
		for i := range n {
			for j := range i {
				m[i*n+j] = m[j*n+i]
			}
		}
		low, high := must.Two(SpectrumEnds(context.Background(), n, 1, func(x, y []float64) {
			for i := range n {
				y[i] = blas.Dot(m[i*n:i*n+n], x)
			}
		}))(t)
		values, work := make([]float64, n), slices.Clone(m)
		must.Do(t, kernels.SymEig(n, work, n, values, new(blas.Work)))
		spread := max(values[n-1]-values[0], math.Abs(values[0]))
		slack := 1e-12 * spread // inside the spectrum, but for rounding
		if low < values[0]-slack || low > values[0]+1e-3*spread {
			t.Errorf("n=%d: the low end is %g, want %g", n, low, values[0])
		}
		if high > values[n-1]+slack || high < values[n-1]-1e-3*spread {
			t.Errorf("n=%d: the high end is %g, want %g", n, high, values[n-1])
		}
	}
}
