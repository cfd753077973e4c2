package solvers

import (
	"errors"
	"fmt"

	"github.com/orthant-go/orthant/blas"
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
	// begin is told of a new panel of w columns, of which rows will be asked for;
	// there will be so many workers.
	begin(w, workers int, u []float64)
	// diagonal returns that of C.
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
		return nil, fmt.Errorf("solvers: %d numbers are no matrix of order %d", len(m), n)
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
