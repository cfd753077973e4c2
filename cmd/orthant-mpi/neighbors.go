//go:build mpi

package main

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
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

// readGraph reads a graph file and keeps the lists of the own rows, by the numbers among all.
// Every process reads the whole file, since compressed rows come in their order alone.
func readGraph(p processes, path string, o files.Options, all *engine.Whole) (*neighbors.Graph, spread, error) {
	a, err := files.ReadSparse(path, o)
	if err != nil {
		return nil, nil, err
	}
	g, err := neighbors.FromMatrix(a)
	if err != nil {
		return nil, nil, outcome.Wrong("%s: %v", path, err)
	}
	n := g.Len()
	all.Samples, all.Given = n, true
	all.Least, all.Mean, _ = g.Degrees()
	all.Row, all.Col = -1, -1
	for i := range n {
		if d := g.Distances(i); len(d) > 0 && d[len(d)-1] > all.Largest {
			all.Row, all.Col, all.Largest = i, int(g.Of(i)[len(d)-1]), d[len(d)-1]
		}
	}
	where := evenly(n, p.size)
	lo, hi := where.of(p.rank)
	own := &neighbors.Graph{Ptr: make([]int, hi-lo+1)}
	for i := lo; i < hi; i++ {
		own.Index = append(own.Index, g.Of(i)...)
		own.Dist = append(own.Dist, g.Distances(i)...)
		own.Ptr[i-lo+1] = len(own.Index)
	}
	if own.Dist == nil {
		own.Dist = []float64{}
	}
	return own, where, nil
}

// hashed are 128 bits of a row, equal for equal rows; −0 equals 0.
func hashed(row []float64) [2]uint64 {
	h, g := uint64(0xcbf29ce484222325), uint64(0x84222325cbf29ce4)
	for _, v := range row {
		bits := math.Float64bits(v + 0)
		h = (h ^ bits) * 0x100000001b3
		h ^= h >> 29
		g = (g ^ bits) * 0x9e3779b97f4a7c15
		g ^= g >> 31
	}
	return [2]uint64{h, g}
}
