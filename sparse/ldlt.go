package sparse

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// LDLT is a sparse symmetric matrix A + shift·I in factorised form, P(A + shift·I)Pᵀ = LDLᵀ
// with blocks of one and of two rows on D. The matrix may be indefinite: saddle points, matrices that are
// shifted into their spectrum. It solves systems, and the signs of D are the signs of the eigenvalues of the
// matrix (Sylvester). Any number of goroutines may use one; [LDLT.UpdateValues] waits until
// the others are done.
type LDLT struct {
	direct
	given  CSR // SAS, for the refinement of solutions
	shift  float64
	scale  []float64      // S, of rows and columns
	norms  []float64      // scratch of the scaling
	rounds float64        // what adding the shift to the diagonal of A rounds
	rooms  chan *refining // of solutions, as many as there were at once
}

// NewLDLT factorises A + shift·I. A is symmetric, sparse, of any type that [Of] takes, with both
// triangles stored. It is not changed; its values are copied.
//
// The matrix is scaled so that rows have similar norms, by powers of two on both sides (Ruiz 2001),
// and a row with a small diagonal entry is paired with a neighbour, so that
// both are in one supernode (as Duff and Pralet 2005 do, by another matching). The order of elimination, the panels,
// their schedule and their kernels are the same as in [NewCholesky], and time and memory nearly the same.
//
// Pivots are chosen within a panel by bounded Bunch–Kaufman: single ones, and blocks of two. Where one would have to be moved away from zero,
// or entries below it grow by more than 2¹⁶, the matrix is factorised once more, by fronts, on one thread: a pivot that would not be stable is
// delayed to the panel above until it is, and none is moved. That takes more memory; what exceeds [CholeskyOptions.Memory] is a [MemoryError].
// Solutions are refined with A itself until their backward error is rounding. The same input gives the same bits on any number of threads.
//
// Errors name the place: a matrix that is not symmetric ([AsymmetryError]), entries that are not
// finite. A singular matrix is not an error: [LDLT.Inertia] counts its zeros.
func NewLDLT(ctx context.Context, a mat.Matrix, shift float64, o CholeskyOptions) (*LDLT, error) {
	c := &LDLT{direct: direct{name: "LDLᵀ"}, rooms: make(chan *refining, 16)}
	full, err := c.read(a, shift, &o)
	if err != nil {
		return nil, err
	}
	c.check = c.sums
	c.scale, c.norms = make([]float64, full.Rows), make([]float64, full.Rows)
	scaled := equilibrate(full, shift, c.scale, c.norms)
	if c.symbolic, err = analyzePaired(ctx, full, partners(full, shift, scaled), o.Threads); err != nil {
		return nil, err
	}
	if err := c.within(c.bytes()); err != nil {
		return nil, err
	}
	c.numeric = newNumeric(newIndefinite(c.symbolic, nil), o.Kernels, nil, 0)
	c.numeric.scale, c.numeric.stable = scaled, true
	if err := c.compute(ctx, full, shift); err != nil {
		return nil, err
	}
	return c, nil
}

// FactorIndefinite computes an LDLᵀ factor of A + shift·I, as [Analysis.FactorIn] one by Cholesky: not
// scaled, and without pairs of rows or refinement. It solves as any factor does, and [Factor.Inertia] counts. Pivots stay in their
// panels: one of which the rows below would grow by more than 2²⁶ is moved away from zero by as little as prevents that, at most 2⁻²⁶ of
// the largest entry unless entries have grown before ([Inertia.Perturbed], [Inertia.Moved]). Such a factor solves another system, and its
// inertia is not certain: [NewLDLT] moves none.
func (s *Analysis) FactorIndefinite(ctx context.Context, kernels *blas.Kernels, threads int, a *CSR, shift float64, storage []float64) (*Factor, error) {
	if err := s.serves(a); err != nil {
		return nil, err
	}
	return newIndefinite(s, storage).compute(ctx, kernels, threads, a, shift, nil)
}

func newIndefinite(s *Analysis, storage []float64) *Factor {
	f := newFactor(s, storage)
	f.pivots = newPivots(s)
	return f
}

// vanishing times the root of the order and the largest entry is the size up to which a pivot is zero.
const vanishing = 0x1p-49

// measure finds the sizes by which pivots are judged.
func (n *numeric) measure() {
	n.largest, n.rowSum = 0, 0
	if n.scale == nil {
		rowSizes(n.a, n.shift, func(_ int, largest, sum float64) {
			n.largest, n.rowSum = max(n.largest, largest), max(n.rowSum, sum)
		})
	} else {
		row, sum := 0, 0.0
		eachScaled(n.a, n.shift, n.scale, func(i int, _ int32, v float64) {
			if i != row {
				row, sum = i, 0
			}
			sum += math.Abs(v)
			n.largest, n.rowSum = max(n.largest, math.Abs(v)), max(n.rowSum, sum)
		})
	}
	if n.lift != 0 {
		n.largest, n.rowSum = twoSided(n.largest, n.lift, n.lift), twoSided(n.rowSum, n.lift, n.lift)
	}
	if n.largest == 0 {
		n.largest = 1 // zeros, all of whose pivots are
	}
	n.vanish = vanishing * math.Sqrt(float64(n.n)) * n.largest
}

// compute keeps the matrix and runs the numeric phase, with delayed pivots where the pivots of a panel are not stable.
func (c *LDLT) compute(ctx context.Context, a *CSR, shift float64) error {
	c.given.Rows, c.given.Cols = a.Rows, a.Cols
	c.given.Ptr = append(c.given.Ptr[:0], a.Ptr...)
	c.given.Col = append(c.given.Col[:0], a.Col...)
	c.given.Val = append(c.given.Val[:0], a.Val...)
	if c.numeric.scale != nil {
		for i, s := range c.scale {
			for p := a.Ptr[i]; p < a.Ptr[i+1]; p++ {
				c.given.Val[p] = twoSided(c.given.Val[p], s, c.scale[a.Col[p]])
			}
		}
	}
	c.shift, c.rounds, c.delayed = shift, rounding(a, shift), nil
	if c.run(ctx, a, shift); errors.Is(c.failure, errUnstable) {
		c.numeric.a = a
		c.delayed, c.failure = delayPivots(ctx, c.numeric, c.limit, c.bytes())
		c.numeric.a = nil // the caller's
	}
	return c.failure
}

// UpdateValues factorises A + shift·I anew for a matrix with the pattern of the first, by its
// analysis and in its memory; see [Cholesky.UpdateValues]. The pairs of rows stay as in the first
// matrix: a matrix whose small diagonal entries are elsewhere is better factorised anew.
func (c *LDLT) UpdateValues(ctx context.Context, a mat.Matrix, shift float64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	full, err := c.renewed(a, shift)
	if err != nil {
		return err
	}
	c.numeric.scale = equilibrate(full, shift, c.scale, c.norms)
	return c.compute(ctx, full, shift)
}

// Bytes returns the memory of the factor, of its analysis and of the matrix.
func (c *LDLT) Bytes() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.bytes()
}

func (c *LDLT) bytes() int64 {
	bytes := c.direct.Bytes() + 69*int64(c.Order()) + 16*int64(len(c.columns))
	if d := c.delayed; d != nil { // its values begin in the memory of the other factor
		bytes += d.symbolic.indexBytes() + d.pivots.bytes() + 8*int64(cap(d.values.own))
	}
	return bytes
}

// Entries returns the entries of L that can be other than zero, diagonal included.
func (c *LDLT) Entries() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.factor().symbolic.entries
}

// Inertia counts the positive, negative and zero eigenvalues of A + shift·I. O(entries of L).
func (c *LDLT) Inertia() (Inertia, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.there(); err != nil {
		return Inertia{}, err
	}
	return c.factor().inertia(c.rounds, c.numeric.scale, c.numeric.vanish), nil
}

// LogDet returns the sign of the determinant of A + shift·I and the logarithm of its size: 0 and
// −∞ where a pivot is zero ([Inertia.Zero]). Where [Inertia.Certain] is false neither is certain. It is not
// refined: of a matrix that scaling leaves ill-conditioned the logarithm has fewer digits than solutions have.
func (c *LDLT) LogDet() (sign, logarithm float64, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.there(); err != nil {
		return math.NaN(), math.NaN(), err
	}
	sign, logarithm = c.factor().signedLogDet()
	for _, s := range c.numeric.scale {
		logarithm -= 2 * math.Log(s)
	}
	return sign, logarithm, nil
}

// signedLogDet is the signed log-determinant of the factorised matrix.
func (f *Factor) signedLogDet() (sign, logarithm float64) {
	v := f.pivots
	if slices.Contains(v.kind, zeroPivot) {
		return 0, math.Inf(-1)
	}
	sign, logarithm = 1, f.LogDet() // blocks of two have ones there
	for j, k := range v.kind {
		sign *= v.sign[j]
		if k == firstOfTwo {
			a, b := v.axes[j], v.axes[j+1]
			logarithm -= 2 * math.Log(math.Abs(a[0]*b[1]-a[1]*b[0]))
		}
	}
	return sign, logarithm
}

// pivots are the parts of an LDLᵀ in addition to the panels of a Cholesky factor. A panel of it holds L̃ with
//
//	P(A + shift·I)Pᵀ = L̃·S·L̃ᵀ,   L̃ = L·|D|^½,   S = sign(D),
//
// so that where all pivots of a panel are positive it is Cholesky's. A block of two
// pivots is turned to its axes first, D = QΛQᵀ: |D|^½ means Q|Λ|^½.
//
// Of the top of a panel the values hold the triangle L with the columns of single pivots
// times the root of theirs; the factor between L and L̃, for blocks of two, is in axes.
// Columns and rows of a top are in the order of its pivots; the rows below are where they were.
type pivots struct {
	traits []trait      // of each panel
	order  []int32      // of each pivot the place of its row among the rows of the panel
	swaps  []int32      // the same as interchanges: of each pivot, in turn, the place that it was exchanged with
	kind   []pivotKind  //
	sign   []float64    // 1 or −1
	axes   [][2]float64 // for each pivot of a block, the row of |Λ|^−½Qᵀ
	moved  []float64    // the number added to a pivot that was too small
	sums   int          // the most additions that an entry takes part in besides one for each product
}

// pivotKind is the kind of a pivot.
type pivotKind int8

const (
	single pivotKind = iota
	firstOfTwo
	secondOfTwo
	zeroPivot // it and the rest of its column are rounding
)

// trait says in which ways a panel differs from a Cholesky panel.
type trait int8

const (
	interchanged trait = 1 << iota
	paired
	negative // some signs are
	positive // some signs are
)

func newPivots(s *Analysis) *pivots {
	return &pivots{
		traits: make([]trait, len(s.rowLo)), order: make([]int32, s.n), swaps: make([]int32, s.n), kind: make([]pivotKind, s.n),
		sign: make([]float64, s.n), axes: make([][2]float64, s.n), moved: make([]float64, s.n),
	}
}

// bytes is the memory of the pivots.
func (v *pivots) bytes() int64 { return 49 * int64(len(v.order)) }

// arrange brings the rows of a top into the order of its pivots.
func (v *pivots) arrange(top []float64, lanes int, p, first int32) {
	if v.traits[p]&interchanged == 0 {
		return
	}
	for j, r := range v.swaps[first : int(first)+len(top)/lanes] {
		if int(r) != j {
			exchange(top[j*lanes:(j+1)*lanes], top[int(r)*lanes:(int(r)+1)*lanes])
		}
	}
}

// restore undoes arrange.
func (v *pivots) restore(top []float64, lanes int, p, first int32) {
	if v.traits[p]&interchanged == 0 {
		return
	}
	swaps := v.swaps[first : int(first)+len(top)/lanes]
	for j := len(swaps) - 1; j >= 0; j-- {
		if r := int(swaps[j]); r != j {
			exchange(top[j*lanes:(j+1)*lanes], top[r*lanes:(r+1)*lanes])
		}
	}
}

func exchange(x, y []float64) {
	for l, v := range y[:len(x)] {
		x[l], y[l] = v, x[l]
	}
}

// turn multiplies the rows of blocks of two by |Λ|^−½Qᵀ; transposed: by Q|Λ|^−½.
func (v *pivots) turn(top []float64, lanes int, p, first int32, transposed bool) {
	if v.traits[p]&paired == 0 {
		return
	}
	at := int(first)
	for j := range len(top) / lanes {
		if v.kind[at+j] != firstOfTwo {
			continue
		}
		a, b := v.axes[at+j], v.axes[at+j+1]
		if transposed {
			a[1], b[0] = b[0], a[1]
		}
		x, y := top[j*lanes:(j+1)*lanes], top[(j+1)*lanes:(j+2)*lanes]
		for l, s := range x {
			t := y[l]
			x[l], y[l] = a[0]*s+a[1]*t, b[0]*s+b[1]*t
		}
	}
}

// flip multiplies by S.
func (v *pivots) flip(b []float64, lanes int) {
	for j, s := range v.sign {
		if s < 0 {
			for l, x := range b[j*lanes : (j+1)*lanes] {
				b[j*lanes+l] = -x
			}
		}
	}
}
