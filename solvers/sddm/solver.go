package sddm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Names of preconditioners.
const (
	Auto     = "auto"
	Diagonal = "diagonal"
	Sampled  = "approximate cholesky"
)

// Options of a [Solver]. The zero value chooses the preconditioner by a trial, and uses all cores and seed 0.
type Options struct {
	Preconditioner string  // Auto (or ""), Diagonal or Sampled
	Splits         int     // copies of each edge when cliques are sampled, 1 to 16; more: fewer iterations, and a larger factor; 0: 2
	Tolerance      float64 // of ‖b − Ax‖ over ‖b‖, 1e-15 to 0.1; 0: 1e-8
	Iterations     int     // at most, of one right-hand side; 0: 1000
	Threads        int     // 0: all cores; the number changes no bit
	Seed           uint64  // of the sampling and of the trial
	Memory         int64   // bytes that the solver may take; 0: no limit
}

const (
	defaultSplits     = 2
	mostSplits        = 16
	defaultTolerance  = 1e-8
	defaultIterations = 1000
	// trialIterations is how many iterations with the diagonal reduce the residual of a random right-hand side to trialShare, where the
	// diagonal is taken; it has to be at halfShare after half of them.
	trialIterations       = 24
	trialShare, halfShare = 1e-6, 1e-3
	// diagonalIterations is the number of iterations with the diagonal after which an automatic solver goes on with the factor.
	diagonalIterations = 100
	// rounds is the number of times that conjugate gradients begin anew from the residual as measured.
	rounds = 4
	// roundingShare of |A|‖x‖ + ‖b‖ is a residual that rounding explains.
	roundingShare = 0x1p-48
)

// Plan says what a [Solver] has chosen.
type Plan struct {
	Preconditioner string `json:"preconditioner"`           // "diagonal" or "approximate cholesky"
	Reason         string `json:"reason"`                   // why
	Components     int    `json:"components"`               // of the graph; of its double cover where entries off the diagonal are positive
	Singular       int    `json:"singular_components"`      // those on which the matrix is singular
	Cover          bool   `json:"double_cover,omitempty"`   // entries off the diagonal are positive
	FactorEntries  int64  `json:"factor_entries,omitempty"` // of the approximate factor
	Bytes          int64  `json:"bytes"`                    // that the solver holds
}

// Solution says how right-hand sides were solved for.
type Solution struct {
	Iterations int       `json:"iterations"` // of the right-hand side that took most
	Residual   float64   `json:"residual"`   // the largest of Residuals
	Residuals  []float64 `json:"-"`          // ‖b − Ax‖₂ over ‖b‖₂, measured with A; 0 where b is 0
	Switched   bool      `json:"switched"`   // begun with the diagonal, and ended with the approximate factor
}

// NotConvergedError says that solutions have larger residuals than requested. They are the best that were found.
type NotConvergedError struct {
	Residual, Tolerance float64
	Iterations          int
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("the residual is %.2g after %d iterations, where %.2g is requested; allow more iterations, take more splits, or raise the tolerance",
		e.Residual, e.Iterations, e.Tolerance)
}

// Solver solves systems with one symmetric diagonally dominant matrix. Any number of goroutines may use one.
type Solver struct {
	system
	Options
	plan     Plan
	diagonal []float64 // its inverse

	mu      sync.Mutex // of the factor, which a solve may have to make
	factor  *factor
	ordered *sparse.CSR // A in the order of the factor
}

// New prepares to solve systems with A, which is sparse, of any type that [sparse.Of] takes, symmetric, and diagonally dominant: no diagonal entry is
// smaller than the sum of the sizes of the other entries of its row, but for rounding. It must not change while the solver is in use.
//
// Time is O(m log m) for m entries where cliques are sampled, with a factor of about 1 to 3 times the entries of A, and O(m) otherwise. A matrix that has
// positive entries off the diagonal is replaced by its double cover, of twice the order and entries.
//
// Errors name the place: a matrix that is not symmetric ([sparse.AsymmetryError]), entries that are not finite, and a row that is not
// dominant ([DominanceError]); a limit of memory that does not hold the factor is a [sparse.MemoryError].
func New(ctx context.Context, a mat.Matrix, o Options) (*Solver, error) {
	if err := o.fill(); err != nil {
		return nil, fmt.Errorf("solvers: laplacian: %w", err)
	}
	read, err := read(a)
	if err != nil {
		return nil, fmt.Errorf("solvers: laplacian: %w", err)
	}
	s := &Solver{system: *read, Options: o}
	s.plan = Plan{Components: s.count, Singular: len(s.singular), Cover: s.cover}
	s.diagonal = inverseDiagonal(s.a)
	if s.Memory > 0 {
		if need := s.system.bytes() + s.workBytes(); need > s.Memory {
			return nil, fmt.Errorf("solvers: laplacian: %w", &sparse.MemoryError{What: "the solver", Need: need, Limit: s.Memory, Remedy: "raise the limit"})
		}
	}
	if err := s.choose(ctx); err != nil {
		return nil, err
	}
	s.plan.Bytes = s.Bytes()
	return s, nil
}

func (o *Options) fill() error {
	switch o.Preconditioner {
	case "":
		o.Preconditioner = Auto
	case Auto, Diagonal, Sampled:
	default:
		return fmt.Errorf("there is no preconditioner %q; take %q, %q or %q", o.Preconditioner, Auto, Diagonal, Sampled)
	}
	if o.Splits == 0 {
		o.Splits = defaultSplits
	}
	if o.Splits < 1 || o.Splits > mostSplits {
		return fmt.Errorf("splits is %d; give a number from 1 to %d", o.Splits, mostSplits)
	}
	if o.Tolerance == 0 {
		o.Tolerance = defaultTolerance
	}
	if !(o.Tolerance >= 1e-15 && o.Tolerance <= 0.1) {
		return fmt.Errorf("the tolerance is %v; give a number from 1e-15 to 0.1", o.Tolerance)
	}
	if o.Iterations == 0 {
		o.Iterations = defaultIterations
	}
	if o.Iterations < 1 {
		return fmt.Errorf("%d iterations are allowed; give a number of at least 1", o.Iterations)
	}
	return nil
}

// Plan is what was chosen.
func (s *Solver) Plan() Plan { return s.plan }

// Nullity is the number of eigenvalues of A that are zero; all others are positive.
func (s *Solver) Nullity() int {
	if !s.cover {
		return len(s.singular)
	}
	count := 0
	for _, c := range s.singular { // a component and its mirror image share a null vector of A; one that is its own has none
		if c.first < s.given && s.component[c.first] != s.component[c.first+s.given] {
			count++
		}
	}
	return count / 2
}

// Order is the number of rows of A.
func (s *Solver) Order() int { return s.given }

// Bytes is the memory of the solver, without the given matrix.
func (s *Solver) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.system.bytes() + 8*int64(len(s.diagonal))
	if s.factor != nil {
		b += s.factor.bytes() + s.ordered.Bytes()
	}
	return b
}

func (s *Solver) workBytes() int64 { return conjugateBytes(s.a.Rows, lanes) }

// inverseDiagonal inverts the diagonal; 0 where it is not positive.
func inverseDiagonal(a *sparse.CSR) []float64 {
	inverse := make([]float64, a.Rows)
	for i := range inverse {
		if d := a.At(i, i); d > 0 {
			inverse[i] = 1 / d
		}
	}
	return inverse
}

// choose makes the factor, unless the diagonal is enough.
func (s *Solver) choose(ctx context.Context) error {
	if s.Preconditioner == Auto {
		iterations, left, err := s.trial(ctx, false)
		if err != nil {
			return err
		}
		if left <= trialShare {
			s.plan.Preconditioner, s.plan.Reason = Diagonal, fmt.Sprintf("%d iterations with the diagonal reduce a random residual to %.1g", iterations, left)
			return nil
		}
		s.plan.Reason = fmt.Sprintf("%d iterations with the diagonal leave %.1g of a random residual", iterations, left)
	} else {
		s.plan.Reason = "as requested"
	}
	if s.plan.Preconditioner = s.Preconditioner; s.Preconditioner == Diagonal {
		return nil
	}
	s.plan.Preconditioner = Sampled
	if err := s.sampled(ctx); err != nil {
		return err
	}
	s.plan.FactorEntries = s.factor.entries()
	return nil
}

// trial solves for a random right-hand side with the diagonal, and returns what is left of it. image takes one in the range of A, where its null vectors
// are not known.
func (s *Solver) trial(ctx context.Context, image bool) (iterations int, left float64, err error) {
	c := newConjugate(s.a, nil, s.diagonal, s.Threads, 1)
	blas.NewStream(s.Seed).Normals(c.r)
	if _ = s.project(c.r, 1, -1, nil); image {
		copy(c.direction, c.r)
		s.a.MulVec(s.Threads, c.direction, c.r)
	}
	begun := blas.Dot(c.r, c.r)
	if begun == 0 {
		return 0, 0, nil
	}
	iterations, size, err := c.run(ctx, []float64{trialShare * trialShare * begun}, trialIterations/2)
	if left = math.Sqrt(size[0] / begun); err != nil || left <= trialShare || left > halfShare {
		return iterations, left, err
	}
	further, size, err := c.run(ctx, []float64{trialShare * trialShare * begun}, trialIterations/2)
	return iterations + further, math.Sqrt(size[0] / begun), err
}

// sampled makes the approximate factor, once.
func (s *Solver) sampled(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.factor != nil {
		return nil
	}
	limit := s.Memory
	if limit > 0 {
		limit = max(limit-s.system.bytes()-s.workBytes()-s.a.Bytes(), 1)
	}
	f, err := newElimination(s.a, s.excess, s.Splits, s.Seed, limit).run(ctx)
	if _, is := errors.AsType[*sparse.MemoryError](err); is {
		return fmt.Errorf("solvers: laplacian: %w", err)
	}
	if err == nil {
		s.factor, s.ordered = f, s.a.Permuted(f.order)
	}
	return err
}

// lanes is the number of right-hand sides that are solved for at the same time.
const lanes = 8

// Solve replaces the sides columns of x, n × sides, row-major, by the solutions of AX = B. Where A is singular, on a component of the graph without excess
// on the diagonal, the solution is that of the smallest norm, with the mean zero on the component, and a right-hand side that has another mean
// there is an [InconsistentError]. The residuals are measured with A itself; those that are larger than the tolerance,
// and cannot be explained by rounding, are a [NotConvergedError], and x then has the best solutions found.
func (s *Solver) Solve(ctx context.Context, x []float64, sides int) (*Solution, error) {
	n := s.given
	if sides < 1 || len(x) != n*sides {
		return nil, fmt.Errorf("solvers: laplacian: %d numbers are not %d right-hand sides of a matrix of order %d; give one a column, n × sides", len(x), sides, n)
	}
	for at, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("solvers: laplacian: right-hand side %d has %v in row %d; give finite numbers", at%sides, v, at/sides)
		}
	}
	out := &Solution{Residuals: make([]float64, sides)}
	missed := false
	for lo := 0; lo < sides; lo += lanes {
		ok, err := s.solve(ctx, x, sides, lo, min(lo+lanes, sides), out)
		if err != nil {
			if inconsistent, is := errors.AsType[*InconsistentError](err); is {
				inconsistent.Sum = math.Ldexp(inconsistent.Sum, power(x, sides, lo+inconsistent.Side))
				inconsistent.Side += lo
				err = fmt.Errorf("solvers: laplacian: %w", err)
			}
			return nil, err
		}
		missed = missed || !ok
	}
	for _, r := range out.Residuals {
		out.Residual = max(out.Residual, r)
	}
	if missed {
		return out, fmt.Errorf("solvers: laplacian: %w", &NotConvergedError{Residual: out.Residual, Tolerance: s.Tolerance, Iterations: out.Iterations})
	}
	return out, nil
}

// fits is the number of lanes in which the products are fast.
func fits(sides int) int {
	switch {
	case sides == 1:
		return 1
	case sides <= 4:
		return 4
	}
	return lanes
}

// solve solves for the columns lo to hi, and reports whether their residuals are small enough.
func (s *Solver) solve(ctx context.Context, x []float64, sides, lo, hi int, out *Solution) (bool, error) {
	n, width, count := s.a.Rows, fits(hi-lo), hi-lo
	b := make([]float64, n*width)
	powers := make([]int, width)
	for l := range count {
		powers[l] = power(x, sides, lo+l)
		for i := range s.given {
			v := math.Ldexp(x[i*sides+lo+l], -powers[l])
			if b[i*width+l] = v; s.cover {
				b[(i+s.given)*width+l] = -v
			}
		}
	}
	norms := make([]float64, width)
	for l := range count {
		norms[l] = norm(b, width, l)
	}
	whole := append([]float64(nil), b...)
	if err := s.project(b, width, max(s.Tolerance/2, 1e-12), norms); err != nil {
		return false, err
	}
	solution, iterations, switched, err := s.iterate(ctx, b, width, norms)
	if err != nil {
		return false, err
	}
	out.Iterations, out.Switched = max(out.Iterations, iterations), out.Switched || switched
	_ = s.project(solution, width, -1, nil)
	if s.cover {
		for i := range s.given * width {
			solution[i] = (solution[i] - solution[i+s.given*width]) / 2
			solution[i+s.given*width] = -solution[i]
		}
	}
	ok := true
	s.remainder(solution, whole, width) // b − Ax
	for l := range count {
		left := norm(whole, width, l)
		if norms[l] > 0 {
			out.Residuals[lo+l] = left / norms[l]
		}
		rounding := roundingShare * (float64(s.size*norm(solution, width, l)) + norms[l])
		ok = ok && left <= max(s.Tolerance*norms[l], rounding)
		for i := range s.given {
			x[i*sides+lo+l] = math.Ldexp(solution[i*width+l], powers[l]-s.power)
		}
	}
	return ok, nil
}

// power is that of two by which a column is divided, so that its squares are numbers.
func power(x []float64, sides, column int) int {
	largest := 0.0
	for at := column; at < len(x); at += sides {
		largest = max(largest, math.Abs(x[at]))
	}
	_, power := math.Frexp(largest)
	return power
}

func norm(x []float64, width, l int) float64 {
	sum := 0.0
	for at := l; at < len(x); at += width {
		sum += x[at] * x[at]
	}
	return math.Sqrt(sum)
}

// remainder replaces b by b − Ax.
func (s *Solver) remainder(x, b []float64, width int) {
	y := make([]float64, len(b))
	multiply(s.a, s.Threads, width, x, y)
	blas.Axpy(-1, y, b)
}

// iterate solves for b.
func (s *Solver) iterate(ctx context.Context, b []float64, width int, norms []float64) (x []float64, iterations int, switched bool, err error) {
	n := s.a.Rows
	x = make([]float64, n*width)
	c, r := s.start(width), append([]float64(nil), b...)
	for round := range rounds {
		s.arrange(c, r)
		aim, going := make([]float64, width), false
		sizes := c.squares()
		for l := range aim {
			limit := s.Tolerance * norms[l] / 2
			if round > 0 { // rounding may not allow more
				limit = max(limit, roundingShare*(s.size*norm(x, width, l)+norms[l])/4)
			}
			aim[l] = limit * limit
			going = going || sizes[l] > aim[l]
		}
		if !going || iterations >= s.Iterations {
			break
		}
		most := s.Iterations - iterations
		waits := c.factor == nil && s.Preconditioner == Auto && iterations < diagonalIterations
		if waits {
			most = min(most, diagonalIterations-iterations)
		}
		clear(c.x)
		done, size, err := c.run(ctx, aim, most)
		if err != nil {
			return nil, 0, false, err
		}
		iterations += done
		s.back(c, x)
		if waits && done == most && anyAbove(size, aim) {
			if err := s.sampled(ctx); err != nil {
				return nil, 0, false, err
			}
			switched = true
			c = newConjugate(s.ordered, s.factor, nil, s.Threads, width)
		}
		copy(r, b)
		s.remainder(x, r, width)
		_ = s.project(r, width, -1, nil)
	}
	return x, iterations, switched, nil
}

func anyAbove(size, aim []float64) bool {
	for l, s := range size {
		if s > aim[l] {
			return true
		}
	}
	return false
}

// start prepares conjugate gradients with the preconditioner of the plan.
func (s *Solver) start(width int) *conjugate {
	if s.plan.Preconditioner == Sampled {
		return newConjugate(s.ordered, s.factor, nil, s.Threads, width)
	}
	return newConjugate(s.a, nil, s.diagonal, s.Threads, width)
}

// arrange makes r the residual, in the order of the preconditioner.
func (s *Solver) arrange(c *conjugate, r []float64) {
	if c.factor == nil {
		copy(c.r, r)
		return
	}
	w := c.lanes
	for k, i := range c.factor.order {
		copy(c.r[k*w:(k+1)*w], r[int(i)*w:])
	}
}

// back adds the solution of a round to x.
func (s *Solver) back(c *conjugate, x []float64) {
	if c.factor == nil {
		blas.Axpy(1, c.x, x)
		return
	}
	w := c.lanes
	for k, i := range c.factor.order {
		blas.Axpy(1, c.x[k*w:(k+1)*w], x[int(i)*w:][:w])
	}
}
