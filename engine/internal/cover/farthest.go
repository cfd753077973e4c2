// Package cover picks samples that cover all others: each is the one farthest from those
// picked before it (Gonzalez 1985).
package cover

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// A tree pays off from treeFrom points on and up to treeColumns columns: with more columns hardly
// any ball is skipped (11 000 digits of 256 columns take 1.4 times as long with a tree).
const (
	treeFrom    = 256
	treeColumns = 16
)

// Farthest picks the first sample and then repeatedly the one farthest from those
// picked, the lower index on ties. It stops before count if all samples equal a picked
// one. A point costs at most O(nm). For many points and few columns it uses a tree of balls, with which
// points cost less and less as they become dense. The points are the same either way, for any number
// of threads.
func Farthest(ctx context.Context, x samples.Samples, threads, first, count int, progress func(done float64)) ([]int, error) {
	if count >= treeFrom && x.M() <= treeColumns && x.N() > 4*leaf {
		t, err := newTree(ctx, x, threads)
		if err != nil {
			return nil, err
		}
		return pick(t, first, count, progress)
	}
	return pick(newPlain(ctx, x, threads), first, count, progress)
}

// covered tracks the distance of every sample to the picked points.
type covered interface {
	// add picks a sample, and returns the sample that is now farthest, and its squared
	// distance.
	add(point int) (farthest int, square float64, err error)
}

func pick(c covered, first, count int, progress func(done float64)) ([]int, error) {
	chosen := make([]int, 0, count)
	for next := first; ; {
		chosen = append(chosen, next)
		progress(float64(len(chosen)) / float64(count))
		if len(chosen) == count {
			return chosen, nil
		}
		best, square, err := c.add(next)
		if err != nil {
			return nil, err
		}
		if square == 0 {
			return chosen, nil
		}
		next = best
	}
}

// plain examines every sample each time.
type plain struct {
	ctx      context.Context
	x        samples.Samples
	threads  int
	square   []float64 // squared distance to the nearest point
	farthest []int     // of each block
}

const block = 4096

func newPlain(ctx context.Context, x samples.Samples, threads int) *plain {
	return &plain{ctx, x, threads, unreached(x.N()), make([]int, (x.N()+block-1)/block)}
}

// unreached returns the squared distances before any point is picked.
func unreached(n int) []float64 { return slices.Repeat([]float64{math.Inf(1)}, n) }

func (c *plain) add(point int) (int, float64, error) {
	err := blas.For(c.ctx, c.threads, c.x.N(), block, func(_, lo, hi int) {
		best := lo
		for i := lo; i < hi; i++ {
			c.square[i] = min(c.square[i], c.x.SquaredDistance(point, i))
			if c.square[i] > c.square[best] {
				best = i
			}
		}
		c.farthest[lo/block] = best
	})
	if err != nil {
		return 0, 0, err
	}
	best := c.farthest[0]
	for _, i := range c.farthest[1:] {
		if c.square[i] > c.square[best] {
			best = i
		}
	}
	return best, c.square[best], nil
}
