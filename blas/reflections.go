package blas

// reflectorBlock is the number of reflections that are applied at once.
const reflectorBlock = 24

// reflections is a product Q = H₀·H₁·… of reflections Hⱼ = I − tauⱼ·vⱼ·vⱼᵀ of order n, where vⱼ is
// stored in row j of v from column j + shift on, beginning with a 1. They are applied in
// blocks H_k·…·H_{k+b−1} = I − Vᵀ·S·V with S upper triangular (Schreiber and Van Loan 1989).
type reflections struct {
	level3   Backend
	count, n int
	shift    int
	v        []float64
	ld       int
	tau      []float64
	scratch  []float64
}

// reflectionsScratch is the scratch that applying them to count vectors needs.
func reflectionsScratch(count int) int {
	return 2*reflectorBlock*count + 2*reflectorBlock*reflectorBlock
}

// toRows replaces the rows z by Q·z. 4n − 2·count operations a reflection and vector. It
// overwrites what is left of the reflections in v.
func (r *reflections) toRows(count int, z []float64, ldz int) {
	for k := (max(r.count-1, 0) / reflectorBlock) * reflectorBlock; k >= 0 && r.count > 0; k -= reflectorBlock {
		r.blockToRows(k, min(reflectorBlock, r.count-k), count, z[k+r.shift:], ldz, true)
	}
}

// toColumns replaces the count columns of z, which has n rows, by Q·z.
func (r *reflections) toColumns(count int, z []float64, ldz int) {
	for k := (max(r.count-1, 0) / reflectorBlock) * reflectorBlock; k >= 0 && r.count > 0; k -= reflectorBlock {
		r.blockToColumns(k, min(reflectorBlock, r.count-k), count, z[(k+r.shift)*ldz:], ldz)
	}
}

// blockToRows multiplies the rows z, from component k + shift on, by the block of reflections k … k+b−1,
// or by its transpose.
func (r *reflections) blockToRows(k, b, count int, z []float64, ldz int, transposed bool) {
	v, s, m := r.block(k, b)
	first, second := r.products(b, count)
	r.level3.Gemm(false, true, count, b, m, 1, z, ldz, v, r.ld, 0, first, b)
	r.level3.Gemm(false, transposed, count, b, b, 1, first, b, s, b, 0, second, b)
	r.level3.Gemm(false, false, count, m, b, -1, second, b, v, r.ld, 1, z, ldz)
}

func (r *reflections) blockToColumns(k, b, count int, z []float64, ldz int) {
	v, s, m := r.block(k, b)
	first, second := r.products(b, count)
	r.level3.Gemm(false, false, b, count, m, 1, v, r.ld, z, ldz, 0, first, count)
	r.level3.Gemm(false, false, b, count, b, 1, s, b, first, count, 0, second, count)
	r.level3.Gemm(true, false, m, count, b, -1, v, r.ld, second, count, 1, z, ldz)
}

// products is room for two matrices of b × count.
func (r *reflections) products(b, count int) (first, second []float64) {
	at := 2 * b * b
	return r.scratch[at : at+count*b], r.scratch[at+count*b : at+2*count*b]
}

// block returns V, the m columns wide, and S.
func (r *reflections) block(k, b int) (v, s []float64, m int) {
	m = r.n - k - r.shift
	v = r.v[k*r.ld+k+r.shift:]
	for i := 1; i < b; i++ {
		clear(v[i*r.ld : i*r.ld+i])
	}
	s = r.scratch[:b*b]
	gram := r.scratch[b*b : 2*b*b]
	r.level3.Gemm(false, true, b, b, m, 1, v, r.ld, v, r.ld, 0, gram, b)
	clear(s)
	for j := range b {
		tau := r.tau[k+j]
		s[j*b+j] = tau
		for i := range j {
			var sum float64
			for l := i; l < j; l++ {
				sum += s[i*b+l] * gram[l*b+j]
			}
			s[i*b+j] = -tau * sum
		}
	}
	return v, s, m
}

// plainReflections is the number of rows that are reduced one by one.
const plainReflections = 4

// triangularize reduces the matrix in v, of count rows and n ≥ count columns, to L = A·Q, lower triangular, which
// goes to l, above its diagonal zeros. shift must be 0. 2·count²·(n − count/3) operations.
func (r *reflections) triangularize(l []float64, ldl int) {
	for k := 0; k < r.count; k += reflectorBlock {
		b := min(reflectorBlock, r.count-k)
		r.panel(k, b, l, ldl)
		if rest := r.count - k - b; rest > 0 {
			r.blockToRows(k, b, rest, r.v[(k+b)*r.ld+k:], r.ld, false)
		}
	}
}

// panel reduces rows k … k+b−1, the second half after the first.
func (r *reflections) panel(k, b int, l []float64, ldl int) {
	if b > plainReflections {
		half := b / 2
		r.panel(k, half, l, ldl)
		r.blockToRows(k, half, b-half, r.v[(k+half)*r.ld+k:], r.ld, false)
		r.panel(k+half, b-half, l, ldl)
		return
	}
	for j := k; j < k+b; j++ {
		row := r.v[j*r.ld : j*r.ld+r.n]
		to := l[j*ldl : j*ldl+r.count]
		copy(to, row[:j])
		clear(to[j:])
		x := row[j:]
		to[j], r.tau[j] = householder(x)
		if r.tau[j] == 0 {
			continue
		}
		for i := j + 1; i < k+b; i++ {
			below := r.v[i*r.ld+j : i*r.ld+r.n]
			Axpy(-r.tau[j]*Dot(below, x), x, below)
		}
	}
}
