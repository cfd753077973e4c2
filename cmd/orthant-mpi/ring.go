//go:build mpi

package main

import (
	"context"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// ring finds the k nearest of all samples for the own ones: the blocks of all processes pass
// by, one after the other. Nobody holds more than two of them. Ties go to the lower number, as
// in [neighbors.Exact]. The lists have the numbers among all samples.
func ring(ctx context.Context, p processes, x []float64, cols int, where spread, k int, o neighbors.Options, progress func(float64)) (*neighbors.Graph, error) {
	lo, hi := where.of(p.rank)
	best := nearest{k: k, count: make([]int, hi-lo), index: make([]int32, (hi-lo)*k), dist: make([]float64, (hi-lo)*k)}
	block := x
	for step := range p.size {
		from := (p.rank + step) % p.size
		first, end := where.of(from)
		err := best.among(ctx, neighbors.Points{N: hi - lo, M: cols, Data: x}, lo, neighbors.Points{N: end - first, M: cols, Data: block}, first, o)
		if err = p.agree(err); err != nil {
			return nil, err
		}
		progress(float64(step+1) / float64(p.size))
		if step == p.size-1 {
			break
		}
		first, end = where.of((from + 1) % p.size)
		next := make([]float64, (end-first)*cols)
		pass(p, block, next)
		block = next
	}
	g := &neighbors.Graph{Ptr: make([]int, hi-lo+1), Index: best.index, Dist: best.dist}
	for i := range hi - lo {
		g.Ptr[i+1] = (i + 1) * k
	}
	return g, nil
}

// nearest are the lists under way.
type nearest struct {
	k     int
	count []int
	index []int32
	dist  []float64
}

// among looks for nearer samples in a block that begins at row first of all; the queries begin
// at row lo.
func (b *nearest) among(ctx context.Context, queries neighbors.Points, lo int, block neighbors.Points, first int, o neighbors.Options) error {
	if queries.N == 0 || block.N == 0 {
		return nil
	}
	most := min(block.N, b.k+1) // the sample itself is one of its own block
	g, err := neighbors.Search(ctx, block, queries, most, o)
	if err != nil {
		return err
	}
	index, dist := make([]int32, b.k), make([]float64, b.k)
	for i := range queries.N {
		at, n, left := i*b.k, 0, b.count[i]
		list, lengths := g.Of(i), g.Distances(i)
		for old, new := 0, 0; n < b.k && (old < left || new < len(list)); {
			if new < len(list) && first+int(list[new]) == lo+i {
				new++
				continue
			}
			takeOld := new == len(list)
			if !takeOld && old < left {
				d, e := b.dist[at+old], lengths[new]
				takeOld = d < e || d == e && int(b.index[at+old]) < first+int(list[new])
			}
			if takeOld {
				index[n], dist[n] = b.index[at+old], b.dist[at+old]
				old++
			} else {
				index[n], dist[n] = int32(first)+list[new], lengths[new]
				new++
			}
			n++
		}
		copy(b.index[at:at+n], index[:n])
		copy(b.dist[at:at+n], dist[:n])
		b.count[i] = n
	}
	return nil
}
