package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// productRows is the number of rows of a product that a worker computes at a
// time: enough to hide the hand-out, few enough to balance uneven rows.
const productRows = 1024

// MulVec computes y = A·x. The sums of a row have one order (see
// [blas.MulCSR]), so the result does not depend on the number of threads. No
// allocation on one thread.
func (a *CSR) MulVec(threads int, x, y []float64) {
	x = x[:a.Cols]
	// The context is never cancelled, so neither is the loop.
	_ = blas.For(context.Background(), threads, a.Rows, productRows, func(_, lo, hi int) {
		blas.MulCSR(lo, hi, a.Ptr, a.Col, a.Val, x, y)
	})
}

// MulBlock computes Y = A·X for w columns at once: x is Cols×w and y Rows×w,
// row-major. The columns are the unit of memory traffic: eight cost about as
// much as two alone.
func (a *CSR) MulBlock(threads, w int, x, y []float64) {
	x = x[:a.Cols*w]
	_ = blas.For(context.Background(), threads, a.Rows, productRows, func(_, lo, hi int) {
		blas.MulCSRBlock(w, lo, hi, a.Ptr, a.Col, a.Val, x, y)
	})
}
