package sparse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Cholesky is a sparse symmetric positive definite matrix A + shift·I in factorised form,
// P(A + shift·I)Pᵀ = LLᵀ: a solver for systems with it, and its determinant. Any number of
// goroutines may use one; [Cholesky.UpdateValues] waits until the others are done.
//
// [Analyze] and [Analysis.Factor] are the two steps inside it, for who wants them apart.
type Cholesky struct {
	mu       sync.RWMutex
	symbolic *Analysis
	numeric  *numeric
	alone    *worker // of one thread
	threads  int
	works    sync.Pool // of *SolveWork

	rows    []int   // the pattern given, to be compared with that of new values
	columns []int32 //
	met     []int   // scratch of the test of symmetry
	failure error   // why there is no factor; nil: there is one
}

// CholeskyOptions are the options of [NewCholesky]. The zero value uses the default
// kernels, all cores and any memory.
type CholeskyOptions struct {
	Kernels *blas.Kernels // nil: blas.Select("")
	Threads int           // 0: all cores; the number changes no bit
	Memory  int64         // bytes that the factor may take; 0: no limit
}

// MemoryError is the refusal of work that would exceed a limit of memory.
type MemoryError struct {
	What        string // what needs it
	Need, Limit int64
	Remedy      string
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("sparse: %s needs %d bytes where the limit is %d; %s", e.What, e.Need, e.Limit, e.Remedy)
}

// NewCholesky factorises A + shift·I. A is symmetric, sparse, of any type that [Of] takes,
// with both triangles stored. It is neither changed nor kept.
//
// The order of elimination is by minimum degree or nested dissection, whichever leaves
// less to do ([Best]); time and memory are those of the factor, O(n log n) entries on a planar
// graph and O(n^4/3) on one in space. See [Analysis.Factor] for the method.
//
// Errors name the place: a matrix that is not symmetric ([AsymmetryError]), entries that
// are not finite, and of a matrix that is not positive definite the pivot with its row
// ([NotPositiveDefiniteError]).
func NewCholesky(ctx context.Context, a mat.Matrix, shift float64, o CholeskyOptions) (*Cholesky, error) {
	given, err := squareOf(a)
	if err != nil {
		return nil, err
	}
	if o.Kernels == nil {
		if o.Kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	c := &Cholesky{threads: blas.Threads(o.Threads), rows: slices.Clone(given.Ptr), columns: slices.Clone(given.Col), met: make([]int, given.Rows)}
	c.works.New = func() any { return &SolveWork{Threads: c.threads} }
	full, err := c.full(given, shift)
	if err != nil {
		return nil, err
	}
	if c.symbolic, err = AnalyzeOrdered(ctx, full, Best, o.Threads); err != nil {
		return nil, err
	}
	if need := c.Bytes(); o.Memory > 0 && need > o.Memory {
		return nil, &MemoryError{"the Cholesky factor", need, o.Memory, "raise the limit, or solve by an iterative method"}
	}
	if c.symbolic.flops < parallelFlops {
		c.threads = 1
	}
	c.numeric = newNumeric(newFactor(c.symbolic, nil), o.Kernels, nil, 0)
	if err := c.compute(ctx, full, shift); err != nil {
		return nil, err
	}
	return c, nil
}

// squareOf returns a valid square sparse matrix.
func squareOf(matrix mat.Matrix) (*CSR, error) {
	a, isSparse, err := Of(matrix)
	switch {
	case err != nil:
		return nil, fmt.Errorf("sparse: Cholesky factorisation: %w", err)
	case !isSparse:
		return nil, errors.New("sparse: Cholesky factorisation: the matrix is not sparse; give a sparse.CSR or a matrix of github.com/james-bowman/sparse")
	case a.Rows != a.Cols || a.Rows < 1:
		return nil, fmt.Errorf("sparse: Cholesky factorisation: the matrix is %d × %d; give a symmetric one", a.Rows, a.Cols)
	}
	if err := a.Validate(); err != nil {
		return nil, fmt.Errorf("sparse: Cholesky factorisation: %w", err)
	}
	return a, nil
}

// full checks that a is symmetric and stores every mirror entry, a itself where it does.
func (c *Cholesky) full(a *CSR, shift float64) (*CSR, error) {
	if math.IsNaN(shift) || math.IsInf(shift, 0) {
		return nil, fmt.Errorf("sparse: Cholesky factorisation: the shift is %v; give a finite number", shift)
	}
	alone, err := a.mirrors(c.met)
	if err == nil && alone > 0 {
		a, err = a.Symmetric()
	}
	if err != nil {
		return nil, fmt.Errorf("sparse: Cholesky factorisation: %w", err)
	}
	return a, nil
}

// compute runs the numeric phase.
func (c *Cholesky) compute(ctx context.Context, a *CSR, shift float64) error {
	c.numeric.factor.values.stale = true
	c.numeric.a, c.numeric.shift = a, shift
	defer func() { c.numeric.a = nil }() // the caller's
	if c.threads > 1 {
		c.failure = c.numeric.run(ctx, c.threads)
	} else {
		if c.alone == nil {
			c.alone = c.numeric.worker(ctx)
		}
		c.alone.ctx = ctx
		c.failure = c.alone.all()
	}
	if c.failure == nil {
		work := c.works.Get().(*SolveWork)
		c.failure = c.numeric.factor.Definite(a, shift, work)
		c.works.Put(work)
	}
	return c.failure
}

// UpdateValues factorises A + shift·I anew for a matrix with the pattern of the first, by
// its analysis and in its memory: on one thread nothing is allocated where a is a [*CSR]
// that stores every mirror entry. A row whose columns are others is an error, which
// names it and leaves the old factor. So do asymmetric and infinite values. After
// [NotPositiveDefiniteError], or the context's error, there is no factor until the next update.
func (c *Cholesky) UpdateValues(ctx context.Context, a mat.Matrix, shift float64) error {
	given, err := squareOf(a)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.samePattern(given); err != nil {
		return err
	}
	full, err := c.full(given, shift)
	if err != nil {
		return err
	}
	return c.compute(ctx, full, shift)
}

// samePattern refuses any other pattern, and names the first row that differs.
func (c *Cholesky) samePattern(a *CSR) error {
	if a.Rows != c.Order() {
		return fmt.Errorf("sparse: Cholesky factorisation: new values of order %d for a factor of order %d; factorise the matrix anew", a.Rows, c.Order())
	}
	for i := range a.Rows {
		cols, _ := a.Row(i)
		if !slices.Equal(cols, c.columns[c.rows[i]:c.rows[i+1]]) {
			return fmt.Errorf("sparse: Cholesky factorisation: row %d (counting from 0) has entries at other places than the matrix analysed; store its zeros, or factorise the matrix anew", i)
		}
	}
	return nil
}

// Solve replaces x by (A + shift·I)⁻¹x for nrhs right-hand sides, n × nrhs row-major; see
// [Factor.Solve]. An x of another length and an entry that is not finite are errors, which
// leave it as it was. O(entries of L · nrhs).
func (c *Cholesky) Solve(x []float64, nrhs int) error {
	if n := c.Order(); nrhs < 1 || len(x) != n*nrhs {
		return fmt.Errorf("sparse: Cholesky factorisation: %d numbers for %d right-hand sides of %d rows; give n × nrhs of them, row by row", len(x), nrhs, n)
	}
	for p, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("sparse: Cholesky factorisation: the right-hand side has %v in row %d, column %d (counting from 0); give finite numbers", v, p/nrhs, p%nrhs)
		}
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.failure != nil {
		return fmt.Errorf("sparse: there is no factor to solve with, since the last update failed: %w", c.failure)
	}
	work := c.works.Get().(*SolveWork)
	defer c.works.Put(work)
	c.numeric.factor.Solve(x, nrhs, work)
	return nil
}

// LogDet returns the logarithm of the determinant of A + shift·I, which is positive.
func (c *Cholesky) LogDet() (float64, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.failure != nil {
		return math.NaN(), fmt.Errorf("sparse: there is no factor, since the last update failed: %w", c.failure)
	}
	return c.numeric.factor.LogDet(), nil
}

// Order returns the number of rows and columns.
func (c *Cholesky) Order() int { return len(c.rows) - 1 }

// Ordering names the way in which the order of elimination was found ([Analysis.Ordering]).
func (c *Cholesky) Ordering() string { return c.symbolic.Ordering() }

// Entries returns the entries of L that can be other than zero, diagonal included.
func (c *Cholesky) Entries() int64 { return c.symbolic.entries }

// Bytes returns the memory of the factor, of its analysis and of the pattern.
func (c *Cholesky) Bytes() int64 {
	return c.symbolic.Bytes() + 16*int64(len(c.rows)) + 4*int64(len(c.columns))
}

// LogDet returns log det(A + shift·I) = 2Σⱼ log Lⱼⱼ.
func (f *Factor) LogDet() float64 {
	var sum float64
	for p := range int32(len(f.symbolic.rowLo)) {
		_, width := f.symbolic.panel(p)
		values := f.panelValues(p)
		for j := range width {
			sum -= math.Log(values[j*width+j]) // of 1/Lⱼⱼ
		}
	}
	return 2 * sum
}
