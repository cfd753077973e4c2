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

// BadNeighbors measures how far neighbourhoods violate the assumption that neighbours have the
// same class (Mani, Domeniconi and Griva 2020, Tables 1 and 7).
type BadNeighbors struct {
	Owners int // samples with at least one neighbour; the others do not count
	Pairs  int // pairs of an owner and a neighbour

	Neighbors     float64 // share of the pairs with different classes
	Neighborhoods float64 // share of bad neighbourhoods, in which at least half of the neighbours have another class than the owner
	Mismatch      float64 // mean over the owners of the share of their neighbours with another class

	Good, Bad                     int     // numbers of neighbourhoods
	SimilarityGood, SimilarityBad float64 // mean over these of the mean similarity of owner and neighbours; 0 if there are none
}

// BadNeighborsOf evaluates the neighbourhoods of a square matrix by the classes of the
// samples. The neighbours of the sample of a row are the columns with a nonzero entry, and the
// entry is their similarity. The diagonal does not count.
//
// It returns an error if the matrix is not square, has no entries or entries that are not finite, or if
// the number of labels differs from the number of rows. Time is linear in the entries.
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

// NearestBadNeighbors evaluates the k nearest neighbours of the samples, the rows of x,
// with the similarities exp(−‖xᵢ − xⱼ‖²/2sᵢ²). The bandwidth sᵢ of a sample is its
// distance to the k-th neighbour; if that is 0, its similarities are 1. k = 0 selects ⌊√n⌋, as in the
// paper. The search is exact.
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

// DefaultNeighbors returns ⌊√n⌋, but at least 1.
func DefaultNeighbors(n int) int { return max(1, int(math.Sqrt(float64(n)))) }

// selfTuned returns the similarities of the samples to their neighbours.
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
