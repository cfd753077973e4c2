package samples

import (
	"context"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Index finds the nearest of reference samples in whichever form those are.
type Index struct {
	x          Samples
	dense      *neighbors.Index       // nil: the samples are compressed
	compressed *neighbors.SparseIndex // nil: they are dense
}

// NewIndex prepares an index of the samples, which it shares.
func NewIndex(x Samples, o neighbors.Options) (*Index, error) {
	index := &Index{x: x}
	var err error
	if x.compressed != nil {
		index.compressed, err = neighbors.NewSparseIndex(x.compressed, o)
	} else {
		index.dense, err = neighbors.NewIndex(x.Points(), o)
	}
	return index, err
}

// Search finds, for every query, the k nearest of the reference samples. Queries are
// brought into the form of those.
func (x *Index) Search(ctx context.Context, queries Samples, k int) (*neighbors.Graph, error) {
	queries = queries.As(x.x)
	if x.compressed != nil {
		return x.compressed.Search(ctx, queries.compressed, k)
	}
	return x.dense.Search(ctx, queries.Points(), k)
}

// Search finds, for every query, the k nearest of the reference samples. It is
// [NewIndex] and [Index.Search] in one.
func Search(ctx context.Context, reference, queries Samples, k int, o neighbors.Options) (*neighbors.Graph, error) {
	index, err := NewIndex(reference, o)
	if err != nil {
		return nil, err
	}
	return index.Search(ctx, queries, k)
}

// IndexBytes is the most memory that an index and a search for k neighbours of this many
// queries take in addition to the samples.
func (x Samples) IndexBytes(queries, k, threads int) int64 {
	if x.compressed != nil {
		return neighbors.SparseIndexBytes(x.compressed, queries, k, threads)
	}
	return neighbors.ExactBytes(x.n, x.m, 1, threads) + neighbors.GraphBytes(queries, k)
}

// As returns the samples in the form of others: the same where that is theirs already.
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
			if v != 0 { // NaN stays, and is refused
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return Samples{n: x.n, m: x.m, compressed: a, labels: x.labels, exponent: x.exponent, numbers: x.numbers}
}
