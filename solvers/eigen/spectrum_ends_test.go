package eigen

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
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
		low, high, err := SpectrumEnds(context.Background(), n, 1, func(x, y []float64) {
			for i := range n {
				y[i] = blas.Dot(m[i*n:i*n+n], x)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		values, work := make([]float64, n), slices.Clone(m)
		if err := kernels.SymEig(n, work, n, values, new(blas.Work)); err != nil {
			t.Fatal(err)
		}
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
