package eigen

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	endsSteps    = 120  // Lanczos steps at most
	endsEvery    = 10   // steps between looks at the Ritz values
	endsAccuracy = 1e-4 // of the spread, by which they may still move
)

// SpectrumEnds estimates the smallest and the largest eigenvalue of a symmetric
// operator of order n by Lanczos steps without reorthogonalisation, which the ends
// do not need. The estimates lie inside the spectrum, mostly by less than a
// thousandth of its spread. At most 120 products; the seed decides the start.
func SpectrumEnds(ctx context.Context, n int, seed uint64, multiply func(x, y []float64)) (low, high float64, err error) {
	lows, highs, err := BlockEnds(ctx, make([]int32, n), 1, seed, multiply)
	if err != nil {
		return 0, 0, err
	}
	return lows[0], highs[0], nil
}

// ends are the Lanczos steps on one diagonal block.
type ends struct {
	size        int       // of the block
	alpha, beta []float64 // the tridiagonal matrix
	low, high   float64
	done        bool

	norm, along float64 // of the step under way
}

// BlockEnds is [SpectrumEnds] of every diagonal block at once: row i belongs to the
// block label[i], none where that is negative, and multiply stays within blocks.
func BlockEnds(ctx context.Context, label []int32, blocks int, seed uint64, multiply func(x, y []float64)) (low, high []float64, err error) {
	n := len(label)
	all := make([]ends, blocks)
	v, before, next := make([]float64, n), make([]float64, n), make([]float64, n)
	blas.NewStream(seed).Normals(next)
	for i, g := range label {
		if g < 0 {
			next[i] = 0
			continue
		}
		all[g].size++
		all[g].norm += next[i] * next[i]
	}
	for g := range all {
		all[g].norm, all[g].done = math.Sqrt(all[g].norm), all[g].size == 0
	}
	for step := 1; step <= endsSteps; step++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		before, v, next = v, next, before
		for i, g := range label {
			switch {
			case g < 0:
			case all[g].done:
				v[i] = 0
			default:
				v[i] /= all[g].norm
			}
		}
		multiply(v, next)
		for g := range all {
			all[g].along = 0
		}
		for i, g := range label {
			if g >= 0 {
				all[g].along += v[i] * next[i]
			}
		}
		for g := range all {
			all[g].norm, all[g].beta = 0, append(all[g].beta, all[g].norm)
		}
		for i, g := range label {
			if g >= 0 {
				a := &all[g]
				next[i] -= a.along*v[i] + a.beta[step-1]*before[i]
				a.norm += next[i] * next[i]
			}
		}
		left := false
		for g := range all {
			all[g].advance(step)
			left = left || !all[g].done
		}
		if !left {
			break
		}
	}
	low, high = make([]float64, blocks), make([]float64, blocks)
	for g, a := range all {
		low[g], high[g] = a.low, a.high
	}
	return low, high, ctx.Err()
}

// advance takes a step up into the matrix of the block and checks whether another
// one would add information.
func (a *ends) advance(step int) {
	a.norm = math.Sqrt(a.norm)
	if a.done {
		return
	}
	a.alpha = append(a.alpha, a.along)
	const negligible = 1e-12
	exhausted := step >= a.size || step >= endsSteps || !(a.norm > negligible*(math.Abs(a.along)+a.beta[step-1]))
	if !exhausted && step%endsEvery != 0 {
		return
	}
	low, high := a.low, a.high
	a.low, a.high = tridiagonalEnds(a.alpha, a.beta)
	settled := step > endsEvery && math.Abs(a.low-low)+math.Abs(a.high-high) <= endsAccuracy*(a.high-a.low)
	a.done = exhausted || settled
}

// tridiagonalEnds returns the ends of the spectrum of a tridiagonal matrix with
// beta[i] next to alpha[i−1] and alpha[i].
func tridiagonalEnds(alpha, beta []float64) (low, high float64) {
	n := len(alpha)
	full, values := make([]float64, n*n), make([]float64, n)
	for i, a := range alpha {
		full[i*n+i] = a
		if i > 0 {
			full[i*n+i-1], full[(i-1)*n+i] = beta[i], beta[i]
		}
	}
	blas.SymEigSmall(n, full, values, false, make([]float64, 2*n))
	return slices.Min(values), slices.Max(values)
}
