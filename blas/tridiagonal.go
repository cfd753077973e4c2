package blas

import "math"

const (
	// panelWidth is the number of Householder steps between two updates of the
	// trailing matrix.
	panelWidth = 16
	// unblockedOrder is the order up to which plain steps beat panels; at least
	// panelWidth.
	unblockedOrder = 32
	// squareBlock is the side of the diagonal blocks that are kept whole; right of
	// them only the upper triangle is kept up to date.
	squareBlock = 64
	// tileColumns bounds the tile that the symmetric product reads twice, to keep
	// it in the first levels of the cache.
	tileColumns = 256
	// negligible is the square of what counts as zero next to a matrix whose largest
	// entry is between 2⁻¹⁰⁰ and 2¹⁰⁰: far below rounding, far above underflow.
	negligible = 0x1p-600
)

// tridiagonal is the reduction T = QᵀAQ of a symmetric matrix: T has diagonal d
// and off-diagonal e, and Q = H₀·H₁·…, Hⱼ = I − tauⱼ·vⱼ·vⱼᵀ, where vⱼ is stored in row j of a to
// the right of the diagonal, beginning with a 1.
type tridiagonal struct {
	level3    Backend
	n         int
	a         []float64
	lda       int
	d, e, tau []float64 // n each; e[j] = T(j, j+1), the last is 0
	scratch   []float64
}

// tridiagonalScratch is the scratch that reducing and transforming back count
// vectors needs.
func tridiagonalScratch(n, count int) int {
	return max(4*panelWidth*n+n+2*panelWidth, reflectionsScratch(count))
}

// reduce computes T and the reflectors (Dongarra, Hammarling and Sorensen 1989).
// Half of the 4n³/3 operations are matrix-vector products with the trailing
// matrix, the other half its updates in panels. Entries of a must lie between
// 2⁻¹⁰⁰ and 2¹⁰⁰ in largest magnitude.
func (t *tridiagonal) reduce() {
	k := 0
	if t.n > unblockedOrder {
		for ; t.n-k > unblockedOrder; k += panelWidth {
			t.panel(k)
			t.update(k + panelWidth)
		}
		for i := k; i < t.n; i++ { // the plain steps read whole rows
			for j := k; j < i; j++ {
				t.a[i*t.lda+j] = t.a[j*t.lda+i]
			}
		}
	}
	t.steps(k)
}

// stacks are the two 2·panelWidth × n matrices P = (v₀; w₀; v₁; …) and
// Q = (w₀; v₀; w₁; …) of the panel under way: A − PᵀQ is the updated matrix.
func (t *tridiagonal) stacks() (p, q, w, c []float64) {
	size := 2 * panelWidth * t.n
	s := t.scratch
	return s[:size], s[size : 2*size], s[2*size : 2*size+t.n], s[2*size+t.n : 2*size+t.n+2*panelWidth]
}

// panel makes steps k … k+panelWidth−1 and leaves the trailing matrix as it was before step k: the
// missing updates are added to its products.
func (t *tridiagonal) panel(k int) {
	n := t.n
	p, q, wAll, coefficients := t.stacks()
	for i := range panelWidth {
		j := k + i
		row := t.a[j*t.lda+j : j*t.lda+n]
		c := coefficients[:2*i]
		if i > 0 {
			for r := range c {
				c[r] = p[r*n+j]
			}
			t.level3.Gemv(true, 2*i, n-j, -1, q[j:], n, c, 1, row)
		}
		t.d[j] = row[0]
		v, w := row[1:], wAll[j+1:]
		t.e[j], t.tau[j] = householder(v)
		if tau := t.tau[j]; tau == 0 {
			clear(w)
		} else {
			t.product(j+1, v, w)
			if i > 0 {
				t.level3.Gemv(false, 2*i, n-j-1, 1, q[j+1:], n, v, 0, c)
				t.level3.Gemv(true, 2*i, n-j-1, -1, p[j+1:], n, c, 1, w)
			}
			Scale(tau, w)
			Axpy(-tau/2*Dot(w, v), v, w)
		}
		even, odd := 2*i*n+j+1, (2*i+1)*n+j+1
		copy(p[even:], v)
		copy(p[odd:(2*i+2)*n], w)
		copy(q[even:], w)
		copy(q[odd:(2*i+2)*n], v)
	}
}

// product computes w = A[first:, first:]·v from the upper triangle, in tiles
// that serve both of their halves.
func (t *tridiagonal) product(first int, v, w []float64) {
	clear(w)
	n := t.n
	for i := first; i < n; {
		end := min((i/squareBlock+1)*squareBlock, n)
		vi, wi := v[i-first:end-first], w[i-first:end-first]
		t.level3.Gemv(false, end-i, end-i, 1, t.a[i*t.lda+i:], t.lda, vi, 1, wi)
		for j := end; j < n; j += tileColumns {
			stop := min(j+tileColumns, n)
			vj, wj := v[j-first:stop-first], w[j-first:stop-first]
			tile := t.a[i*t.lda+j:]
			t.level3.Gemv(false, end-i, stop-j, 1, tile, t.lda, vj, 1, wi)
			t.level3.Gemv(true, end-i, stop-j, 1, tile, t.lda, vi, 1, wj)
		}
		i = end
	}
}

// update applies the panel to the matrix from row and column first on.
func (t *tridiagonal) update(first int) {
	p, q, _, _ := t.stacks()
	for i := first; i < t.n; {
		end := min((i/squareBlock+1)*squareBlock, t.n)
		t.level3.Gemm(true, false, end-i, t.n-i, 2*panelWidth, -1, p[i:], t.n, q[i:], t.n, 1, t.a[i*t.lda+i:], t.lda)
		i = end
	}
}

// steps makes the plain steps from k on, with both triangles of the matrix.
func (t *tridiagonal) steps(k int) {
	n, lda := t.n, t.lda
	for j := k; j < n; j++ {
		row := t.a[j*lda+j : j*lda+n]
		t.d[j] = row[0]
		v := row[1:]
		t.e[j], t.tau[j] = householder(v)
		tau := t.tau[j]
		if tau == 0 {
			continue
		}
		w := t.scratch[:len(v)]
		for i := range v {
			at := (j+1+i)*lda + j + 1
			w[i] = tau * Dot(t.a[at:at+len(v)], v)
		}
		Axpy(-tau/2*Dot(w, v), v, w)
		for i := range v {
			at := (j+1+i)*lda + j + 1
			rankTwo(t.a[at:at+len(v)], v[i], w, w[i], v)
		}
	}
}

// householder overwrites x with v, v₀ = 1, such that (I − tau·v·vᵀ)·x = (e, 0, …).
func householder(x []float64) (e, tau float64) {
	if len(x) == 0 {
		return 0, 0
	}
	head, tail := x[0], Dot(x[1:], x[1:])
	if tail <= negligible {
		clear(x)
		x[0] = 1
		return head, 0
	}
	e = -math.Copysign(math.Sqrt(head*head+tail), head)
	Scale(1/(head-e), x[1:])
	x[0] = 1
	return e, (e - head) / e
}

// back replaces the rows z of eigenvectors of T by the eigenvectors of A, x = Q·z. 2n²·count
// operations; it overwrites the lower triangle of a.
func (t *tridiagonal) back(count int, z []float64, ldz int) {
	// The last reflector acts on one component: it is the identity.
	q := reflections{level3: t.level3, count: max(t.n-2, 0), n: t.n, shift: 1, v: t.a, ld: t.lda, tau: t.tau, scratch: t.scratch}
	q.toRows(count, z, ldz)
}
