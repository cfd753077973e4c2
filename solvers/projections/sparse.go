package projections

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Sparse is a matrix of which the nonzero entries are known, in blocks.
type Sparse interface {
	Blocks() int
	// Block returns the groups and values of the entries of one block, in any order.
	Block(b int) (group []int32, value []float64)
}

// part is what some blocks add up to.
type part struct{ top, sum, count []float64 }

// partCount is the number of parts whose sums are added in order.
const partCount = 8

// ProjectSparse is [Groups.Project] of a sparse matrix. A step is a pass over its
// entries.
func (g *Groups) ProjectSparse(ctx context.Context, groups int, a Sparse, radius float64) (t float64, err error) {
	g.Steps = 0
	g.reserve(groups)
	if len(g.parts) == 0 || len(g.parts[0].top) != groups {
		g.parts = make([]part, partCount)
		for q := range g.parts {
			g.parts[q] = part{make([]float64, groups), make([]float64, groups), make([]float64, groups)}
		}
	}
	if err := g.gather(ctx, a, true); err != nil {
		return 0, err
	}
	return g.solve(radius, func() error { return g.gather(ctx, a, false) })
}

// gather is measure, or scan, by entries.
func (g *Groups) gather(ctx context.Context, a Sparse, norms bool) error {
	g.Steps++
	blocks := a.Blocks()
	size := max(1, (blocks+partCount-1)/partCount)
	err := blas.For(ctx, g.Threads, blocks, size, func(_, lo, hi int) {
		p := &g.parts[lo/size]
		if norms {
			clear(p.top)
		}
		clear(p.sum)
		clear(p.count)
		for b := lo; b < hi; b++ {
			index, value := a.Block(b)
			switch {
			case g.Norm == Euclidean:
				for q, i := range index {
					p.top[i] += value[q] * value[q]
				}
			case norms:
				for q, i := range index {
					v := math.Abs(value[q])
					if v > p.top[i] {
						p.top[i] = v
					}
					if v > g.bound[i] {
						p.sum[i] += v
						p.count[i]++
					}
				}
			default:
				for q, i := range index {
					if v := math.Abs(value[q]); v > g.bound[i] {
						p.sum[i] += v
						p.count[i]++
					}
				}
			}
		}
	})
	if err != nil {
		return err
	}
	g.merge(g.parts[:(blocks+size-1)/size], norms)
	return nil
}

// merge adds the parts up.
func (g *Groups) merge(parts []part, norms bool) {
	clear(g.sum)
	clear(g.count)
	if norms {
		clear(g.top)
	}
	for _, p := range parts {
		for i := range g.sum {
			g.sum[i] += p.sum[i]
			g.count[i] += p.count[i]
		}
		if !norms {
			continue
		}
		for i, v := range p.top {
			if g.Norm == Euclidean {
				g.top[i] += v
			} else if v > g.top[i] {
				g.top[i] = v
			}
		}
	}
	if norms && g.Norm == Euclidean {
		for i, v := range g.top {
			g.top[i] = math.Sqrt(v)
		}
	}
	g.complete(0, len(g.sum))
}
