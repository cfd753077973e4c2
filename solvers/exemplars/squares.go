package exemplars

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// cancellationShare is the share of ‖x‖² + ‖y‖² below which ‖x‖² + ‖y‖² − 2xᵀy has lost too many
// digits, and ‖x − y‖² is formed from the differences instead.
const cancellationShare = 1e-10

// squares returns the squared distances between the rows of x, n × m: exactly 0
// between equal ones. n²m flops by products of centred rows.
func squares(ctx context.Context, kernels *blas.Kernels, threads, n, m int, x []float64) (*Packed, error) {
	centered := center(n, m, x)
	norms := make([]float64, n)
	for i := range norms {
		row := centered[i*m : (i+1)*m]
		norms[i] = blas.Dot(row, row)
	}
	d := NewPacked(n)
	buffers := make([][]float64, blas.Threads(threads))
	err := blas.For(ctx, threads, n, columnBlock, func(worker, lo, hi int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]float64, columnBlock*n)
		}
		products := buffers[worker]
		kernels.Gemm(false, true, hi-lo, n-lo, m, -2, centered[lo*m:], m, centered[lo*m:], m, 0, products, n)
		for i := lo; i < hi; i++ {
			row, from := d.Row(i), products[(i-lo)*n+i-lo:]
			row[0] = 0
			for q := 1; q < len(row); q++ {
				sum := norms[i] + norms[i+q]
				v := sum + from[q]
				if v <= cancellationShare*sum {
					v = blas.SquaredDistance(x[i*m:(i+1)*m], x[(i+q)*m:(i+q+1)*m])
				}
				row[q] = v
			}
		}
	})
	return d, err
}

// center subtracts the mean of the rows: the distances stay, and with small norms
// they keep more digits.
func center(n, m int, x []float64) []float64 {
	mean := make([]float64, m)
	for i := range n {
		blas.Axpy(1/float64(n), x[i*m:(i+1)*m], mean)
	}
	out := make([]float64, n*m)
	for i := range n {
		for k, v := range x[i*m : (i+1)*m] {
			out[i*m+k] = v - mean[k]
		}
	}
	return out
}
