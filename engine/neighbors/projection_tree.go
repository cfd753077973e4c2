package neighbors

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// projectionTree is a random-projection tree (Dasgupta and Freund 2008), of
// which only the leaves are kept: leaf c has the places order[first[c]:first[c+1]].
type projectionTree struct {
	order []int32
	first []int32
}

// treeBuilder is the state of building one tree.
type treeBuilder struct {
	ctx       context.Context
	x         *packedRows
	rng       *blas.Stream
	most      int // largest number of points in a leaf
	direction []float32
	height    []float32 // the projections, in the order of the tree
	tree      *projectionTree
}

// newProjectionTree splits the rows until no leaf has more than most. Every
// leaf has at least 2/5 of that number. O(nm log(n/most)).
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

// split halves the points lo ≤ p < hi of the order along a random direction, the
// difference of two of them. For data near a manifold it is nearly tangential, while a direction
// drawn from the sphere would mostly miss the manifold. The rank of the cut is jittered around the
// middle, as Dasgupta and Freund do with the value; cutting by rank makes progress for all
// data, including equal points.
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

// direct draws the direction; false: a few draws found only equal points.
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

// partition reorders so that none of the first nth heights exceeds any of
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

// leaves returns the number of leaves.
func (t *projectionTree) leaves() int { return len(t.first) - 1 }

// leaf returns the places in leaf c.
func (t *projectionTree) leaf(c int) []int32 { return t.order[t.first[c]:t.first[c+1]] }

// leafFor returns the largest number of points in a leaf: leaves have at least 2/5 of it, which
// gives every point k others.
func leafFor(k int) int { return max(64, 5*(k+1)/2+1) }

// byTrees returns no graph if the recall stays too low.
func byTrees(ctx context.Context, x *Stored, k int, o ApproximateOptions, sample []int32, r *Report) (*Graph, error) {
	d := &descent{threads: o.Threads}
	f := &forest{seed: o.Seed, threads: o.Threads}
	trees := 4 + int(math.Round(math.Sqrt(math.Sqrt(float64(x.n)))/4))
	for attempt := range attempts {
		held := max(k, minHeld) * (attempt + 2) / 2
		report := func(share float64) { o.Progress((float64(attempt) + share) / attempts) }
		if err := f.grow(ctx, x, held, trees, d); err != nil {
			return nil, err
		}
		report(0.3)
		r.Trees += trees
		if err := d.run(ctx, r); err != nil {
			return nil, err
		}
		report(0.8)
		g := newGraph(x.n, k)
		if err := g.measure(ctx, x, d.lists, d.x.label, d.threads); err != nil {
			return nil, err
		}
		recall, err := measureRecall(ctx, x, d.x, g, sample, o.Threads)
		if err != nil {
			return nil, err
		}
		before := r.Reached
		r.Reached = max(before, recall)
		if recall >= o.Recall {
			if o.ListsOnly {
				g.Dist = nil
			}
			g.takeRoots()
			r.Recall = recall
			o.Progress(1)
			return g, nil
		}
		if recall-before < (o.Recall-before)/4 {
			break // the next attempt would not reach it either
		}
	}
	return nil, nil
}

// forest grows the trees of a search.
type forest struct {
	seed    uint64
	threads int
	grown   int
}

// grow adds trees and offers the points of each leaf to each other's lists of k. The first
// tree of all determines the order of the rows in memory.
func (f *forest) grow(ctx context.Context, x *Stored, k, count int, d *descent) error {
	leaf := leafFor(k)
	trees := make([]*projectionTree, count)
	first := 0
	seed := func(c int) uint64 { return blas.NewStream(f.seed + uint64(f.grown+c+1)*0xD1B54A32D192ED03).Uint64() }
	if d.x == nil {
		s := newPackedRows(x, nil)
		t, err := newProjectionTree(ctx, s, leaf, seed(0))
		if err != nil {
			return err
		}
		d.x, d.lists = s.arranged(t.order), newShortlists(x.n, k, blas.Threads(f.threads))
		for p := range t.order {
			t.order[p] = int32(p)
		}
		trees[0], first = t, 1
	} else {
		d.lists.widen(k)
	}
	err := blas.For(ctx, f.threads, count-first, 1, func(_, c, _ int) {
		trees[first+c], _ = newProjectionTree(ctx, d.x, leaf, seed(first+c)) // fails only if ctx is cancelled, as For does
	})
	if err != nil {
		return err
	}
	for _, t := range trees {
		if err := plant(ctx, d.x, d.lists, t, leaf, f.threads); err != nil {
			return err
		}
	}
	f.grown += count
	return nil
}
