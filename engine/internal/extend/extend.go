// Package extend has the rules for new samples: what a fit leaves by which samples that
// come later get coordinates among those of the samples that were fitted, or labels as theirs.
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
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// Extension is what a fit leaves for samples that come later: the mapping that gives them coordinates
// or labels, and what is done to samples on their way to it, the last field first.
type Extension struct {
	Map      Map
	Smooth   *scale.Parts      // samples are moved onto planes; nil: they are not
	Reduce   *LinearMap        // samples are replaced by principal components; nil: they are not
	Divide   *Division         // samples are divided by a power of two; nil: they are not
	Standard *samples.Standard // samples are standardised; nil: they are not
}

// Map is one kind of mapping with all that it maps by. A fit makes one, or a file holds its parts.
type Map interface {
	Kind() string // its name in errors and files
	prepare(r Resources) (*Mapping, error)
}

// Labeller is a map that gives labels, the number of a cluster from 0, in place of coordinates.
type Labeller interface {
	Map
	Clusters() int
}

// Clusters is the number of clusters of an extension that gives labels, 0 of another.
func (e *Extension) Clusters() int {
	if m, is := e.Map.(Labeller); is {
		return m.Clusters()
	}
	return 0
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

// Prepare makes an extension ready for use.
func (e *Extension) Prepare(r Resources) (*Mapping, error) {
	if e.Divide != nil {
		r.exponent = e.Divide.Exponent
	}
	m, err := e.Map.prepare(r)
	if err == nil && e.Smooth != nil {
		m, err = smoothed(*e.Smooth, m, r)
	}
	if err == nil && e.Reduce != nil {
		m, err = reduced(*e.Reduce, m, r)
	}
	if err != nil {
		return nil, err
	}
	if e.Divide != nil {
		m = e.Divide.divided(m)
	}
	if e.Standard != nil {
		m = standardized(*e.Standard, m)
	}
	return m.checked(e.Map.Kind(), e.Clusters()), nil
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

// Resources are what a mapping works with.
type Resources struct {
	Kernels *blas.Kernels
	Threads int
	Samples int // that the model says it was fitted to
	// Fit refuses n bytes more than the model's arrays and what was asked for before,
	// where there is no room for them; nil: there is.
	Fit func(bytes int64) error

	exponent int // of the power of two that samples are divided by on their way, for messages
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
