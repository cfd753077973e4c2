package layout

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// Further pairs are drawn among vertices that are near in the map, and are no neighbours. One without
// such vertices keeps its pairs.
func TestLocalDraws(t *testing.T) {
	w := rings(4, 50)
	n, pairs := w.Rows, pairsOf(w)
	for _, dim := range []int{2, 3} {
		y := scattered(n, dim, 5)
		y.Set(7, 0, 1000)
		in := must.Get(pairs.incident(y))(t)
		l := must.Get(newLocal(Local{Distance: 8}, in, pairs))(t)
		at := must.Get(single(y, in.order))(t)
		before := slices.Clone(l.further.other)
		must.Do(t, l.draw(t.Context(), 2, 12, dim, at))
		var anew, listed int
		for i := range n {
			own, old := l.further.of(i), before[l.further.ptr[i]:l.further.ptr[i+1]]
			if in.order[i] == 7 && !slices.Equal(own, old) {
				t.Error("a vertex that is far from all others does not keep its pairs")
			}
			for q, j := range own {
				if slices.Contains(in.kinds[further].of(i), j) && slices.Contains(in.kinds[further].of(int(j)), int32(i)) {
					listed++
				}
				if j == old[q] {
					continue
				}
				anew++
				if d := blas.SquaredDistance(y.RawRowView(int(in.order[i])), y.RawRowView(int(in.order[j]))); d > 64.001 {
					t.Errorf("a further pair at a distance of %g", math.Sqrt(d))
				}
				if int(j) == i || slices.Contains(own[:q], j) || slices.Contains(l.near.of(i), j) {
					t.Errorf("vertex %d draws itself, one twice or a neighbour", in.order[i])
				}
			}
		}
		if listed != len(pairs.Further) || anew < listed*3/4 {
			t.Errorf("%d of %d pairs are listed at both ends, and %d are new", listed, len(pairs.Further), anew)
		}
	}
}

// Near pairs pull as the paper's formula says, in two columns and in three.
func TestLocalPull(t *testing.T) {
	in := &incident{order: []int32{0, 1}, local: 5}
	in.kinds[near] = adjacency{ptr: []int{0, 1, 2}, other: []int32{1, 0}}
	for kind := midNear; kind <= further; kind++ {
		in.kinds[kind] = adjacency{ptr: []int{0, 0, 0}}
	}
	for _, at := range [][]float64{{0, 0, 3, 4}, {0, 0, 0, 3, 0, 4}} {
		g := make([]float64, len(at)/2)
		gradient(in, [3]float64{1, 0, 1}, at, 0, g)
		c := 20. / (36 * 36) * 5 / math.Sqrt(26)
		for m := range g {
			if want := -c * at[len(g)+m]; math.Abs(g[m]-want) > 1e-12 {
				t.Errorf("the gradient is %v, column %d should be %g", g, m, want)
			}
		}
	}
}
