package exemplars

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// FactorDissimilarities adds dissimilarities between the rows of a factor W and of its
// nonnegative copy W₊, both n × r, to columns of others. With d²ᵢⱼ = ‖wᵢ − w₊ⱼ‖², which is
// not symmetric, they are
//
//	−(K + Kᵀ)/2,   Kᵢⱼ = exp(−d²ᵢⱼ/(2γᵢ²)),
//
// γᵢ the k-th smallest of dᵢⱼ, j ≠ i, or d² itself. Neither is ever stored: a block of
// columns is two products of the factors and 2n exponentials a column.
type FactorDissimilarities struct {
	Squared   bool // d² itself, not mapped by the kernel
	Neighbors int  // k
	Threads   int  // 0: all cores
	Kernels   *blas.Kernels

	n, r     int
	w, wPlus []float64
	// d²ᵢⱼ = leftᵢ·rightⱼ with leftᵢ = (−2wᵢ, ‖wᵢ‖², 1) and rightⱼ = (w₊ⱼ, 1, ‖w₊ⱼ‖²); scaledᵢ
	// is leftᵢ times the factor −1/(2γᵢ²) of its exponents.
	left, right, scaled []float64
	gammas              []float64 // γᵢ²
	exponents           []float64 // −1/(2γᵢ²)
	sharp               []int32   // samples whose γ is so small that the products cancel
	most                float64   // max ‖wᵢ‖² + max ‖w₊ⱼ‖²
	tops                []float64 // max d² of each block of rows
	workers             []factorWorker
	counts              bitCounts
}

type factorWorker struct {
	selector
	a, b []float64
}

// sharpShare is the share of the largest norms below which γ² needs distances formed
// from differences.
const sharpShare = 1e-8

// Fit takes the factors, which must stay until the next call, and finds γ. O(n²r).
func (l *FactorDissimilarities) Fit(ctx context.Context, n, r int, w, wPlus []float64) error {
	l.reserve(n, r)
	l.w, l.wPlus = w, wPlus
	maxW, maxPlus := 0.0, 0.0
	for i := range n {
		left, right := l.left[i*(r+2):(i+1)*(r+2)], l.right[i*(r+2):(i+1)*(r+2)]
		wi, plus := w[i*r:(i+1)*r], wPlus[i*r:(i+1)*r]
		for k, v := range wi {
			left[k] = -2 * v
		}
		copy(right, plus)
		left[r], left[r+1] = blas.Dot(wi, wi), 1
		right[r], right[r+1] = 1, blas.Dot(plus, plus)
		maxW, maxPlus = max(maxW, left[r]), max(maxPlus, right[r+1])
	}
	l.most = maxW + maxPlus
	if l.Squared {
		return nil
	}
	err := blas.For(ctx, l.Threads, n, columnBlock, func(worker, lo, plus int) {
		w := &l.workers[worker]
		w.reserve(n)
		l.multiplyRows(w, lo, plus)
		top := 0.0
		for i := lo; i < plus; i++ {
			d := w.a[(i-lo)*n : (i-lo+1)*n]
			// The last γ, and half as much again of its square, mostly bounds the new one.
			found := false
			if guess := 1.5 * l.gammas[i]; guess > 0 {
				l.gammas[i], found = w.within(d, i, l.Neighbors, guess)
			}
			if !found {
				l.gammas[i] = w.smallest(d, i, l.Neighbors)
			}
			if l.gammas[i] <= sharpShare*l.most {
				l.measureRow(i, d)
				l.gammas[i] = w.smallest(d, i, l.Neighbors)
			}
			for _, v := range d {
				if v > top {
					top = v
				}
			}
		}
		l.tops[lo/columnBlock] = top
	})
	if err != nil {
		return err
	}
	if err := l.raiseBandwidths(ctx); err != nil {
		return err
	}
	l.sharp = l.sharp[:0]
	for i, square := range l.gammas {
		l.exponents[i] = -1 / (2 * square)
		if square <= sharpShare*l.most {
			l.sharp = append(l.sharp, int32(i))
		}
		for k, v := range l.left[i*(r+2) : (i+1)*(r+2)] {
			l.scaled[i*(r+2)+k] = l.exponents[i] * v
		}
	}
	return nil
}

func (l *FactorDissimilarities) reserve(n, r int) {
	if l.n == n && l.r == r {
		return
	}
	l.n, l.r = n, r
	l.left, l.right, l.scaled = make([]float64, n*(r+2)), make([]float64, n*(r+2)), make([]float64, n*(r+2))
	l.gammas, l.exponents = make([]float64, n), make([]float64, n)
	l.tops = make([]float64, (n+columnBlock-1)/columnBlock)
	l.workers = make([]factorWorker, blas.Threads(l.Threads))
}

func (w *factorWorker) reserve(n int) {
	if w.a == nil {
		w.a, w.b = make([]float64, columnBlock*n), make([]float64, columnBlock*n)
	}
}

// multiplyRows writes d² of the rows lo ≤ i < hi to w.a.
func (l *FactorDissimilarities) multiplyRows(w *factorWorker, lo, hi int) {
	width := l.r + 2
	l.Kernels.Gemm(false, true, hi-lo, l.n, width, 1, l.left[lo*width:], width, l.right, width, 0, w.a, l.n)
}

// measureRow writes row i of d² from the differences.
func (l *FactorDissimilarities) measureRow(i int, d []float64) {
	r := l.r
	for j := range d {
		d[j] = blas.SquaredDistance(l.w[i*r:(i+1)*r], l.wPlus[j*r:(j+1)*r])
	}
}

// raiseBandwidths lifts γ to its floor. The median is sought only where one could be below.
func (l *FactorDissimilarities) raiseBandwidths(ctx context.Context) error {
	if least := slices.Min(l.gammas); least > 0 && least >= floorShare*floorShare*slices.Max(l.tops) {
		return nil
	}
	n := l.n
	median, err := l.counts.medianPositive(len(l.workers), func(count func(int, []float64)) error {
		return blas.For(ctx, l.Threads, n, columnBlock, func(worker, lo, hi int) {
			w := &l.workers[worker]
			w.reserve(n)
			l.multiplyRows(w, lo, hi)
			for i := lo; i < hi; i++ {
				d := w.a[(i-lo)*n : (i-lo+1)*n]
				if l.gammas[i] <= sharpShare*l.most {
					l.measureRow(i, d)
				}
				count(worker, d[:i])
				count(worker, d[i+1:])
			}
		})
	})
	if err != nil {
		return err
	}
	floor := bandwidthFloor(math.Sqrt(median))
	raiseBandwidths(l.gammas, floor*floor)
	return nil
}

// Add adds weight times the columns lo ≤ j < hi to dst, one after the other, each of n
// numbers. hi − lo is at most [Width]; worker names scratch as in [blas.For].
func (l *FactorDissimilarities) Add(worker, lo, hi int, weight float64, dst []float64) {
	w, n, width := &l.workers[worker], l.n, l.r+2
	w.reserve(n)
	if l.Squared {
		l.Kernels.Gemm(false, true, hi-lo, n, width, 1, l.right[lo*width:], width, l.left, width, 0, w.a, n)
		for q, v := range w.a[:(hi-lo)*n] {
			if v > 0 {
				dst[q] += weight * v
			}
		}
		return
	}
	l.Kernels.Gemm(false, true, hi-lo, n, width, 1, l.right[lo*width:], width, l.scaled, width, 0, w.a, n)
	l.Kernels.Gemm(false, true, hi-lo, n, width, 1, l.scaled[lo*width:], width, l.right, width, 0, w.b, n)
	l.sharpen(w, lo, hi)
	a, b := w.a[:(hi-lo)*n], w.b[:(hi-lo)*n]
	blas.Exp(a, a)
	blas.Exp(b, b)
	half := -weight / 2
	dst, b = dst[:len(a)], b[:len(a)]
	for q, u := range a {
		v := b[q]
		// Above 1 only by rounding of a distance of zero.
		if u > 1 {
			u = 1
		}
		if v > 1 {
			v = 1
		}
		dst[q] += half * (u + v)
	}
}

// Width is the largest number of columns that are treated together.
const Width = columnBlock

// sharpen replaces exponents that cancellation has spoilt.
func (l *FactorDissimilarities) sharpen(w *factorWorker, lo, hi int) {
	n, r := l.n, l.r
	for _, i := range l.sharp {
		wi := l.w[int(i)*r : (int(i)+1)*r]
		for j := lo; j < hi; j++ {
			w.a[(j-lo)*n+int(i)] = l.exponents[i] * blas.SquaredDistance(wi, l.wPlus[j*r:(j+1)*r])
		}
		if int(i) >= lo && int(i) < hi {
			row := w.b[(int(i)-lo)*n : (int(i)-lo+1)*n]
			l.measureRow(int(i), row)
			blas.Scale(l.exponents[i], row)
		}
	}
}
