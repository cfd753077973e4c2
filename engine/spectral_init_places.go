package engine

import (
	"math"
)

// componentPlaces returns where the components stand, the largest first, and how far their
// vertices may lie from there: half the least distance of two places.
func componentPlaces(count, dim int) (place func(c int) []float64, reach float64) {
	if count <= 2*dim {
		half := (count + 1) / 2 // as umap-learn: +1 on so many axes, then −1 on the same
		reach = math.Sqrt2 / 2
		if half == 1 {
			reach = 1
		}
		return func(c int) []float64 {
			at := make([]float64, dim)
			at[c%half] = 1
			if c >= half {
				at[c%half] = -1
			}
			return at
		}, reach
	}
	return func(c int) []float64 {
		at := make([]float64, dim)
		if dim == 1 {
			at[0] = float64((c + 1) / 2)
			if c%2 == 0 {
				at[0] = -at[0]
			}
			return at
		}
		at[0], at[1] = onSpiral(c)
		return at
	}, 0.5
}

// onSpiral returns the c-th place of the square spiral through the integer grid.
func onSpiral(c int) (x, y float64) {
	ring := int(math.Ceil((math.Sqrt(float64(c+1)) - 1) / 2))
	if ring == 0 {
		return 0, 0
	}
	side := 2 * ring
	along := c - (side-1)*(side-1) // from the corner behind (ring, −ring) on
	q, r := along/side, float64(along%side+1)
	k := float64(ring)
	switch q {
	case 0:
		return k, -k + r
	case 1:
		return k - r, k
	case 2:
		return -k, k - r
	}
	return -k + r, -k
}
