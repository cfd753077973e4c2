package cover

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

const (
	leaf = 24   // most samples of a ball that is not divided
	root = 2048 // samples of a root ball, which one thread processes
	// spread is the number of samples in the balls to process from which threads share them.
	spread = 8192
)

// tree divides the samples into balls. A ball is skipped if no sample in it can be nearer to a new
// point than to its nearest point so far. By the triangle inequality that is so if all its samples
// are at least as far from the new point as its farthest sample is from its nearest point.
type tree struct {
	ctx     context.Context
	x       samples.Samples
	threads int
	square  []float64 // squared distance of every sample to the nearest point
	order   []int32   // the samples, ball by ball
	balls   [][]ball  // for each root, itself first; children after their parent
	pauses  []pause   // for each root
	slack   float64   // relative error of a distance
	reach   []int     // roots to process
}

// pause counts the points that a root processes without testing its balls: if no ball was skipped,
// the next points will hardly skip one, and every test costs a distance.
type pause struct{ left, last int }

const longestPause = 31

// ball holds the samples at lo ≤ at < hi of the order.
type ball struct {
	lo, hi      int32
	center      int32 // a sample
	radius      float64
	left, right int32 // balls of the same root; 0: none
	best        int32 // the sample farthest from its nearest point
}

func newTree(ctx context.Context, x samples.Samples, threads int) (*tree, error) {
	n := x.N()
	t := &tree{ctx: ctx, x: x, threads: threads, square: unreached(n), order: make([]int32, n), slack: float64(x.M()+16) * 0x1p-52}
	for i := range t.order {
		t.order[i] = int32(i)
	}
	d := newDivider(t)
	var roots [][2]int
	var cut func(lo, hi int) error
	cut = func(lo, hi int) error {
		if hi-lo <= root {
			roots = append(roots, [2]int{lo, hi})
			return nil
		}
		middle, err := d.divide(lo, hi, t.threads)
		if err == nil {
			err = cut(lo, middle)
		}
		if err == nil {
			err = cut(middle, hi)
		}
		return err
	}
	if err := cut(0, n); err != nil {
		return nil, err
	}
	t.balls, t.pauses = make([][]ball, len(roots)), make([]pause, len(roots))
	err := blas.For(ctx, threads, len(roots), 1, func(_, from, to int) {
		for at := from; at < to; at++ {
			t.grow(d, at, roots[at][0], roots[at][1])
		}
	})
	return t, err
}

// divider divides balls in two. Disjoint ranges can be divided concurrently.
type divider struct {
	*tree
	key []float64 // for each place of the order
}

func newDivider(t *tree) *divider { return &divider{t, make([]float64, len(t.order))} }

// divide chooses two samples that are far apart and orders the others by which of them is nearer.
func (d *divider) divide(lo, hi, threads int) (middle int, err error) {
	order, key := d.order[lo:hi], d.key[lo:hi]
	from := func(center int32, add bool) error {
		if threads == 1 {
			d.distances(order, key, center, add)
			return nil
		}
		return blas.For(d.ctx, threads, len(order), block, func(_, a, b int) { d.distances(order[a:b], key[a:b], center, add) })
	}
	if err := from(order[0], false); err != nil {
		return 0, err
	}
	first := order[largest(key)]
	if err := from(first, false); err != nil {
		return 0, err
	}
	second := order[largest(key)]
	if err := from(second, true); err != nil { // squared distance to the first minus that to the second
		return 0, err
	}
	at := 0
	for i, k := range key {
		if k < 0 {
			order[at], order[i] = order[i], order[at]
			key[at], key[i] = key[i], key[at]
			at++
		}
	}
	if few := len(order) / 16; at < few || at > len(order)-few { // lopsided: divide in halves, to limit the depth of the tree
		at = len(order) / 2
		places := make([]int, len(order))
		for i := range places {
			places[i] = i
		}
		slices.SortFunc(places, func(a, b int) int {
			return cmp.Or(cmp.Compare(key[a], key[b]), cmp.Compare(order[a], order[b]))
		})
		sorted := make([]int32, len(order))
		for to, i := range places {
			sorted[to] = order[i]
		}
		copy(order, sorted)
	}
	return lo + at, nil
}

// distances sets key to the squared distances from a sample, or with less subtracts them from key.
func (t *tree) distances(order []int32, key []float64, center int32, less bool) {
	for at, i := range order {
		square := t.x.SquaredDistance(int(center), int(i))
		if less {
			key[at] -= square
		} else {
			key[at] = square
		}
	}
}

func largest(list []float64) int {
	best := 0
	for at, v := range list {
		if v > list[best] {
			best = at
		}
	}
	return best
}

// grow makes the balls below a root.
func (t *tree) grow(d *divider, at, lo, hi int) {
	var make func(lo, hi int) int32
	make = func(lo, hi int) int32 {
		me := int32(len(t.balls[at]))
		t.balls[at] = append(t.balls[at], t.around(d, lo, hi))
		if hi-lo > leaf {
			middle, _ := d.divide(lo, hi, 1) // with one thread it does not use the context
			left := make(lo, middle)
			right := make(middle, hi)
			t.balls[at][me].left, t.balls[at][me].right = left, right
		}
		return me
	}
	make(lo, hi)
}

// around returns a ball centred at the sample whose larger distance to two far samples is smallest,
// which is roughly the middle.
func (t *tree) around(d *divider, lo, hi int) ball {
	order, key := t.order[lo:hi], d.key[lo:hi]
	t.distances(order, key, order[0], false)
	far := order[largest(key)]
	center, least := order[0], math.Inf(1)
	for at, i := range order {
		if reach := max(key[at], t.x.SquaredDistance(int(far), int(i))); reach < least {
			center, least = i, reach
		}
	}
	t.distances(order, key, center, false)
	return ball{lo: int32(lo), hi: int32(hi), center: center, radius: math.Sqrt(key[largest(key)]), best: slices.Min(order)}
}

// passes reports whether a new point cannot be the nearest point of any sample in a ball. The
// slack allows for rounded distances and for squares below the smallest number.
func (t *tree) passes(b *ball, point int) bool {
	far := math.Sqrt(t.square[b.best])
	if far == 0 || math.IsInf(far, 0) {
		return far == 0
	}
	apart := math.Sqrt(t.x.SquaredDistance(point, int(b.center)))
	return apart*(1-t.slack) >= (b.radius+far)*(1+t.slack)+0x1p-500
}

func (t *tree) add(point int) (int, float64, error) {
	t.reach = t.reach[:0]
	work := 0
	for at := range t.balls {
		if b := &t.balls[at][0]; !t.passes(b, point) {
			t.reach = append(t.reach, at)
			work += int(b.hi - b.lo)
		}
	}
	if work < spread {
		if err := t.ctx.Err(); err != nil {
			return 0, 0, err
		}
		for _, at := range t.reach {
			t.take(at, point)
		}
	} else if err := blas.For(t.ctx, t.threads, len(t.reach), 1, func(_, lo, hi int) {
		for _, at := range t.reach[lo:hi] {
			t.take(at, point)
		}
	}); err != nil {
		return 0, 0, err
	}
	best := t.balls[0][0].best
	for _, balls := range t.balls[1:] {
		best = t.farther(best, balls[0].best)
	}
	return int(best), t.square[best], nil
}

// take adds a new point in a root that it may affect.
func (t *tree) take(at, point int) {
	balls, p := t.balls[at], &t.pauses[at]
	if p.left > 0 {
		p.left--
		t.update(balls, 0, point, false)
		return
	}
	seen := t.update(balls, 0, point, true)
	if all := int(balls[0].hi - balls[0].lo); seen < all-all/8 {
		p.last = 0
		return
	}
	p.last = min(2*p.last+1, longestPause)
	p.left = p.last
}

// update adds a new point in a ball, skipping the balls inside it that pass if ask is set.
// It returns the number of samples examined.
func (t *tree) update(balls []ball, me int32, point int, ask bool) (seen int) {
	b := &balls[me]
	if b.left == 0 {
		best := t.order[b.lo]
		for _, i := range t.order[b.lo:b.hi] {
			t.square[i] = min(t.square[i], t.x.SquaredDistance(point, int(i)))
			best = t.farther(best, i)
		}
		b.best = best
		return int(b.hi - b.lo)
	}
	for _, child := range [2]int32{b.left, b.right} {
		if !ask || !t.passes(&balls[child], point) {
			seen += t.update(balls, child, point, ask)
		}
	}
	b.best = t.farther(balls[b.left].best, balls[b.right].best)
	return seen
}

// farther returns the sample that is farther from its nearest point, on ties the lower index.
func (t *tree) farther(i, j int32) int32 {
	if t.square[j] > t.square[i] || t.square[j] == t.square[i] && j < i {
		return j
	}
	return i
}
