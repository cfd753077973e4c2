package extend

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// The rows of largest cosine are those of a sorted list, whatever their number, and lower ones on ties.
func TestClosest(t *testing.T) {
	s := blas.NewStream(7)
	cosines, of := make([]float64, 300), make([]float64, 300)
	s.Uniforms(cosines)
	for j := range cosines {
		cosines[j] = math.Round(20*cosines[j])/20 - 0.2 // many ties, some not above 0
		of[j] = float64(j % 7)
	}
	rows := make([]int, 300)
	for j := range rows {
		rows[j] = j
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		switch {
		case cosines[a] > cosines[b]:
			return -1
		case cosines[a] < cosines[b]:
			return 1
		}
		return 0
	})
	for _, most := range []int{1, 2, 3, 50, 299, 300} {
		near := closest{of: of, most: most}
		for range 2 { // again, from a list that was in use
			near.clear()
			for j, v := range cosines {
				near.offer(j, v)
			}
			near.cut()
			var want []int
			sums := make([]float64, 7)
			for _, j := range rows {
				if len(want) < most && cosines[j] > 0 {
					want = append(want, j)
					sums[int(of[j])] += cosines[j]
				}
			}
			var got []int
			for _, to := range near.list {
				got = append(got, to.j)
			}
			if !slices.Equal(got, want) {
				t.Errorf("of %d: %v, want %v", most, got, want)
			}
			if label := near.label(); label != float64(slices.Index(sums, slices.Max(sums))) {
				t.Errorf("of %d: label %v of sums %v", most, label, sums)
			}
		}
	}
}
