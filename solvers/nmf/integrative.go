package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// integrative is coordinate descent for a [Collection]: over one row of H after the other, then over one row of V_d after the
// other for each dataset d, then over the columns of W. Each of these steps is the exact minimum over the row or column for all
// others fixed, so that none raises the objective (block coordinate descent: Kim, He and Park 2014, J. Global Optim. 58:285).
//
// The samples of a group have one dataset and one pattern of blocks, hence one matrix HHᵀ: that of H + V_d over the blocks that they
// have, with λV_dV_dᵀ added. H and V of the columns of a block need WᵀW of the samples that have it, for each dataset. So a block that
// samples lack costs r × r numbers, not one weight an entry.
type integrative struct {
	*factorization
	of               *Collection
	datasets, blocks int
	groups           []sampleGroup
	segments         []segment
	portions         []portion
	stretches        []columnStretch
	squares          []float64 // ‖X_d‖²

	ownSlab         []float64
	own             [][]float64 // V_d, r × m each; nil: there are none
	free            [][]float64 // own, or nil in iterations that hold it
	whole           [][]float64 // (H + V_d)ᵀ, m × r each
	num             [][]float64 // W_dᵀX_d, r × m each
	gram            [][]float64 // by dataset and block, WᵀW of the samples that have it
	wholeGram       [][]float64 // by dataset and block, (H + V)(H + V)ᵀ over the columns of the block
	ownGram         [][]float64 // likewise VVᵀ
	blockGram       [][]float64 // of each block, for the step of H: Σ_d w_d WᵀW
	panels          []integrativePanel
	sweepsH, sweeps int // of H and V, and of W, at most
}

// sampleGroup are samples with one dataset and one pattern.
type sampleGroup struct {
	dataset, pattern int
	gram             []float64 // r × r, for the step of W
}

// segment is some of the samples of a group, ascending.
type segment struct {
	group int
	rows  []int32
}

// contiguous reports whether the samples are next to each other.
func (s segment) contiguous() bool { return int(s.rows[len(s.rows)-1]-s.rows[0]) == len(s.rows)-1 }

// portion is some segments of a dataset, the unit of parallel work, with their sums.
type portion struct {
	dataset, from, to int // segments
	first             int // the group of the first segment
	num               []float64
	grams             []float64 // WᵀW of each group from the first on
}

// columnStretch is some columns of one block, next to each other.
type columnStretch struct{ lo, hi, block int }

// integrativePanel is the scratch memory of a worker.
type integrativePanel struct {
	rows   []float64 // samples that are not next to each other, gathered
	w      []float64 // their rows of W
	wt     []float64 // the transpose of that, and of num
	num, t []float64
	turned []float64
	sums   []float64 // r × the columns of a stretch
}

func newIntegrative(d Data, o Options, totals dataSums) (*factorization, *integrative, error) {
	f := sized(d, o)
	f.totals = totals
	f.cutRows()
	f.w = withBeyond(f.n * f.r)
	f.allocateComponents(make([]float64, f.r*f.m))
	u := &integrative{factorization: f, of: o.Collection}
	u.datasets, u.blocks = u.of.Counts()
	u.cut()
	if err := u.sumSquares(); err != nil {
		return nil, nil, err
	}
	u.allocate()
	u.setSweeps(o)
	f.parts = u
	return f, u, nil
}

// cut makes the groups, their segments, the portions and the stretches. They depend on the shape and on the collection alone.
func (u *integrative) cut() {
	patterns := max(1, len(u.of.Patterns))
	sizes := make([]int, u.datasets*patterns)
	for i := range u.n {
		sizes[u.of.dataset(i)*patterns+u.of.pattern(i)]++
	}
	next, at := make([]int, len(sizes)), 0
	number := make([]int, len(sizes)) // of the group
	for q, size := range sizes {
		next[q] = at
		at += size
		if number[q] = len(u.groups); size > 0 {
			u.groups = append(u.groups, sampleGroup{dataset: q / patterns, pattern: q % patterns})
		}
	}
	starts := slices.Clone(next)
	order := make([]int32, u.n)
	for i := range u.n {
		q := u.of.dataset(i)*patterns + u.of.pattern(i)
		order[next[q]] = int32(i)
		next[q]++
	}
	for q, size := range sizes {
		for lo := 0; lo < size; lo += u.block {
			u.addSegment(segment{number[q], order[starts[q]+lo : starts[q]+min(lo+u.block, size)]})
		}
	}
	for lo := 0; lo < u.m; {
		hi := lo + 1
		for hi < u.m && hi-lo < u.columns && u.blockOf(hi) == u.blockOf(lo) {
			hi++
		}
		u.stretches = append(u.stretches, columnStretch{lo, hi, u.blockOf(lo)})
		lo = hi
	}
}

// addSegment adds a segment, to the last portion where that has its dataset and room.
func (u *integrative) addSegment(s segment) {
	d, last := u.groups[s.group].dataset, len(u.portions)-1
	u.segments = append(u.segments, s)
	if last >= 0 && u.portions[last].dataset == d {
		rows := len(s.rows)
		for _, other := range u.segments[u.portions[last].from:u.portions[last].to] {
			rows += len(other.rows)
		}
		if rows <= u.chunk {
			u.portions[last].to++
			return
		}
	}
	u.portions = append(u.portions, portion{dataset: d, from: len(u.segments) - 1, to: len(u.segments), first: s.group})
}

func (u *integrative) blockOf(column int) int {
	if u.of.Blocks == nil {
		return 0
	}
	return int(u.of.Blocks[column])
}

// sumSquares sums the squares of each dataset, and refuses entries of blocks that a sample lacks.
func (u *integrative) sumSquares() error {
	u.squares = make([]float64, u.datasets)
	sizes := make([]int, u.blocks)
	for j := range u.m {
		sizes[u.blockOf(j)]++
	}
	known := 0
	for i := range u.n {
		for b, size := range sizes {
			if u.of.Has(i, b) {
				known += size
			}
		}
		columns, values := []int32(nil), []float64(nil)
		if u.data.Sparse != nil {
			columns, values = u.data.Sparse.Row(i)
		} else {
			values = u.data.Dense[i*u.m : (i+1)*u.m]
		}
		u.squares[u.of.dataset(i)] += blas.Dot(values, values)
		if u.of.Patterns == nil {
			continue
		}
		for p, v := range values {
			j := p
			if columns != nil {
				j = int(columns[p])
			}
			if v != 0 && !u.of.Has(i, u.blockOf(j)) {
				return fmt.Errorf("nmf: row %d, column %d (counting from 1) is %v in a block that the sample lacks; give 0", i+1, j+1, v)
			}
		}
	}
	if u.of.Patterns != nil {
		u.totals.entries = float64(known) // of which the start takes the mean
	}
	return nil
}

// allocate takes the memory of a fit, which [integrativeNumbers] counts.
func (u *integrative) allocate() {
	r, m := u.r, u.m
	matrices := func(count, numbers int) [][]float64 {
		all := make([][]float64, count)
		for q := range all {
			all[q] = make([]float64, numbers)
		}
		return all
	}
	u.num, u.whole = matrices(u.datasets, r*m), [][]float64{u.ht}
	pairs := u.datasets * u.blocks
	u.gram, u.wholeGram, u.blockGram = matrices(pairs, r*r), matrices(pairs, r*r), matrices(u.blocks, r*r)
	if u.of.own() {
		u.ownSlab, u.whole = make([]float64, u.datasets*r*m), nil
		for d := range u.datasets {
			u.own = append(u.own, u.ownSlab[d*r*m:(d+1)*r*m])
			u.whole = append(u.whole, withBeyond(m*r))
		}
		u.ownGram = matrices(pairs, r*r)
	}
	for g := range u.groups {
		u.groups[g].gram = make([]float64, r*r)
	}
	for q := range u.portions {
		p := &u.portions[q]
		p.num = make([]float64, r*m)
		p.grams = make([]float64, (u.segments[p.to-1].group-p.first+1)*r*r)
	}
	gathered, wide := 0, 0
	for _, s := range u.segments {
		if !s.contiguous() && u.data.Sparse == nil {
			gathered = u.block * m
		}
	}
	for _, s := range u.stretches {
		wide = max(wide, s.hi-s.lo)
	}
	for range min(u.workers, max(len(u.portions), len(u.stretches))) {
		u.panels = append(u.panels, integrativePanel{rows: make([]float64, gathered), w: make([]float64, u.block*r), wt: make([]float64, u.block*r),
			num: make([]float64, u.block*r), turned: make([]float64, u.block*r), t: make([]float64, max(u.block, wide)), sums: make([]float64, r*wide)})
	}
}

// setSweeps bounds the sweeps for each product with the data, as those of [HALS] without a collection.
func (u *integrative) setSweeps(o Options) {
	u.sweepsH, u.sweeps = o.Sweeps, o.Sweeps
	if o.Sweeps > 0 {
		return
	}
	entries := float64(u.n) * float64(u.m)
	if u.data.Sparse != nil {
		entries = float64(u.data.Sparse.NNZ())
	}
	most := func(rows, others int, matrices float64) int {
		products := entries*float64(u.r) + float64(others)*float64(u.r*u.r)
		return int(1 + sweepCost*(1+products/(matrices*float64(rows)*float64(u.r)*float64(u.r+1))))
	}
	matrices := 1.0
	if u.own != nil {
		matrices = 1 + 2*float64(u.datasets) // the products with H and V, too
	}
	u.sweepsH, u.sweeps = most(u.m, u.n, matrices), most(u.n, u.m, 1)
}

// integrativeNumbers is how many numbers the fit of a collection takes besides n × m data, at most.
func integrativeNumbers(n, m int, sparse bool, o Options) int64 {
	f := sized(Data{Rows: max(1, n), Cols: max(1, m)}, o)
	f.cutRows()
	c := o.Collection
	datasets, blocks := c.Counts()
	patterns := max(1, len(c.Patterns))
	r, whole := int64(f.r), int64(f.r)*int64(m)
	matrices := int64(3 + datasets + (n+f.chunk-1)/f.chunk + datasets*patterns) // H, Hᵀ, the sums and those of portions
	if c.own() {
		matrices += 2 * int64(datasets)
	}
	if o.Tolerance > 0 {
		matrices += int64(1 + datasets)
	}
	numbers := matrices*whole + int64(n)*r*2 + r*r*int64(3*datasets*blocks+blocks+2*datasets*patterns+n/f.block) + int64(n)
	panel := 5*int64(f.block)*r + r*int64(f.columns)
	if !sparse {
		panel += int64(f.block) * int64(m)
	}
	return numbers + int64(blas.Threads(o.Threads))*panel
}

func (u *integrative) prepare(ctx context.Context) error {
	u.lift()
	if err := u.updateComponents(ctx); err != nil {
		return err
	}
	return u.overSamples(ctx, false)
}

// updateComponents brings Hᵀ, (H + V)ᵀ and their Gram matrices up to date.
func (u *integrative) updateComponents(ctx context.Context) error {
	if err := blas.For(ctx, u.threads, len(u.stretches), 1, func(_, q, _ int) { u.turnStretch(u.stretches[q]) }); err != nil {
		return err
	}
	return u.updateGrams(ctx)
}

// turnStretch brings some rows of Hᵀ and (H + V)ᵀ up to date.
func (u *integrative) turnStretch(s columnStretch) {
	u.turn(s.lo, s.hi)
	for d, own := range u.own {
		to := u.whole[d]
		for k := range u.r {
			h, v := u.h[k*u.m:(k+1)*u.m], own[k*u.m:(k+1)*u.m]
			for j := s.lo; j < s.hi; j++ {
				to[j*u.r+k] = h[j] + v[j]
			}
		}
	}
}

// updateGrams sums the Gram matrices of the components by dataset and block, and of the groups.
func (u *integrative) updateGrams(ctx context.Context) error {
	r := u.r
	err := blas.For(ctx, u.threads, u.datasets*u.blocks, 1, func(_, q, _ int) {
		d, b := q/u.blocks, q%u.blocks
		clear(u.wholeGram[q])
		if u.own != nil {
			clear(u.ownGram[q])
		}
		for _, s := range u.stretches {
			if s.block != b {
				continue
			}
			part := u.whole[d][s.lo*r : s.hi*r]
			u.kernels.Gemm(true, false, r, r, s.hi-s.lo, 1, part, r, part, r, 1, u.wholeGram[q], r)
			if u.own != nil {
				v := u.own[d][s.lo:]
				u.kernels.Gemm(false, true, r, r, s.hi-s.lo, 1, v, u.m, v, u.m, 1, u.ownGram[q], r)
			}
		}
	})
	if err != nil {
		return err
	}
	for g := range u.groups {
		of := &u.groups[g]
		clear(of.gram)
		for b := range u.blocks {
			if !u.of.has(of.pattern, b) {
				continue
			}
			blas.Axpy(1, u.wholeGram[of.dataset*u.blocks+b], of.gram)
			if u.own != nil {
				blas.Axpy(u.of.OwnPenalty, u.ownGram[of.dataset*u.blocks+b], of.gram)
			}
		}
		// The objective has w_d of the loss, and the penalty on W has not.
		for k := range r {
			of.gram[k*r+k] += u.penaltyW.l2 / u.of.weight(of.dataset)
		}
	}
	return nil
}

func (u *integrative) step(ctx context.Context, iteration int, _ bool) error {
	u.free = u.own
	if iteration <= u.of.Hold {
		u.free = nil
	}
	for b, sum := range u.blockGram {
		clear(sum)
		for d := range u.datasets {
			blas.Axpy(u.of.weight(d), u.gram[d*u.blocks+b], sum)
		}
		for k := range u.r {
			sum[k*u.r+k] += u.penaltyH.l2
		}
	}
	err := blas.For(ctx, u.threads, len(u.stretches), 1, func(worker, q, _ int) {
		u.sweepStretch(&u.panels[worker], u.stretches[q])
		u.turnStretch(u.stretches[q])
	})
	if err != nil {
		return err
	}
	if err := u.updateGrams(ctx); err != nil {
		return err
	}
	return u.overSamples(ctx, true)
}

// sweepStretch sweeps over H and V in some columns of a block, until a sweep moves them by little.
func (u *integrative) sweepStretch(p *integrativePanel, s columnStretch) {
	r, m, width := u.r, u.m, s.hi-s.lo
	sums := p.sums[:r*width]
	var first float64
	for sweep := range u.sweepsH {
		clear(sums)
		for d, num := range u.num {
			for k := range r {
				blas.Axpy(u.of.weight(d), num[k*m+s.lo:k*m+s.hi], sums[k*width:(k+1)*width])
			}
			if u.own != nil {
				u.kernels.Gemm(false, false, r, width, r, -u.of.weight(d), u.gram[d*u.blocks+s.block], r, u.own[d][s.lo:], m, 1, sums, width)
			}
		}
		moved, _ := u.sweepOnce(0, width, u.h[s.lo:], m, sums, width, u.blockGram[s.block], u.penaltyH.l1, false, p.t)
		for d, own := range u.free {
			for k := range r {
				copy(sums[k*width:(k+1)*width], u.num[d][k*m+s.lo:k*m+s.hi])
			}
			gram := u.gram[d*u.blocks+s.block]
			u.kernels.Gemm(false, false, r, width, r, -1, gram, r, u.h[s.lo:], m, 1, sums, width)
			blas.Scale(1/(1+u.of.OwnPenalty), sums) // in place of (1 + λ)WᵀW
			more, _ := u.sweepOnce(0, width, own[s.lo:], m, sums, width, gram, 0, false, p.t)
			moved += more
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= sweepSettle*sweepSettle*first {
			return
		}
	}
}

// overSamples sums WᵀX and WᵀW, where asked after a step of W.
func (u *integrative) overSamples(ctx context.Context, step bool) error {
	err := blas.For(ctx, u.threads, len(u.portions), 1, func(worker, q, _ int) {
		p := &u.portions[q]
		clear(p.grams)
		if u.data.Sparse != nil {
			clear(p.num)
		}
		for at := p.from; at < p.to && ctx.Err() == nil; at++ {
			u.overSegment(&u.panels[worker], p, u.segments[at], step, at > p.from)
		}
	})
	if err != nil {
		return err
	}
	r := u.r
	for _, g := range u.gram {
		clear(g)
	}
	for q := range u.portions {
		p := &u.portions[q]
		for g := p.first; (g-p.first+1)*r*r <= len(p.grams); g++ {
			for b := range u.blocks {
				if u.of.has(u.groups[g].pattern, b) {
					blas.Axpy(1, p.grams[(g-p.first)*r*r:(g-p.first+1)*r*r], u.gram[p.dataset*u.blocks+b])
				}
			}
		}
	}
	return blas.For(ctx, u.threads, u.m, u.columns, func(_, lo, hi int) { u.gatherSums(lo, hi) })
}

// overSegment steps the rows of W of a segment, where asked, and adds its products to the sums of a portion.
func (u *integrative) overSegment(p *integrativePanel, sum *portion, s segment, step, more bool) {
	r, m, rows := u.r, u.m, len(s.rows)
	x := u.gather(p, s)
	w := p.w[:rows*r]
	for q, i := range s.rows {
		copy(w[q*r:(q+1)*r], u.w[int(i)*r:int(i)*r+r])
	}
	if step {
		num, whole := p.num[:rows*r], u.whole[sum.dataset]
		switch {
		case u.data.Sparse == nil:
			u.kernels.Gemm(false, false, rows, r, m, 1, x, m, whole, r, 0, num, r)
		case s.contiguous():
			times(u.data.Sparse, r, int(s.rows[0]), int(s.rows[0])+rows, whole, num)
		default:
			for q, i := range s.rows {
				times(u.data.Sparse, r, int(i), int(i)+1, whole, num[q*r:(q+1)*r])
			}
		}
		transpose(rows, r, num, p.turned)
		transpose(rows, r, w, p.wt)
		u.sweep(0, rows, p.wt, rows, p.turned, rows, u.groups[s.group].gram, u.penaltyW.l1/u.of.weight(sum.dataset), u.sweeps, p.t)
		transpose(r, rows, p.wt, w)
		for q, i := range s.rows {
			copy(u.w[int(i)*r:int(i)*r+r], w[q*r:(q+1)*r])
		}
	}
	at := (s.group - sum.first) * r * r
	u.kernels.Gemm(true, false, r, r, rows, 1, w, r, w, r, 1, sum.grams[at:at+r*r], r)
	if u.data.Sparse == nil {
		beta := 0.0
		if more {
			beta = 1
		}
		u.kernels.Gemm(true, false, r, m, rows, 1, w, r, x, m, beta, sum.num, m)
		return
	}
	for q, i := range s.rows { // the transpose of the sum
		cols, vals := u.data.Sparse.Row(int(i))
		for e, j := range cols {
			blas.Axpy(vals[e], w[q*r:(q+1)*r], sum.num[int(j)*r:int(j)*r+r])
		}
	}
}

// gather returns the dense samples of a segment, next to each other.
func (u *integrative) gather(p *integrativePanel, s segment) []float64 {
	m := u.m
	if u.data.Sparse != nil {
		return nil
	}
	if s.contiguous() {
		return u.data.Dense[int(s.rows[0])*m : (int(s.rows[0])+len(s.rows))*m]
	}
	for q, i := range s.rows {
		copy(p.rows[q*m:(q+1)*m], u.data.Dense[int(i)*m:int(i)*m+m])
	}
	return p.rows[:len(s.rows)*m]
}

// gatherSums adds up the products of the portions in some columns, in their order.
func (u *integrative) gatherSums(lo, hi int) {
	r, m := u.r, u.m
	for d, num := range u.num {
		for k := range r {
			clear(num[k*m+lo : k*m+hi])
		}
		for q := range u.portions {
			p := &u.portions[q]
			switch {
			case p.dataset != d:
			case u.data.Sparse == nil:
				for k := range r {
					blas.Axpy(1, p.num[k*m+lo:k*m+hi], num[k*m+lo:k*m+hi])
				}
			default:
				for j := lo; j < hi; j++ {
					for k, v := range p.num[j*r : (j+1)*r] {
						num[k*m+j] += v
					}
				}
			}
		}
	}
}

func (u *integrative) point(context.Context) (Point, error) {
	r, m := u.r, u.m
	var loss, own, size float64
	for d := range u.datasets {
		inner := u.squares[d]
		for k := range r {
			inner -= 2 * blas.Dot(u.num[d][k*m:(k+1)*m], u.h[k*m:(k+1)*m])
		}
		if u.own != nil {
			inner -= 2 * blas.Dot(u.num[d], u.own[d])
		}
		var term float64
		for b := range u.blocks {
			q := d*u.blocks + b
			inner += blas.Dot(u.gram[q], u.wholeGram[q])
			if u.own != nil {
				term += blas.Dot(u.gram[q], u.ownGram[q])
			}
		}
		loss += float64(u.of.weight(d) * max(0, inner))
		own += float64(u.of.weight(d) * u.of.OwnPenalty * term)
		size += float64(u.of.weight(d) * u.squares[d])
	}
	penalty := 2 * u.penalties()
	p := Point{Objective: loss + own + penalty, Regularizer: own, Penalty: penalty}
	p.Surrogate = p.Objective
	if size > 0 {
		p.Residual = math.Sqrt(loss / size)
	}
	return p, nil
}

func (u *integrative) plan() string {
	if u.own == nil {
		return fmt.Sprintf("Gram forms by block, for %d groups of samples that have the same blocks, with sweeps over each factor between the products", len(u.groups))
	}
	return fmt.Sprintf("Gram forms by dataset, with sweeps over H, the own parts of %d datasets, and W between the products", u.datasets)
}

// normalize scales the components to unit length, and W and V against them. A component that no dataset shares has the length
// of its own parts.
func (u *integrative) normalize() {
	m, r := u.m, u.r
	for k := range r {
		row := u.h[k*m : (k+1)*m]
		size := blas.Dot(row, row)
		if size == 0 {
			for _, own := range u.own {
				size += blas.Dot(own[k*m:(k+1)*m], own[k*m:(k+1)*m])
			}
		}
		if !(size > 0) {
			continue
		}
		size = math.Sqrt(size)
		blas.Scale(1/size, row)
		for _, own := range u.own {
			blas.Scale(1/size, own[k*m:(k+1)*m])
		}
		for i := range u.n {
			u.w[i*r+k] *= size
		}
	}
	u.updateGram()
}

// finish takes zeros for entries at the floor.
func (u *integrative) finish() {
	for i, v := range u.ownSlab {
		if v <= u.least {
			u.ownSlab[i] = 0
		}
	}
	u.dropFloor()
}

// rememberWhole keeps (H + V)ᵀ in a snapshot.
func (u *integrative) rememberWhole(s *snapshot) {
	for d, a := range u.whole {
		if len(s.whole) <= d {
			s.whole = append(s.whole, make([]float64, len(a)))
		}
		copy(s.whole[d], a)
	}
}

// relativeChange is ‖Δ(W(H + V))‖/‖W(H + V)‖ since the snapshot, over all entries.
func (u *integrative) relativeChange(s *snapshot) float64 {
	r := u.r
	a, b := make([]float64, r*r), make([]float64, r*r)
	inner := func(w1 []float64, whole1 [][]float64, w2 []float64, whole2 [][]float64) (sum float64) {
		for d := range u.datasets {
			clear(a)
			for _, g := range u.segments {
				if u.groups[g.group].dataset != d {
					continue
				}
				if g.contiguous() {
					lo := int(g.rows[0]) * r
					u.kernels.Gemm(true, false, r, r, len(g.rows), 1, w1[lo:], r, w2[lo:], r, 1, a, r)
					continue
				}
				for _, i := range g.rows {
					for k, v := range w1[int(i)*r : int(i)*r+r] {
						blas.Axpy(v, w2[int(i)*r:int(i)*r+r], a[k*r:(k+1)*r])
					}
				}
			}
			u.crossGram(u.m, whole1[d], whole2[d], b)
			sum += blas.Dot(a, b)
		}
		return sum
	}
	return changeOf(inner(u.w, u.whole, u.w, u.whole), inner(u.w, u.whole, s.w, s.whole), inner(s.w, s.whole, s.w, s.whole))
}
