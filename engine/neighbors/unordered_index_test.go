package neighbors

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// The search finds exactly the samples up to the k-th smallest distance, whatever was searched for
// before, and whichever axes divide them.
func TestUnorderedIndex(t *testing.T) {
	stream := blas.NewStream(3)
	for _, m := range []int{2, 3, 9} {
		x := Points{N: 500, M: m, Data: make([]float64, 500*m)}
		stream.Normals(x.Data)
		for i := 0; i < 60; i++ { // copies, and ties on a grid
			copy(x.Row(i), x.Row(i/3*3))
			x.Row(i + 100)[0] = float64(i % 4)
		}
		axes := make([]float64, 2*m)
		axes[0], axes[m+1] = 0.6, 1
		axes[m-1] += 0.8 * float64(min(m-2, 1)) // orthonormal from three columns on
		if m == 2 {
			axes[0] = 1
		}
		for _, s := range []*UnorderedIndex{NewUnorderedIndex(x, nil), NewUnorderedIndex(x, axes)} {
			search := s.NewSearcher()
			for _, k := range []int{1, 7, 60, 500} {
				for i := 0; i < x.N; i += 7 {
					last := search.Nearest(x.Row(i), k)
					var want, got []int
					squares := make([]float64, x.N)
					for j := range squares {
						squares[j] = blas.SquaredDistance(x.Row(i), x.Row(j))
					}
					kth := slices.Sorted(slices.Values(squares))[k-1]
					for j, v := range squares {
						if v <= kth {
							want = append(want, j)
						}
					}
					for q, place := range search.Places {
						got = append(got, s.Number(int(place)))
						if search.Squares[q] != squares[got[q]] {
							t.Fatalf("a squared distance is %g, want %g", search.Squares[q], squares[got[q]])
						}
					}
					slices.Sort(got)
					if last != kth || !slices.Equal(got, want) {
						t.Fatalf("%d columns, k = %d: %d found up to %g, want %d up to %g", m, k, len(got), last, len(want), kth)
					}
				}
			}
		}
	}
}
