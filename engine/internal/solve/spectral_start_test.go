package solve

import (
	"math"
	"testing"
)

// Places are at least twice the reach apart.
func TestComponentPlaces(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 7} {
		for _, count := range []int{2, 3, 4, 5, 6, 7, 14, 15, 60} {
			place, reach := componentPlaces(count, dim)
			least := math.Inf(1)
			for a := range count {
				for b := range a {
					var squares float64
					for j, v := range place(a) {
						squares += (v - place(b)[j]) * (v - place(b)[j])
					}
					least = min(least, math.Sqrt(squares))
				}
			}
			if math.Abs(least-2*reach) > 1e-12 {
				t.Errorf("%d components in %d dimensions: places %g apart, reach %g", count, dim, least, reach)
			}
		}
	}
}
