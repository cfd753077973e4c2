package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Transformer is a model made ready to map samples, block after block. The
// coordinates of a sample do not depend on the others in its block, nor on the
// number of threads: the same model, sample and backend give the same bits.
type Transformer struct {
	model   *Model
	mapping *extend.Mapping
	run     *run.Run // as the options say, under no context
	options Options
}

// Reporting returns the same transformer with another callback for the progress.
func (t *Transformer) Reporting(progress func(Progress)) *Transformer {
	same := *t
	same.options.Progress = progress
	same.run = newRun(t.run.Context(), t.model.Method, t.run.Kernels(), same.options, NewClock())
	return &same
}

// Apply returns the coordinates of the rows of x, one row each. The columns must
// be those of the fit, and entries finite (except NaN in a model that was fitted with
// missing=weight, where it is missing) and below 1e150 in size, or below 1e150 times
// the largest of a fit to samples of no ordinary size. A sparse matrix
// ([sparse.Of] says what is one) stays sparse where the model is of a factorisation by
// squares or divergence without a shift, or was fitted to samples that stayed sparse;
// otherwise it is made dense, a block at a time.
func (t *Transformer) Apply(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	if err := refuseAbsentData(ctx, x); err != nil {
		return nil, err
	}
	a, isSparse, err := sparse.Of(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.model.Method, err)
	}
	n, cols := x.Dims()
	if err := t.checkColumns(cols); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: no samples to map", t.model.Method)
	}
	y := mat.NewDense(n, t.model.Dim, nil)
	if isSparse {
		return y, t.applySparse(ctx, a, y, 0)
	}
	return y, t.apply(ctx, samples.Of(x).Points(), y, 0)
}

func (t *Transformer) checkColumns(cols int) error {
	if cols != t.model.Features {
		return fmt.Errorf("%s: samples of %d columns where the model was fitted to %d; give the same columns in the same order", t.model.Method, cols, t.model.Features)
	}
	return nil
}

// apply maps points, of which the first is row number first of the input, a block at a time.
func (t *Transformer) apply(ctx context.Context, points neighbors.Points, y *mat.Dense, first int) error {
	if err := largeEntry(points, t.largest(), t.mapping.Missing); err != nil {
		return t.ofRow(err, first)
	}
	return t.inBlocks(points.N, y, first, func(lo, hi int, part *mat.Dense) error {
		return t.mapping.Apply(ctx, neighbors.Points{N: hi - lo, M: points.M, Data: points.Data[lo*points.M : hi*points.M]}, part)
	})
}

// mapBytes is about the memory of the rows that are mapped at a time, besides their entries and
// coordinates.
const mapBytes = 32 << 20

// inBlocks maps n rows, of which the first is row number first of the input, a block at a time.
func (t *Transformer) inBlocks(n int, y *mat.Dense, first int, apply func(lo, hi int, part *mat.Dense) error) error {
	rows := int(max(mapBytes/max(t.mapping.RowBytes, 1), 1))
	for lo := 0; lo < n; lo += rows {
		hi := min(lo+rows, n)
		if err := apply(lo, hi, y.Slice(lo, hi, 0, t.model.Dim).(*mat.Dense)); err != nil {
			return t.ofRow(err, first+lo)
		}
	}
	return nil
}

// ofRow words an error about a row of a block for the input.
func (t *Transformer) ofRow(err error, first int) error {
	if e, ok := err.(*extend.RowError); ok {
		err = fmt.Errorf("%s: %w", t.model.Method, &extend.RowError{Row: first + e.Row, What: e.What})
	}
	return err
}

// applySparse maps compressed rows, of which the first is row number first of the input.
func (t *Transformer) applySparse(ctx context.Context, a *sparse.CSR, y *mat.Dense, first int) error {
	if err := largeSparseEntry(a, t.largest(), t.mapping.Missing); err != nil {
		return t.ofRow(err, first)
	}
	return t.inBlocks(a.Rows, y, first, func(lo, hi int, part *mat.Dense) error {
		return t.mapping.Map(ctx, samples.OfCompressed(a.RowRange(lo, hi)), part)
	})
}

// largestEntry is the bound on entries of new samples, so that no squared
// distance overflows.
const largestEntry = 1e150

// largest is that bound in the unit of the data.
func (t *Transformer) largest() float64 {
	if t.mapping.Standard != "" { // the bound is on what is made of them
		return math.MaxFloat64
	}
	return min(magnitude.Times(largestEntry, t.mapping.Exponent), math.MaxFloat64)
}

// largeEntry finds an entry that is not finite, or too large; NaN may be missing.
func largeEntry(x neighbors.Points, largest float64, missing bool) error {
	for at, v := range x.Data[:x.N*x.M] {
		if !(math.Abs(v) <= largest) && !(missing && math.IsNaN(v)) {
			return largeEntryAt(at/x.M, at%x.M, v, largest)
		}
	}
	return nil
}

func largeSparseEntry(a *sparse.CSR, largest float64, missing bool) error {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, v := range vals {
			if !(math.Abs(v) <= largest) && !(missing && math.IsNaN(v)) {
				return largeEntryAt(i, int(cols[q]), v, largest)
			}
		}
	}
	return nil
}

func largeEntryAt(row, col int, v, largest float64) error {
	return &extend.RowError{Row: row, What: fmt.Sprintf("has %v in column %d; remove or fill in what is not finite, and rescale what is not below %.4g", v, col+1, largest)}
}
