package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/solvers/sddm"
	"github.com/orthant-go/orthant/sparse"
)

// Options of an eigensolver. The zero value uses the default kernels, all cores
// and seed 0.
type Options struct {
	Kernels *blas.Kernels // nil: blas.Select("")
	Threads int           // 0: all cores
	Seed    uint64        // of the start vectors
	Memory  int64         // bytes the solver may take, a copy of A included; 0: no limit
	// Laplacian says that A is a normalised graph Laplacian, of data with this many
	// Columns; it decides whether products alone are worth a try.
	Laplacian bool
	Columns   int
	Bound     float64 // on the spectrum, where one is known; 0: the largest row sum
	// Factored, if not nil, gives Bᵀ with A = BBᵀ. It is called only where the smallest
	// eigenvalues are at the rounding level of A.
	Factored func() (*RowBlocks, error)
	// Trusted says that the matrix is symmetric and finite and the null vectors are
	// orthonormal and such, as a caller that built them knows: [Smallest] then leaves out
	// the checks of both, which take a few passes over the matrix.
	Trusted bool
	// Own says that nothing else reads a [*sparse.CSR] while the solver runs: in addition to the
	// factor of a large one, only its lower triangle is kept. It is whole again afterwards.
	Own bool
	// Storage, if there is any, takes as much of a factor as it can. What it holds is lost.
	Storage []float64
	// Analysis is that of the matrix of [Smallest], by [sparse.Best], where the caller has made it; nil: it is
	// made if the solver needs it.
	Analysis *sparse.Analysis
	// Certified asks [Smallest] and [Pencil.Smallest] for a proof that no eigenvalue was missed ([Eigen.Certificate]), by
	// another factorisation; what it shows to be missing is searched for.
	Certified bool
	Progress  func(done float64)
	// Factoring gets, from [Smallest] alone, how many columns of how many a Cholesky factor
	// has, and which share of its operations is done; Progress goes on from a half then.
	Factoring func(columns, of int, share float64)
	// Planned gets the plan before the work begins.
	Planned func(Plan)
}

// Plan says which solver was chosen and what it will cost.
type Plan struct {
	Solver        string  `json:"solver"`                   // "dense", "shift-invert lanczos", "block davidson", "components", "lanczos" or "chebyshev-filtered block"
	Reason        string  `json:"reason"`                   // the rule that chose it
	Ordering      string  `json:"ordering,omitempty"`       // of the factorisation
	MatrixEntries int64   `json:"matrix_entries"`           // stored in A
	FactorEntries int64   `json:"factor_entries,omitempty"` // stored in L
	Flops         float64 `json:"flops,omitempty"`          // of the factorisation
	Bytes         int64   `json:"bytes"`                    // of the solver's own memory, a copy of A included
}

// Eigen holds the eigenpairs found, ascending.
type Eigen struct {
	Values    []float64
	Vectors   [][]float64 // Vectors[j] is the unit eigenvector of Values[j]
	Residuals []float64   // ‖A·x − λx‖₂ / |A|, where |A| is the largest absolute row sum
	Errors    []float64   // how far each value may be off, estimated; rounding in the entries of A and M is part of it
	Next      float64     // the first eigenvalue not asked for; NaN where there is none
	Converged bool        // every pair met its tolerance
	Plan      Plan

	Solves      int     // right-hand sides solved for, in all
	Products    int     // products of A with a vector, in all
	Refinements int     // steps on the factor B; the values then belong to BBᵀ
	Infinite    int     // infinite eigenvalues left out, one for each row of M without entries
	Angle       float64 // estimated angle between the span found and the true one; NaN where no gap is known

	Certificate *sparse.Certificate // the count of eigenvalues below a shift behind the last; nil: not asked for
	least       float64             // the least size of a row of A, over its mass; 0: not known
	size        float64             // of the largest eigenvalue found, as [Largest] found it
	Moved       string              // how sigma, or the ends of an interval, were moved off eigenvalues; empty: they were not
}

// MemoryError is the refusal of a plan that would exceed [Options.Memory].
type MemoryError struct{ Need, Limit int64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the eigensolver needs %s where the limit is %s; raise Options.Memory, or give a sparser matrix",
		limits.FormatBytes(e.Need), limits.FormatBytes(e.Limit))
}

// residualLimit is the relative residual up to which a pair counts as found.
const residualLimit = 1e-9

// Smallest finds the count smallest eigenpairs of the symmetric positive
// semidefinite matrix A on the complement of the null vectors given, which must
// be orthonormal and in the null space of A. count must be at most n less their
// number.
//
// A matrix that is not symmetric ([sparse.AsymmetryError]) or finite is an error that names
// the place, one with a negative eigenvalue a [BelowSigmaError], and null vectors that are
// not orthonormal or not such are errors that say which. [Pencil] takes other shifts,
// generalised problems and operators.
//
// A may be of any type that [sparse.Of] takes, such as the CSR, CSC, COO and DOK of
// github.com/james-bowman/sparse; a dense matrix is an error.
//
// Known null vectors are deflated, not skipped: where A has further ones (flat
// data, several components), those come first among the results, orthogonal to
// the ones given.
func Smallest(ctx context.Context, matrix mat.Matrix, null [][]float64, count int, o Options) (*Eigen, error) {
	a, copied, err := rowsOf(matrix, o.Memory)
	if err != nil {
		return nil, err
	}
	n := a.Rows
	if count < 1 || count > n-len(null) {
		return nil, fmt.Errorf("solvers: %d eigenpairs requested of a matrix of order %d with %d null vectors left out; give a number from 1 to %d",
			count, n, len(null), n-len(null))
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	norm := a.RowSumNorm()
	if !o.Trusted {
		if a, err = checked(a, null); err != nil {
			return nil, err
		}
	} else if math.IsNaN(norm) || math.IsInf(norm, 0) && a.Validate() != nil {
		return nil, errors.New("solvers: the matrix holds NaN or infinities")
	}
	if o.Factored == nil && needsScaling(a) {
		return Pencil{A: a, Null: null}.smallest(ctx, n, count, o)
	}
	if o.Memory > 0 {
		o.Memory -= copied
	}
	p := problem{a: a, n: n, copied: copied, null: null, count: count, norm: norm, analyzed: o.Analysis, Options: o}
	// One pair more shows the gap behind the last one wanted.
	p.wanted = min(count+1, n-len(null))
	p.plan.MatrixEntries = int64(a.NNZ())
	e, err := p.solve(ctx)
	if err != nil {
		return nil, belowSigma(err, 0)
	}
	p.finish(e)
	if err := p.above(e); err != nil {
		return nil, err
	}
	return p.certified(ctx, e)
}

// rowsOf returns a sparse matrix in compressed rows, with the bytes of the copy, which
// the memory has to hold.
func rowsOf(matrix mat.Matrix, memory int64) (a *sparse.CSR, copied int64, err error) {
	_, copied, isSparse := sparse.OfBytes(matrix)
	if !isSparse {
		return nil, 0, errors.New("solvers: the matrix is not sparse; give a sparse.CSR or a matrix of github.com/james-bowman/sparse")
	}
	if memory > 0 && copied >= memory {
		return nil, 0, &MemoryError{Need: copied, Limit: memory}
	}
	if rows, cols := matrix.Dims(); rows != cols {
		return nil, 0, fmt.Errorf("solvers: the matrix is %d × %d; give a symmetric one", rows, cols)
	}
	if a, _, err = sparse.Of(matrix); err != nil {
		err = fmt.Errorf("solvers: %w", err)
	}
	return a, copied, err
}

// fill fills in what was left empty.
func (o *Options) fill() error {
	if o.Kernels == nil {
		kernels, err := blas.Select("")
		if err != nil {
			return err
		}
		o.Kernels = kernels
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	if o.Planned == nil {
		o.Planned = func(Plan) {}
	}
	return nil
}

// problem is one call of Smallest or Largest under way.
type problem struct {
	Options
	a        *sparse.CSR                     // nil: only products are known
	multiply func(width int, x, y []float64) // of A, where a is nil
	n        int                             // its order
	copied   int64                           // bytes of a, where it is a copy
	null     [][]float64
	count    int // pairs to return
	wanted   int // pairs to compute: one more, if there is one
	norm     float64
	plan     Plan
	analyzed *sparse.Analysis // by the caller; nil: not yet
	analysis *sparse.Analysis // of the factorisation, once it is known
	shift    float64          // ε − σ
	sigma    float64          // below the spectrum; the operator inverted is A + (ε − σ)I
	start    [][]float64      // vectors to begin with
	basis    int              // vectors of a basis before it restarts, at least
	accuracy float64          // in place of a solver's own tolerance; 0: that
	probed   bool             // products alone have been tried
	filling  bool             // the analysis ended early: the factor takes too many operations
	// byDiagonal is the preconditioner with which an expander was recognised.
	byDiagonal *sddm.Preconditioner
	byMass     []float64 // of the masses that a was divided by; nil: there were none
	inverted   bool      // the pairs come from the inverse operator
}

// announce explains the plan and refuses what the memory limit does not allow.
func (p *problem) announce() error {
	own := p.plan.Bytes
	p.plan.Bytes += p.copied
	p.Planned(p.plan)
	if p.Memory > 0 && own > p.Memory {
		return &MemoryError{Need: p.plan.Bytes, Limit: p.Memory + p.copied}
	}
	return nil
}

// product computes Y = A·X for n × width blocks, row-major.
func (p *problem) product(width int, x, y []float64) {
	switch {
	case p.a == nil:
		p.multiply(width, x, y)
	case width == 1:
		p.a.MulVec(p.Threads, x, y)
	default:
		p.a.MulBlock(p.Threads, width, x, y)
	}
}

// toleranceOr is the tolerance of a solver, that given where there is none.
func (p *problem) toleranceOr(usual float64) float64 {
	if p.accuracy > 0 {
		return p.accuracy
	}
	return usual
}

// finish cleans the vectors of what rounding left of the null space, measures
// the residuals with A itself, and separates the pair that was not asked for.
func (p *problem) finish(e *Eigen) {
	e.Next = math.NaN()
	if len(e.Values) > p.count {
		e.Next = e.Values[p.count]
		e.Values, e.Vectors = e.Values[:p.count], e.Vectors[:p.count]
	}
	for j, v := range e.Values {
		if p.sigma == 0 && v >= -p.rounding() {
			e.Values[j] = max(v, 0) // A is semidefinite: below zero there is only rounding
		}
	}
	var x, ax lanes
	for lo := 0; lo < len(e.Vectors); lo += measured {
		vectors := e.Vectors[lo:min(lo+measured, len(e.Vectors))]
		for _, x := range vectors {
			blas.Orthogonalize(p.null, x)
			blas.Scale(1/math.Sqrt(blas.Dot(x, x)), x)
		}
		x.set(vectors)
		p.product(x.width, x.data, ax.like(x))
		quotients := dots(x, ax)
		for j, r := range distances(ax, x, e.Values[lo:]) {
			e.Errors = append(e.Errors, p.error(e, lo+j, quotients[j], r, p.norm))
			if p.norm > 0 {
				r /= p.norm
			}
			e.Residuals = append(e.Residuals, r)
			if !(r <= max(residualLimit, p.accuracy)) {
				e.Converged = false
			}
		}
	}
	e.Plan = p.plan
	e.Angle = p.angle(e)
}

// angle estimates the angle between the span found and the true one: residuals
// over the gap behind them. Residuals of the inverse operator, where it was used, say
// more than residuals of A, in which the least rounding counts for the largest
// eigenvalues. The effect of rounding in A is added.
func (p *problem) angle(e *Eigen) float64 {
	gap := e.Next - e.Values[len(e.Values)-1]
	if !(gap > 0) {
		return math.NaN()
	}
	angle := slices.Max(e.Residuals) * p.norm / gap
	if p.inverted && e.Converged {
		rounding := 0x1p-52 * p.norm / gap
		if e.Refinements > 0 {
			rounding = e.Angle
		}
		angle = min(angle, p.toleranceOr(ritzTolerance)*(e.Next+p.shift)/gap+rounding)
	}
	return min(angle, math.Pi/2)
}
