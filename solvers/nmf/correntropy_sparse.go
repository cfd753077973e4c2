package nmf

import "github.com/orthant-go/orthant/blas"

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

// accumulateEntries is accumulateH of sparse data. The numerators of a block come first in
// its sums, transposed: m × r.
func (u *correntropy) accumulateEntries(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	model, weighted := s.model[:rows*m], s.tile[:rows*m]
	spare := s.tile[rows*m:][:m]
	u.modelRows(lo, hi, model)
	numerators := sum.num[:m*r]
	if sum.beta == 0 {
		clear(numerators)
	}
	for i := range rows {
		x, t := u.sample(s, lo+i), model[i*m:(i+1)*m]
		right := weighted[i*m : (i+1)*m]
		if u.held.asked {
			u.weigh(x, t, spare, s.row, right)
			*sum.loss += weightedSquares(spare, x, t)
		} else {
			u.weigh(x, t, t, s.row, right)
		}
		w := u.w[(lo+i)*r : (lo+i+1)*r]
		cols, _ := u.data.Sparse.Row(lo + i)
		for _, j := range cols {
			blas.Axpy(s.row[j], w, numerators[int(j)*r:int(j)*r+r])
		}
	}
	u.kernels.Gemm(true, false, r, m, rows, 1, u.w[lo*r:], r, weighted, m, sum.beta, sum.num[m*r:], m)
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
	model, other := s.model[:rows*m], s.tile[:rows*m]
	num, den := s.num[:rows*r], s.den[:rows*r]
	before := u.entries.before
	if before != nil {
		u.kernels.Gemm(false, false, rows, m, r, 1, u.w[lo*r:], r, before, m, 0, other, m)
	}
	u.modelRows(lo, hi, model)
	clear(num)
	for i := range rows {
		x, t, o := u.sample(s, lo+i), model[i*m:(i+1)*m], other[i*m:(i+1)*m]
		if before != nil {
			u.weigh(x, o, o, s.row, s.tile[rows*m:][:m]) // P takes the place of the WH before
			blas.Weigh(o, x, t, s.row, t)
		} else {
			u.weigh(x, t, t, s.row, o)
		}
		cols, _ := u.data.Sparse.Row(lo + i)
		for _, j := range cols {
			blas.Axpy(s.row[j], u.ht[int(j)*r:int(j)*r+r], num[i*r:(i+1)*r])
		}
	}
	weighted := model
	if before == nil {
		weighted = other
	}
	u.kernels.Gemm(false, false, rows, r, m, 1, weighted, m, u.ht, r, 0, den, r)
	if u.graph != nil {
		u.graph.add(1/u.kernelConstant(), lo, num, den)
	}
	blas.MultiplyRatios(u.w[lo*r:hi*r], denominator, vanished, num, den)
	u.residualByGram(s, lo, hi, sum)
	if u.held.asked {
		u.modelRows(lo, hi, model)
		for i := range rows {
			*sum.loss += weightedSquares(other[i*m:(i+1)*m], u.sample(s, lo+i), model[i*m:(i+1)*m])
		}
	}
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
