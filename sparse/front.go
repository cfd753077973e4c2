package sparse

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// pivotThreshold bounds L of a front: a single pivot has at least this share of the largest entry of its column,
// and a block of two no multipliers above the reciprocal (Duff and Reid 1983).
const pivotThreshold = 0.05

// front is the dense matrix of one step of [delayed]: the columns that are complete, whose pivots may be eliminated here, with all
// their rows. The remainder of the other columns is not part of it. Rows and columns are interchanged only among the complete ones.
type front struct {
	kernels  *blas.Kernels
	vanish   float64 // up to which a column is zero
	rows     []int32 // rows of the matrix in the order of elimination analysed, the rows of the complete columns first
	complete int     // columns
	a        []float64
	kind     []pivotKind
	sign     []float64
	axes     [][2]float64 // as in [pivots]

	w    []float64 // the columns of the current block before the division, as in [bunchKaufman]
	lo   int       // first column of the block
	next int       // the candidate to begin the search with
}

// begin sets the front up with zeros in its columns.
func (f *front) begin(a []float64, complete int) {
	f.a, f.complete, f.next = a, complete, 0
	f.kind, f.sign = grownOf(f.kind, complete), grownOf(f.sign, complete)
	f.axes, f.w = grownOf(f.axes, complete), grownOf(f.w, len(f.rows)*ldw)
}

func grownOf[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// eliminate eliminates as many of the complete columns as have a stable pivot, and returns their number: they come first then. The other
// complete columns hold their remainders. If all columns are complete, all are eliminated, unless an entry is not finite.
func (f *front) eliminate(ctx context.Context) (int, error) {
	k := 0
	for more := true; more && k < f.complete; {
		if err := ctx.Err(); err != nil {
			return k, err
		}
		f.lo = k
		for k < f.complete && k-f.lo < panelBlock {
			n := f.pivot(k)
			if more = n > 0; !more {
				break
			}
			k += n
		}
		f.trail(k)
	}
	return k, nil
}

// pivot eliminates the first candidate that is stable, in turn, and returns the number of its columns; 0: none is. One that was
// not is tried again when others have changed it.
func (f *front) pivot(k int) int {
	left := f.complete - k
	if f.next < k || f.next >= f.complete {
		f.next = k
	}
	for t := range left {
		j := f.next + t
		if j >= f.complete {
			j -= left
		}
		if n := f.try(k, j); n > 0 {
			f.next = j + n
			return n
		}
	}
	return 0
}

// try eliminates column j, its strongest complete neighbour or both, where that is stable.
func (f *front) try(k, j int) int {
	c := k - f.lo
	r, largest := f.column(k, j, c)
	own := math.Abs(f.w[j*ldw+c])
	switch {
	case max(own, largest) <= f.vanish:
		f.interchange(k, j)
		f.zero(k)
		return 1
	case own >= pivotThreshold*largest && own <= math.MaxFloat64:
		f.interchange(k, j)
		f.one(k)
		return 1
	case r < 0:
		return 0
	}
	_, further := f.column(k, r, c+1)
	other := math.Abs(f.w[r*ldw+c+1])
	alone := other > f.vanish && other <= math.MaxFloat64
	switch {
	case alone && other >= bunchShare*further:
	case f.pairs(k, j, r, c):
		f.interchange(k, j)
		if r == k {
			r = j
		}
		f.interchange(k+1, r)
		f.two(k)
		return 2
	case !alone || !(other >= pivotThreshold*further):
		return 0
	}
	for i := k; i < len(f.rows); i++ {
		f.w[i*ldw+c] = f.w[i*ldw+c+1]
	}
	f.interchange(k, r)
	f.one(k)
	return 1
}

// pairs reports whether a block of two pivots, j and r, is stable: no multiplier is above the threshold's reciprocal, and
// the determinant is not a result of cancellation.
func (f *front) pairs(k, j, r, c int) bool {
	e, own, other := math.Abs(f.w[r*ldw+c]), f.w[j*ldw+c], f.w[r*ldw+c+1]
	var beside, beyond float64 // the largest entries of both columns outside the block
	for i := k; i < len(f.rows); i++ {
		if i != j && i != r {
			beside, beyond = max(beside, math.Abs(f.w[i*ldw+c])), max(beyond, math.Abs(f.w[i*ldw+c+1]))
		}
	}
	det := math.Abs(own*other - e*e)
	own, other = math.Abs(own), math.Abs(other)
	return det >= e*e/2 && det > 0 && det <= math.MaxFloat64 &&
		pivotThreshold*(other*beside+e*beyond) <= det && pivotThreshold*(e*beside+own*beyond) <= det
}

// column computes column j of the remaining matrix, from row k on, into column c of w. It returns the complete row of its largest
// off-diagonal entry, −1 if all are zero, and the largest entry of all rows.
func (f *front) column(k, j, c int) (at int, largest float64) {
	done, ld := k-f.lo, f.complete
	other := f.w[j*ldw : j*ldw+done]
	at = -1
	var most float64
	for i := k; i < len(f.rows); i++ {
		var v float64
		if i < j {
			v = f.a[j*ld+i]
		} else {
			v = f.a[i*ld+j]
		}
		row := f.a[i*ld+f.lo : i*ld+k]
		for t, x := range other {
			v -= x * row[t]
		}
		f.w[i*ldw+c] = v
		if i == j {
			continue
		}
		v = math.Abs(v)
		if i < f.complete && v > most {
			at, most = i, v
		}
		if v > largest {
			largest = v
		} else if math.IsNaN(v) {
			largest = math.Inf(1)
		}
	}
	return at, largest
}

// interchange exchanges rows and columns k and r ≥ k of the remaining matrix, and the rows of L.
func (f *front) interchange(k, r int) {
	if k == r {
		return
	}
	a, ld := f.a, f.complete
	for j := range k {
		a[k*ld+j], a[r*ld+j] = a[r*ld+j], a[k*ld+j]
	}
	a[k*ld+k], a[r*ld+r] = a[r*ld+r], a[k*ld+k]
	for i := k + 1; i < r; i++ {
		a[i*ld+k], a[r*ld+i] = a[r*ld+i], a[i*ld+k]
	}
	for i := r + 1; i < len(f.rows); i++ {
		a[i*ld+k], a[i*ld+r] = a[i*ld+r], a[i*ld+k]
	}
	for c := range ldw {
		f.w[k*ldw+c], f.w[r*ldw+c] = f.w[r*ldw+c], f.w[k*ldw+c]
	}
	f.rows[k], f.rows[r] = f.rows[r], f.rows[k]
}

// zero drops the remainder of column k. The reciprocal of its pivot is zero, and so is its row of any solution.
func (f *front) zero(k int) {
	c := k - f.lo
	f.kind[k], f.sign[k] = zeroPivot, 1
	for i := k; i < len(f.rows); i++ {
		f.a[i*f.complete+k], f.w[i*ldw+c] = 0, 0
	}
}

// one eliminates column k by its own pivot.
func (f *front) one(k int) {
	c := k - f.lo
	d := f.w[k*ldw+c]
	sign := math.Copysign(1, d)
	inverse := 1 / math.Sqrt(math.Abs(d))
	f.kind[k], f.sign[k] = single, sign
	f.a[k*f.complete+k] = inverse
	for i := k + 1; i < len(f.rows); i++ {
		v := f.w[i*ldw+c] * inverse
		f.a[i*f.complete+k], f.w[i*ldw+c] = v*sign, v
	}
}

// two eliminates columns k and k + 1 by the block of their pivots.
func (f *front) two(k int) {
	c, ld := k-f.lo, f.complete
	d0, d1, e := f.w[k*ldw+c], f.w[(k+1)*ldw+c+1], f.w[(k+1)*ldw+c]
	f.kind[k], f.kind[k+1] = firstOfTwo, secondOfTwo
	f.sign[k], f.sign[k+1], f.axes[k], f.axes[k+1] = axesOf(d0, d1, e)
	a := f.a
	a[k*ld+k], a[(k+1)*ld+k], a[(k+1)*ld+k+1] = 1, 0, 1
	x, y := d0/e, d1/e
	scale := 1 / (e * (x*y - 1))
	for i := k + 2; i < len(f.rows); i++ {
		v, w := f.w[i*ldw+c], f.w[i*ldw+c+1]
		a[i*ld+k], a[i*ld+k+1] = (y*v-w)*scale, (x*w-v)*scale
	}
}

// axesOf returns the signs of Λ and the rows of |Λ|^−½Qᵀ of a block D = QΛQᵀ of pivots d0 and d1, with e off the diagonal. The
// determinant is not a result of cancellation, so that neither is an eigenvalue: the smaller one is its quotient by the larger.
func axesOf(d0, d1, e float64) (s0, s1 float64, axis0, axis1 [2]float64) {
	tau := (d1 - d0) / (2 * e) // Jacobi's rotation (Golub and Van Loan, 8.5.2)
	t := 1 / (math.Abs(tau) + math.Sqrt(1+tau*tau))
	if tau < 0 {
		t = -t
	}
	cosine := 1 / math.Sqrt(1+t*t)
	sine := t * cosine
	l0, l1 := d0-t*e, d1+t*e
	if x := d0/e*d1 - e; math.Abs(l0) > math.Abs(l1) {
		l1 = x / l0 * e
	} else {
		l0 = x / l1 * e
	}
	r0, r1 := 1/math.Sqrt(math.Abs(l0)), 1/math.Sqrt(math.Abs(l1))
	return math.Copysign(1, l0), math.Copysign(1, l1), [2]float64{cosine * r0, -sine * r0}, [2]float64{sine * r1, cosine * r1}
}

// trail subtracts from the complete columns from k on the products of the block.
func (f *front) trail(k int) {
	const tall = 64
	ld, width := f.complete, k-f.lo
	if width == 0 || k == ld {
		return
	}
	for r := k; r < len(f.rows); r += tall {
		end := min(r+tall, len(f.rows))
		f.kernels.Gemm(false, true, end-r, min(end, ld)-k, width, -1, f.a[r*ld+f.lo:], ld, f.w[k*ldw:], ldw, 1, f.a[r*ld+k:], ld)
	}
}

// write copies the k eliminated columns to a panel of a factor, in the layout of [pivots], with the rows of the other complete
// columns below its top, and the remaining rows below these.
func (f *front) write(panel []float64, k int) {
	ld := f.complete
	for i := range f.rows {
		copy(panel[i*k:(i+1)*k], f.a[i*ld:i*ld+k])
	}
	below := panel[k*k:]
	for j := range k {
		if f.kind[j] != firstOfTwo {
			continue
		}
		a, b := f.axes[j], f.axes[j+1]
		det := a[0]*b[1] - a[1]*b[0]
		// L·Q|Λ|^½, the inverse of the rows of |Λ|^−½Qᵀ.
		q0, q1 := [2]float64{b[1] / det, -a[1] / det}, [2]float64{-b[0] / det, a[0] / det}
		for i := 0; i < len(below); i += k {
			x := below[i+j : i+j+2]
			x[0], x[1] = x[0]*q0[0]+x[1]*q1[0], x[0]*q0[1]+x[1]*q1[1]
		}
	}
}
