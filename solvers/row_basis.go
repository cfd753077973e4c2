package solvers

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// basisRows is the number of vectors that are stored together: most searches end with
// fewer, and a basis that outgrows its pieces is never copied.
const basisRows = 40

// rowBasis holds orthonormal vectors of length n as the rows of Q, in pieces.
type rowBasis struct {
	n      int
	size   int
	pieces [][]float64
}

// clear empties the basis and keeps its storage.
func (q *rowBasis) clear() {
	for i := range q.pieces {
		q.pieces[i] = q.pieces[i][:0]
	}
	q.size = 0
}

// add appends rows.
func (q *rowBasis) add(rows []float64) {
	for len(rows) > 0 {
		at := q.size / basisRows
		if at == len(q.pieces) {
			q.pieces = append(q.pieces, make([]float64, 0, basisRows*q.n))
		}
		take := min(len(rows), (basisRows-q.size%basisRows)*q.n)
		q.pieces[at] = append(q.pieces[at], rows[:take]...)
		q.size += take / q.n
		rows = rows[take:]
	}
}

// each calls f for every piece that has rows: their number, and where they begin in Q.
func (q *rowBasis) each(f func(piece []float64, first, rows int)) {
	for at := 0; at*basisRows < q.size; at++ {
		f(q.pieces[at], at*basisRows, len(q.pieces[at])/q.n)
	}
}

// coefficients sets the width × size c to WQᵀ.
func (q *rowBasis) coefficients(kernels *blas.Kernels, w []float64, width int, c []float64) {
	q.each(func(piece []float64, first, rows int) {
		kernels.Gemm(false, true, width, rows, q.n, 1, w, q.n, piece, q.n, 0, c[first:], q.size)
	})
}

// subtract takes CQ from W.
func (q *rowBasis) subtract(kernels *blas.Kernels, threads int, c []float64, width int, w []float64) {
	q.each(func(piece []float64, first, rows int) {
		kernels.GemmParallel(threads, false, false, width, q.n, rows, -1, c[first:], q.size, piece, q.n, 1, w, q.n)
	})
}

// combined returns SQ for the count × size matrix S.
func (q *rowBasis) combined(kernels *blas.Kernels, threads int, s []float64, count int) []float64 {
	out := make([]float64, count*q.n)
	q.each(func(piece []float64, first, rows int) {
		kernels.GemmParallel(threads, false, false, count, q.n, rows, 1, s[first:], q.size, piece, q.n, 1, out, q.n)
	})
	return out
}

// rowNorms sets norm to the lengths of the leading rows of w.
func rowNorms(w []float64, rows, n int, norm []float64) {
	for j := range rows {
		norm[j] = math.Sqrt(blas.Dot(w[j*n:j*n+n], w[j*n:j*n+n]))
	}
}
