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

// direct is what [Cholesky] and [LDLT] have in common: a factorisation that takes new
// values for its pattern.
type direct struct {
	name     string // of the factorisation, in errors
	mu       sync.RWMutex
	symbolic *Analysis
	numeric  *numeric
	alone    *worker                 // of one thread
	delayed  *Factor                 // of an LDLᵀ some of whose pivots had to be delayed; nil: the factor of numeric
	check    func(z *selected) error // of an inverse; nil: there is none
	threads  int
	limit    int64     // of memory; 0: none
	works    sync.Pool // of *SolveWork

	rows    []int   // the pattern given, to be compared with the pattern of new values
	columns []int32 //
	met     []int   // scratch of the test of symmetry
	failure error   // why there is no factor; nil: there is one
}

// read checks the first matrix, keeps its pattern and fills in the options.
func (c *direct) read(a mat.Matrix, shift float64, o *CholeskyOptions) (full *CSR, err error) {
	given, err := c.squareOf(a)
	if err != nil {
		return nil, err
	}
	if o.Kernels == nil {
		if o.Kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	c.limit = o.Memory
	c.threads, c.rows, c.columns, c.met = blas.Threads(o.Threads), slices.Clone(given.Ptr), slices.Clone(given.Col), make([]int, given.Rows)
	c.works.New = func() any { return &SolveWork{Threads: c.threads} }
	return c.full(given, shift)
}

// within refuses a factor that takes more than the limit, and leaves small ones to one thread.
func (c *direct) within(need int64) error {
	if c.limit > 0 && need > c.limit {
		return &MemoryError{"the " + c.name + " factor", need, c.limit, "raise the limit, or solve by an iterative method"}
	}
	if c.symbolic.flops < parallelFlops {
		c.threads = 1
	}
	return nil
}

// squareOf returns a valid square sparse matrix.
func (c *direct) squareOf(matrix mat.Matrix) (*CSR, error) {
	a, isSparse, err := Of(matrix)
	switch {
	case err != nil:
		return nil, fmt.Errorf("sparse: %s factorisation: %w", c.name, err)
	case !isSparse:
		return nil, fmt.Errorf("sparse: %s factorisation: the matrix is not sparse; give a sparse.CSR or a matrix of github.com/james-bowman/sparse", c.name)
	case a.Rows != a.Cols || a.Rows < 1:
		return nil, fmt.Errorf("sparse: %s factorisation: the matrix is %d × %d; give a symmetric one", c.name, a.Rows, a.Cols)
	}
	if err := a.Validate(); err != nil {
		return nil, fmt.Errorf("sparse: %s factorisation: %w", c.name, err)
	}
	return a, nil
}

// full checks that a is symmetric and stores every mirror entry, a itself where it does.
func (c *direct) full(a *CSR, shift float64) (*CSR, error) {
	if math.IsNaN(shift) || math.IsInf(shift, 0) {
		return nil, fmt.Errorf("sparse: %s factorisation: the shift is %v; give a finite number", c.name, shift)
	}
	alone, err := a.mirrors(c.met)
	if err == nil && alone > 0 {
		a, err = a.Symmetric()
	}
	if err != nil {
		return nil, fmt.Errorf("sparse: %s factorisation: %w", c.name, err)
	}
	return a, nil
}

// renewed checks a matrix with new values.
func (c *direct) renewed(a mat.Matrix, shift float64) (*CSR, error) {
	given, err := c.squareOf(a)
	if err != nil {
		return nil, err
	}
	if err := c.samePattern(given); err != nil {
		return nil, err
	}
	return c.full(given, shift)
}

// run runs the numeric phase, whose error is then the failure.
func (c *direct) run(ctx context.Context, a *CSR, shift float64) {
	c.numeric.factor.values.stale = true
	c.numeric.a, c.numeric.shift = a, shift
	defer func() { c.numeric.a = nil }() // the caller's
	if c.threads == 1 && c.alone == nil {
		c.alone = c.numeric.worker(ctx)
	}
	c.failure = c.numeric.run(ctx, c.threads, c.alone)
}

// samePattern refuses any other pattern, and names the first row that differs.
func (c *direct) samePattern(a *CSR) error {
	if a.Rows != c.Order() {
		return fmt.Errorf("sparse: %s factorisation: new values of order %d for a factor of order %d; factorise the matrix anew", c.name, a.Rows, c.Order())
	}
	for i := range a.Rows {
		cols, _ := a.Row(i)
		if !slices.Equal(cols, c.columns[c.rows[i]:c.rows[i+1]]) {
			return fmt.Errorf("sparse: %s factorisation: row %d (counting from 0) has entries at other places than the matrix analysed; store its zeros, or factorise the matrix anew", c.name, i)
		}
	}
	return nil
}

// checkSides refuses right-hand sides of a wrong shape or with entries that are not finite.
func (c *direct) checkSides(x []float64, nrhs int) error {
	if n := c.Order(); nrhs < 1 || len(x) != n*nrhs {
		return fmt.Errorf("sparse: %s factorisation: %d numbers for %d right-hand sides of %d rows; give n × nrhs of them, row by row", c.name, len(x), nrhs, n)
	}
	for p, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("sparse: %s factorisation: the right-hand side has %v in row %d, column %d (counting from 0); give finite numbers", c.name, v, p/nrhs, p%nrhs)
		}
	}
	return nil
}

// errNone begins the error of a question to a factor that is not there.
var errNone = errors.New("sparse: there is no factor, since the last update failed")

// there says why there is no factor.
func (c *direct) there() error {
	if c.failure != nil {
		return fmt.Errorf("%w: %w", errNone, c.failure)
	}
	return nil
}

// factor is the one that solves.
func (c *direct) factor() *Factor {
	if c.delayed != nil {
		return c.delayed
	}
	return c.numeric.factor
}

// Order returns the number of rows and columns.
func (c *direct) Order() int { return len(c.rows) - 1 }

// Ordering names the way in which the order of elimination was found ([Analysis.Ordering]).
func (c *direct) Ordering() string { return c.symbolic.Ordering() }

// Entries returns the entries of L that can be other than zero, diagonal included.
func (c *direct) Entries() int64 { return c.symbolic.entries }

// Bytes returns the memory of the factor, of its analysis and of the pattern.
func (c *direct) Bytes() int64 {
	return c.symbolic.Bytes() + 16*int64(len(c.rows)) + 4*int64(len(c.columns))
}
