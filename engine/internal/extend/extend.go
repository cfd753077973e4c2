// Package extend implements the rules for new samples: they give coordinates or labels, consistent
// with those of the training samples, to samples that were not part of the fit.
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

// Extension is a rule for new samples: the map that gives them coordinates
// or labels, and the transformations before it, from the last field to the first.
type Extension struct {
	Map      Map
	Smooth   *scale.Parts      // moves samples onto planes; nil: no smoothing
	Reduce   *LinearMap        // replaces samples by principal components; nil: no reduction
	Divide   *Division         // divides samples by a power of two; nil: no division
	Standard *samples.Standard // standardises samples; nil: no standardisation
}

// Map is one kind of map with its data. It is made by a fit or read from a file.
type Map interface {
	Kind() string // name in errors and files
	prepare(r Resources) (*Mapping, error)
}

// Labeller is a map to labels, numbers of clusters from 0, instead of coordinates.
type Labeller interface {
	Map
	Clusters() int
}

// Clusters returns the number of clusters if the extension gives labels; otherwise 0.
func (e *Extension) Clusters() int {
	if m, is := e.Map.(Labeller); is {
		return m.Clusters()
	}
	return 0
}

// leastLabel is −1 for a map to labels that may give none, otherwise 0.
func (e *Extension) leastLabel() float64 {
	if _, is := e.Map.(DensityMap); is {
		return -1
	}
	return 0
}

// Fit is a solved problem without its solution.
type Fit struct {
	*run.Run
	X     samples.Samples
	Found neighborhood.Found // Graph is nil if the method has no neighbourhoods
}

// Rule makes the extension of a solved problem from its solution. If there is none, the reason
// completes "there is no rule for new samples".
type Rule[S any] func(f Fit, s S) (e *Extension, reason string, err error)

// Reasons for having no rule, which complete "there is no rule for new samples".
const (
	WithoutSamples = " where only the graph of the samples is known"
	OfAffinities   = " where the affinities are given, as those of new samples are not known"
)

// Mapping gives new samples coordinates or labels. Data derived from the training samples are
// prepared once, so that it can be applied block after block.
type Mapping struct {
	Features, Dim int  // columns of the samples, and of the coordinates (1 for labels)
	Missing       bool // entries may be NaN, which means missing
	Exponent      int  // of the power of two that samples are divided by; 0: they are not
	// Standard is the way samples are standardised first, so that they may have any size;
	// empty: they are not.
	Standard string
	// RowBytes is the memory for mapping a sample, in addition to its entries and
	// coordinates.
	RowBytes int64
	// Apply writes one row of dst for each point. Results are finite, and labels are valid;
	// otherwise the error names the row.
	Apply func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error
	// ApplySparse is Apply for compressed rows; nil: they have to be made dense.
	ApplySparse func(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error
}

// denseEntries bounds the entries of compressed samples that are made dense at a time.
const denseEntries = 1 << 19

// Map writes one row of dst for each sample, dense or compressed. If the mapping has no
// ApplySparse, compressed samples are made dense a block at a time.
func (m *Mapping) Map(ctx context.Context, x samples.Samples, dst *mat.Dense) error {
	a := x.Compressed()
	switch {
	case a == nil:
		return m.Apply(ctx, x.Points(), dst)
	case m.ApplySparse != nil:
		return m.ApplySparse(ctx, a, dst)
	}
	rows := max(denseEntries/a.Cols, 16)
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
	return m.checked(e.Map.Kind(), e.Clusters(), e.leastLabel()), nil
}

// RowError is an error about one sample, counted from 0.
type RowError struct {
	Row  int
	What string
}

func (e *RowError) Error() string { return wording.Text(e.Marked(), wording.Go) }

// Marked returns the text with the marks of package wording.
func (e *RowError) Marked() string {
	return fmt.Sprintf("row %d (counting from 1) %s", e.Row+1, e.What)
}

// Resources are the resources of a mapping.
type Resources struct {
	Kernels *blas.Kernels
	Threads int
	Samples int    // number of training samples according to the model
	Dataset *int64 // of the new samples, for a model of a fit with datasets; nil: one that was not fitted
	// Fit returns an error if n bytes, in addition to the model's arrays and to earlier requests,
	// do not fit into memory. nil: there is no limit.
	Fit func(bytes int64) error

	exponent int // of the power of two that samples are divided by, for messages
}

// fit requests the memory of the given numbers of float64.
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

// workers returns the number of threads that may need scratch space.
func (r Resources) workers() float64 { return float64(blas.Threads(r.Threads)) }

// maxNearest bounds the number k of nearest samples for barycentric weights, which need k²
// numbers and about k³/3 multiplications for each sample.
const maxNearest = 2048

// rowsOf returns the number of samples, with the given multiplications each, that a worker maps between
// checks for cancellation.
func rowsOf(work float64) int { return int(max(1, min(blockRows, 0x1p31/work))) }

// endOf returns a check for cancellation, for use within the work on one sample.
func endOf(ctx context.Context) func() bool { return func() bool { return ctx.Err() != nil } }

// checked returns the mapping with a check that every result is finite and, if clusters is not 0, a
// label below it, from the given least on.
func (m *Mapping) checked(kind string, clusters int, least float64) *Mapping {
	check := func(dst *mat.Dense, rows int) error {
		for i := range rows {
			for _, v := range dst.RawRowView(i) {
				if v-v != 0 {
					return &RowError{i, fmt.Sprintf("has coordinates that are not finite by this %s model; bring the sample to the unit and range of the training samples, or fit the model again", kind)}
				}
				if clusters > 0 && !(v >= least && v < float64(clusters)) {
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

// firstRow collects the first of the rows with an error.
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

// or returns err, or else the error about the first row.
func (f *firstRow) or(err error) error {
	if err == nil && f.err != nil {
		return f.err
	}
	return err
}
