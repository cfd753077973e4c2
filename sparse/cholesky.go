package sparse

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Factor is the numeric Cholesky factor of P(A + shift·I)Pᵀ. It is read-only,
// so any number of goroutines may solve with it, each with its own [SolveWork].
type Factor struct {
	symbolic *Analysis
	values   values // panel by panel; the diagonal holds 1/Lⱼⱼ
	inParts  bool   // it is large enough to be solved in parts and strips
	parts    []part
	pivots   *pivots // of an LDLᵀ; nil: Cholesky, whose pivots are all positive
}

// NotPositiveDefiniteError says at which row and column of the original matrix
// the factorisation met a pivot that is not a positive number: of all such, the
// first in the order of elimination; or one that is rounding. Find it in an error with errors.As.
type NotPositiveDefiniteError struct {
	Column int     // in the original order
	Pivot  float64 // NaN or infinite where the input was
	// Singular says that the pivot is positive, but what cancellation has left: the matrix
	// is singular within rounding ([Factor.Definite]).
	Singular bool
}

func (e *NotPositiveDefiniteError) Error() string {
	if math.IsNaN(e.Pivot) || math.IsInf(e.Pivot, 0) {
		return fmt.Sprintf("sparse: Cholesky factorisation: pivot %g in row and column %d (counting from 0): the matrix or the shift is not finite", e.Pivot, e.Column)
	}
	if e.Singular {
		return fmt.Sprintf("sparse: Cholesky factorisation: pivot %g in row and column %d (counting from 0) is rounding: the matrix is singular, not positive definite; a greater shift may make it so", e.Pivot, e.Column)
	}
	return fmt.Sprintf("sparse: Cholesky factorisation: pivot %g in row and column %d (counting from 0): the matrix is not positive definite; a greater shift may make it so", e.Pivot, e.Column)
}

// parallelFlops is the work below which threads cost more than they bring.
const parallelFlops = 2e7

// Factor computes L with P(A + shift·I)Pᵀ = L·Lᵀ on the given number of threads
// (0: all cores). a must have the pattern that was analysed; of the two mirror
// entries of a only one is read. The error is an [*NotPositiveDefiniteError] or
// the context's, which is asked at every panel and a few times a second inside
// one. A panic in a kernel is raised again on the caller's goroutine.
//
// The method is left-looking and supernodal (Ng and Peyton 1993; Chen, Davis,
// Hager and Rajamanickam 2008): every panel is updated by the earlier ones that
// have rows in it, with one dense product each, and then factorised. Threads
// take subtrees of the elimination tree, and strips of rows of the large panels
// above them. Neither the order of the terms of a sum nor the shapes of the
// products depend on the schedule: the same input and kernels give the same bits
// for any number of threads.
func (s *Analysis) Factor(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64) (*Factor, error) {
	return s.FactorIn(ctx, kernels, threads, a, shift, nil)
}

// FactorIn is [Analysis.Factor] with the values of L in storage that is there already, as
// far as that goes: memory that the system need not clear once more. What it holds is lost.
func (s *Analysis) FactorIn(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64, storage []float64) (*Factor, error) {
	if err := s.serves(a); err != nil {
		return nil, err
	}
	return newFactor(s, storage).compute(ctx, kernels, threads, a, shift, nil)
}

// FactorTold is [Analysis.FactorIn] that tells how far it is after every panel: how many
// columns of L are done, and which share of the operations. One call is made at a time,
// by whichever thread.
func (s *Analysis) FactorTold(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64, storage []float64, tell func(columns int, share float64)) (*Factor, error) {
	if err := s.serves(a); err != nil {
		return nil, err
	}
	return newFactor(s, storage).compute(ctx, kernels, threads, a, shift, tell)
}

// serves refuses a matrix of another pattern than that analysed, as far as that shows at
// once.
func (s *Analysis) serves(a *CSR) error {
	if a.Rows != s.n || a.Cols != s.n || len(a.Col) != s.nnz {
		return fmt.Errorf("sparse: factorisation: a %d × %d matrix of %d entries does not have the pattern analysed, %d × %d with %d; analyse it anew",
			a.Rows, a.Cols, len(a.Col), s.n, s.n, s.nnz)
	}
	if err := checkRows(a); err != nil {
		return err
	}
	if len(a.Val) != s.nnz {
		return fmt.Errorf("sparse: factorisation: %d values for %d entries", len(a.Val), s.nnz)
	}
	return nil
}

// compute is the numeric phase.
func (f *Factor) compute(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64, tell func(columns int, share float64)) (*Factor, error) {
	n := newNumeric(f, kernels, a, shift)
	if tell != nil {
		n.told = &told{tell: tell}
		for _, work := range n.work {
			n.told.total += work
		}
	}
	if f.symbolic.flops < parallelFlops {
		threads = 1
	}
	if err := n.run(ctx, blas.Threads(threads), nil); err != nil {
		return nil, err
	}
	return f, nil
}

func newFactor(s *Analysis, storage []float64) *Factor {
	f := &Factor{
		symbolic: s, values: newValues(s, storage),
	}
	if s.valueAt[len(s.rowLo)] >= partEntries {
		f.inParts, f.parts = true, s.parts()
	}
	return f
}

// panel returns the rows of panel p, its own columns first, and their number.
func (s *Analysis) panel(p int32) (rows []int32, width int) {
	return s.rows[s.rowLo[p]:s.rowHi[p]], int(s.first[p+1] - s.first[p])
}

// Bytes returns the memory of the factor and of the analysis it refers to.
func (f *Factor) Bytes() int64 {
	if f.pivots != nil {
		return f.symbolic.Bytes() + f.pivots.bytes()
	}
	return f.symbolic.Bytes()
}
