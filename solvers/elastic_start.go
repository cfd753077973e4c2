package solvers

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

const (
	// startRidge is so many times ℓ2: about that much again is what ℓ1 takes off
	// the coefficients, so that supports begin near their size: for the images of COIL-20
	// six steps, where 3 and 30 take seven.
	startRidge = 10
	startBlock = 64
	startRows  = 32
)

// LeaveOneOut reconstructs each of n samples from all others in ridge regression, from their
// n × n Gram matrix (both triangles): row i has the coefficients that minimise
// ‖xᵢ − Σⱼ aⱼxⱼ‖² + c‖a‖² with aᵢ = 0, for c ten times the ridge given. All come out of
// one inverse, aⱼ = −Pᵢⱼ/Pᵢᵢ with P = (G + cI)⁻¹: 2n³ flops and 8n² bytes. They are where
// [ElasticNet] best begins. Where G + cI is singular to rounding they are zeros.
func LeaveOneOut(ctx context.Context, kernels *blas.Kernels, threads int, gram []float64, n int, ridge float64) ([]float64, error) {
	p := make([]float64, n*n)
	copy(p, gram[:n*n])
	for i := range n {
		p[i*n+i] += startRidge * ridge
	}
	if regular, err := invert(ctx, kernels, threads, n, p); err != nil {
		return nil, err
	} else if !regular {
		clear(p)
		return p, nil
	}
	return p, blas.For(ctx, threads, n, startRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := p[i*n : (i+1)*n]
			blas.Scale(-1/row[i], row)
			row[i] = 0
		}
	})
}

// invert overwrites a positive definite matrix with its inverse by Gauss–Jordan
// elimination of blocks, without pivoting: 2n³ flops in products. It is not regular
// where a pivot is rounding.
func invert(ctx context.Context, kernels *blas.Kernels, threads, n int, a []float64) (regular bool, err error) {
	panel, rows := make([]float64, n*startBlock), make([]float64, startBlock*n)
	corner := make([]float64, startBlock*startBlock)
	for at := 0; at < n; at += startBlock {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		w := min(startBlock, n-at)
		if !invertCorner(kernels, w, n, a[at*n+at:], corner) {
			return false, nil
		}
		for i := range n { // the block's columns, which make room for those of the inverse
			own := a[i*n+at : i*n+at+w]
			copy(panel[i*w:(i+1)*w], own)
			clear(own)
		}
		kernels.GemmParallel(threads, false, false, w, n, w, 1, corner, w, a[at*n:], n, 0, rows, n)
		for r := range w {
			copy(rows[r*n+at:r*n+at+w], corner[r*w:(r+1)*w])
		}
		if at > 0 {
			kernels.GemmParallel(threads, false, false, at, n, w, -1, panel, w, rows, n, 1, a, n)
		}
		if end := at + w; end < n {
			kernels.GemmParallel(threads, false, false, n-end, n, w, -1, panel[end*w:], w, rows, n, 1, a[end*n:], n)
		}
		copy(a[at*n:(at+w)*n], rows[:w*n])
	}
	return true, nil
}

// invertCorner computes the inverse of the leading w × w block of rows of ld.
func invertCorner(kernels *blas.Kernels, w, ld int, a, inverse []float64) bool {
	factor, x := make([]float64, w*w), make([]float64, w)
	for i := range w {
		copy(factor[i*w:i*w+i+1], a[i*ld:i*ld+i+1])
	}
	if !choleskyFactor(kernels, w, w, factor, new([]float64)) {
		return false
	}
	for c := range w {
		clear(x)
		x[c] = 1
		choleskySubstitute(w, w, factor, x)
		for r, v := range x {
			inverse[r*w+c] = v
		}
	}
	return true
}
