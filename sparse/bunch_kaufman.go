package sparse

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// bunchShare is (1 + √17)/8: a pivot of that share of the largest entry next to it is
// used alone. Entries then grow equally by single pivots and by blocks of two (Bunch and Kaufman 1977).
const bunchShare = 0.6403882032022076

// bunchKaufman factorises dense symmetric matrices, the tops of panels, B = L·D·Lᵀ with
// blocks of one and two pivots. Pivots are searched for as in bounded Bunch–Kaufman (Ashcraft,
// Grimes and Lewis 1998): in a block of two the off-diagonal entry is the largest
// of both its columns, so that L is bounded.
type bunchKaufman struct {
	kernels *blas.Kernels
	least   float64 // the size that pivots have at least

	a     []float64 // the lower triangle, n numbers a row
	n     int
	lo    int       // first column of the block under way
	w     []float64 // the columns of the block before the division, over the root of single pivots
	saved []float64
}

// ldw is the room for the columns of a block: two candidates beyond the last, which may begin
// a block of two.
const ldw = panelBlock + 2

func newBunchKaufman(kernels *blas.Kernels, widest int) *bunchKaufman {
	return &bunchKaufman{kernels: kernels, w: make([]float64, widest*ldw), saved: make([]float64, widest*widest)}
}

// definite tries Cholesky on the n × n top of a panel, and leaves it as it was where that
// meets a pivot below the least.
func (b *bunchKaufman) definite(a []float64, n int) bool {
	for j := range n {
		if !(a[j*n+j] >= b.least) {
			return false
		}
	}
	for i := range n {
		copy(b.saved[i*n:i*n+i+1], a[i*n:])
	}
	j, _ := factorPanel(b.kernels, a, n, n)
	for i := 0; i < n && j == n; i++ {
		if d := a[i*n+i]; !(1 >= b.least*d*d) {
			j = i
		}
	}
	if j == n {
		return true
	}
	for i := range n {
		copy(a[i*n:i*n+i+1], b.saved[i*n:])
	}
	return false
}

// factorize replaces the lower triangle by L, its columns of single pivots times the root of their
// sizes, with reciprocals on the diagonal as [factorPanel] leaves them: 1 for a block of
// two. It fills in what [pivots] holds of each pivot.
func (b *bunchKaufman) factorize(a []float64, n int, order, swaps []int32, kind []pivotKind, sign []float64, axes [][2]float64, moved []float64) {
	b.a, b.n = a, n
	for j := range order {
		order[j], moved[j] = int32(j), 0
	}
	for k := 0; k < n; {
		b.lo = k
		for k < n && k-b.lo < panelBlock {
			p, r, two := b.choose(k)
			if two {
				// The larger place first: the other may be the one that it leaves.
				b.interchange(k, p, order, swaps)
				if r == k {
					r = p
				}
				b.interchange(k+1, r, order, swaps)
				kind[k], kind[k+1] = firstOfTwo, secondOfTwo
				sign[k], sign[k+1], axes[k], axes[k+1] = b.two(k)
				k += 2
				continue
			}
			b.interchange(k, p, order, swaps)
			kind[k] = single
			sign[k], moved[k] = b.one(k)
			k++
		}
		b.trail(k)
	}
}

// column computes column j of the rest, from row k on, as the columns of the block so far leave it,
// and writes it to column c of w. It returns the largest magnitude of the entries outside row j.
func (b *bunchKaufman) column(k, j, c int) (at int, largest float64) {
	done := k - b.lo
	other := b.w[j*ldw : j*ldw+done]
	at = -1
	for i := k; i < b.n; i++ {
		var v float64
		if i < j {
			v = b.a[j*b.n+i]
		} else {
			v = b.a[i*b.n+j]
		}
		row := b.a[i*b.n+b.lo : i*b.n+k]
		for t, x := range other {
			v -= x * row[t]
		}
		b.w[i*ldw+c] = v
		if v = math.Abs(v); i != j && v > largest {
			at, largest = i, v
		}
	}
	return at, largest
}

// choose computes the candidates for pivot k into the next columns of w: the pivot is p, or a
// block of p and r. The columns chosen are in their places in w.
func (b *bunchKaufman) choose(k int) (p, r int, two bool) {
	c := k - b.lo
	p = k
	r, largest := b.column(k, p, c)
	if own := math.Abs(b.w[p*ldw+c]); own >= bunchShare*largest || max(own, largest) < b.least {
		return p, p, false
	}
	for {
		next, further := b.column(k, r, c+1)
		switch {
		case math.Abs(b.w[r*ldw+c+1]) >= bunchShare*further:
			b.take(k, c)
			return r, r, false
		case !(further > largest):
			return p, r, true
		}
		b.take(k, c)
		p, r, largest = r, next, further
	}
}

// take makes the second candidate the first.
func (b *bunchKaufman) take(k, c int) {
	for i := k; i < b.n; i++ {
		b.w[i*ldw+c] = b.w[i*ldw+c+1]
	}
}

// interchange exchanges rows and columns k and r ≥ k of the remaining matrix, and the rows of L.
func (b *bunchKaufman) interchange(k, r int, order, swaps []int32) {
	swaps[k] = int32(r)
	if k == r {
		return
	}
	a, n := b.a, b.n
	for j := range k {
		a[k*n+j], a[r*n+j] = a[r*n+j], a[k*n+j]
	}
	a[k*n+k], a[r*n+r] = a[r*n+r], a[k*n+k]
	for i := k + 1; i < r; i++ {
		a[i*n+k], a[r*n+i] = a[r*n+i], a[i*n+k]
	}
	for i := r + 1; i < n; i++ {
		a[i*n+k], a[i*n+r] = a[i*n+r], a[i*n+k]
	}
	for c := range ldw {
		b.w[k*ldw+c], b.w[r*ldw+c] = b.w[r*ldw+c], b.w[k*ldw+c]
	}
	order[k], order[r] = order[r], order[k]
}

// one eliminates column k by its own pivot, which is moved where it is too small.
func (b *bunchKaufman) one(k int) (sign, moved float64) {
	c := k - b.lo
	d := b.w[k*ldw+c]
	sign = math.Copysign(1, d)
	if d == 0 {
		sign = 1
	}
	if math.Abs(d) < b.least {
		moved = sign*b.least - d
		d = sign * b.least
	}
	inverse := 1 / math.Sqrt(math.Abs(d))
	b.a[k*b.n+k] = inverse
	for i := k + 1; i < b.n; i++ {
		v := b.w[i*ldw+c] * inverse
		b.a[i*b.n+k], b.w[i*ldw+c] = v*sign, v
	}
	return sign, moved
}

// two eliminates columns k and k + 1 by the block D = QΛQᵀ of their pivots, and returns the
// signs of Λ and the rows of |Λ|^−½Qᵀ. Its largest entry is off the diagonal, so that one
// eigenvalue is positive and one negative, both of about that size.
func (b *bunchKaufman) two(k int) (s0, s1 float64, axis0, axis1 [2]float64) {
	c := k - b.lo
	d0, d1, e := b.w[k*ldw+c], b.w[(k+1)*ldw+c+1], b.w[(k+1)*ldw+c]
	// Jacobi's rotation (Golub and Van Loan, 8.5.2).
	tau := (d1 - d0) / (2 * e)
	t := 1 / (math.Abs(tau) + math.Sqrt(1+tau*tau))
	if tau < 0 {
		t = -t
	}
	cosine := 1 / math.Sqrt(1+t*t)
	sine := t * cosine
	l0, l1 := d0-t*e, d1+t*e
	r0, r1 := 1/math.Sqrt(math.Abs(l0)), 1/math.Sqrt(math.Abs(l1))
	axis0, axis1 = [2]float64{cosine * r0, -sine * r0}, [2]float64{sine * r1, cosine * r1}
	a, n := b.a, b.n
	a[k*n+k], a[(k+1)*n+k], a[(k+1)*n+k+1] = 1, 0, 1
	// L = WD⁻¹, scaled by e as in LAPACK's xSYTF2.
	x, y := d0/e, d1/e
	scale := 1 / (e * (x*y - 1))
	for i := k + 2; i < n; i++ {
		v, w := b.w[i*ldw+c], b.w[i*ldw+c+1]
		a[i*n+k], a[i*n+k+1] = (y*v-w)*scale, (x*w-v)*scale
	}
	return math.Copysign(1, l0), math.Copysign(1, l1), axis0, axis1
}

// trail subtracts the products of the block from the remaining matrix, from row and column k on.
func (b *bunchKaufman) trail(k int) {
	const tall = 32
	a, n, width := b.a, b.n, k-b.lo
	for r := k; r < n; r += tall {
		end := min(r+tall, n)
		b.kernels.Gemm(false, true, end-r, end-k, width, -1, a[r*n+b.lo:], n, b.w[k*ldw:], ldw, 1, a[r*n+k:], n)
	}
}
