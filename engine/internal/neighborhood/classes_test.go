package neighborhood

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// The lists of the classes, by measuring every distance.
func TestClassNeighbors(t *testing.T) {
	data, labels := steptest.Shapes(31, 12)
	labels[30] = 7
	x := samples.Of(data).Labeled(labels)
	for _, within := range []bool{true, false} {
		find := BetweenClasses
		if within {
			find = WithinClasses
		}
		for _, k := range []int{1, 4, 50} {
			g := must.Get(find(steptest.Run(t), x, k))(t)
			of := must.Get(find(steptest.Run(t), x.As(samples.OfCompressed(&sparse.CSR{})), k))(t)
			if !slices.Equal(of.Index, g.Index) || !slices.Equal(of.Dist, g.Dist) || !slices.Equal(of.Ptr, g.Ptr) {
				t.Errorf("within %v, k = %d: compressed samples have other neighbours", within, k)
			}
			for i := range 31 {
				var want []int32
				for j := range 31 {
					if j != i && (labels[i] == labels[j]) == within {
						want = append(want, int32(j))
					}
				}
				slices.SortStableFunc(want, func(a, b int32) int {
					da, db := blas.SquaredDistance(x.Row(i), x.Row(int(a))), blas.SquaredDistance(x.Row(i), x.Row(int(b)))
					switch {
					case da < db:
						return -1
					case da > db:
						return 1
					}
					return 0
				})
				want = want[:min(k, len(want))]
				if !slices.Equal(g.Of(i), want) {
					t.Errorf("within %v, k = %d: neighbours of %d are %v, want %v", within, k, i, g.Of(i), want)
				}
			}
		}
	}
}
