package nmf

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	// Gillis and Glineur 2012: sweeps cost at most half as much as the products, and end when one
	// moves the factor by less than a tenth as much as the first.
	sweepCost   = 0.5
	sweepSettle = 0.1
	// Ang and Gillis 2019, section 3.3: the momentum β, and how it grows, is limited and
	// shrinks.
	momentumStart, momentumGrows, momentumLimitGrows, momentumShrinks = 0.5, 1.01, 1.005, 1.5
)

// coordinateDescent is hierarchical alternating least squares (Cichocki and Phan
// 2009): it minimizes over one row of H after the other, then over the columns of W.
// The products with the data are the same as in the multiplicative rule and cost far
// more than a sweep, so that several sweeps share them.
type coordinateDescent struct {
	*factorization
	sweepsH, sweepsW int // at most
	graph            *coupledDescent
	extrapolate      bool
	beta, limit      float64   // the momentum and its limit
	bestW, bestH     []float64 // the factors before they were extrapolated
	error            float64   // of the iteration before
	panels           []panelScratch
	volume           *volume
	ridgedW, ridgedH []float64 // HHᵀ for W and WᵀW for H, with the penalties on their diagonals
}

// panelScratch is the scratch memory of a worker that sweeps over a block of rows of W: their
// transpose and the transpose of their products,
// and three rows that move over the simplex.
type panelScratch struct{ wt, num, t, simplex []float64 }

func newHALS(f *factorization, g *graphTerm, o Options) *coordinateDescent {
	u := &coordinateDescent{factorization: f, graph: newCoupledDescent(g), extrapolate: o.Extrapolate, beta: momentumStart, limit: 1, error: math.Inf(1)}
	u.volume = newVolume(f, o.Volume)
	if u.penaltyW.present() || u.penaltyH.present() {
		u.ridgedW, u.ridgedH = make([]float64, u.r*u.r), make([]float64, u.r*u.r)
	}
	if o.Stop == Violation && o.Tolerance > 0 {
		u.watchViolation()
	}
	if u.wFirst && o.Sweeps == 0 {
		o.Sweeps = 1
	}
	u.sweepsH, u.sweepsW = o.Sweeps, o.Sweeps
	if o.Sweeps == 0 {
		entries := float64(f.n) * float64(f.m)
		if f.data.Sparse != nil {
			entries = float64(f.data.Sparse.NNZ())
		}
		most := func(rows, others int) int {
			products := entries*float64(f.r) + float64(others)*float64(f.r*f.r)
			return int(1 + sweepCost*(1+products/(float64(rows)*float64(f.r)*float64(f.r+1))))
		}
		u.sweepsH, u.sweepsW = most(f.m, f.n), most(f.n, f.m)
	}
	size := max(f.block, f.columns)
	for range max(len(f.scratch), f.workers) {
		u.panels = append(u.panels, panelScratch{make([]float64, f.block*f.r), make([]float64, f.block*f.r), make([]float64, size), make([]float64, 3*f.r)})
	}
	return u
}

func (u *coordinateDescent) prepare(ctx context.Context) error {
	if !u.wFirst {
		u.lift()
	}
	if u.extrapolate {
		u.bestW, u.bestH = slices.Clone(u.w), slices.Clone(u.h)
	}
	if u.fixed == HFixed {
		return u.multiplyOnce(ctx)
	}
	return u.sumSamples(ctx)
}

// lift puts the factors that are learned on their floor.
func (f *factorization) lift() {
	for _, x := range f.learned() {
		for i, v := range x {
			x[i] = max(v, denominator)
		}
	}
	f.updateGram()
}

// sumSamples computes WᵀX and WᵀW.
func (u *coordinateDescent) sumSamples(ctx context.Context) error {
	if u.data.Sparse != nil {
		return u.sumSparse(ctx)
	}
	return u.pass(ctx, u.accumulate)
}

func (u *coordinateDescent) accumulate(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	w := u.w[lo*r : hi*r]
	u.kernels.Gemm(true, false, r, m, rows, 1, w, r, u.rows(s, lo, hi), m, sum.beta, sum.num, m)
	u.kernels.Gemm(true, false, r, r, rows, 1, w, r, w, r, 1, sum.gram, r)
}

func (u *coordinateDescent) step(ctx context.Context, _ int, _ bool) error {
	switch {
	case u.fixed == HFixed:
		gram := u.rowGram()
		return u.overRows(ctx, func(worker, lo, hi int) { u.sweepRows(worker, lo, hi, gram) })
	case u.fixed == WFixed:
		return u.stepComponents(ctx)
	case u.wFirst:
		if err := u.stepW(ctx, 0); err != nil {
			return err
		}
		return u.stepComponents(ctx)
	}
	if err := u.stepComponents(ctx); err != nil {
		return err
	}
	momentum := 0.0
	if u.extrapolate {
		momentum = u.adaptMomentum()
		u.extrapolateFrom(u.h, u.bestH, momentum)
		u.updateGram()
	}
	return u.stepW(ctx, momentum)
}

// stepComponents updates H.
func (u *coordinateDescent) stepComponents(ctx context.Context) error {
	gram, err := u.componentGram(ctx)
	if err != nil {
		return err
	}
	gram = u.volume.addTo(u.r, gram, u.gramH)
	if u.smooth != nil {
		err = u.sweepSmooth(ctx, gram)
		u.updateGram()
		return err
	}
	err = blas.For(ctx, u.threads, u.m, u.columns, func(worker, lo, hi int) {
		v := u.sweep(u.kept, hi-lo, u.h[lo:], u.m, u.sums.num[lo:], u.m, gram, u.penaltyH.l1, u.sweepsH, u.panels[worker].t)
		if u.violations != nil {
			u.violations.h[lo/u.columns] = v
		}
	})
	if err != nil {
		return err
	}
	u.updateGram()
	return nil
}

// stepW updates W, extrapolates it, and accumulates the sums for the step of H.
func (u *coordinateDescent) stepW(ctx context.Context, momentum float64) error {
	if u.graph != nil {
		if err := u.graph.step(ctx, u.sweepsW); err != nil {
			return err
		}
		return u.sumSamples(ctx)
	}
	gram := u.rowGram()
	rows := func(worker, lo, hi int) {
		u.sweepRows(worker, lo, hi, gram)
		if u.extrapolate {
			u.extrapolateFrom(u.w[lo*u.r:hi*u.r], u.bestW[lo*u.r:hi*u.r], momentum)
		}
	}
	if u.data.Sparse != nil {
		if err := blas.For(ctx, u.threads, u.n, u.block, rows); err != nil {
			return err
		}
		return u.sumSparse(ctx)
	}
	return u.passes(ctx, func(worker int, s *scratch, lo, hi int, sum *partialSums) {
		rows(worker, lo, hi)
		u.accumulate(s, lo, hi, sum)
	})
}

// rowGram is HHᵀ, with the ridges of a penalty and of smooth components on its diagonal.
func (u *coordinateDescent) rowGram() []float64 {
	return u.smooth.ridged(u.r, u.penaltyW.ridged(u.r, u.gramH, u.ridgedW))
}

// componentGram is WᵀW, with the ridges of a balanced graph term or of a penalty on its
// diagonal.
func (u *coordinateDescent) componentGram(ctx context.Context) ([]float64, error) {
	if u.graph == nil || !u.graph.balanced {
		return u.penaltyH.ridged(u.r, u.sums.gram, u.ridgedH), nil
	}
	if err := u.graph.apply(ctx); err != nil {
		return nil, err
	}
	gram := slices.Clone(u.sums.gram)
	for k := range u.r {
		gram[k*u.r+k] += u.graph.ridge(k)
	}
	return gram, nil
}

// adaptMomentum measures the new components with the extrapolated coordinates, whose
// products are available, and sets the momentum: none for an iteration that went
// up.
func (u *coordinateDescent) adaptMomentum() float64 {
	before := u.error
	u.error = u.gramResidual()
	if u.error > before {
		u.limit, u.beta = u.beta, u.beta/momentumShrinks
		return 0
	}
	now := u.beta
	u.beta, u.limit = min(u.limit, momentumGrows*u.beta), min(1, momentumLimitGrows*u.limit)
	return now
}

// extrapolateFrom extrapolates x, the new minimizer, from the last one: x moves on by
// momentum times the difference. It keeps the minimizer in last.
func (u *coordinateDescent) extrapolateFrom(x, last []float64, momentum float64) {
	for i, v := range x {
		x[i] = max(denominator, v+momentum*(v-last[i]))
		last[i] = v
	}
}

func (u *coordinateDescent) point(ctx context.Context) (Point, error) {
	squares := u.gramResidual()
	if u.extrapolate {
		var err error
		if squares, err = u.minimizerResidual(ctx); err != nil {
			return Point{}, err
		}
	}
	var reg float64
	if u.graph != nil {
		if err := u.graph.apply(ctx); err != nil {
			return Point{}, err
		}
		reg = u.graph.value()
	}
	penalty := 2*u.penalties() + u.volume.value(u.r, u.gramH)
	whole := squares + reg + penalty
	return Point{Objective: whole, Surrogate: whole, Residual: u.relative(squares), Regularizer: reg, Penalty: penalty}, nil
}

// minimizerResidual is ‖X − WH‖² of the factors before they were extrapolated. It costs half the
// products of an iteration.
func (u *coordinateDescent) minimizerResidual(ctx context.Context) (float64, error) {
	r := u.r
	ht := make([]float64, u.m*r)
	transpose(r, u.m, u.bestH, ht)
	inner := make([]float64, (u.n+u.block-1)/u.block)
	err := blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) {
		num := u.scratch[worker].num[:(hi-lo)*r]
		if u.data.Sparse != nil {
			times(u.data.Sparse, r, lo, hi, ht, num)
		} else {
			u.kernels.Gemm(false, false, hi-lo, r, u.m, 1, u.rows(&u.scratch[worker], lo, hi), u.m, ht, r, 0, num, r)
		}
		inner[lo/u.block] = blas.Dot(num, u.bestW[lo*r:hi*r])
	})
	total := u.totals.squares
	for _, v := range inner {
		total -= 2 * v
	}
	a, b := make([]float64, r*r), make([]float64, r*r)
	u.crossGram(u.n, u.bestW, u.bestW, a)
	u.crossGram(u.m, ht, ht, b)
	return max(0, total+blas.Dot(a, b)), err
}

func (u *coordinateDescent) plan() string {
	return "Gram forms as for multiplicative updates, with sweeps over each factor between the products"
}

func (u *coordinateDescent) normalize() { u.normalizeComponents(nil) }

// finish takes the factors without extrapolation, and zeros for entries at the floor.
func (u *coordinateDescent) finish() {
	if u.extrapolate {
		copy(u.w, u.bestW)
		copy(u.h, u.bestH)
	}
	u.dropFloor()
}

// dropFloor takes zeros for entries at the floor.
func (f *factorization) dropFloor() {
	for _, x := range f.learned() {
		for i, v := range x {
			if v <= f.least {
				x[i] = 0
			}
		}
	}
	f.updateGram()
}

// sweepRows minimizes over a block of rows of W, transposed so that its columns are
// contiguous, by HHᵀ with the penalty on its diagonal.
func (u *coordinateDescent) sweepRows(worker, lo, hi int, gram []float64) {
	if u.simplex {
		u.simplexRows(worker, lo, hi, gram)
		return
	}
	r, rows := u.r, hi-lo
	s, p := &u.scratch[worker], &u.panels[worker]
	num := s.num[:rows*r]
	u.dataProducts(s, lo, hi, num)
	w := u.w[lo*r : hi*r]
	transpose(rows, r, num, p.num)
	transpose(rows, r, w, p.wt)
	v := u.sweep(0, rows, p.wt, rows, p.num, rows, gram, u.penaltyW.l1, u.sweepsW, p.t)
	if u.violations != nil {
		u.violations.w[lo/u.block] = v
	}
	transpose(r, rows, p.wt, w)
}

// transpose writes the transpose of a rows × cols matrix.
func transpose(rows, cols int, from, to []float64) {
	for i := range rows {
		for j, v := range from[i*cols : (i+1)*cols] {
			to[j*rows+i] = v
		}
	}
}

// sweep lowers ½ tr(ZᵀGZ) − tr(NᵀZ) + l1·ΣZ over the rows of the r × width matrix Z from the first on, one after
// the other, entries ≥ 1e-16 (0 with the order WFirst), until a sweep moves Z by little, at
// most this many times. It returns the violation of the first sweep where that is requested (see [Violation]).
func (f *factorization) sweep(first, width int, z []float64, ldz int, num []float64, ldn int, gram []float64, l1 float64, most int, t []float64) (violation float64) {
	var before float64
	for sweep := range most {
		moved, violated := f.sweepOnce(first, width, z, ldz, num, ldn, gram, l1, sweep == 0 && f.violations != nil, t)
		if violation += violated; sweep == 0 {
			before = moved
		}
		if moved <= sweepSettle*sweepSettle*before {
			break
		}
	}
	return violation
}

// sweepOnce is one sweep of [factorization.sweep]. It returns the square of how far Z moved and, where asked, the violation.
func (f *factorization) sweepOnce(first, width int, z []float64, ldz int, num []float64, ldn int, gram []float64, l1 float64, violates bool, t []float64) (moved, violation float64) {
	r := f.r
	t = t[:width]
	for k := first; k < r; k++ {
		copy(t, num[k*ldn:k*ldn+width])
		f.kernels.Gemv(true, r, width, -1, z, ldz, gram[k*r:(k+1)*r], 1, t)
		inverse := 1 / max(gram[k*r+k], f.floor)
		row := z[k*ldz : k*ldz+width]
		if violates {
			violation += violationOf(t, row, l1, f.least)
		}
		if f.wFirst && gram[k*r+k] == 0 {
			continue // without curvature an entry stays
		}
		for j, v := range t {
			old := row[j]
			now := max(f.least, old+(v-l1)*inverse)
			moved += (now - old) * (now - old)
			row[j] = now
		}
	}
	return moved, violation
}

// encodeSettle ends the sweeps over a new sample: a sweep that moves it by less than this fraction
// of the first sweep's movement is the last.
const encodeSettle = 1e-12

// encodeByDescent minimizes over the coordinates one after the other, sample by sample,
// until a sweep moves the sample by little.
func encodeByDescent(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r := f.r
	num := s.num[:(hi-lo)*r]
	f.dataProducts(s, lo, hi, num)
	f.penaltyW.takeFrom(num)
	for i := lo; i < hi; i++ {
		w, x := f.w[i*r:(i+1)*r], num[(i-lo)*r:(i-lo+1)*r]
		var first float64
		for sweep := range e.options.Iterations {
			if f.stopped() {
				return
			}
			var moved float64
			for k, old := range w {
				g := e.ridged[k*r : (k+1)*r]
				now := max(denominator, old+(x[k]-blas.Dot(g, w))/max(g[k], denominator))
				moved += (now - old) * (now - old)
				w[k] = now
			}
			if sweep == 0 {
				first = moved
			}
			if moved <= encodeSettle*encodeSettle*first {
				break
			}
		}
	}
}

// coupledDescent is the step of W where a graph couples the samples: HALS then no
// longer minimizes over a column of W exactly, because every entry depends on its
// neighbours'. Since diag(Σⱼ|φᵢⱼ|) − Φ is diagonally dominant, hence positive
// semidefinite, the quadratic with that diagonal in place of Φ is an upper bound of the objective;
// its minimum,
//
//	wₖ ← max(1e-16, wₖ + (Xhₖ − W(HHᵀ)ₖ − λΦwₖ)/(‖hₖ‖² + λΣⱼ|φᵢⱼ|)),
//
// does not raise it. With a balanced term λ‖hₖ‖² replaces λ.
type coupledDescent struct {
	*graphTerm
	absolute []float64 // Σⱼ|φᵢⱼ|
	wt, num  []float64 // Wᵀ and the transpose of X·Hᵀ, r × n
	product  []float64 // Φwₖ
	t        []float64
	moved    []float64 // of each block of samples
}

// coupledSamples is the number of samples that a worker treats at a time.
const coupledSamples = 512

func newCoupledDescent(g *graphTerm) *coupledDescent {
	if g == nil {
		return nil
	}
	n, r := g.n, g.r
	u := &coupledDescent{graphTerm: g, absolute: make([]float64, n), wt: make([]float64, r*n), num: make([]float64, r*n),
		product: make([]float64, n), t: make([]float64, n), moved: make([]float64, (n+coupledSamples-1)/coupledSamples)}
	for i := range n {
		vals := g.phi.Dense
		if g.phi.Sparse != nil {
			_, vals = g.phi.Sparse.Row(i)
		} else {
			vals = vals[i*n : (i+1)*n]
		}
		for _, v := range vals {
			u.absolute[i] += math.Abs(v)
		}
	}
	return u
}

// step sweeps over the columns of W, at most this many times.
func (u *coupledDescent) step(ctx context.Context, most int) error {
	n, r := u.n, u.r
	err := blas.For(ctx, u.threads, n, u.block, func(worker, lo, hi int) {
		num := u.scratch[worker].num[:(hi-lo)*r]
		u.dataProducts(&u.scratch[worker], lo, hi, num)
		for i := lo; i < hi; i++ {
			for k := range r {
				u.num[k*n+i], u.wt[k*n+i] = num[(i-lo)*r+k], u.factorization.w[i*r+k]
			}
		}
	})
	if err != nil {
		return err
	}
	var first float64
	for sweep := range most {
		var moved float64
		for k := range r {
			d, err := u.column(ctx, k)
			if err != nil {
				return err
			}
			moved += d
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= sweepSettle*sweepSettle*first {
			break
		}
	}
	transpose(r, n, u.wt, u.factorization.w)
	return nil
}

// column steps one column of W and returns the square of how far it moved.
func (u *coupledDescent) column(ctx context.Context, k int) (float64, error) {
	n, r := u.n, u.r
	own, weight := u.wt[k*n:(k+1)*n], u.weight(k)
	if u.phi.Sparse != nil {
		u.phi.Sparse.MulVec(u.threads, own, u.product)
	} else {
		_ = blas.For(ctx, u.threads, n, graphRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				u.product[i] = blas.Dot(u.phi.Dense[i*n:(i+1)*n], own)
			}
		})
	}
	err := blas.For(ctx, u.threads, n, coupledSamples, func(_, lo, hi int) {
		t := u.t[lo:hi]
		copy(t, u.num[k*n+lo:k*n+hi])
		u.kernels.Gemv(true, r, hi-lo, -1, u.wt[lo:], n, u.gramH[k*r:(k+1)*r], 1, t)
		var moved float64
		for i := lo; i < hi; i++ {
			old := own[i]
			now := max(denominator, old+(t[i-lo]-weight*u.product[i])/max(u.gramH[k*r+k]+weight*u.absolute[i], denominator))
			moved += (now - old) * (now - old)
			own[i] = now
		}
		u.moved[lo/coupledSamples] = moved
	})
	var moved float64
	for _, v := range u.moved {
		moved += v
	}
	return moved, err
}
