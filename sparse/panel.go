package sparse

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// panelBlock is the width of the column blocks in which a panel is factorised.
	panelBlock = 16
	// updateRows is the height of the pieces in which the rows below a block
	// are updated.
	updateRows = 192
)

// factorPanel turns a panel of height × width values, row-major, updated by all
// columns before it, into columns of L: its top becomes lower triangular, its
// rest is divided by that. The diagonal receives 1/Lⱼⱼ, which is what every
// later use wants. What stands above the diagonal is neither read nor kept.
//
// It returns the first column whose pivot is not a positive number and that
// pivot, or width and 0.
func factorPanel(kernels *blas.Kernels, panel []float64, height, width int) (int, float64) {
	for lo := 0; lo < width; lo += panelBlock {
		n := min(panelBlock, width-lo)
		below := panel[lo*width:]
		for r := lo; lo > 0 && r < height; r += updateRows {
			piece := panel[r*width:]
			kernels.Gemm(false, true, min(updateRows, height-r), n, lo, -1, piece, width, below, width, 1, piece[lo:], width)
		}
		block := below[lo:]
		if j, pivot := factorBlock(block, n, width); j < n {
			return lo + j, pivot
		}
		if lo+n < height {
			solveRows(block, block[n*width:], n, height-lo-n, width)
		}
	}
	return width, 0
}

// divideRows does to rows lo ≤ r < hi, below the top, what [factorPanel] does
// once the top is factorised.
func divideRows(kernels *blas.Kernels, panel []float64, lo, hi, width int) {
	for c := 0; c < width; c += panelBlock {
		n := min(panelBlock, width-c)
		top := panel[c*width:]
		for r := lo; c > 0 && r < hi; r += updateRows {
			rows := panel[r*width:]
			kernels.Gemm(false, true, min(updateRows, hi-r), n, c, -1, rows, width, top, width, 1, rows[c:], width)
		}
		solveRows(top[c:], panel[lo*width+c:], n, hi-lo, width)
	}
}

// factorBlock is Cholesky row by row of the n × n lower triangle of a.
func factorBlock(a []float64, n, lda int) (int, float64) {
	for i := range n {
		row := a[i*lda : i*lda+i+1]
		pivot := row[i]
		for j := range i {
			top := a[j*lda : j*lda+j+1]
			s := row[j]
			for k, v := range top[:j] {
				s -= row[k] * v
			}
			s *= top[j]
			row[j] = s
			pivot -= s * s
		}
		if !(pivot > 0 && pivot <= math.MaxFloat64) {
			return i, pivot
		}
		row[i] = 1 / math.Sqrt(pivot)
	}
	return n, 0
}

// solveRows divides the rows of a by a transposed triangle, four at a time.
func solveRows(triangle, a []float64, n, height, lda int) {
	i := 0
	for ; i+4 <= height; i += 4 {
		x0, x1 := a[i*lda:i*lda+n], a[(i+1)*lda:(i+1)*lda+n]
		x2, x3 := a[(i+2)*lda:(i+2)*lda+n], a[(i+3)*lda:(i+3)*lda+n]
		for j := range n {
			top := triangle[j*lda : j*lda+j+1]
			s0, s1, s2, s3 := x0[j], x1[j], x2[j], x3[j]
			for k, v := range top[:j] {
				s0 -= x0[k] * v
				s1 -= x1[k] * v
				s2 -= x2[k] * v
				s3 -= x3[k] * v
			}
			d := top[j]
			x0[j], x1[j], x2[j], x3[j] = s0*d, s1*d, s2*d, s3*d
		}
	}
	for ; i < height; i++ {
		x := a[i*lda : i*lda+n]
		for j := range n {
			top := triangle[j*lda : j*lda+j+1]
			s := x[j]
			for k, v := range top[:j] {
				s -= x[k] * v
			}
			x[j] = s * top[j]
		}
	}
}
