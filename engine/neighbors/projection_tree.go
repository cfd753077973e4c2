package neighbors

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// projectionTree is a random-projection tree (Dasgupta and Freund 2008), of
// which only the leaves are kept: leaf c holds the places order[first[c]:first[c+1]].
type projectionTree struct {
	order []int32
	first []int32
}

// treeBuilder is the state of one tree under way.
type treeBuilder struct {
	ctx       context.Context
	x         *packedRows
	rng       *blas.Stream
	most      int // points in a leaf
	direction []float32
	height    []float32 // the projections, in the order of the tree
	tree      *projectionTree
}

// newProjectionTree splits the rows until no leaf has more than `most`. Every
// leaf has at least 2/5 of that many. O(nm log(n/most)).
func newProjectionTree(ctx context.Context, x *packedRows, most int, seed uint64) (*projectionTree, error) {
	b := &treeBuilder{
		ctx: ctx, x: x, rng: blas.NewStream(seed), most: most,
		direction: make([]float32, x.width), height: make([]float32, x.n),
		tree: &projectionTree{order: make([]int32, x.n)},
	}
	for p := range b.tree.order {
		b.tree.order[p] = int32(p)
	}
	b.split(0, x.n)
	b.tree.first = append(b.tree.first, int32(x.n))
	return b.tree, ctx.Err()
}

// split halves the points lo ≤ p < hi of the order along a random direction: the
// difference of two of them, which for data near a manifold points along it, while a direction
// drawn from the sphere would mostly miss it. The rank at which it cuts is jittered around the
// middle, as Dasgupta and Freund do with the value; cutting by rank makes progress whatever the
// data, equal points included.
func (b *treeBuilder) split(lo, hi int) {
	count := hi - lo
	if count <= b.most || b.ctx.Err() != nil {
		b.tree.first = append(b.tree.first, int32(lo))
		return
	}
	order := b.tree.order[lo:hi]
	if b.direct(order) {
		b.x.dots(b.direction, order, b.height[lo:hi])
	} else {
		clear(b.height[lo:hi])
	}
	cut := int(float64(count) * (0.4 + 0.2*b.rng.Uniform()))
	partition(order, b.height[lo:hi], cut)
	b.split(lo, lo+cut)
	b.split(lo+cut, hi)
}

// direct draws the direction; false where a few draws found only equal points.
func (b *treeBuilder) direct(order []int32) bool {
	for range 4 {
		p, q := b.x.row(int(order[b.rng.Below(len(order))])), b.x.row(int(order[b.rng.Below(len(order))]))
		var size float32
		for i, v := range p {
			d := v - q[i]
			b.direction[i] = d
			size = max(size, float32(math.Abs(float64(d))))
		}
		if size > 0 {
			for i := range b.direction {
				b.direction[i] /= size
			}
			return true
		}
	}
	return false
}

// partition reorders so that no height among the first nth is above one among
// the others (Hoare's selection, median of three).
func partition(order []int32, height []float32, nth int) {
	lo, hi := 0, len(order)-1
	for lo < hi {
		a, b, c := height[lo], height[(lo+hi)/2], height[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for height[i] < pivot {
				i++
			}
			for height[j] > pivot {
				j--
			}
			if i <= j {
				height[i], height[j] = height[j], height[i]
				order[i], order[j] = order[j], order[i]
				i++
				j--
			}
		}
		if nth <= j {
			hi = j
		} else if nth >= i {
			lo = i
		} else {
			return
		}
	}
}

// leaves returns their number.
func (t *projectionTree) leaves() int { return len(t.first) - 1 }

// leaf returns the places in leaf c.
func (t *projectionTree) leaf(c int) []int32 { return t.order[t.first[c]:t.first[c+1]] }
