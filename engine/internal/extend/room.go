package extend

import (
	"context"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

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
