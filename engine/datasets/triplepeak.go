package datasets

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// triplePeak is a square sheet with three Gaussian peaks, one up and two down,
// on a g × g grid of [−1.5, 1.5]² with both ends (t slow, s fast). Nothing is
// drawn. Intrinsic coordinates (t, s).
var triplePeak = &recipe{
	name:     "triple-peak",
	samples:  1225,
	features: fixed(3),
	check: func(n int, _ values) error {
		if g := squareRoot(n); n < 4 || g*g != n {
			low := max(2, g)
			return fmt.Errorf("%d samples asked of a square grid, want a square of 2 or more such as %d or %d", n, low*low, (low+1)*(low+1))
		}
		return nil
	},
	draw: func(n int, _ values, _ *source) *Set {
		g := squareRoot(n)
		x, params := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
		at := func(i int) float64 { // the ends exactly
			if i == g-1 {
				return 1.5
			}
			return -1.5 + float64(i)*(3/float64(g-1))
		}
		for i := range n {
			t, s := at(i/g), at(i%g)
			height := math.Exp(-10*((t-.5)*(t-.5)+(s-.5)*(s-.5))) -
				math.Exp(-10*(t*t+(s+1)*(s+1))) -
				math.Exp(-10*((1+t)*(1+t)+s*s))
			x.SetRow(i, []float64{t, s, height})
			params.SetRow(i, []float64{t, s})
		}
		return &Set{X: x, Params: params}
	},
}

// squareRoot returns ⌊√n⌋; the root is exact for n up to the largest set.
func squareRoot(n int) int { return int(math.Sqrt(float64(n))) }
