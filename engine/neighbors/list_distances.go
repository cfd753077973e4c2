package neighbors

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// ListDistances holds the distances of neighbours that were listed without them (see [Options.ListsOnly]): a matrix with one
// row for each list. It measures some rows at a time, when they are read. Only one goroutine may read it at a time.
type ListDistances struct {
	g       *Graph
	k       int
	measure rowsMeasure
	ahead   *Stored // the samples, if they are prefetched; nil: other metrics
	by      divided
	threads int
	workers []measureScratch
	first   int       // of the measured rows
	rows    []float64 // these rows, one after the other
}

var _ mat.RawRowViewer = (*ListDistances)(nil)

// measuredLists is the number of lists that are measured at a time.
const measuredLists = 8192

// DistancesOf returns the distances for a graph of k neighbours each that [NearestStored] or [ApproximateBy]
// found among the samples by the same metric. They have the bits of the search. Distances that overflow are an error. They take no
// more memory than the search for the lists did (see [MetricStoredBytes]).
func DistancesOf(g *Graph, x *Stored, metric Metric, threads int) (*ListDistances, error) {
	d := &ListDistances{g: g, k: g.MaxDegree(), threads: threads, workers: make([]measureScratch, blas.Threads(threads))}
	if d.k < 1 || g.Len() != x.n || len(g.Index) != x.n*d.k {
		return nil, fmt.Errorf("neighbors: %d lists with %d neighbours for %d samples; give lists of equal length, one for each sample", g.Len(), len(g.Index), x.n)
	}
	var err error
	if d.measure, d.by, err = pairsOf(x, metric); err != nil {
		return nil, err
	}
	if rows, is := d.measure.(euclideanRows); is {
		d.ahead = rows.x
	}
	d.rows = make([]float64, 0, min(measuredLists, g.Len())*d.k)
	for i := 0; d.by.exponent > 0 && i < g.Len(); i += measuredLists { // the first error before any row is used
		if err := d.read(i); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Dims returns the number of lists and of neighbours in each.
func (d *ListDistances) Dims() (n, k int) { return d.g.Len(), d.k }

// At returns the distance of neighbour j of sample i.
func (d *ListDistances) At(i, j int) float64 {
	var one [1]float64
	measureList(d.measure, i, d.g.Of(i)[j:j+1], &d.workers[0], one[:])
	_ = d.by.rescale(one[:]) // see DistancesOf
	return one[0]
}

// T returns the transpose as a view.
func (d *ListDistances) T() mat.Matrix { return mat.Transpose{Matrix: d} }

// RawRowView returns the distances of sample i to its neighbours, valid until the next call.
func (d *ListDistances) RawRowView(i int) []float64 {
	if at := i - d.first; at < 0 || (at+1)*d.k > len(d.rows) {
		_ = d.read(i) // see DistancesOf
	}
	return d.rows[(i-d.first)*d.k:][:d.k]
}

// read measures the lists from the given one on.
func (d *ListDistances) read(first int) error {
	d.first, d.rows = first, d.rows[:min(measuredLists, d.g.Len()-first)*d.k]
	// The context is never cancelled, so neither is the loop.
	_ = blas.For(context.Background(), d.threads, len(d.rows)/d.k, 256, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			if d.ahead != nil && i+1 < hi {
				for _, j := range d.g.Of(first + i + 1) {
					d.ahead.prefetch(int(j))
				}
			}
			measureList(d.measure, first+i, d.g.Of(first+i), &d.workers[worker], d.rows[i*d.k:(i+1)*d.k])
		}
	})
	return d.by.rescale(d.rows)
}
