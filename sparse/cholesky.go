package sparse

import (
	"context"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
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
// less to do ([Best]). Time and memory are proportional to the factor's, O(n log n) entries on a planar
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
	if err := c.within(c.Bytes()); err != nil {
		return nil, err
	}
	c.numeric = newNumeric(newFactor(c.symbolic, nil), o.Kernels, nil, 0)
	if err := c.compute(ctx, full, shift); err != nil {
		return nil, err
	}
	return c, nil
}

// compute runs the numeric phase, and checks whether the factor says something.
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

// Factor is the numeric Cholesky factor of P(A + shift·I)Pᵀ. It is read-only,
// so any number of goroutines may solve with it, each with its own [SolveWork].
type Factor struct {
	symbolic *Analysis
	values   values // panel by panel; the diagonal holds 1/Lⱼⱼ
	inParts  bool   // it is large enough to be solved in parts and strips
	parts    []part
	subtrees []part  // of a smaller one that is worth sharing out
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
// the context's, which is checked at every panel and a few times a second inside
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

// FactorIn is [Analysis.Factor] with the values of L in existing storage, as far as it goes: memory
// that the system need not clear again. Its content is lost.
func (s *Analysis) FactorIn(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64, storage []float64) (*Factor, error) {
	if err := s.serves(a); err != nil {
		return nil, err
	}
	return newFactor(s, storage).compute(ctx, kernels, threads, a, shift, nil)
}

// FactorWithProgress is [Analysis.FactorIn] with a report after every panel: the number of finished
// columns of L, and the share of the operations that are done. Calls of report do not overlap; they come
// from any thread.
func (s *Analysis) FactorWithProgress(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64, storage []float64, report func(columns int, share float64)) (*Factor, error) {
	if err := s.serves(a); err != nil {
		return nil, err
	}
	return newFactor(s, storage).compute(ctx, kernels, threads, a, shift, report)
}

// FactorTold is [Analysis.FactorWithProgress].
//
// Deprecated: use [Analysis.FactorWithProgress].
func (s *Analysis) FactorTold(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64, storage []float64, report func(columns int, share float64)) (*Factor, error) {
	return s.FactorWithProgress(ctx, kernels, threads, a, shift, storage, report)
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
func (f *Factor) compute(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64, report func(columns int, share float64)) (*Factor, error) {
	n := newNumeric(f, kernels, a, shift)
	if report != nil {
		n.progress = &progress{report: report}
		for _, work := range n.work {
			n.progress.total += work
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
	switch size := s.valueAt[len(s.rowLo)]; {
	case size >= partEntries:
		f.inParts, f.parts = true, s.parts()
	case size >= subtreeEntries:
		f.subtrees = s.subtrees()
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

// values are the entries of a factor, panel by panel: the first panels in existing storage, as far
// as it goes, and the others in new memory. The system need not clear reused storage.
type values struct {
	given []float64 // of the panels before split
	own   []float64 // of those from split on
	split int32
	stale bool // there are other numbers in all of them, not only in those given
}

func newValues(s *Analysis, storage []float64) values {
	at := s.valueAt
	split := sort.Search(len(at), func(p int) bool { return at[p] > len(storage) }) - 1
	return values{
		given: storage[:at[split]], own: pages.MakeAfterRelease[float64](at[len(at)-1] - at[split]),
		split: int32(split),
	}
}

// panelValues returns the values of panel p, row-major.
func (f *Factor) panelValues(p int32) []float64 {
	v, at := &f.values, f.symbolic.valueAt
	if p < v.split {
		return v.given[at[p]:at[p+1]]
	}
	start := at[v.split]
	return v.own[at[p]-start : at[p+1]-start]
}

// zeroValues is panelValues for a panel that is not computed yet: all zero.
func (f *Factor) zeroValues(p int32) []float64 {
	values := f.panelValues(p)
	if f.values.stale || p < f.values.split {
		clear(values)
	}
	return values
}

const (
	// suspectPivot is the share of its diagonal entry below which a pivot makes the
	// condition worth an estimate. Where A + shift·I is singular, the pivot of the last
	// vertex that its null vector reaches is rounding, n·ε of that entry and less.
	suspectPivot = 0x1p-26
	// singularCondition is the reciprocal condition below which a factor says nothing of
	// the matrix (LAPACK's xPOSVX).
	singularCondition = 0x1p-52
)

// Definite returns a [*NotPositiveDefiniteError] where A + shift·I, of which this is the
// factor, is singular within rounding: where the positive pivots that were found are what
// cancellation has left, such as in the Laplacian of a graph. The reciprocal condition is
// then below 2⁻⁵², as estimated by at most eleven solutions (Hager 1984; Higham 1988); they
// are only made where a pivot has lost half of its digits. work may be nil.
func (f *Factor) Definite(a *CSR, shift float64, work *SolveWork) error {
	column, least, pivot := f.minPivot(a, shift)
	if least >= suspectPivot {
		return nil
	}
	if work == nil {
		work = new(SolveWork)
	}
	norm, size := a.RowSumNorm()+math.Abs(shift), 1.0
	if !(norm >= 1/ordinary && norm <= ordinary) {
		_, exponent := math.Frexp(min(norm, math.MaxFloat64))
		size = math.Ldexp(1, max(-1000, min(exponent, 1000)))
	}
	if f.inverseNorm(size, work)*(norm/size) < 1/singularCondition {
		return nil
	}
	return &NotPositiveDefiniteError{Column: column, Pivot: pivot, Singular: true}
}

// minPivot finds the pivot that is the smallest share of its diagonal entry.
func (f *Factor) minPivot(a *CSR, shift float64) (column int, share, pivot float64) {
	s := f.symbolic
	share = math.Inf(1)
	for p := range int32(len(s.rowLo)) {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		for j, row := range rows[:width] {
			inverse := values[j*width+j] // 1/Lⱼⱼ
			i := int(s.perm[row])
			of := a.At(i, i) + shift
			if found := 1 / inverse / inverse; found < share*of {
				column, share, pivot = i, found/of, found
			}
		}
	}
	return column, share, pivot
}

// inverseNorm estimates size·‖(A + shift·I)⁻¹‖₁ from below, nearly always within a factor of
// three (Higham 1988, algorithm 4.1).
func (f *Factor) inverseNorm(size float64, work *SolveWork) float64 {
	n := f.symbolic.n
	work.probe = grown(work.probe, n)
	x := work.probe
	for i := range x {
		x[i] = size / float64(n)
	}
	f.Solve(x, 1, work)
	norm, at := oneNorm(x), -1
	for range 4 {
		for i, v := range x {
			x[i] = math.Copysign(size, v)
		}
		f.Solve(x, 1, work)
		next := largestEntry(x)
		if next == at {
			break
		}
		at = next
		clear(x)
		x[at] = size
		f.Solve(x, 1, work)
		found := oneNorm(x)
		if !(found > norm) {
			break
		}
		norm = found
	}
	for i := range x {
		x[i] = size * (1 + float64(i)/float64(max(n-1, 1)))
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	f.Solve(x, 1, work)
	return max(norm, 2*oneNorm(x)/(3*float64(n)))
}

func oneNorm(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}

// largestEntry returns the place of the entry of largest size, the first on ties.
func largestEntry(x []float64) int {
	at := 0
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[at]) {
			at = i
		}
	}
	return at
}
