package solvers

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// factorBlock is the width of the columns that are factorised at a time.
const factorBlock = 32

// choleskyFactor overwrites the lower triangle of an n × n matrix in rows of ld, of which
// no more is given, by its factor; false: it is not positive definite. Nearly all of the n³/3
// operations are in products of the kernels, which the orders of some hundred that
// come up here want.
func choleskyFactor(kernels *blas.Kernels, n, ld int, a []float64) bool {
	for at := 0; at < n; at += factorBlock {
		width := min(factorBlock, n-at)
		if at > 0 { // what the columns before take away
			kernels.Gemm(false, true, n-at, width, at, -1, a[at*ld:], ld, a[at*ld:], ld, 1, a[at*ld+at:], ld)
		}
		for i := at; i < n; i++ {
			row := a[i*ld+at : i*ld+at+width]
			for c := range min(width, i-at) {
				pivot := a[(at+c)*ld+at : (at+c)*ld+at+c+1]
				row[c] = (row[c] - blas.Dot(pivot[:c], row)) / pivot[c]
			}
			if c := i - at; c < width {
				square := row[c] - blas.Dot(row[:c], row)
				if !(square > 0) || math.IsInf(square, 1) {
					return false
				}
				row[c] = math.Sqrt(square)
			}
		}
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

// choleskyDelete turns the factor of a matrix of order n into that of the matrix
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
