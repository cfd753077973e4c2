package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// storedEntries are data and weights in compressed rows, by rows for the step of W and by
// columns for the step of H. Nothing is formed except where one of them stores something.
type storedEntries struct {
	*factorization
	rule    *entryLoss
	w, h    entrySide
	workers []storedScratch
	sumsW   []float64 // of the columns of W
	sumsH   []float64 // of the rows of H
	weighed []float64 // W, each row times the root of its sample's weight; nil: none has one
}

// entrySide is the input of a step of one factor: a row of y and q for each row of the factor,
// and the other factor with a row for each of their columns.
type entrySide struct {
	rows       int
	y, q       *sparse.CSR
	own, other []float64 // panels with r numbers a row
	gram, sums []float64 // of the other factor: where all entries count
	penalty    penalty
	samples    []float64 // weights of the columns, which are samples; nil: all are 1
}

// storedScratch is one worker's.
type storedScratch struct {
	model, terms []float64 // of the entries of a row
	num, den     []float64 // r
	row          []float64 // m: a row of WH, where samples have weights
}

func newStoredEntries(f *factorization, rule *entryLoss) *storedEntries {
	k := f.data.known
	if k.qt == nil {
		k.qt = transposeSparse(k.q)
	}
	u := &storedEntries{factorization: f, rule: rule, sumsW: make([]float64, f.r), sumsH: make([]float64, f.r)}
	u.w = entrySide{f.n, f.data.Sparse, k.q, f.w, f.ht, f.gramH, u.sumsH, f.penaltyW, nil}
	u.h = entrySide{f.m, f.data.transpose, k.qt, f.ht, f.w, f.sums.gram, u.sumsW, f.penaltyH, nil}
	if rule.sample != nil {
		u.h.samples, u.weighed = make([]float64, f.n), make([]float64, f.n*f.r)
	}
	longest := 0
	for _, a := range []*sparse.CSR{u.w.y, u.w.q, u.h.y, u.h.q} {
		for i := range a.Rows {
			longest = max(longest, a.Ptr[i+1]-a.Ptr[i])
		}
	}
	for range f.workers {
		u.workers = append(u.workers, storedScratch{make([]float64, longest), make([]float64, longest), make([]float64, f.r), make([]float64, f.r), nil})
		if rule.sample != nil {
			u.workers[len(u.workers)-1].row = make([]float64, f.m)
		}
	}
	return u
}

// columnTotals adds up the rows of a panel.
func (f *factorization) columnTotals(panel, to []float64) {
	clear(to)
	for i := 0; i < len(panel); i += f.r {
		blas.Axpy(1, panel[i:i+f.r], to)
	}
}

// refreshW brings WᵀW and the column sums of W up to date, where all entries count.
func (u *storedEntries) refreshW() {
	if u.data.known.all {
		u.gramOfW(u.factorization.w)
	}
}

func (u *storedEntries) gramOfW(w []float64) {
	u.kernels.SyrkParallel(u.threads, true, u.r, u.n, 1, w, u.r, 0, u.sums.gram, u.r)
	mirror(u.r, u.sums.gram)
	u.columnTotals(u.factorization.w, u.sumsW)
}

// takeH makes the panel Hᵀ the components, and brings HHᵀ and the sums of H up to date.
func (u *storedEntries) takeH() {
	f := u.factorization
	_ = blas.For(context.Background(), f.threads, f.r, 1, func(_, k, _ int) {
		row := f.h[k*f.m : (k+1)*f.m]
		for j := range row {
			row[j] = f.ht[j*f.r+k]
		}
	})
	u.refreshH()
}

func (u *storedEntries) refreshH() {
	u.updateGram()
	if u.data.known.all {
		u.columnTotals(u.ht, u.sumsH)
	}
}

// models are the entries of WH at some columns of a row.
func (s *entrySide) models(cols []int32, a []float64, to []float64) {
	r := len(a)
	for p, j := range cols {
		to[p] = blas.Dot(a, s.other[int(j)*r:int(j)*r+r])
	}
}

// gather adds the rows of the other factor, each times what its entry adds.
func (s *entrySide) gather(cols []int32, terms []float64, sign float64, to []float64) {
	r := len(to)
	for p, j := range cols {
		t := terms[p]
		if s.samples != nil {
			t *= s.samples[j]
		}
		if t != 0 {
			blas.Axpy(sign*t, s.other[int(j)*r:int(j)*r+r], to)
		}
	}
}

// products computes the numerators and the denominators of a row.
func (u *storedEntries) products(s *entrySide, i int, t *storedScratch) (num, den []float64) {
	r, l, all := u.r, u.rule, u.data.known.all
	a := s.own[i*r : (i+1)*r]
	ycols, y := s.y.Row(i)
	cols, q := s.q.Row(i)
	num, den = t.num, t.den
	clear(num)
	if l.numeratorsOfModel || !all && l.denominatorsOfModel {
		s.models(ycols, a, t.model)
	}
	l.numerators(y, nil, t.model, t.terms[:len(y)])
	s.gather(ycols, t.terms, 1, num)
	switch {
	case !all:
		clear(den)
	case l.denominatorsOfModel:
		u.kernels.Gemv(false, r, r, 1, s.gram, r, a, 0, den)
		s.models(cols, a, t.model)
	default:
		copy(den, s.sums)
	}
	l.denominators(nil, q, t.model, t.terms[:len(q)])
	s.gather(cols, t.terms, u.data.known.sign(), den)
	if all { // a difference, which rounding may bring below zero
		for k, v := range den {
			den[k] = max(v, 0)
		}
	}
	return num, den
}

// measure sums the loss and the squared residual of the present factors.
func (u *storedEntries) measure(ctx context.Context) (loss, squares float64, err error) {
	f, s := u.factorization, &u.w
	u.refreshW()
	sums := make([][2]float64, (f.n+f.block-1)/f.block)
	err = blas.For(ctx, f.threads, f.n, f.block, func(worker, lo, hi int) {
		var part [2]float64
		for i := lo; i < hi; i++ {
			l, e, _ := u.measureSample(s, i, &u.workers[worker])
			part[0] += l
			part[1] += e
		}
		sums[lo/f.block] = part
	})
	for _, part := range sums {
		loss += part[0]
		squares += part[1]
	}
	if k := f.data.known; k.all && u.rule.sample == nil {
		whole := blas.Dot(f.sums.gram, f.gramH)
		squares = max(0, squares+k.sums.squares+whole)
		if u.rule.numeratorsOfModel {
			loss += k.scale + blas.Dot(u.sumsW, u.sumsH)
		} else {
			loss = squares
		}
	}
	return loss, squares, err
}

// measureSample is measureRow, and of a loss in which samples have weights the whole of their
// part, and the weight.
func (u *storedEntries) measureSample(s *entrySide, i int, t *storedScratch) (loss, squares, weight float64) {
	loss, squares = u.measureRow(s, i, t)
	if u.rule.sample == nil {
		return loss, squares, 1
	}
	if u.data.known.all {
		squares = u.wholeSquares(s, i, squares, t)
	} // else measureRow has them all
	loss, weight = u.rule.sample(math.Sqrt(squares))
	return loss, squares, weight
}

// minShare is the share of a sample's squares below which the squares of its residual, which are a
// difference, are summed entry by entry.
const minShare = 1e-4

// wholeSquares completes the squares of the residual of a sample of which all entries count but
// some: −2yᵀx̂ − Σ c x̂² is given.
func (u *storedEntries) wholeSquares(s *entrySide, i int, part float64, t *storedScratch) float64 {
	r, k := u.r, u.data.known
	a := s.own[i*r : (i+1)*r]
	u.kernels.Gemv(false, r, r, 1, s.gram, r, a, 0, t.den)
	if squares := k.squares[i] + part + blas.Dot(a, t.den); squares > minShare*k.squares[i] {
		return squares
	}
	u.kernels.Gemm(false, false, 1, u.m, r, 1, a, r, u.factorization.h, u.m, 0, t.row, u.m)
	y, c := rowReader(s.y, i), rowReader(s.q, i)
	var squares float64
	for j, model := range t.row {
		if v := 1 - c(j); v > 0 {
			e := y(j) - v*model
			squares += e / v * e
		}
	}
	return squares
}

// weighSamples finds the weights of the samples, and the sums of W over all entries with these
// weights.
func (u *storedEntries) weighSamples(ctx context.Context) error {
	if u.rule.sample == nil {
		return nil
	}
	f, r := u.factorization, u.r
	err := blas.For(ctx, f.threads, f.n, f.block, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			_, _, weight := u.measureSample(&u.w, i, &u.workers[worker])
			u.h.samples[i] = weight
			to := u.weighed[i*r : (i+1)*r]
			copy(to, f.w[i*r:(i+1)*r])
			blas.Scale(math.Sqrt(weight), to)
		}
	})
	if f.data.known.all {
		u.gramOfW(u.weighed)
	}
	return err
}

// measureRow is a row's part of the loss and of the squares; where all entries count, of what
// is not in the sums of the factors.
func (u *storedEntries) measureRow(s *entrySide, i int, t *storedScratch) (loss, squares float64) {
	a := s.own[i*u.r : (i+1)*u.r]
	ycols, y := s.y.Row(i)
	cols, q := s.q.Row(i)
	s.models(ycols, a, t.model)
	if !u.data.known.all {
		loss, squares, _ = u.rule.measured(y, q, t.model[:len(y)])
		return loss, squares
	}
	if u.rule.numeratorsOfModel {
		for p := range y {
			t.terms[p] = 1
		}
		loss = u.rule.measure(y, t.terms[:len(y)], t.model) - total(t.model[:len(y)])
	}
	squares = -2 * blas.Dot(y, t.model[:len(y)])
	s.models(cols, a, t.model)
	for p, c := range q {
		loss -= c * t.model[p]
		squares -= c * t.model[p] * t.model[p]
	}
	return loss, squares
}

// storedUpdates are the multiplicative updates of stored entries.
type storedUpdates struct{ *storedEntries }

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
func (u *storedUpdates) prepare(context.Context) error {
	u.refreshH()
	return nil
}

func (u *storedUpdates) step(ctx context.Context, _ int, _ bool) error {
	u.refreshW()
	if err := u.weighSamples(ctx); err != nil {
		return err
	}
	if err := u.stepSide(ctx, &u.h, u.columns); err != nil {
		return err
	}
	u.takeH()
	return u.stepSide(ctx, &u.w, u.block)
}

// stepSide updates the rows of one factor, which do not depend on each other.
func (u *storedUpdates) stepSide(ctx context.Context, s *entrySide, block int) error {
	return blas.For(ctx, u.threads, s.rows, block, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			num, den := u.products(s, i, &u.workers[worker])
			u.rule.step(s.own[i*u.r:(i+1)*u.r], num, den, s.penalty)
		}
	})
}

func (u *storedUpdates) point(ctx context.Context) (Point, error) {
	loss, squares, err := u.measure(ctx)
	return u.entryPoint(u.rule, loss, squares), err
}

func (u *storedUpdates) plan() string {
	return "weighted entries: YC at the stored entries alone, by rows for Y and by columns for C"
}

func (u *storedUpdates) normalize() {
	u.normalizeComponents(nil)
	u.refreshH()
}
