package backends

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// residualLimit is the largest residual of an operation on which a claim of speed may
// rest: a hundred times what the orders of the suite leave.
const residualLimit = 1e-12

// exactDot is Σxᵢyᵢ as if computed with twice the digits (Ogita, Rump, Oishi 2005).
func exactDot(x, y []float64) float64 {
	sum, low := 0.0, 0.0
	for i := range x {
		p := x[i] * y[i]
		low += math.FMA(x[i], y[i], -p)
		t := sum + p
		z := t - sum
		low += (sum - (t - z)) + (p - z)
		sum = t
	}
	return sum + low
}

// productError looks at entries all over a product of so many rows and columns, and
// returns the largest error relative to the lengths of the row and column behind it.
func productError(rows, cols int, entry func(i, j int) (x, y []float64, got float64)) float64 {
	const looked = 256
	worst := 0.0
	for at := range looked {
		i, j := at*(rows-1)/(looked-1), (at*97)%cols
		x, y, got := entry(i, j)
		size := math.Sqrt(blas.Dot(x, x) * blas.Dot(y, y))
		worst = max(worst, math.Abs(got-exactDot(x, y))/size)
	}
	return worst
}

// pairError is the largest of ‖Az − wz‖ over ‖A‖_F and of the entries of ZZᵀ − I, for
// eigenvectors in rows.
func pairError(n, pairs int, a, w, z []float64) float64 {
	reference := blas.MustSelect("gonum")
	az, gram := make([]float64, pairs*n), make([]float64, pairs*pairs)
	reference.Gemm(false, false, pairs, n, n, 1, z, n, a, n, 0, az, n) // A is symmetric
	reference.Gemm(false, true, pairs, pairs, n, 1, z, n, z, n, 0, gram, pairs)
	worst, size := 0.0, math.Sqrt(blas.Dot(a[:n*n], a[:n*n]))
	for j := range pairs {
		row := az[j*n : (j+1)*n]
		blas.Axpy(-w[j], z[j*n:(j+1)*n], row)
		worst = max(worst, math.Sqrt(blas.Dot(row, row))/size)
		gram[j*pairs+j]--
	}
	for _, v := range gram {
		worst = max(worst, math.Abs(v))
	}
	return worst
}

// leftOver is ‖A − BC‖_F / ‖A‖_F of an m × n matrix, or with C transposed.
func leftOver(m, n, p int, a, b, c []float64, transposed bool) float64 {
	rest := append([]float64(nil), a[:m*n]...)
	ldc := n
	if transposed {
		ldc = p
	}
	blas.MustSelect("gonum").Gemm(false, transposed, m, n, p, -1, b, p, c, ldc, 1, rest, n)
	return math.Sqrt(blas.Dot(rest, rest) / blas.Dot(a[:m*n], a[:m*n]))
}
