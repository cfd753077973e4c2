package lasso

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// factorBlock is the width of the columns that are factorised at a time.
const factorBlock = 32

// choleskyFactor overwrites the lower triangle of an n × n matrix in rows of ld, of which
// no more is given, by its factor; false: it is not positive definite. Nearly all of the
// n³/3 operations are in products of the kernels, which the orders of some hundred
// that come up here want: below a block's corner too, which is inverted for it. panel is
// scratch, which grows to 32(n + 32) numbers.
func choleskyFactor(kernels *blas.Kernels, n, ld int, a []float64, panel *[]float64) bool {
	*panel = grownTo(*panel, (n+factorBlock)*factorBlock)
	inverse, rows := (*panel)[:factorBlock*factorBlock], (*panel)[factorBlock*factorBlock:]
	for at := 0; at < n; at += factorBlock {
		width := min(factorBlock, n-at)
		if at > 0 { // what the columns before take away
			kernels.Gemm(false, true, n-at, width, at, -1, a[at*ld:], ld, a[at*ld:], ld, 1, a[at*ld+at:], ld)
		}
		if !choleskyCorner(width, ld, a[at*ld+at:], inverse) {
			return false
		}
		below := at + width
		if below == n {
			break
		}
		for i := below; i < n; i++ {
			copy(rows[(i-below)*width:], a[i*ld+at:i*ld+at+width])
		}
		kernels.Gemm(false, true, n-below, width, width, 1, rows, width, inverse, factorBlock, 0, a[below*ld+at:], ld)
	}
	return true
}

// choleskyCorner factorises the leading block of rows of ld, and inverts the factor.
func choleskyCorner(width, ld int, a []float64, inverse []float64) bool {
	clear(inverse)
	for i := range width {
		row, inv := a[i*ld:i*ld+i+1], inverse[i*factorBlock:(i+1)*factorBlock]
		for c := range i {
			pivot := a[c*ld : c*ld+c+1]
			row[c] = (row[c] - blas.Dot(pivot[:c], row)) / pivot[c]
		}
		square := row[i] - blas.Dot(row[:i], row)
		if !(square > 0) || math.IsInf(square, 1) {
			return false
		}
		row[i] = math.Sqrt(square)
		// Row i of L⁻¹, from those above it.
		for c := range i {
			blas.Axpy(-row[c]/row[i], inverse[c*factorBlock:c*factorBlock+c+1], inv)
		}
		inv[i] = 1 / row[i]
	}
	return true
}

// choleskySubstitute overwrites x with the solution of LLᵀx = x, for a factor of order
// n in rows of ld.
func choleskySubstitute(n, ld int, l, x []float64) {
	for i := range n {
		row := l[i*ld : i*ld+i+1]
		x[i] = (x[i] - blas.Dot(row[:i], x)) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := l[i*ld : i*ld+i+1]
		x[i] /= row[i]
		blas.Axpy(-x[i], row[:i], x)
	}
}

// rotation is a plane rotation of two neighbouring columns.
type rotation struct{ cos, sin float64 }

// choleskyDelete turns the factor of a matrix of order n into the factor of the matrix
// without row and column r: its rows below move up and are rotated back to a triangle,
// O((n − r)²).
func choleskyDelete(n, ld int, l []float64, r int, turns []rotation) {
	for i := r; i < n-1; i++ {
		row := l[i*ld : i*ld+i+2] // i + 1 < n ≤ ld
		copy(row, l[(i+1)*ld:(i+1)*ld+i+2])
		x := row[r]
		for c := r; c < i; c++ {
			t, y := turns[c], row[c+1]
			row[c] = t.cos*x + t.sin*y
			x = t.cos*y - t.sin*x
		}
		length := math.Hypot(x, row[i+1])
		turns[i] = rotation{x / length, row[i+1] / length}
		row[i] = length
	}
}
