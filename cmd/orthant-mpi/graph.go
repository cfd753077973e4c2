//go:build mpi

package main

import (
	"math"

	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
)

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
