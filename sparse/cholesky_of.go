package sparse

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Cholesky is a sparse symmetric positive definite matrix A + shift·I in factorised form,
// P(A + shift·I)Pᵀ = LLᵀ: a solver for systems with it, and its determinant. Any number of
// goroutines may use one; [Cholesky.UpdateValues] waits until the others are done.
//
// [Analyze] and [Analysis.Factor] are the two steps inside it, for who wants them apart.
type Cholesky struct{ direct }

// CholeskyOptions are the options of [NewCholesky] and [NewLDLT]. The zero value uses the default
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
	c := &Cholesky{direct{name: "Cholesky"}}
	full, err := c.read(a, shift, &o)
	if err != nil {
		return nil, err
	}
	if c.symbolic, err = AnalyzeOrdered(ctx, full, Best, o.Threads); err != nil {
		return nil, err
	}
	if err := c.within(c.Bytes(), o.Memory); err != nil {
		return nil, err
	}
	c.numeric = newNumeric(newFactor(c.symbolic, nil), o.Kernels, nil, 0)
	if err := c.compute(ctx, full, shift); err != nil {
		return nil, err
	}
	return c, nil
}

// compute runs the numeric phase, and looks whether the factor tells something.
func (c *Cholesky) compute(ctx context.Context, a *CSR, shift float64) error {
	c.run(ctx, a, shift)
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
	c.mu.Lock()
	defer c.mu.Unlock()
	full, err := c.renewed(a, shift)
	if err != nil {
		return err
	}
	return c.compute(ctx, full, shift)
}

// Solve replaces x by (A + shift·I)⁻¹x for nrhs right-hand sides, n × nrhs row-major; see
// [Factor.Solve]. An x of another length and an entry that is not finite are errors, which
// leave it as it was. O(entries of L · nrhs).
func (c *Cholesky) Solve(x []float64, nrhs int) error {
	if err := c.checkSides(x, nrhs); err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.there(); err != nil {
		return err
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
	if err := c.there(); err != nil {
		return math.NaN(), err
	}
	return c.numeric.factor.LogDet(), nil
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
