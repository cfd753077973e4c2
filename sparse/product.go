package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// productRows is the number of rows of a product that a worker computes at a
// time: enough to hide the hand-out, few enough to balance uneven rows.
const productRows = 1024

// MulVec computes y = A·x. Each row is one sum in column order, so the result
// does not depend on the number of threads. No allocation on one thread.
func (a *CSR) MulVec(threads int, x, y []float64) {
	// The context is never cancelled, so neither is the loop.
	_ = blas.For(context.Background(), threads, a.Rows, productRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := a.Row(i)
			vals = vals[:len(cols)]
			var s0, s1 float64
			p := 0
			for ; p+2 <= len(cols); p += 2 {
				s0 += vals[p] * x[cols[p]]
				s1 += vals[p+1] * x[cols[p+1]]
			}
			if p < len(cols) {
				s0 += vals[p] * x[cols[p]]
			}
			y[i] = s0 + s1
		}
	})
}

// MulBlock computes Y = A·X for w columns at once: x is Cols×w and y Rows×w,
// row-major. The columns are the unit of memory traffic: four cost little more
// than one.
func (a *CSR) MulBlock(threads, w int, x, y []float64) {
	_ = blas.For(context.Background(), threads, a.Rows, productRows, func(_, lo, hi int) {
		switch w {
		case 4:
			a.block4(lo, hi, x, y)
		case 8:
			a.block8(lo, hi, x, y)
		default:
			a.blockAny(lo, hi, w, x, y)
		}
	})
}

// MulTransposed computes y = Aᵀ·x, on one thread: rows are scattered in order.
func (a *CSR) MulTransposed(x, y []float64) {
	clear(y)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		xi := x[i]
		for p, j := range cols {
			y[j] += vals[p] * xi
		}
	}
}

func (a *CSR) block4(lo, hi int, x, y []float64) {
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		var s0, s1, s2, s3 float64
		for p, j := range cols {
			v, r := vals[p], x[int(j)*4:int(j)*4+4]
			s0 += v * r[0]
			s1 += v * r[1]
			s2 += v * r[2]
			s3 += v * r[3]
		}
		out := y[i*4 : i*4+4]
		out[0], out[1], out[2], out[3] = s0, s1, s2, s3
	}
}

func (a *CSR) block8(lo, hi int, x, y []float64) {
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for p, j := range cols {
			v, r := vals[p], x[int(j)*8:int(j)*8+8]
			s0 += v * r[0]
			s1 += v * r[1]
			s2 += v * r[2]
			s3 += v * r[3]
			s4 += v * r[4]
			s5 += v * r[5]
			s6 += v * r[6]
			s7 += v * r[7]
		}
		out := y[i*8 : i*8+8]
		out[0], out[1], out[2], out[3] = s0, s1, s2, s3
		out[4], out[5], out[6], out[7] = s4, s5, s6, s7
	}
}

func (a *CSR) blockAny(lo, hi, w int, x, y []float64) {
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		out := y[i*w : i*w+w]
		clear(out)
		for p, j := range cols {
			blas.Axpy(vals[p], x[int(j)*w:int(j)*w+w], out)
		}
	}
}
