package samples

import (
	"context"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Index finds the nearest of reference samples in any form. Distances are in the unit
// of the divided samples, even if those of the metric are not proportional to the samples.
type Index struct {
	x      Samples
	metric neighbors.Metric
	by     *neighbors.MetricIndex
}

// NewIndex prepares an index of the samples by a metric. It shares their storage.
func NewIndex(x Samples, metric neighbors.Metric, o neighbors.Options) (*Index, error) {
	by, err := neighbors.NewMetricIndex(x.InUnitOf(metric).Matrix(), metric, o)
	return &Index{x, metric, by}, err
}

// Search finds, for every query, the k nearest of the reference samples. Queries must be divided like
// these, and are converted to their form.
func (x *Index) Search(ctx context.Context, queries Samples, k int) (*neighbors.Graph, error) {
	if queries.n == 0 {
		return &neighbors.Graph{Ptr: []int{0}}, nil
	}
	g, err := x.by.Search(ctx, queries.As(x.x).MarkDivided(x.x.exponent).InUnitOf(x.metric).Matrix(), k)
	if err == nil {
		x.x.Rescale(g, x.metric)
	}
	return g, err
}

// MarkDivided marks samples as divided by 2^exponent.
func (x Samples) MarkDivided(exponent int) Samples {
	x.exponent = exponent
	return x
}

// InUnitOf returns the samples for a metric: undivided if its distances are not proportional to them.
func (x Samples) InUnitOf(metric neighbors.Metric) Samples {
	if metric.InUnit() {
		return x
	}
	return x.ScaledDown(-x.exponent)
}

// InUnitOfBytes returns the memory of [Samples.InUnitOf].
func (x Samples) InUnitOfBytes(metric neighbors.Metric) int64 {
	if x.exponent == 0 || metric.InUnit() {
		return 0
	}
	return x.Bytes()
}

// Rescale converts distances among [Samples.InUnitOf] to the unit of the divided samples, so that they
// can be used as lengths of these.
func (x Samples) Rescale(g *neighbors.Graph, metric neighbors.Metric) {
	if !metric.InUnit() {
		magnitude.Scale(-x.exponent, g.Dist)
	}
}

// Search finds, for every query, the k nearest of the reference samples. It is
// [NewIndex] and [Index.Search] in one.
func Search(ctx context.Context, reference, queries Samples, k int, metric neighbors.Metric, o neighbors.Options) (*neighbors.Graph, error) {
	index, err := NewIndex(reference, metric, o)
	if err != nil {
		return nil, err
	}
	return index.Search(ctx, queries, k)
}

// IndexBytes returns the peak memory of an index and a search for k neighbours of the given number of
// queries, in addition to the samples.
func (x Samples) IndexBytes(queries, k, threads int, metric neighbors.Metric) int64 {
	undivided := x.InUnitOfBytes(metric)
	switch a := x.compressed; {
	case a == nil:
		return undivided + neighbors.MetricIndexBytes(x.n, x.m, queries, k, threads, metric)
	case metric == neighbors.Euclidean:
		return neighbors.SparseIndexBytes(a, queries, k, threads)
	default: // the rows, with the queries or turned
		return undivided + x.Bytes() + neighbors.MetricSparseBytes(a, 1, threads, metric) + neighbors.SparseIndexBytes(a, queries, k, threads)
	}
}

// As returns the samples in the form of others, dense or compressed, without a copy if they have it.
func (x Samples) As(like Samples) Samples {
	switch {
	case (x.compressed != nil) == (like.compressed != nil):
		return x
	case x.compressed != nil:
		dense := OfRows(x.n, x.m, x.compressed.Dense().RawMatrix().Data)
		dense.labels, dense.exponent, dense.numbers = x.labels, x.exponent, x.numbers
		return dense
	}
	a := &sparse.CSR{Rows: x.n, Cols: x.m, Ptr: make([]int, 1, x.n+1)}
	for i := range x.n {
		for j, v := range x.Row(i) {
			if v != 0 { // NaN stays, and causes an error later
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return Samples{n: x.n, m: x.m, compressed: a, labels: x.labels, exponent: x.exponent, numbers: x.numbers}
}
