package nmf

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// entryDescent is coordinate descent under weights of the entries: a row of a factor is
// minimized over one coordinate after the other, each exactly, by its own second derivative
// Σⱼ vᵢⱼ bₖⱼ². The weighted residual, v∘(x − x̂), is kept up to date, so that a sweep costs 4r
// flops for an entry.
//
// It takes dense weights with transposed copies for the step of H, and stored ones by rows
// and by columns. If all entries count except some (see [Weights].Less), the part subtracted for
// these is kept up to date instead of the residual. Dense weights of which most are 1 are handled
// in the same way: the products with the data are then the products without weights.
type entryDescent struct {
	*factorization
	stored  *storedEntries // of stored weights; nil: they are dense
	off     *offEntries    // of dense weights of which most are 1; nil: of none
	turned  denseEntries   // of the columns, of other dense weights
	wt      []float64      // Wᵀ, r × n, of these
	sweeps  int
	workers []descentScratch
}

// denseEntries are rows of V∘X and of V.
type denseEntries struct{ y, v []float64 }

// descentScratch is one worker's.
type descentScratch struct {
	panel    []float64 // r × p: the other factor at the entries of a row
	weighted []float64 // r × p: times the weights
	left     []float64 // p: the weighted residual
	second   []float64 // r: second derivatives
	base     []float64 // r: products of the row's data where all entries count
	gram     []float64 // r × r: of the other factor at the entries that count
}

// entrySweeps are the sweeps over a row before the other factor's turn: the first one
// needs preparation that costs as much as the sweep.
const entrySweeps = 2

func newEntryDescent(f *factorization, o Options) updates {
	f.weighPenalties()
	u := &entryDescent{factorization: f, sweeps: entrySweeps}
	if o.Sweeps > 0 {
		u.sweeps = o.Sweeps
	}
	widest := max(f.n, f.m)
	if k := f.data.known; k.v == nil {
		u.stored = newStoredEntries(f, entrySquares)
		widest = len(u.stored.workers[0].model)
	} else if u.off = newOffEntries(f); u.off != nil {
		widest = u.off.longest
	} else {
		u.wt = make([]float64, f.r*f.n)
		u.turned = denseEntries{make([]float64, f.n*f.m), make([]float64, f.n*f.m)}
		transpose(f.n, f.m, f.data.Dense, u.turned.y)
		transpose(f.n, f.m, k.v, u.turned.v)
	}
	for range f.workers {
		s := descentScratch{weighted: make([]float64, f.r*widest), left: make([]float64, widest), second: make([]float64, f.r), base: make([]float64, f.r), gram: make([]float64, f.r*f.r)}
		if u.wt == nil {
			s.panel = make([]float64, f.r*widest)
		}
		u.workers = append(u.workers, s)
	}
	return u
}

func (u *entryDescent) prepare(context.Context) error {
	u.lift()
	if u.stored != nil {
		u.stored.refreshH()
	}
	return nil
}

func (u *entryDescent) step(ctx context.Context, _ int, _ bool) error {
	if u.stored != nil {
		u.stored.refreshW()
		if err := u.stepStored(ctx, &u.stored.h, u.columns); err != nil {
			return err
		}
		u.stored.takeH()
		return u.stepStored(ctx, &u.stored.w, u.block)
	}
	if u.off != nil {
		return u.stepOff(ctx)
	}
	transpose(u.n, u.r, u.w, u.wt)
	if err := u.stepDense(ctx, u.ht, u.wt, u.turned, u.m, u.n, u.columns, u.penaltyH); err != nil {
		return err
	}
	transpose(u.m, u.r, u.ht, u.h)
	u.updateGram()
	return u.stepDense(ctx, u.w, u.h, denseEntries{u.data.Dense, u.data.known.v}, u.n, u.m, u.block, u.penaltyW)
}

// stepDense minimizes over the rows of one factor, given the other, r × width.
func (u *entryDescent) stepDense(ctx context.Context, own, other []float64, of denseEntries, rows, width, block int, p penalty) error {
	return blas.For(ctx, u.threads, rows, block, func(worker, lo, hi int) {
		s := &u.workers[worker]
		for i := lo; i < hi; i++ {
			d := rowDescent{a: own[i*u.r : (i+1)*u.r], panel: other, width: width, sign: 1, penalty: p}
			d.begin(of.y[i*width:(i+1)*width], of.v[i*width:(i+1)*width], s)
			d.descend(u.sweeps, s)
		}
	})
}

// stepStored minimizes over the rows of one factor by stored entries.
func (u *entryDescent) stepStored(ctx context.Context, side *entrySide, block int) error {
	r, k := u.r, u.data.known
	return blas.For(ctx, u.threads, side.rows, block, func(worker, lo, hi int) {
		s := &u.workers[worker]
		for i := lo; i < hi; i++ {
			if k.all {
				times(side.y, r, i, i+1, side.other, s.base)
				u.descendOff(side, i, s)
				continue
			}
			_, y := side.y.Row(i)
			_, q := side.q.Row(i)
			d := side.rowAt(i, s)
			d.begin(y, q, s)
			d.descend(u.sweeps, s)
		}
	})
}

// descendOff minimizes over a row where all entries count but what q stores; s.base has the
// products of its data.
func (u *entryDescent) descendOff(side *entrySide, i int, s *descentScratch) {
	_, q := side.q.Row(i)
	if u.r <= gramRank && len(q) >= gramEntries && len(q) <= side.q.Cols/2 {
		u.descendByGram(side, i, s)
		return
	}
	d := side.rowAt(i, s)
	d.gram, d.sign = side.gram, -1
	d.begin(nil, q, s)
	d.descend(u.sweeps, s)
}

const (
	// gramRank and gramEntries bound where the Gram matrix of the entries that count is formed, r²
	// flops for each of the others by a product of matrices, instead of keeping what these take off up to
	// date, 14r flops for each by vectors.
	gramRank    = 128
	gramEntries = 3
)

// descendByGram is descendOff by the Gram matrix less the terms of the entries that q stores: a sweep then costs 2r² flops,
// however many these are. At most half of the entries may be among them, as the difference is to be exact.
func (u *entryDescent) descendByGram(side *entrySide, i int, s *descentScratch) {
	r, p := u.r, side.penalty
	cols, q := side.q.Row(i)
	others := s.panel[:r*len(q)]
	for t, j := range cols {
		row := others[t*r : (t+1)*r]
		copy(row, side.other[int(j)*r:int(j)*r+r])
		if q[t] != 1 {
			blas.Scale(math.Sqrt(q[t]), row)
		}
	}
	copy(s.gram, side.gram)
	u.kernels.Syrk(true, r, len(q), -1, others, r, 1, s.gram, r)
	mirror(r, s.gram)
	a := side.own[i*r : (i+1)*r]
	var first float64
	for sweep := range u.sweeps {
		var moved float64
		for k, old := range a {
			g := s.gram[k*r : (k+1)*r]
			slope := s.base[k] - p.l1 - p.l2*old - blas.Dot(g, a)
			now := max(denominator, old+slope/max(g[k]+p.l2, denominator))
			moved += (now - old) * (now - old)
			a[k] = now
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= sweepSettle*sweepSettle*first {
			return
		}
	}
}

// rowAt is a row with the other factor at the entries that q stores.
func (s *entrySide) rowAt(i int, scratch *descentScratch) rowDescent {
	cols, _ := s.q.Row(i)
	width := len(cols)
	r := len(scratch.second)
	panel := scratch.panel[:r*width]
	for t, j := range cols {
		for c, v := range s.other[int(j)*r : int(j)*r+r] {
			panel[c*width+t] = v
		}
	}
	return rowDescent{a: s.own[i*r : (i+1)*r], panel: panel, width: width, sign: 1, penalty: s.penalty}
}

// rowDescent minimizes over one row of a factor.
type rowDescent struct {
	a       []float64 // the row
	panel   []float64 // r × width: the other factor at its entries
	width   int
	gram    []float64 // of the other factor where all entries count; else nil
	sign    float64   // of the weights, see known.sign
	penalty penalty
}

// begin computes the second derivatives and the weighted residual, y − v∘x̂; if all entries count
// (no y), the part subtracted from the weights: c∘x̂.
func (d *rowDescent) begin(y, v []float64, s *descentScratch) {
	left := s.left[:d.width]
	clear(left)
	copy(left, y)
	least := denominator
	if d.gram == nil {
		least = denominator * slices.Max(v)
	}
	for k, a := range d.a {
		b, weighted := d.rows(k, s)
		for t, w := range v {
			weighted[t] = w * b[t]
		}
		s.second[k] = d.sign*blas.Dot(b, weighted) + d.penalty.l2
		if d.gram != nil {
			s.second[k] += d.gram[k*len(d.a)+k]
		}
		// A longer second derivative than the true one only shortens the step.
		s.second[k] = max(s.second[k], least)
		blas.Axpy(-d.sign*a, weighted, left)
	}
}

// rows are a row of the other factor at the entries, plain and times the weights.
func (d *rowDescent) rows(k int, s *descentScratch) (b, weighted []float64) {
	lo, hi := k*d.width, (k+1)*d.width
	return d.panel[lo:hi], s.weighted[lo:hi]
}

// descend takes sweeps over the coordinates until one moves the row by little, at most so
// many.
func (d *rowDescent) descend(most int, s *descentScratch) {
	r := len(d.a)
	left := s.left[:d.width]
	var first float64
	for sweep := range most {
		var moved float64
		for k, old := range d.a {
			b, weighted := d.rows(k, s)
			slope := blas.Dot(b, left) - d.penalty.l1 - d.penalty.l2*old
			if d.gram != nil {
				slope += s.base[k] - blas.Dot(d.gram[k*r:(k+1)*r], d.a)
			}
			now := max(denominator, old+slope/s.second[k])
			if now == old {
				continue
			}
			d.a[k] = now
			moved += (now - old) * (now - old)
			blas.Axpy(-d.sign*(now-old), weighted, left)
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= sweepSettle*sweepSettle*first {
			return
		}
	}
}

func (u *entryDescent) point(ctx context.Context) (Point, error) {
	if u.stored != nil {
		loss, squares, err := u.stored.measure(ctx)
		return u.entryPoint(entrySquares, loss, squares), err
	}
	err := u.measurePass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		u.modelRows(lo, hi, s.model)
		*sum.squares += entrySquaresOf(u.rows(s, lo, hi), u.data.known.v[lo*u.m:hi*u.m], s.model)
	})
	return u.entryPoint(entrySquares, *u.sums.squares, *u.sums.squares), err
}

func (u *entryDescent) plan() string {
	return "weighted entries: coordinate descent row by row, by what the entries leave, for Y and for C"
}

func (u *entryDescent) normalize() {
	u.normalizeComponents(nil)
	if u.stored != nil {
		u.stored.refreshH()
	}
}

func (u *entryDescent) finish() { u.dropFloor() }

// maxOff is the share of dense weights that may differ from 1 where the entries of weight 1
// are taken together: beyond it that saves nothing.
const maxOff = 0.5

// offEntries are dense weights of which most are 1: 1 minus each other weight, by rows and by
// columns.
type offEntries struct {
	w, h    entrySide
	longest int // row of either
}

// newOffEntries returns nil for weights of which too many are not 1.
func newOffEntries(f *factorization) *offEntries {
	others, most := 0, int(maxOff*float64(f.n)*float64(f.m))
	for _, v := range f.data.known.v {
		if v != 1 {
			others++
		}
	}
	if others > most {
		return nil
	}
	q := &sparse.CSR{Rows: f.n, Cols: f.m, Ptr: make([]int, 1, f.n+1), Col: make([]int32, 0, others), Val: make([]float64, 0, others)}
	for i := range f.n {
		for j, v := range f.data.known.v[i*f.m : (i+1)*f.m] {
			if v != 1 {
				q.Col, q.Val = append(q.Col, int32(j)), append(q.Val, 1-v)
			}
		}
		q.Ptr = append(q.Ptr, len(q.Col))
	}
	u := &offEntries{w: entrySide{rows: f.n, q: q, own: f.w, other: f.ht, gram: f.gramH, penalty: f.penaltyW},
		h: entrySide{rows: f.m, q: transposeSparse(q), own: f.ht, other: f.w, gram: f.sums.gram, penalty: f.penaltyH}}
	for _, side := range []*entrySide{&u.w, &u.h} {
		for i := range side.rows {
			u.longest = max(u.longest, side.q.Ptr[i+1]-side.q.Ptr[i])
		}
	}
	return u
}

// stepOff is a step where most weights are 1: products with V∘X as without weights, and
// Gram matrices, minus the parts of the weights below 1.
func (u *entryDescent) stepOff(ctx context.Context) error {
	m, r := u.m, u.r
	err := u.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		w := u.w[lo*r : hi*r]
		u.kernels.Gemm(true, false, r, m, hi-lo, 1, w, r, u.rows(s, lo, hi), m, sum.beta, sum.num, m)
		u.kernels.Gemm(true, false, r, r, hi-lo, 1, w, r, w, r, 1, sum.gram, r)
	})
	if err != nil {
		return err
	}
	err = blas.For(ctx, u.threads, m, u.columns, func(worker, lo, hi int) {
		s := &u.workers[worker]
		for j := lo; j < hi; j++ {
			for k := range s.base {
				s.base[k] = u.sums.num[k*m+j]
			}
			u.descendOff(&u.off.h, j, s)
		}
	})
	if err != nil {
		return err
	}
	transpose(m, r, u.ht, u.h)
	u.updateGram()
	return blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) {
		s := &u.workers[worker]
		num := u.scratch[worker].num[:(hi-lo)*r]
		u.dataProducts(&u.scratch[worker], lo, hi, num)
		for i := lo; i < hi; i++ {
			copy(s.base, num[(i-lo)*r:(i-lo+1)*r])
			u.descendOff(&u.off.w, i, s)
		}
	})
}
