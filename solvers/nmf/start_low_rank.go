package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// startSettled is the part of the error of the start by which an iteration of its correction must lower it.
const startSettled = 0.05

// lowRankStart is NNSVD-LRC (Atif, Qazi and Gillis 2019): it fills both factors from the leading singular triplets: from the first its absolute values, and
// from each further one both its positive and its negative part, so that half as many are needed as by
// NNDSVD. Coordinate descent then fits the factors to the sum of these triplets, at O(r²(n+m)) for
// an iteration, until one lowers the error by less than a twentieth of that of the start.
func (f *factorization) lowRankStart(ctx context.Context) error {
	if f.r > min(f.n, f.m) {
		return fmt.Errorf("nmf: an SVD start of rank %d for %d × %d data; give at most %d, or init %s", f.r, f.n, f.m, min(f.n, f.m), RandomStart)
	}
	n, m, r := f.n, f.m, f.r
	count := r/2 + 1
	s, u, v, err := f.leadingTriplets(ctx, count)
	if err != nil {
		return err
	}
	wt := make([]float64, r*n)
	put := func(k int, left, right []float64, sign, value float64) {
		root := math.Sqrt(value)
		for i, x := range left {
			wt[k*n+i] = root * max(0, sign*x)
		}
		for j, x := range right {
			f.h[k*m+j] = root * max(0, sign*x)
		}
	}
	at := 0
	for t, value := range s {
		if t == 0 {
			root := math.Sqrt(value)
			for i, x := range u[0] {
				wt[i] = root * math.Abs(x)
			}
			for j, x := range v[0] {
				f.h[j] = root * math.Abs(x)
			}
			at = 1
			continue
		}
		sign := 1.0
		if partLength(u[t], -1)*partLength(v[t], -1) > partLength(u[t], 1)*partLength(v[t], 1) {
			sign = -1
		}
		for _, side := range []float64{sign, -sign} {
			if at < r {
				put(at, u[t], v[t], side, value)
				at++
			}
		}
	}
	return f.fitTriplets(ctx, s, u, v, wt)
}

// fitTriplets lowers ‖Σ s·uvᵀ − WH‖² by coordinate descent; W is given transposed.
func (f *factorization) fitTriplets(ctx context.Context, s []float64, u, v [][]float64, wt []float64) error {
	n, m, r, count := f.n, f.m, f.r, len(s)
	left, right := make([]float64, count*n), make([]float64, count*m)
	var squares float64
	for t, value := range s {
		copy(left[t*n:(t+1)*n], u[t])
		copy(right[t*m:(t+1)*m], v[t])
		squares += value * value
	}
	small, gram, other := make([]float64, r*count), make([]float64, r*r), make([]float64, r*r)
	num, t := make([]float64, r*max(n, m)), make([]float64, max(n, m))
	// products is A·(Σ s·uvᵀ) from the side whose rows A multiplies.
	products := func(a []float64, width int, near, far []float64, beyond int) {
		f.kernels.Gemm(false, true, r, count, width, 1, a, width, near, width, 0, small, count)
		for k := range r {
			for q, value := range s {
				small[k*count+q] *= value
			}
		}
		f.kernels.Gemm(false, false, r, beyond, count, 1, small, count, far, beyond, 0, num[:r*beyond], beyond)
	}
	gramOf := func(a []float64, width int, to []float64) {
		f.kernels.Gemm(false, true, r, r, width, 1, a, width, a, width, 0, to, r)
	}
	gramOf(f.h, m, other)
	products(wt, n, left, right, m)
	gramOf(wt, n, gram)
	if whole := blas.Dot(gram, other); whole > 0 { // the multiple of the start that is nearest
		scale := math.Sqrt(max(0, blas.Dot(num[:r*m], f.h)) / whole)
		blas.Scale(scale, wt)
		blas.Scale(scale, f.h)
	}
	var first, before float64
	for step := 0; step <= 1/startSettled; step++ { // more cannot lower it so much, unless it is rounding
		if err := ctx.Err(); err != nil {
			return err
		}
		products(wt, n, left, right, m)
		gramOf(wt, n, gram)
		gramOf(f.h, m, other)
		now := squares - 2*blas.Dot(num[:r*m], f.h) + blas.Dot(gram, other)
		if step == 0 {
			first = now
		} else if !(before-now > startSettled*math.Abs(first)) {
			break
		}
		before = now
		f.sweep(0, m, f.h, m, num, m, gram, 0, startSweeps, t)
		gramOf(f.h, m, other)
		products(f.h, m, right, left, n)
		f.sweep(0, n, wt, n, num, n, other, 0, startSweeps, t)
	}
	transpose(r, n, wt, f.w)
	return nil
}
