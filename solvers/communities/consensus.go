package communities

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// Agreement says how far the runs of [Consensus] agree.
type Agreement struct {
	Unanimous float64 // the share of the weight of edges whose ends all runs on the graph itself join, or all divide
	Rounds    int     // of runs, until all gave the same partition
	Complete  bool    // they did
}

// leastShare is τ, the share of the runs below which an edge is left out; mostRounds bounds the rounds.
const leastShare, mostRounds = 0.5, 20

// Consensus returns a partition on which all runs of [Leiden] agree (Lancichinetti and Fortunato, Scientific Reports 2, 2012; for the edges of the
// graph alone, as Tandon et al., Physical Review E 99, 2019, have it for large ones). The weight of each edge is multiplied by the share of the runs whose
// communities contain both ends, edges with less than half of the runs are left out except for the largest of a vertex, and the runs are repeated on these weights, until
// all give the same partition. Weights are multiplied, not replaced by the shares, so that the resolution keeps its unit. At least two runs are
// made; the quality is that on w. If [Agreement.Complete] is false, it is the best of the last runs.
//
// The partition depends on the seed less than that of [Leiden], and its quality may be lower. A few rounds of O.Runs runs; [ConsensusBytes] of memory in addition to [Bytes].
func Consensus(ctx context.Context, w *sparse.CSR, o Options) (Partition, Agreement, error) {
	o.Runs = max(o.Runs, 2)
	base, total, err := o.read(w)
	if err != nil {
		return Partition{}, Agreement{}, err
	}
	var how Agreement
	var found []Partition
	of, seed := w, o.Seed
	for how.Rounds < mostRounds && !how.Complete {
		if how.Rounds > 0 {
			o.Seed, o.Start = drawn(seed, uint64(how.Rounds)), nil
		}
		if found, err = o.all(ctx, of); err != nil {
			return Partition{}, how, err
		}
		if how.Rounds++; how.Rounds == 1 {
			how.Unanimous = unanimous(w, found)
		}
		how.Complete = !slices.ContainsFunc(found, func(p Partition) bool { return !slices.Equal(p.Label, found[0].Label) })
		if !how.Complete {
			if of, err = agreed(ctx, w, found, o.Threads); err != nil {
				return Partition{}, how, err
			}
		}
	}
	for r := range found {
		found[r].Quality = o.Quality.of(base, found[r].Label, found[r].Count, o.resolution(), total)
	}
	return bestOf(found), how, nil
}

// ConsensusBytes is the memory of [Consensus] in addition to [Bytes] for its runs: the shares of the runs, and the graph of the next round.
func ConsensusBytes(n, nnz int) int64 { return 16*int64(n) + 8*int64(nnz) + 24*int64(nnz) }

// together returns the number of partitions in which i and j are in one community.
func together(found []Partition, i, j int32) (count int) {
	for r := range found {
		if found[r].Label[i] == found[r].Label[j] {
			count++
		}
	}
	return count
}

// unanimous returns the share of the weight of edges on which all partitions agree; 1 without edges.
func unanimous(w *sparse.CSR, found []Partition) float64 {
	var all, same float64
	for i := range w.Rows {
		cols, vals := w.Row(i)
		for q, j := range cols {
			if int(j) == i {
				continue
			}
			all += vals[q]
			if t := together(found, int32(i), j); t == 0 || t == len(found) {
				same += vals[q]
			}
		}
	}
	if all == 0 {
		return 1
	}
	return same / all
}

// agreed returns the graph whose weights are multiplied by the shares of the partitions that join their ends.
func agreed(ctx context.Context, w *sparse.CSR, found []Partition, threads int) (*sparse.CSR, error) {
	n := w.Rows
	share := make([]float64, w.NNZ())
	largest := make([]float64, n) // the largest weight of each vertex
	const block = 1024
	err := blas.For(ctx, threads, n, block, func(_, from, to int) {
		for i := from; i < to; i++ {
			cols, vals := w.Row(i)
			for q, j := range cols {
				v := vals[q] * float64(together(found, int32(i), j)) / float64(len(found))
				share[w.Ptr[i]+q] = v
				if int(j) != i {
					largest[i] = max(largest[i], v)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	g := &sparse.CSR{Rows: n, Cols: n, Ptr: pages.Make[int](n + 1)}
	for i := range n {
		cols, vals := w.Row(i)
		for q, j := range cols {
			v := share[w.Ptr[i]+q]
			if v > 0 && (v >= leastShare*vals[q] || v == largest[i] || v == largest[j]) {
				g.Col, g.Val = append(g.Col, j), append(g.Val, v)
			}
		}
		g.Ptr[i+1] = len(g.Col)
	}
	return g, nil
}
