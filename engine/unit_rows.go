package engine

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// unitRows returns the samples scaled to unit length; a sample of zeros stays one.
// Graphs of images are built on them, so that brightness does not count and the
// constants of sparse codes mean the same for every set.
func unitRows(p *problem) (neighbors.Points, error) {
	unit := neighbors.Points{N: p.x.N, M: p.x.M, Data: make([]float64, p.x.N*p.x.M)}
	err := blas.For(p.ctx, p.options.Threads, p.x.N, patchRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, dst := p.x.Row(i), unit.Row(i)
			var largest float64
			for _, v := range row {
				largest = max(largest, math.Abs(v))
			}
			if largest == 0 {
				continue
			}
			for j, v := range row { // a square of the largest cannot overflow now
				dst[j] = v / largest
			}
			blas.Scale(1/math.Sqrt(blas.Dot(dst, dst)), dst)
		}
	})
	return unit, err
}

// onUnitRows is the same problem for the samples scaled to unit length.
func onUnitRows(p *problem) (*problem, error) {
	unit, err := unitRows(p)
	if err != nil {
		return nil, err
	}
	q := *p
	q.x = unit
	return &q, nil
}

// unitNearest is the neighbourhood of the k nearest samples after scaling all to
// unit length. k above n − 1 is taken as n − 1, with a warning.
type unitNearest struct{ nearest }

func (r unitNearest) find(p *problem) (*neighbors.Graph, error) {
	k := int(r.nearest)
	if k >= p.x.N {
		p.warn("%d neighbours are too many for %d samples: took %d", k, p.x.N, p.x.N-1)
		k = p.x.N - 1
	}
	q, err := onUnitRows(p)
	if err != nil {
		return nil, err
	}
	return nearest(k).find(q)
}

// widen counts on the samples of unit length too.
func (r unitNearest) widen(p *problem, k int) (func(k int) (*neighbors.Graph, error), error) {
	q, err := onUnitRows(p)
	if err != nil {
		return nil, err
	}
	return r.nearest.widen(q, k)
}
