package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

const (
	// batchSteps is the number of multiplicative steps for the coordinates of a batch at
	// most; they end when one moves those of a block by less than this fraction. Where W has
	// many zeros, 10 lead to twice the divergence, and 200 to no less.
	batchSteps = 50
	batchMoves = 1e-4
)

// onlineDivergence learns by the Kullback–Leibler divergence.
type onlineDivergence struct {
	*Online
	updates *divergence
}

func newOnlineDivergence(l *Online) learner {
	return &onlineDivergence{l, &divergence{factorization: l.factorization, traced: true}}
}

func (u *onlineDivergence) sizes() (a, b int) { return u.r * u.m, u.r }

func (u *onlineDivergence) sum(ctx context.Context) (loss, squares float64, err error) {
	f := u.factorization
	u.updates.rowSumsH = f.rowSums()
	whole := total(u.updates.rowSumsH)
	codes := func(s *scratch, lo, hi int) { u.solve(s, lo, hi, whole) }
	if f.data.Sparse != nil {
		if err = f.batchRows(ctx, codes); err == nil {
			err = u.updates.sumSparse(ctx)
		}
	} else {
		err = f.batchPass(ctx, codes, u.updates.accumulate)
	}
	return *f.sums.loss - f.totals.sum + blas.Dot(f.sums.columnSums, u.updates.rowSumsH), *f.sums.squares, err
}

// solve finds the coordinates of a block, from the start of which the sums are those of the
// samples.
func (u *onlineDivergence) solve(s *scratch, lo, hi int, whole float64) {
	f := u.factorization
	r := f.r
	for i := lo; i < hi; i++ {
		f.startRow(i, f.data.rowSum(i)/max(whole, denominator))
	}
	w, before := f.w[lo*r:hi*r], s.den[:(hi-lo)*r]
	for range batchSteps {
		copy(before, w)
		u.updates.stepRows(s, lo, hi)
		if blas.SquaredDistance(w, before) <= batchMoves*batchMoves*blas.Dot(w, w) {
			return
		}
	}
}

func (u *onlineDivergence) learn(_ context.Context, keep float64, to *State) error {
	f := u.factorization
	fade(keep, to.B, f.sums.columnSums)
	_ = blas.For(context.Background(), f.threads, f.r, 1, func(_, k, _ int) {
		row, a := f.h[k*f.m:(k+1)*f.m], to.A[k*f.m:(k+1)*f.m]
		scale := 1 / max(to.B[k], denominator)
		for j, v := range f.sums.num[k*f.m : (k+1)*f.m] {
			a[j] = keep*a[j] + row[j]*v
			row[j] = flushTiny(a[j] * scale)
		}
	})
	f.updateGram()
	return nil
}
