package measures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// BadNeighbors says how far neighbourhoods break the assumption that neighbours are of
// one class (Mani, Domeniconi and Griva 2020, Tables 1 and 7).
type BadNeighbors struct {
	Owners int // samples that have a neighbour at all; the others do not count
	Pairs  int // of an owner with a neighbour

	Neighbors     float64 // share of the pairs that are of different classes
	Neighborhoods float64 // share of the owners of whose neighbours at least half are of other classes: bad neighbourhoods
	Mismatch      float64 // mean over the owners of the share of their neighbours that are of other classes

	Good, Bad                     int     // numbers of neighbourhoods
	SimilarityGood, SimilarityBad float64 // mean over these of the mean similarity of owner and neighbours; 0 where there are none
}

// BadNeighborsOf judges the neighbourhoods of a square matrix by the classes of the
// samples: the neighbours of the sample of a row are the columns in which it has an
// entry that is not zero, and the entry is their similarity. The diagonal does not
// count.
//
// Errors are about a matrix that is not square or has entries that are not finite, a
// number of labels other than its rows, and no entry at all. Time is linear in the
// entries.
func BadNeighborsOf(a *sparse.CSR, labels []int64) (BadNeighbors, error) {
	var b BadNeighbors
	if a == nil || a.Rows != a.Cols || a.Rows != len(labels) {
		rows, cols := 0, 0
		if a != nil {
			rows, cols = a.Rows, a.Cols
		}
		return b, fmt.Errorf("bad-neighbors: a %d × %d matrix of neighbours and %d labels; give n × n and n", rows, cols, len(labels))
	}
	wrongPairs := 0
	var mismatch, good, bad float64
	for i := range a.Rows {
		cols, vals := a.Row(i)
		count, wrong := 0, 0
		var similarity float64
		for p, j := range cols {
			switch v := vals[p]; {
			case v-v != 0:
				return b, fmt.Errorf("bad-neighbors: the similarity of the samples %d and %d (counting from 1) is %v", i+1, j+1, v)
			case int(j) == i || v == 0:
				continue
			}
			count++
			similarity += vals[p]
			if labels[j] != labels[i] {
				wrong++
			}
		}
		if count == 0 {
			continue
		}
		b.Owners++
		b.Pairs += count
		wrongPairs += wrong
		mismatch += float64(wrong) / float64(count)
		if 2*wrong >= count {
			b.Bad++
			bad += similarity / float64(count)
		} else {
			b.Good++
			good += similarity / float64(count)
		}
	}
	if b.Owners == 0 {
		return b, fmt.Errorf("bad-neighbors: no sample has a neighbour")
	}
	b.Neighbors = float64(wrongPairs) / float64(b.Pairs)
	b.Neighborhoods = float64(b.Bad) / float64(b.Owners)
	b.Mismatch = mismatch / float64(b.Owners)
	b.SimilarityGood, b.SimilarityBad = good/float64(max(1, b.Good)), bad/float64(max(1, b.Bad))
	return b, nil
}

// NearestBadNeighbors judges the k nearest neighbours of the samples, the rows of x,
// with the similarities exp(−‖xᵢ − xⱼ‖²/2sᵢ²) of a bandwidth sᵢ for every sample, its
// distance to the k-th neighbour; where that is 0 they are 1. k = 0 takes ⌊√n⌋, as the
// paper does. The search is exact.
func NearestBadNeighbors(ctx context.Context, x mat.Matrix, labels []int64, k int, o Options) (BadNeighbors, error) {
	p, err := readPoints("bad-neighbors", "data", x)
	if err != nil {
		return BadNeighbors{}, err
	}
	if k == 0 {
		k = DefaultNeighbors(p.N)
	}
	if p.N < 2 || k < 1 || k >= p.N {
		return BadNeighbors{}, fmt.Errorf("bad-neighbors: %d neighbours requested of %d samples; give a number from 1 to %d", k, p.N, p.N-1)
	}
	if o, err = o.withDefaults("bad-neighbors"); err != nil {
		return BadNeighbors{}, err
	}
	p = tame(p)[0]
	g, err := neighbors.Exact(ctx, neighbors.Points(p), k, neighbors.Options{Kernels: o.Kernels, Threads: o.Threads})
	if err != nil {
		return BadNeighbors{}, err
	}
	return BadNeighborsOf(selfTuned(g), labels)
}

// DefaultNeighbors is ⌊√n⌋, but at least 1.
func DefaultNeighbors(n int) int { return max(1, int(math.Sqrt(float64(n)))) }

// selfTuned has the similarities of the samples to their neighbours.
func selfTuned(g *neighbors.Graph) *sparse.CSR {
	n := g.Len()
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: slices.Clone(g.Ptr), Col: slices.Clone(g.Index), Val: make([]float64, len(g.Index))}
	for i := range n {
		lo, hi := g.Ptr[i], g.Ptr[i+1]
		list, dist, cols := g.Of(i), g.Distances(i), a.Col[lo:hi]
		slices.Sort(cols)
		for q, j := range list {
			at, _ := slices.BinarySearch(cols, j)
			v := 1.0
			if s := dist[len(dist)-1]; s > 0 {
				v = math.Exp(-dist[q] / s * (dist[q] / s) / 2)
			}
			a.Val[lo+at] = v
		}
	}
	return a
}
