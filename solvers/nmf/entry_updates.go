package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// entryUpdates are the multiplicative updates under dense weights of the entries. A pass over
// the data updates a block of rows of W and sums what the next step of H needs: WH is formed
// twice, 12nmr flops an iteration.
type entryUpdates struct {
	*factorization
	rule   *entryLoss
	traced bool // the sums are of the loss as well
}

// newEntryUpdates are the updates for weights of either form.
func newEntryUpdates(f *factorization, rule *entryLoss) updates {
	f.weighPenalties()
	if f.data.known.v == nil {
		return &storedUpdates{newStoredEntries(f, rule)}
	}
	return &entryUpdates{factorization: f, rule: rule}
}

// weighPenalties divides the penalties by the unit of the weights, as the loss is.
func (f *factorization) weighPenalties() {
	for _, p := range []*penalty{&f.penaltyW, &f.penaltyH} {
		p.l1, p.l2 = p.l1/f.data.known.unit, p.l2/f.data.known.unit
	}
}

func (u *entryUpdates) prepare(ctx context.Context) error {
	u.traced = true
	return u.pass(ctx, u.accumulate)
}

func (u *entryUpdates) step(ctx context.Context, _ int, traced bool) error {
	u.traced = traced
	_ = blas.For(context.Background(), u.threads, u.r, 1, func(_, k, _ int) {
		sums := u.sums.num[2*k*u.m : 2*(k+1)*u.m]
		u.rule.step(u.h[k*u.m:(k+1)*u.m], sums[:u.m], sums[u.m:], u.penaltyH)
	})
	u.updateGram()
	return u.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		u.stepRows(s, lo, hi)
		u.accumulate(s, lo, hi, sum)
	})
}

// entries are rows of V∘X and of V.
func (u *entryUpdates) entries(i int) (y, v []float64) {
	return u.data.Dense[i*u.m : (i+1)*u.m], u.data.known.v[i*u.m : (i+1)*u.m]
}

// weigh forms the rows of WH and what they add to numerators and denominators.
func (u *entryUpdates) weigh(s *scratch, lo, hi int) {
	m := u.m
	u.modelRows(lo, hi, s.model)
	for i := range hi - lo {
		y, v := u.entries(lo + i)
		model := s.model[i*m : (i+1)*m]
		left, right := u.sides(s, i)
		u.rule.numerators(y, v, model, left)
		u.rule.denominators(y, v, model, right)
	}
}

// stepRows updates a block of rows of W. The weight of a sample cancels.
func (u *entryUpdates) stepRows(s *scratch, lo, hi int) {
	r, rows := u.r, hi-lo
	u.weigh(s, lo, hi)
	num, den := s.num[:rows*r], s.den[:rows*r]
	u.weightedProducts(s, rows, num, den)
	u.rule.step(u.w[lo*r:hi*r], num, den, u.penaltyW)
}

// accumulate adds what a block gives to the sums of H, and measures it.
func (u *entryUpdates) accumulate(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	u.weigh(s, lo, hi)
	w := u.w[lo*r : hi*r]
	if u.rule.sample != nil {
		copy(s.weighted, w)
		w = s.weighted[:rows*r]
	}
	for i := range rows {
		if !u.traced && u.rule.sample == nil {
			break
		}
		y, v := u.entries(lo + i)
		loss, squares, weight := u.rule.measured(y, v, s.model[i*m:(i+1)*m])
		*sum.loss += loss
		*sum.squares += squares
		if u.rule.sample != nil {
			blas.Scale(weight, w[i*r:(i+1)*r])
		}
	}
	u.kernels.Gemm(true, false, r, 2*m, rows, 1, w, r, s.tile, 2*m, sum.beta, sum.num, 2*m)
}

func (u *entryUpdates) point(ctx context.Context) (Point, error) {
	if !u.traced { // not announced: sum once more
		if err := u.prepare(ctx); err != nil {
			return Point{}, err
		}
	}
	return u.entryPoint(u.rule, *u.sums.loss, *u.sums.squares), nil
}

func (u *entryUpdates) plan() string {
	return "weighted entries: YC tile by tile, twice, in one pass over the data and their weights an iteration"
}

func (u *entryUpdates) normalize() { u.normalizeComponents(nil) }
