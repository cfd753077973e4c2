package engine

import (
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// sparseList collects the neighbours of a block of samples, one after the other.
type sparseList struct {
	ends         []int
	index        []int32
	dist, weight []float64
}

func (l *sparseList) add(j int32, dist, weight float64) {
	l.index, l.dist, l.weight = append(l.index, j), append(l.dist, dist), append(l.weight, weight)
}

// addLowest gives the whole weight to the candidate of the lowest index, where
// nothing else tells them apart.
func (l *sparseList) addLowest(list []int32, distances []float64) {
	at := 0
	for a, j := range list {
		if j < list[at] {
			at = a
		}
	}
	l.add(list[at], distances[at], 1)
}

// represent makes the graph of weighted lists that a rule picks, sample by
// sample, from the candidates. worker is called once for each worker.
func represent(p *problem, candidates *neighbors.Graph, worker func() func(i int, out *sparseList)) (*neighbors.Graph, error) {
	n := candidates.Len()
	blocks := make([]sparseList, (n+patchRows-1)/patchRows)
	workers := make([]func(int, *sparseList), blas.Threads(p.options.Threads))
	var done atomic.Int64
	progress := p.fraction("neighbors")
	err := blas.For(p.ctx, p.options.Threads, n, patchRows, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = worker()
		}
		out := &blocks[lo/patchRows]
		for i := lo; i < hi; i++ {
			workers[w](i, out)
			out.ends = append(out.ends, len(out.index))
		}
		progress(float64(done.Add(int64(hi-lo))) / float64(n))
	})
	if err != nil {
		return nil, err
	}
	total := 0
	for b := range blocks {
		total += len(blocks[b].index)
	}
	g := &neighbors.Graph{Ptr: make([]int, 1, n+1)}
	g.Index, g.Dist, g.Weight = slices.Grow(g.Index, total), slices.Grow(g.Dist, total), slices.Grow(g.Weight, total)
	for b := range blocks {
		at := len(g.Index)
		for _, end := range blocks[b].ends {
			g.Ptr = append(g.Ptr, at+end)
		}
		g.Index, g.Dist, g.Weight = append(g.Index, blocks[b].index...), append(g.Dist, blocks[b].dist...), append(g.Weight, blocks[b].weight...)
	}
	return g, nil
}
