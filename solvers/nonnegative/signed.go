package nonnegative

import (
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Signed is a symmetric n × n matrix C = ±M + σI that is applied apart by the
// sign of its entries: C = C⁺ − C⁻ with C⁺ = max(C, 0), C⁻ = max(−C, 0). A
// Signed is made by [SignedDense], [SignedSparse] or [SignedGram] and serves one
// iteration at a time.
type Signed interface {
	// Order returns n.
	Order() int
	// terms returns ±1 and σ.
	terms() (sign, sigma float64)
	// width returns the columns of a panel for p vectors.
	width(p int) int
	// oneSided reports that C⁻ is known to be zero: rows then leaves minus alone.
	oneSided() bool
	// block is the number of rows that are worth a call.
	block() int
	// begin announces a new panel of w columns, of which rows will be asked for;
	// there will be this many workers.
	begin(w, workers int, u []float64)
	// diagonal returns the diagonal of C.
	diagonal() []float64
	// rows writes the rows lo ≤ i < hi of C⁺U and C⁻U. It does not allocate.
	rows(worker, lo, hi int, u, plus, minus []float64)
}

// fours rounds up to a multiple of four columns.
func fours(p int) int { return (p + 3) &^ 3 }

// ownTrace is tr(UᵀMU) for tr(UᵀCU) and tr(UᵀU).
func ownTrace(c Signed, trace, norm float64) float64 {
	sign, sigma := c.terms()
	return sign * (trace - sigma*norm)
}

// rowsOfDense is the number of rows of a dense matrix that a worker takes at a
// time.
const rowsOfDense = 64

// dense is a full matrix, both triangles.
type dense struct {
	n       int
	m       []float64 // ±C
	negated bool
	sigma   float64
	columns int       // of the panel
	packed  []float64 // the panel as the kernel reads it
	scratch []float64 // of all workers
	each    int       // of it to a worker
}

// SignedDense is σI + M, or σI − M where negated, for a symmetric row-major
// n × n matrix of which both triangles are given. It uses m in place and adds the
// shift to its diagonal. Entries that are not finite are an error.
func SignedDense(n int, m []float64, negated bool, sigma float64) (Signed, error) {
	if len(m) < n*n || n < 1 {
		return nil, fmt.Errorf("solvers: %d numbers are not a matrix of order %d", len(m), n)
	}
	m = m[:n*n]
	if !allFinite(m) {
		return nil, errNotFinite
	}
	shift := sigma
	if negated {
		shift = -sigma
	}
	for i := range n {
		m[i*n+i] += shift
	}
	return &dense{n: n, m: m, negated: negated, sigma: sigma}, nil
}

var errNotFinite = errors.New("solvers: the matrix holds NaN or infinities")

func allFinite(x []float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func (d *dense) Order() int { return d.n }

func (d *dense) terms() (sign, sigma float64) {
	if d.negated {
		return -1, d.sigma
	}
	return 1, d.sigma
}

func (d *dense) width(p int) int { return fours(p) }
func (d *dense) oneSided() bool  { return false }
func (d *dense) block() int      { return rowsOfDense }

func (d *dense) diagonal() []float64 {
	diagonal := make([]float64, d.n)
	for i := range diagonal {
		if diagonal[i] = d.m[i*d.n+i]; d.negated {
			diagonal[i] = -diagonal[i]
		}
	}
	return diagonal
}

func (d *dense) begin(w, workers int, u []float64) {
	d.prepare(w, workers, u, blas.SignedScratch(w))
}

// prepare packs the panel and sees to the workers' scratch.
func (d *dense) prepare(w, workers int, u []float64, each int) {
	d.columns, d.each = w, each
	if need := workers * each; len(d.scratch) < need {
		d.scratch = make([]float64, need)
	}
	if need := blas.PackedLen(d.n, w); len(d.packed) < need {
		d.packed = make([]float64, need)
	}
	blas.PackSigned(d.n, w, u, d.packed)
}

func (d *dense) rows(worker, lo, hi int, _, plus, minus []float64) {
	if d.negated {
		plus, minus = minus, plus
	}
	blas.MulSigned(d.columns, lo, hi, d.n, d.m, d.n, d.packed, plus, minus, d.scratch[worker*d.each:(worker+1)*d.each])
}

// gramRows is the matrix XXᵀ, whose rows are computed whenever they are
// needed.
type gramRows struct {
	dense    // without entries
	kernels  *blas.Kernels
	x        []float64
	features int
}

// SignedGram is K = XXᵀ for the n × features matrix x, for an order at which K
// does not fit: 2n²·features flops a pass in place of 8n² bytes. Entries that are
// not finite are an error.
func SignedGram(kernels *blas.Kernels, n, features int, x []float64) (Signed, error) {
	if len(x) < n*features || n < 1 || features < 1 {
		return nil, fmt.Errorf("solvers: %d numbers are no %d × %d matrix", len(x), n, features)
	}
	if x = x[:n*features]; !allFinite(x) {
		return nil, errNotFinite
	}
	return &gramRows{dense: dense{n: n}, kernels: kernels, x: x, features: features}, nil
}

func (g *gramRows) diagonal() []float64 { return squaredRows(g.x, g.dense.n, g.features) }

func squaredRows(x []float64, n, features int) []float64 {
	squares := make([]float64, n)
	for i := range squares {
		row := x[i*features : (i+1)*features]
		squares[i] = blas.Dot(row, row)
	}
	return squares
}

func (g *gramRows) begin(w, workers int, u []float64) {
	g.prepare(w, workers, u, blas.SignedScratch(w)+rowsOfDense*g.n)
}

func (g *gramRows) rows(worker, lo, hi int, _, plus, minus []float64) {
	w, f := g.columns, g.features
	scratch := g.scratch[worker*g.each : (worker+1)*g.each]
	tile := scratch[blas.SignedScratch(w):]
	g.kernels.Gemm(false, true, hi-lo, g.n, f, 1, g.x[lo*f:], f, g.x, f, 0, tile, g.n)
	blas.MulSigned(w, 0, hi-lo, g.n, tile, g.n, g.packed, plus[lo*w:], minus[lo*w:], scratch)
}

// gramFactor is the matrix XXᵀ by two products with X, which do not separate its
// entries by sign: C⁻ counts as zero.
type gramFactor struct {
	kernels     *blas.Kernels
	x           []float64
	n, features int
	columns     int
	inner       []float64 // XᵀU, features × columns
}

// PlainGram is K = XXᵀ for the n × features matrix x by 4n·features·p flops a product:
// for the update "gradient" alone, which does not look at signs. Entries that are not
// finite are an error.
func PlainGram(kernels *blas.Kernels, n, features int, x []float64) (Signed, error) {
	g, err := SignedGram(kernels, n, features, x)
	if err != nil {
		return nil, err
	}
	return &gramFactor{kernels: kernels, x: g.(*gramRows).x, n: n, features: features}, nil
}

func (g *gramFactor) Order() int                   { return g.n }
func (g *gramFactor) terms() (sign, sigma float64) { return 1, 0 }
func (g *gramFactor) width(p int) int              { return fours(p) }
func (g *gramFactor) oneSided() bool               { return true }
func (g *gramFactor) block() int                   { return rowsOfSparse }
func (g *gramFactor) diagonal() []float64          { return squaredRows(g.x, g.n, g.features) }

func (g *gramFactor) begin(w, workers int, u []float64) {
	if g.columns = w; len(g.inner) < g.features*w {
		g.inner = make([]float64, g.features*w)
	}
	g.kernels.GemmParallel(workers, true, false, g.features, w, g.n, 1, g.x, g.features, u, w, 0, g.inner, w)
}

func (g *gramFactor) rows(_, lo, hi int, _, plus, _ []float64) {
	w := g.columns
	g.kernels.Gemm(false, false, hi-lo, w, g.features, 1, g.x[lo*g.features:], g.features, g.inner, w, 0, plus[lo*w:], w)
}

// compressed holds the entries of a sparse matrix in two, by their sign: no entry
// twice, and every row of a product with both parts reads it once.
type compressed struct {
	plus, minus *sparse.CSR // values of both are positive
	sign, sigma float64
	columns     int
}

// rowsOfSparse is the number of rows of a sparse matrix that a worker takes at a
// time.
const rowsOfSparse = 512

// SignedSparse is σI + M, or σI − M where negated, for a symmetric matrix in
// compressed rows, which is copied. Entries that are not finite are an error.
func SignedSparse(m *sparse.CSR, negated bool, sigma float64) (Signed, error) {
	if m.Rows != m.Cols || m.Rows < 1 {
		return nil, fmt.Errorf("solvers: a %d × %d matrix is not symmetric", m.Rows, m.Cols)
	}
	if !allFinite(m.Val) {
		return nil, errNotFinite
	}
	c := &compressed{sign: 1, sigma: sigma}
	if negated {
		c.sign = -1
	}
	count := [2]int{}
	for _, v := range m.Val {
		if c.sign*v > 0 {
			count[0]++
		} else {
			count[1]++
		}
	}
	empty := func(nnz int) *sparse.CSR {
		return &sparse.CSR{Rows: m.Rows, Cols: m.Cols, Ptr: make([]int, 1, m.Rows+1), Col: make([]int32, 0, nnz), Val: make([]float64, 0, nnz)}
	}
	c.plus, c.minus = empty(count[0]+m.Rows), empty(count[1])
	for i := range m.Rows {
		cols, vals := m.Row(i)
		pending := sigma != 0 // the diagonal of the shift
		for p, j := range cols {
			v := c.sign * vals[p]
			if pending && int(j) >= i {
				if pending = false; int(j) == i {
					v += sigma
				} else {
					c.add(int32(i), sigma)
				}
			}
			c.add(j, v)
		}
		if pending {
			c.add(int32(i), sigma)
		}
		c.plus.Ptr, c.minus.Ptr = append(c.plus.Ptr, len(c.plus.Col)), append(c.minus.Ptr, len(c.minus.Col))
	}
	return c, nil
}

func (c *compressed) add(j int32, v float64) {
	to := c.plus
	if v < 0 {
		to = c.minus
	}
	if v != 0 {
		to.Col, to.Val = append(to.Col, j), append(to.Val, math.Abs(v))
	}
}

func (c *compressed) Order() int                   { return c.plus.Rows }
func (c *compressed) terms() (sign, sigma float64) { return c.sign, c.sigma }
func (c *compressed) oneSided() bool               { return c.minus.NNZ() == 0 }
func (c *compressed) block() int                   { return rowsOfSparse }
func (c *compressed) begin(w, _ int, _ []float64)  { c.columns = w }

func (c *compressed) diagonal() []float64 {
	diagonal := make([]float64, c.Order())
	for i := range diagonal {
		diagonal[i] = c.plus.At(i, i) - c.minus.At(i, i)
	}
	return diagonal
}

// width is one for which products are fast, where there is one.
func (c *compressed) width(p int) int {
	switch {
	case p > 8 && p <= 16:
		return 16
	case p > 4 && p <= 8:
		return 8
	}
	return fours(p)
}

func (c *compressed) rows(_, lo, hi int, u, plus, minus []float64) {
	w := c.columns
	blas.MulCSRBlock(w, lo, hi, c.plus.Ptr, c.plus.Col, c.plus.Val, u, plus)
	if !c.oneSided() {
		blas.MulCSRBlock(w, lo, hi, c.minus.Ptr, c.minus.Col, c.minus.Val, u, minus)
	}
}
