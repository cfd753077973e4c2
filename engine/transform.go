package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Transformer is a model made ready to map samples, block after block. The
// coordinates of a sample do not depend on the others in its block, nor on the
// number of threads: the same model, sample and backend give the same bits.
type Transformer struct {
	model    *Model
	mapping  mapping
	threads  int
	progress func(Progress)
}

// Reporting returns the same transformer with another callback for the progress.
func (t *Transformer) Reporting(progress func(Progress)) *Transformer {
	if progress == nil {
		progress = func(Progress) {}
	}
	same := *t
	same.progress = progress
	return &same
}

// Apply returns the coordinates of the rows of x, one row each. The columns must
// be those of the fit, and entries finite and below 1e150 in size. A [*sparse.CSR] stays
// sparse where the model is of a factorisation by squares or divergence without a shift.
func (t *Transformer) Apply(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	n, cols := x.Dims()
	if err := t.checkColumns(cols); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: no samples to map", t.model.Method)
	}
	y := mat.NewDense(n, t.model.Dim, nil)
	if a, isSparse := x.(*sparse.CSR); isSparse {
		return y, t.applySparse(ctx, a, y, 0)
	}
	return y, t.apply(ctx, pointsOf(x), y, 0)
}

func (t *Transformer) checkColumns(cols int) error {
	if cols != t.model.Features {
		return fmt.Errorf("%s: samples of %d columns where the model was fitted to %d; give the same columns in the same order", t.model.Method, cols, t.model.Features)
	}
	return nil
}

// rowError is what is wrong with one sample, counted from 0.
type rowError struct {
	row  int
	what string
}

func (e *rowError) Error() string {
	return fmt.Sprintf("row %d (counting from 1) %s", e.row+1, e.what)
}

// apply maps points, of which the first is row number first of the input.
func (t *Transformer) apply(ctx context.Context, points neighbors.Points, y *mat.Dense, first int) error {
	err := largeEntry(points)
	if err == nil {
		err = t.mapping.apply(ctx, points, y)
	}
	return t.ofRow(err, first)
}

// ofRow words an error about a row of a block for the input.
func (t *Transformer) ofRow(err error, first int) error {
	if e, ok := err.(*rowError); ok {
		err = fmt.Errorf("%s: %w", t.model.Method, &rowError{first + e.row, e.what})
	}
	return err
}

// sparseMapping is a mapping that may take compressed rows as they are.
type sparseMapping interface {
	mapping
	takesSparse() bool
	applySparse(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error
}

// sparseMapping is the model's mapping where that takes compressed rows; nil: it does
// not.
func (t *Transformer) sparseMapping() sparseMapping {
	if m, ok := t.mapping.(sparseMapping); ok && m.takesSparse() {
		return m
	}
	return nil
}

// applySparse maps compressed rows, of which the first is row number first of the input.
func (t *Transformer) applySparse(ctx context.Context, a *sparse.CSR, y *mat.Dense, first int) error {
	m := t.sparseMapping()
	if m == nil {
		return t.apply(ctx, pointsOf(a.Dense()), y, first)
	}
	err := largeSparseEntry(a)
	if err == nil {
		err = m.applySparse(ctx, a, y)
	}
	return t.ofRow(err, first)
}

// largestEntry is the bound on entries of new samples, so that no squared
// distance overflows.
const largestEntry = 1e150

// largeEntry finds an entry that is not finite, or too large.
func largeEntry(x neighbors.Points) error {
	for at, v := range x.Data[:x.N*x.M] {
		if !(math.Abs(v) <= largestEntry) {
			return largeEntryAt(at/x.M, at%x.M, v)
		}
	}
	return nil
}

func largeSparseEntry(a *sparse.CSR) error {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, v := range vals {
			if !(math.Abs(v) <= largestEntry) {
				return largeEntryAt(i, int(cols[q]), v)
			}
		}
	}
	return nil
}

func largeEntryAt(row, col int, v float64) error {
	return &rowError{row, fmt.Sprintf("has %v in column %d; remove or fill in what is not finite, and rescale what is not below %g", v, col+1, largestEntry)}
}
