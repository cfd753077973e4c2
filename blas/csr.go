package blas

// MulCSR computes y = A·x for the rows lo ≤ i < hi of a matrix in compressed
// rows: row i has the columns col[ptr[i]:ptr[i+1]] with the values val at the same places. Each
// entry of y is four sums, entry p of the row joining sum p mod 4 by a fused multiply-add, added as
// (s₀+s₁) + (s₂+s₃). A column outside x panics.
func MulCSR(lo, hi int, ptr []int, col []int32, val, x, y []float64) {
	if hi <= lo {
		return
	}
	checkCSR(lo, hi, ptr, col, val, len(x))
	_ = y[hi-1]
	if kernel.spmv != nil && len(col) > 0 && len(x) > 0 {
		kernel.spmv(hi-lo, noescape(&ptr[lo]), noescape(&col[0]), noescape(&val[0]), noescape(&x[0]), noescape(&y[lo]))
		return
	}
	for i := lo; i < hi; i++ {
		var s [4]float64
		from := ptr[i]
		for p, j := range col[from:ptr[i+1]] {
			s[p%4] = fma(val[from+p], x[j], s[p%4])
		}
		y[i] = (s[0] + s[1]) + (s[2] + s[3])
	}
}

// MulCSRBlock is MulCSR for w columns at once: row j of X is x[j·w:(j+1)·w], and
// so for Y. Each entry of Y is two sums, over the even and the odd entries of
// the row, each a chain of fused multiply-adds. Widths 4, 8 and 16 are fast.
func MulCSRBlock(w, lo, hi int, ptr []int, col []int32, val, x, y []float64) {
	if hi <= lo || w <= 0 {
		return
	}
	checkCSR(lo, hi, ptr, col, val, len(x)/w)
	y = y[lo*w : hi*w]
	var product func(rows int, ptr *int, col *int32, val, x, y *float64)
	switch w {
	case 4:
		product = kernel.spmm4
	case 8:
		product = kernel.spmm8
	case 16:
		product = kernel.spmm16
	}
	if product != nil && len(col) > 0 && len(x) > 0 {
		product(hi-lo, noescape(&ptr[lo]), noescape(&col[0]), noescape(&val[0]), noescape(&x[0]), noescape(&y[0]))
		return
	}
	var small [64]float64 // no allocation up to this width
	odd := small[:]
	if w > len(small) {
		odd = make([]float64, w)
	}
	odd = odd[:w]
	for i := lo; i < hi; i++ {
		out := y[(i-lo)*w : (i-lo+1)*w]
		clear(out)
		clear(odd)
		from := ptr[i]
		for p, j := range col[from:ptr[i+1]] {
			to := out
			if p%2 == 1 {
				to = odd
			}
			Axpy(val[from+p], x[int(j)*w:int(j)*w+w], to)
		}
		for q, v := range odd {
			out[q] += v
		}
	}
}

// checkCSR panics unless the rows lie in col and val and the columns in x:
// assembly checks nothing. It costs a few hundredths of the product, and fetches
// what that reads next.
func checkCSR(lo, hi int, ptr []int, col []int32, val []float64, columns int) {
	ptr = ptr[lo : hi+1]
	before := ptr[0]
	for _, p := range ptr {
		if p < before {
			panic("blas: row pointers descend")
		}
		before = p
	}
	if ptr[0] < 0 || before > len(col) || before > len(val) {
		panic("blas: row pointers outside the columns or values")
	}
	col = col[ptr[0]:before]
	var most uint32
	if eights := len(col) / 8; kernel.largest != nil && eights > 0 {
		most = kernel.largest(eights, noescape(&col[0]))
		col = col[8*eights:]
	}
	for _, j := range col {
		most = max(most, uint32(j))
	}
	if before > ptr[0] && int64(most) >= int64(columns) {
		panic("blas: column outside the vector")
	}
}
