package exemplars

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Latent adds dissimilarities between the rows of two factors G and H, n × c, to
// columns of others. With d²ᵢⱼ = ‖gᵢ − hⱼ‖², which is not symmetric, they are
//
//	−(K + Kᵀ)/2,   Kᵢⱼ = exp(−d²ᵢⱼ/(2γᵢ²)),
//
// γᵢ the k-th smallest of dᵢⱼ, j ≠ i, or plainly d². Neither is ever stored: a block of
// columns is two products of the factors and 2n exponentials a column.
type Latent struct {
	Plain     bool // d² itself
	Neighbors int  // k
	Threads   int  // 0: all cores
	Kernels   *blas.Kernels

	n, c int
	g, h []float64
	// d²ᵢⱼ = leftᵢ·rightⱼ with leftᵢ = (−2gᵢ, ‖gᵢ‖², 1) and rightⱼ = (hⱼ, 1, ‖hⱼ‖²); scaledᵢ
	// is leftᵢ times wᵢ = −1/(2γᵢ²).
	left, right, scaled []float64
	gammas              []float64 // γᵢ²
	weights             []float64 // wᵢ
	sharp               []int32   // samples whose γ is so small that the products cancel
	most                float64   // max ‖g‖² + max ‖h‖²
	tops                []float64 // max d² of each block of rows
	workers             []latentWorker
}

type latentWorker struct {
	selector
	a, b []float64
}

// sharpShare is the share of the largest norms below which γ² needs distances formed
// from differences.
const sharpShare = 1e-8

// Fit takes the factors, which must stay until the next call, and finds γ. O(n²c).
func (l *Latent) Fit(ctx context.Context, n, c int, g, h []float64) error {
	l.reserve(n, c)
	l.g, l.h = g, h
	mostG, mostH := 0.0, 0.0
	for i := range n {
		left, right := l.left[i*(c+2):(i+1)*(c+2)], l.right[i*(c+2):(i+1)*(c+2)]
		gi, hi := g[i*c:(i+1)*c], h[i*c:(i+1)*c]
		for k, v := range gi {
			left[k] = -2 * v
		}
		copy(right, hi)
		left[c], left[c+1] = blas.Dot(gi, gi), 1
		right[c], right[c+1] = 1, blas.Dot(hi, hi)
		mostG, mostH = max(mostG, left[c]), max(mostH, right[c+1])
	}
	l.most = mostG + mostH
	if l.Plain {
		return nil
	}
	err := blas.For(ctx, l.Threads, n, columnBlock, func(worker, lo, hi int) {
		w := &l.workers[worker]
		w.reserve(n)
		l.rows(w, lo, hi)
		top := 0.0
		for i := lo; i < hi; i++ {
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
				l.exactRow(i, d)
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
	if err := l.raise(ctx); err != nil {
		return err
	}
	l.sharp = l.sharp[:0]
	for i, square := range l.gammas {
		l.weights[i] = -1 / (2 * square)
		if square <= sharpShare*l.most {
			l.sharp = append(l.sharp, int32(i))
		}
		for k, v := range l.left[i*(c+2) : (i+1)*(c+2)] {
			l.scaled[i*(c+2)+k] = l.weights[i] * v
		}
	}
	return nil
}

func (l *Latent) reserve(n, c int) {
	if l.n == n && l.c == c {
		return
	}
	l.n, l.c = n, c
	l.left, l.right, l.scaled = make([]float64, n*(c+2)), make([]float64, n*(c+2)), make([]float64, n*(c+2))
	l.gammas, l.weights = make([]float64, n), make([]float64, n)
	l.tops = make([]float64, (n+columnBlock-1)/columnBlock)
	l.workers = make([]latentWorker, blas.Threads(l.Threads))
}

func (w *latentWorker) reserve(n int) {
	if w.a == nil {
		w.a, w.b = make([]float64, columnBlock*n), make([]float64, columnBlock*n)
	}
}

// rows writes d² of the rows lo ≤ i < hi to w.a.
func (l *Latent) rows(w *latentWorker, lo, hi int) {
	c := l.c + 2
	l.Kernels.Gemm(false, true, hi-lo, l.n, c, 1, l.left[lo*c:], c, l.right, c, 0, w.a, l.n)
}

// exactRow writes row i of d² from the differences.
func (l *Latent) exactRow(i int, d []float64) {
	c := l.c
	for j := range d {
		d[j] = blas.SquaredDistance(l.g[i*c:(i+1)*c], l.h[j*c:(j+1)*c])
	}
}

// raise lifts γ to its floor. The median is sought only where one could be below.
func (l *Latent) raise(ctx context.Context) error {
	if least := slices.Min(l.gammas); least > 0 && least >= floorShare*floorShare*slices.Max(l.tops) {
		return nil
	}
	n := l.n
	median, err := medianPositive(len(l.workers), func(count func(int, []float64)) error {
		return blas.For(ctx, l.Threads, n, columnBlock, func(worker, lo, hi int) {
			w := &l.workers[worker]
			w.reserve(n)
			l.rows(w, lo, hi)
			for i := lo; i < hi; i++ {
				d := w.a[(i-lo)*n : (i-lo+1)*n]
				if l.gammas[i] <= sharpShare*l.most {
					l.exactRow(i, d)
				}
				count(worker, d[:i])
				count(worker, d[i+1:])
			}
		})
	})
	if err != nil {
		return err
	}
	floor := floorShare
	if median > 0 {
		floor = floorShare * math.Sqrt(median)
	}
	for i, square := range l.gammas {
		l.gammas[i] = max(square, floor*floor)
	}
	return nil
}

// Add adds weight times the columns lo ≤ j < hi to dst, one after the other, each of n
// numbers. hi − lo is at most [Width]; worker names scratch as in [blas.For].
func (l *Latent) Add(worker, lo, hi int, weight float64, dst []float64) {
	w, n, c := &l.workers[worker], l.n, l.c+2
	w.reserve(n)
	if l.Plain {
		l.Kernels.Gemm(false, true, hi-lo, n, c, 1, l.right[lo*c:], c, l.left, c, 0, w.a, n)
		for q, v := range w.a[:(hi-lo)*n] {
			if v > 0 {
				dst[q] += weight * v
			}
		}
		return
	}
	l.Kernels.Gemm(false, true, hi-lo, n, c, 1, l.right[lo*c:], c, l.scaled, c, 0, w.a, n)
	l.Kernels.Gemm(false, true, hi-lo, n, c, 1, l.scaled[lo*c:], c, l.right, c, 0, w.b, n)
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
func (l *Latent) sharpen(w *latentWorker, lo, hi int) {
	n, c := l.n, l.c
	for _, i := range l.sharp {
		gi := l.g[int(i)*c : (int(i)+1)*c]
		for j := lo; j < hi; j++ {
			w.a[(j-lo)*n+int(i)] = l.weights[i] * blas.SquaredDistance(gi, l.h[j*c:(j+1)*c])
		}
		if int(i) >= lo && int(i) < hi {
			row := w.b[(int(i)-lo)*n : (int(i)-lo+1)*n]
			l.exactRow(int(i), row)
			blas.Scale(l.weights[i], row)
		}
	}
}
