package nmf

import (
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// compressedWeights is what correntropy needs of sparse data besides. An entry that is not
// stored has the weight exp(−(WH)²/2σ²), so that WH is formed everywhere, tile by tile; but
// X ∘ P has entries where X has, and the numerators are sums over these. The squares of the
// residuals, for σ², are those of [factorization.compressedResiduals].
//
// With Paper, P has to serve both half steps. In place of the n × m matrix of dense data,
// the components before their step are kept: with the rows of W, which have not been stepped
// yet, they give the same P once more.
type compressedWeights struct {
	before     []float64 // H before its step, r × m, of Paper; nil with Refresh
	numerators []float64 // of H, r × m
}

func newCompressedWeights(f *factorization, refresh bool) *compressedWeights {
	c := &compressedWeights{numerators: make([]float64, f.r*f.m)}
	if !refresh {
		c.before = make([]float64, f.r*f.m)
	}
	return c
}

// stretchNumbers bounds the numbers of WH that are formed at a time: a stretch of the columns of a
// block of rows, which stays in the second-level cache between its products.
const stretchNumbers = 1 << 14

// stretches calls do for ranges of columns of a block of rows. Products over all columns may be
// summed stretch by stretch: a stretch is a multiple of the terms that products sum at a time.
func (u *correntropy) stretches(rows int, do func(from, to int)) {
	const unit = 256
	width := max(1, stretchNumbers/(rows*unit)) * unit
	for from := 0; from < u.m; from += width {
		do(from, min(from+width, u.m))
	}
}

// storedWithin are the columns from ≤ j < to that a sparse row stores, less from, with the
// entries.
func storedWithin(a *sparse.CSR, i, from, to int) (cols []int32, vals []float64) {
	cols, vals = a.Row(i)
	lo, _ := slices.BinarySearch(cols, int32(from))
	hi, _ := slices.BinarySearch(cols[lo:], int32(to))
	return cols[lo : lo+hi], vals[lo : lo+hi]
}

// lay writes entries of a row to a stretch of zeros, and clears them with erase.
func lay(cols []int32, vals []float64, from int, x []float64) {
	for p, j := range cols {
		x[int(j)-from] = vals[p]
	}
}

func erase(cols []int32, from int, x []float64) {
	for _, j := range cols {
		x[int(j)-from] = 0
	}
}

// accumulateEntries is accumulateH of sparse data. The numerators of a block come first in
// its sums, transposed: m × r.
func (u *correntropy) accumulateEntries(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	numerators := sum.num[:m*r]
	if sum.beta == 0 {
		clear(numerators)
	}
	u.stretches(rows, func(from, to int) {
		width := to - from
		model, weighted := s.model[:rows*width], s.tile[:rows*width]
		x, left, spare := s.stretch[:width], s.row[:width], s.tile[rows*width:][:width]
		u.kernels.Gemm(false, false, rows, width, r, 1, u.w[lo*r:], r, u.h[from:], m, 0, model, width)
		for i := range rows {
			cols, vals := storedWithin(u.data.Sparse, lo+i, from, to)
			lay(cols, vals, from, x)
			t, right := model[i*width:(i+1)*width], weighted[i*width:(i+1)*width]
			if u.held.asked {
				u.weigh(x, t, spare, left, right)
				*sum.loss += weightedSquares(spare, x, t)
			} else {
				u.weigh(x, t, t, left, right)
			}
			w := u.w[(lo+i)*r : (lo+i+1)*r]
			for _, j := range cols {
				blas.Axpy(left[int(j)-from], w, numerators[int(j)*r:int(j)*r+r])
			}
			erase(cols, from, x)
		}
		u.kernels.Gemm(true, false, r, width, rows, 1, u.w[lo*r:], r, weighted, width, sum.beta, sum.num[m*r+from:], m)
	})
}

// sumsOfEntries are the numerators and denominators of H, with numbers in a row of them;
// it keeps the components for the weights of the half step after.
func (u *correntropy) sumsOfEntries() (num, den []float64, ld int) {
	copy(u.entries.before, u.h)
	transpose(u.m, u.r, u.sums.num, u.entries.numerators)
	return u.entries.numerators, u.sums.num[u.m*u.r:], u.m
}

// stepEntries is stepRows of sparse data.
func (u *correntropy) stepEntries(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	num, den := s.num[:rows*r], s.den[:rows*r]
	before := u.entries.before
	clear(num)
	u.stretches(rows, func(from, to int) {
		width := to - from
		model, other := s.model[:rows*width], s.tile[:rows*width]
		x, left, spare := s.stretch[:width], s.row[:width], s.tile[rows*width:][:width]
		if before != nil {
			u.kernels.Gemm(false, false, rows, width, r, 1, u.w[lo*r:], r, before[from:], m, 0, other, width)
		}
		u.kernels.Gemm(false, false, rows, width, r, 1, u.w[lo*r:], r, u.h[from:], m, 0, model, width)
		for i := range rows {
			cols, vals := storedWithin(u.data.Sparse, lo+i, from, to)
			lay(cols, vals, from, x)
			t, o := model[i*width:(i+1)*width], other[i*width:(i+1)*width]
			if before != nil {
				u.weigh(x, o, o, left, spare) // P takes the place of the WH before
				blas.Weigh(o, x, t, left, t)
			} else {
				u.weigh(x, t, t, left, o)
			}
			for _, j := range cols {
				blas.Axpy(left[int(j)-from], u.ht[int(j)*r:int(j)*r+r], num[i*r:(i+1)*r])
			}
			erase(cols, from, x)
		}
		weighted, beta := model, 1.0
		if before == nil {
			weighted = other
		}
		if from == 0 {
			beta = 0
		}
		u.kernels.Gemm(false, false, rows, r, width, 1, weighted, width, u.ht[from*r:], r, beta, den, r)
	})
	if u.graph != nil {
		u.graph.add(1/u.kernelConstant(), lo, num, den)
	}
	if u.held.asked {
		copy(s.weighted, u.w[lo*r:hi*r])
	}
	blas.MultiplyRatios(u.w[lo*r:hi*r], denominator, vanished, num, den)
	u.residualByGram(s, lo, hi, sum)
	if u.held.asked {
		u.heldEntries(s, lo, hi, sum)
	}
}

// heldEntries is the part of residualHeld that weighs: the weights are those of the rows of W
// before their step, which s.weighted has, and of the components before theirs.
func (u *correntropy) heldEntries(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	u.stretches(rows, func(from, to int) {
		width := to - from
		model, other := s.model[:rows*width], s.tile[:rows*width]
		x, left, spare := s.stretch[:width], s.row[:width], s.tile[rows*width:][:width]
		u.kernels.Gemm(false, false, rows, width, r, 1, s.weighted, r, u.entries.before[from:], m, 0, other, width)
		u.kernels.Gemm(false, false, rows, width, r, 1, u.w[lo*r:], r, u.h[from:], m, 0, model, width)
		for i := range rows {
			cols, vals := storedWithin(u.data.Sparse, lo+i, from, to)
			lay(cols, vals, from, x)
			o := other[i*width : (i+1)*width]
			u.weigh(x, o, o, left, spare)
			*sum.loss += weightedSquares(o, x, model[i*width:(i+1)*width])
			erase(cols, from, x)
		}
	})
}

// residualByGram adds the squares of the residuals of the present factors.
func (u *correntropy) residualByGram(s *scratch, lo, hi int, sum *partialSums) {
	u.dataProducts(s, lo, hi, s.products)
	u.compressedResiduals(s, lo, hi)
	for _, e := range s.weights[:hi-lo] {
		*sum.squares += e * e
	}
}

func (c *compressedWeights) plan() string {
	if c.before == nil {
		return "YC tile by tile, twice, weights twice: 8nmr flops and 2nm exponentials an iteration, no n × m matrix"
	}
	return "YC tile by tile, three times, weights twice: 10nmr flops and 2nm exponentials an iteration, no n × m matrix"
}
