// Package extend has the rules for new samples: what a fit leaves by which samples that
// come later get coordinates beside those that were fitted, or labels as theirs.
package extend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// Extension is what a fit leaves for samples that come later: the arrays and numbers
// by which the mapping of its kind gives them coordinates. A model holds exactly
// this, so that models are saved and loaded without knowing the methods.
type Extension struct {
	Kind       string // a key of mappings
	Arrays     map[string]*mat.Dense
	Compressed map[string]*sparse.CSR // arrays in compressed rows; nil: there are none
	Numbers    map[string]float64
}

// samplesArray names the training samples of an extension.
const samplesArray = "samples"

// extensionOf is an extension that holds the training samples, in their form and without a
// copy.
func extensionOf(kind string, x samples.Samples, arrays map[string]*mat.Dense, numbers map[string]float64) *Extension {
	e := &Extension{Kind: kind, Arrays: arrays, Numbers: numbers}
	if a := x.Compressed(); a != nil {
		e.Compressed = map[string]*sparse.CSR{samplesArray: a}
	} else {
		e.Arrays[samplesArray] = x.Dense()
	}
	return e
}

// Fit is a solved problem, but for its solution.
type Fit struct {
	*run.Run
	X     samples.Samples
	Found neighborhood.Found // Graph is nil where the method has no neighbourhoods
}

// Rule makes the extension of a solved problem from its solution S. Where there is none
// it says why, to be read after "there is no rule for new samples".
type Rule[S any] func(f Fit, s S) (e *Extension, reason string, err error)

// Why a fit leaves no rule, to be read after "there is no rule for new samples".
const (
	WithoutSamples = " where only the graph of the samples is known"
	OfAffinities   = " where the affinities are given, as those of new samples are not known"
)

// Mapping gives new samples coordinates. What it derives from the training samples is
// prepared once, so that it can be applied block after block.
type Mapping struct {
	Features, Dim int  // columns that samples must have, and those of the coordinates; labels are one
	Missing       bool // entries may be NaN, and are missing then
	Exponent      int  // of the power of two that samples are divided by on their way; 0: they are not
	// Standard is how samples are standardised on their way, which then may have any size;
	// empty: they are not.
	Standard string
	// RowBytes is the memory that a sample takes while it is mapped, besides its entries and
	// its coordinates.
	RowBytes int64
	// Apply writes one row of dst for each point. Results are finite, and labels those of
	// clusters: else the error names the row.
	Apply func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error
	// ApplySparse does so for compressed rows; nil: they have to be made dense.
	ApplySparse func(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error
}

// laidEntries bounds the entries of compressed samples that are laid out at a time.
const laidEntries = 1 << 19

// Map writes one row of dst for each sample, whichever their form. Compressed samples that
// the mapping does not take so are laid out a block at a time.
func (m *Mapping) Map(ctx context.Context, x samples.Samples, dst *mat.Dense) error {
	a := x.Compressed()
	switch {
	case a == nil:
		return m.Apply(ctx, x.Points(), dst)
	case m.ApplySparse != nil:
		return m.ApplySparse(ctx, a, dst)
	}
	rows := max(laidEntries/a.Cols, 16)
	for lo := 0; lo < a.Rows; lo += rows {
		hi := min(lo+rows, a.Rows)
		part := samples.Of(a.RowRange(lo, hi).Dense())
		if err := m.Apply(ctx, part.Points(), dst.Slice(lo, hi, 0, m.Dim).(*mat.Dense)); err != nil {
			var row *RowError
			if errors.As(err, &row) {
				return &RowError{lo + row.Row, row.What}
			}
			return err
		}
	}
	return nil
}

// mappings makes the mapping of an extension, by its kind.
var mappings = map[string]func(e *Extension, r Resources) (*Mapping, error){
	"barycentric":          newBarycentric,
	"centers":              newCenters,
	"diffusion":            newDiffusion,
	"exemplars":            newExemplars,
	"factors":              newFactors,
	"geodesic":             newGeodesic,
	"linear":               newLinear,
	"nystrom":              newNystrom,
	"nystrom-centers":      newNystromCenters,
	"pursuit":              newPursuit,
	"pursuit-labels":       newPursuitLabels,
	"same-codes":           newSameCodes,
	"sparse-affine":        newSparseAffine,
	"sparse-affine-labels": newSparseAffineLabels,
}

// Known reports whether this version has the mapping of a kind.
func Known(kind string) bool { return mappings[kind] != nil }

// Prepare makes an extension ready for use. What it holds may come from a file, so that
// every kind checks it.
func (e *Extension) Prepare(r Resources) (*Mapping, error) {
	prepare, known := mappings[e.Kind]
	if !known {
		return nil, fmt.Errorf("model: its rule for new samples, %q, is not known to this version; a later one wrote it", e.Kind)
	}
	m, err := prepare(e, r)
	if err == nil && e.Smoothed() {
		m, err = e.smoothed(m, r)
	}
	if err == nil && e.Divided() {
		m, err = e.divided(m)
	}
	if err == nil && e.Standardized() {
		m, err = e.standardized(m)
	}
	if err != nil {
		return nil, err
	}
	return m.checked(e.Kind, e.Clusters()), nil
}

// RowError is what is wrong with one sample, counted from 0.
type RowError struct {
	Row  int
	What string
}

func (e *RowError) Error() string { return wording.Text(e.Marked(), wording.Go) }

// Marked is the text with the marks of package wording.
func (e *RowError) Marked() string {
	return fmt.Sprintf("row %d (counting from 1) %s", e.Row+1, e.What)
}

// array returns an array of the given shape, whose entries must be finite; 0
// rows or columns stand for any number.
func (e *Extension) array(name string, rows, cols int) (*mat.Dense, error) {
	a := e.Arrays[name]
	if a == nil {
		return nil, fmt.Errorf("model: the array %q of a %s model is missing", name, e.Kind)
	}
	if n, m := a.Dims(); rows > 0 && n != rows || cols > 0 && m != cols {
		return nil, fmt.Errorf("model: the array %q is %d × %d, which the other parts of a %s model contradict", name, n, m, e.Kind)
	}
	n, _ := a.Dims()
	for i := range n {
		for j, v := range a.RawRowView(i) {
			if v-v != 0 {
				return nil, fmt.Errorf("model: row %d, column %d (counting from 1) of the array %q is %v", i+1, j+1, name, v)
			}
		}
	}
	return a, nil
}

// samples returns the training samples, whose entries must be finite.
func (e *Extension) samples() (samples.Samples, error) {
	a := e.Compressed[samplesArray]
	if a == nil {
		rows, err := e.array(samplesArray, 0, 0)
		if err != nil {
			return samples.Samples{}, err
		}
		return samples.Of(rows), e.checkSize(samplesArray, samples.Of(rows))
	}
	x := samples.OfCompressed(a)
	if row, col, v := x.FirstNotFinite(); row >= 0 {
		return x, fmt.Errorf("model: row %d, column %d (counting from 1) of the array %q is %v", row+1, col+1, samplesArray, v)
	}
	return x, e.checkSize(samplesArray, x)
}

// number returns a number between two bounds.
func (e *Extension) number(name string, least, most float64) (float64, error) {
	v, there := e.Numbers[name]
	if !there || !(v >= least && v <= most) {
		return 0, fmt.Errorf("model: the number %q of a %s model is missing or not within [%g, %g]", name, e.Kind, least, most)
	}
	return v, nil
}

// Resources are what a mapping works with.
type Resources struct {
	Kernels *blas.Kernels
	Threads int
	Samples int // that the model says it was fitted to
	// Fit refuses n bytes more than the model's arrays and what was asked for before,
	// where there is no room for them; nil: there is.
	Fit func(bytes int64) error
}

// fit asks for the memory of n numbers.
func (r Resources) fit(numbers ...float64) error {
	var all float64
	for _, n := range numbers {
		all += n
	}
	if r.Fit == nil {
		return nil
	}
	return r.Fit(int64(min(8*all, math.MaxInt64/4)))
}

// workers is the number of threads that may have scratch of their own.
func (r Resources) workers() float64 { return float64(blas.Threads(r.Threads)) }

// mostNearest bounds the nearest samples over which barycentric weights are solved for: k²
// numbers and about k³/3 multiplications a sample.
const mostNearest = 2048

// rowsOf is the number of samples, of the given number of multiplications each, that a worker maps before it
// looks whether the work was cancelled.
func rowsOf(work float64) int { return int(max(1, min(blockRows, 0x1p31/work))) }

// endOf returns a check, within the work for one sample, of whether it was cancelled.
func endOf(ctx context.Context) func() bool { return func() bool { return ctx.Err() != nil } }

// checked is a mapping whose every result is a number, or a label below the number of clusters; 0:
// they are coordinates.
func (m *Mapping) checked(kind string, clusters int) *Mapping {
	check := func(dst *mat.Dense, rows int) error {
		for i := range rows {
			for _, v := range dst.RawRowView(i) {
				if v-v != 0 {
					return &RowError{i, fmt.Sprintf("has coordinates that are not finite by this %s model; bring the sample to the unit and range of the training samples, or fit the model again", kind)}
				}
				if clusters > 0 && !(v >= 0 && v < float64(clusters)) {
					return &RowError{i, fmt.Sprintf("has the label %v by this %s model of %d clusters; fit the model again", v, kind, clusters)}
				}
			}
		}
		return nil
	}
	outer := *m
	outer.Apply = func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		if err := m.Apply(ctx, points, dst); err != nil {
			return err
		}
		return check(dst, points.N)
	}
	if m.ApplySparse != nil {
		outer.ApplySparse = func(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error {
			if err := m.ApplySparse(ctx, a, dst); err != nil {
				return err
			}
			return check(dst, a.Rows)
		}
	}
	return &outer
}

// firstRow collects the first of the rows that workers refuse.
type firstRow struct {
	mu  sync.Mutex
	err *RowError
}

func (f *firstRow) found(err *RowError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || err.Row < f.err.Row {
		f.err = err
	}
}

// or is an error of the work, or else the first row.
func (f *firstRow) or(err error) error {
	if err == nil && f.err != nil {
		return f.err
	}
	return err
}
