package neighbors

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// SparseIndex is [Index] for reference samples in compressed rows, which are never made
// dense as a whole: the same neighbours at the same distances. It shares the storage of
// the samples, which must not change, and any number of goroutines may search it at a
// time. Beside the samples it takes 12 bytes an entry, 8 a column and 8 a sample.
type SparseIndex struct {
	search *sparseSearch
	by     divided
	o      Options
}

// NewSparseIndex prepares an index. There must be a sample, and entries must be finite.
// Samples of no ordinary size are copied (see [Exact]). O(nnz).
func NewSparseIndex(reference *sparse.CSR, o Options) (*SparseIndex, error) {
	if reference.Rows < 1 || reference.Cols < 1 {
		return nil, fmt.Errorf("neighbors: no samples to search among (%d × %d)", reference.Rows, reference.Cols)
	}
	reference, by, err := ordinarySparse(reference)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	return &SparseIndex{search: newSparseSearch(reference), by: by, o: o}, nil
}

// Search finds, for every query, the k nearest of the reference samples, by the rules of
// [Index.Search]. O(Σ cⱼ + n) a query, over the columns j that it has entries in, of cⱼ
// entries among the samples; 8(n + 2m) bytes a worker.
func (x *SparseIndex) Search(ctx context.Context, queries *sparse.CSR, k int) (*Graph, error) {
	reference := x.search.a
	if queries.Cols != reference.Cols {
		return nil, fmt.Errorf("neighbors: queries of %d columns among samples of %d", queries.Cols, reference.Cols)
	}
	if k < 1 || k > reference.Rows {
		return nil, fmt.Errorf("neighbors: %d neighbours asked of %d samples; give a number from 1 to %d", k, reference.Rows, reference.Rows)
	}
	most := mostQuery(x.by.exponent)
	for i := range queries.Rows {
		cols, vals := queries.Row(i)
		for p, v := range vals {
			if err := checkQuery(i, int(cols[p]), v, most); err != nil {
				return nil, err
			}
		}
	}
	if x.by.exponent != 0 {
		scaled := *queries
		scaled.Val = magnitude.Scaled(-x.by.exponent, queries.Val)
		queries = &scaled
	}
	g := newGraph(queries.Rows, k)
	if err := x.search.searchAll(ctx, queries, k, x.o, g, func(int) int { return -1 }); err != nil {
		return nil, err
	}
	g.takeRoots()
	return g, x.by.restore(g)
}
