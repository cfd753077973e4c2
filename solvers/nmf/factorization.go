package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// tileNumbers bounds the data of a block of rows: half a MiB (a quarter where
	// weighted copies are kept too), so that all stays in the second-level cache.
	tileNumbers = 1 << 16
	// blockUnit divides the rows of a block: the heights of the tallest tiles of the
	// products, 14 and 6 rows, leave little over.
	blockUnit = 14
	// maxChunks is the number of chunks of rows, the unit of parallel work.
	maxChunks = 16
	// tallBlock is the most rows of a block where the data go through two products and nothing of m
	// numbers a row is formed: the second product then sums over many rows for each number of its
	// sums that is read and written. A chunk has that many numbers of the data or more there, and from
	// 56 rows to 168 or more.
	tallBlock    = 18 * blockUnit
	chunkNumbers = 1 << 18
)

// stretchNumbers bounds the numbers of WH that are formed at a time: a stretch of the columns of a
// block of rows, which stays in the second-level cache between its products.
const stretchNumbers = 1 << 14

// factorization is a running factorization: the factors and the data that the passes share.
type factorization struct {
	data          Data
	n, m, r       int
	totals        dataSums
	loss          *Loss
	kernels       *blas.Kernels
	threads       int
	workers       int // threads there can be at most
	seed          uint64
	codesFirst    bool      // the order of the half steps
	wFirst        bool      // likewise: the order WFirst
	floor         float64   // of the denominators of the squared error and of KL
	least         float64   // of the entries of HALS
	minW          float64   // where entries of W become zero, of Beta
	minH          float64   // where entries of H become zero
	shape         float64   // β of Beta
	dispersion    []float64 // φ of each column, of NegativeBinomial; nil: not given
	threshold     float64   // δ of Huber; 0: not given
	fixed         string    // a factor that stays
	simplex       bool      // rows of W sum to one
	kept          int       // the first components, which stay where others are learned
	products      []float64 // X·Hᵀ where H stays, of the squared error
	penaltyW      penalty
	violations    *violations  // nil: not requested
	parts         *integrative // of a [Collection]; nil: there is none
	penaltyH      penalty
	smooth        *smoothness   // nil: none
	w             []float64     // W, n × r
	h             []float64     // H, r × m
	ht            []float64     // Hᵀ, m × r, kept in addition to H for the products X·Hᵀ
	gramH         []float64     // H·Hᵀ
	block, chunk  int           // rows; chunk is a multiple of block
	stop          func() bool   // which ends the encoding of a sample; nil: nothing does
	sums          partialSums   // over all samples, by the last pass, for the step of H
	partials      []partialSums // of each chunk
	scratch       []scratch     // of each worker
	columns       int           // of a chunk of columns in the step of H
	width         int           // of the numerators (and denominators) of H that are summed
	denominatorsH []float64     // r × m
}

// scratch is the memory of one worker.
type scratch struct {
	tile     []float64 // block × 2m: [X∘P WH∘P]
	row      []float64 // m
	laid     []float64 // m: a compressed sample, expanded
	laidOf   int       // that sample, from 1; 0: none is expanded
	stretch  []float64 // zeros, for a part of a compressed sample
	model    []float64 // block × m: WH
	num, den []float64 // block × r
	products []float64 // 2·block × r
	weighted []float64 // block × r
	weights  []float64 // block
	code     *codeScratch
	wide     widenedRows
}

// widenedRows are rows of float32 data in float64.
type widenedRows struct {
	rows   []float64
	lo, hi int
}

// widen returns rows of float32 data in float64. A step asks for one block several times.
func (s *scratch) widen(f *factorization, lo, hi int) []float64 {
	w, m := &s.wide, f.m
	if len(w.rows) < (hi-lo)*m {
		w.rows, w.hi = make([]float64, max(hi-lo, f.block)*m), 0
	}
	if w.lo != lo || w.hi != hi {
		widened(f.data.Single[lo*m:hi*m], w.rows)
		w.lo, w.hi = lo, hi
	}
	return w.rows[:(hi-lo)*m]
}

// sized is a factorization that has its sizes and settings, and no memory.
func sized(d Data, o Options) *factorization {
	f := &factorization{data: d, n: d.Rows, m: d.Cols, r: o.Rank, loss: o.Loss.orDefault(), kernels: o.Kernels,
		threads: o.Threads, workers: blas.Threads(o.Threads), seed: o.Seed, codesFirst: o.Order == CodesFirst, floor: denominator, least: denominator, minW: vanished, minH: vanished, shape: o.Beta, fixed: o.Fixed,
		dispersion: o.dispersions(d.Cols), threshold: o.Threshold, simplex: o.SumToOne}
	if f.codesFirst {
		f.floor = codesDenominator
	}
	if o.Order == WFirst {
		f.beginWithW()
	}
	f.penaltyW, f.penaltyH = penaltiesOf(o.Penalties, f.n, f.m)
	if f.kept = o.keptComponents(f.m); f.kept > 0 {
		f.fixed = NoneFixed
	}
	switch f.fixed { // it costs the same whatever is learned
	case WFixed:
		f.penaltyW = penalty{}
	case HFixed:
		f.penaltyH = penalty{}
	}
	f.columns = max(64, (f.m/maxChunks+7)/8*8)
	return f
}

// needs is the memory that the loss needs: with weights, tiles of numerators and
// denominators, and sums of both, where they are dense.
func (f *factorization) needs() memory {
	needs := f.loss.memory
	if k := f.data.known; k != nil {
		needs.wide, needs.tiles = k.v != nil, 0
		if k.v != nil {
			needs.tiles = 3
		}
	}
	return needs
}

// newFactorization has all the memory of a fit.
func newFactorization(d Data, o Options, totals dataSums) *factorization {
	f := sized(d, o)
	f.totals = totals
	f.cutRows()
	f.w = withBeyond(f.n * f.r)
	f.allocateComponents(make([]float64, f.r*f.m))
	f.allocateSums()
	f.allocateScratch()
	f.smooth = newSmoothness(f, o.Smooth)
	return f
}

// allocateComponents takes H, and memory for Hᵀ and HHᵀ.
func (f *factorization) allocateComponents(h []float64) {
	f.h, f.ht, f.gramH = h, withBeyond(f.m*f.r), make([]float64, f.r*f.r)
}

// allocateSums allocates the sums of the passes over the data.
func (f *factorization) allocateSums() {
	wide := f.needs().wide
	f.sums = newPartialSums(f.m, f.r, wide)
	for range f.chunks() {
		f.partials = append(f.partials, newPartialSums(f.m, f.r, wide))
	}
	f.width = len(f.sums.num) / f.r
}

// allocateScratch takes memory for every worker there can be.
func (f *factorization) allocateScratch() {
	tiles := f.needs().tiles
	if f.data.Sparse != nil {
		tiles = f.loss.memory.rows
	}
	for range min(f.workers, max(f.chunks(), (f.n+f.block-1)/f.block)) {
		s := scratch{num: make([]float64, f.block*f.r), den: make([]float64, f.block*f.r), weighted: make([]float64, f.block*f.r),
			products: make([]float64, 2*f.block*f.r), weights: make([]float64, f.block)}
		if tiles > 0 {
			s.model, s.row = make([]float64, f.block*f.m), make([]float64, f.m)
		}
		if tiles > 1 {
			s.tile = make([]float64, (tiles-1)*f.block*f.m)
		}
		if tiles > 1 && f.data.Sparse != nil {
			s.laid, s.stretch = make([]float64, f.m), make([]float64, min(f.m, stretchNumbers))
		}
		f.scratch = append(f.scratch, s)
	}
}

// cutRows cuts the rows into blocks and chunks. The cut depends on the shape and the
// loss alone.
func (f *factorization) cutRows() {
	numbers, needs := tileNumbers, f.needs()
	if needs.wide {
		numbers /= 2
	}
	if needs.tiles == 0 && f.data.Sparse == nil || f.data.Sparse != nil && f.loss.memory.rows == 0 && f.data.known == nil {
		least := max(4, min(chunkNumbers/f.m/blockUnit, 12)) * blockUnit
		chunks := max(1, min(maxChunks, max(2, f.n/f.r), f.n/least))
		rows := (f.n + chunks - 1) / chunks
		blocks := (rows + tallBlock - 1) / tallBlock
		f.block = min(f.n, (rows+blocks*blockUnit-1)/(blocks*blockUnit)*blockUnit)
		f.chunk = blocks * f.block
		return
	}
	f.block = min(f.n, max(1, min(4, numbers/f.m/blockUnit))*blockUnit)
	// A chunk has sums of r × m to itself; there are few where that would weigh.
	chunks := max(2, min(maxChunks, f.n/f.r))
	rows := (f.n + chunks - 1) / chunks
	f.chunk = (rows + f.block - 1) / f.block * f.block
}

func (f *factorization) chunks() int { return (f.n + f.chunk - 1) / f.chunk }

// rows is a block of the dense data; of those in float32 it is in the scratch, until another one
// is read with it.
func (f *factorization) rows(s *scratch, lo, hi int) []float64 {
	if f.data.Single != nil {
		return s.widen(f, lo, hi)
	}
	return f.data.Dense[lo*f.m : hi*f.m]
}

// modelRows computes a block of rows of WH.
func (f *factorization) modelRows(lo, hi int, to []float64) {
	f.kernels.Gemm(false, false, hi-lo, f.m, f.r, 1, f.w[lo*f.r:], f.r, f.h, f.m, 0, to, f.m)
}

// updateGram brings Hᵀ and HHᵀ up to date with H.
func (f *factorization) updateGram() {
	_ = blas.For(context.Background(), f.threads, f.m, f.columns, func(_, lo, hi int) { f.turn(lo, hi) })
	f.sumGram()
}

// turn brings some rows of Hᵀ up to date.
func (f *factorization) turn(lo, hi int) {
	m, r := f.m, f.r
	for k := range r {
		row := f.h[k*m : (k+1)*m]
		for j := lo; j < hi; j++ {
			f.ht[j*r+k] = row[j]
		}
	}
}

// sumGram brings HHᵀ up to date with Hᵀ, and the roughness of smooth components with H.
func (f *factorization) sumGram() {
	f.kernels.SyrkParallel(f.threads, true, f.r, f.m, 1, f.ht, f.r, 0, f.gramH, f.r)
	mirror(f.r, f.gramH)
	f.smooth.measure(f)
}

// mirror copies the upper triangle to the lower.
func mirror(r int, g []float64) {
	for k := range r {
		for l := range k {
			g[k*r+l] = g[l*r+k]
		}
	}
}

// crossGram is AᵀB for panels of this many rows, summed over pieces in order.
func (f *factorization) crossGram(rows int, a, b, to []float64) {
	clear(to)
	for lo := 0; lo < rows; lo += 1024 {
		f.kernels.Gemm(true, false, f.r, f.r, min(1024, rows-lo), 1, a[lo*f.r:], f.r, b[lo*f.r:], f.r, 1, to, f.r)
	}
}

// stepH is the multiplicative step H ← H ∘ num/den.
func (f *factorization) stepH(num, den []float64, ld int) {
	_ = blas.For(context.Background(), f.threads, f.m, f.columns, func(_, lo, hi int) {
		for at := f.kept * f.m; at < f.r*f.m; at += f.m {
			blas.MultiplyRatios(f.h[at+lo:at+hi], f.floor, f.minH, num[at/f.m*ld+lo:at/f.m*ld+hi], den[at/f.m*ld+lo:at/f.m*ld+hi])
		}
		f.turn(lo, hi)
	})
	f.sumGram()
}

// learned are the factors that are not fixed.
func (f *factorization) learned() [][]float64 {
	switch f.fixed {
	case WFixed:
		return [][]float64{f.h}
	case HFixed:
		return [][]float64{f.w}
	}
	return [][]float64{f.w, f.learnedComponents()}
}

// learnedComponents are the components that do not stay.
func (f *factorization) learnedComponents() []float64 { return f.h[f.kept*f.m:] }

// relative is ‖E‖/‖X‖ for ‖E‖².
func (f *factorization) relative(squares float64) float64 {
	if f.totals.squares == 0 {
		return 0
	}
	return math.Sqrt(squares / f.totals.squares)
}

// penalties is P of the present factors, with the term of smooth components.
func (f *factorization) penalties() float64 {
	return f.penaltyW.value(f.w) + f.penaltyH.value(f.learnedComponents()) + f.smooth.value(f)
}

// norms are the lengths of the components; 1 for one that is zero.
func (f *factorization) norms() []float64 {
	norms := make([]float64, f.r)
	for k := range norms {
		row := f.h[k*f.m : (k+1)*f.m]
		norms[k] = math.Sqrt(blas.Dot(row, row))
		if !(norms[k] > 0) {
			norms[k] = 1
		}
	}
	return norms
}

// rowSums are the row sums of H.
func (f *factorization) rowSums() []float64 {
	sums := make([]float64, f.r)
	for k := range sums {
		sums[k] = total(f.h[k*f.m : (k+1)*f.m])
	}
	return sums
}

// normalizeComponents scales the components to unit length and the coordinates against
// them, and all that was summed with the coordinates.
func (f *factorization) normalizeComponents(g *graphTerm) {
	norms := f.norms()
	for k, s := range norms {
		blas.Scale(1/s, f.h[k*f.m:(k+1)*f.m])
		blas.Scale(s, f.sums.num[k*f.width:(k+1)*f.width])
		f.sums.columnSums[k] *= s
		for l, t := range norms {
			f.sums.gram[k*f.r+l] *= s * t
		}
	}
	panels := [][]float64{f.w}
	if g != nil {
		panels = append(panels, g.plus, g.minus)
		for k, s := range norms {
			g.roughness[k] *= s * s
		}
	}
	for _, p := range panels {
		for i := 0; i < len(p); i += f.r {
			for k, s := range norms {
				p[i+k] *= s
			}
		}
	}
	f.updateGram()
}

func (f *factorization) finish() {}

// partialSums are sums over some of the samples.
type partialSums struct {
	all        []float64
	num        []float64 // r × width: WᵀX, or with weights
	gram       []float64 // WᵀW, r × r
	columnSums []float64 // of W
	squares    *float64  // of the residual
	loss       *float64
	beta       float64 // 0 for the first block of a chunk: it writes num, the others add to it
}

func newPartialSums(m, r int, wide bool) partialSums {
	width := m
	if wide {
		width = 2 * m
	}
	s := partialSums{all: make([]float64, r*width+r*r+r+2)}
	rest := s.all
	take := func(n int) []float64 {
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	s.num = take(r * width)
	s.gram, s.columnSums = take(r*r), take(r)
	s.squares, s.loss = &rest[0], &rest[1]
	return s
}

// pass calls do for every block of rows, chunk by chunk, and adds up the sums of the chunks, in
// their order.
func (f *factorization) pass(ctx context.Context, do func(s *scratch, lo, hi int, sum *partialSums)) error {
	return f.passes(ctx, func(_ int, s *scratch, lo, hi int, sum *partialSums) { do(s, lo, hi, sum) })
}

// passes is pass for those who have scratch of their own for each worker.
func (f *factorization) passes(ctx context.Context, do func(worker int, s *scratch, lo, hi int, sum *partialSums)) error {
	return f.passOver(ctx, 0, do)
}

// measurePass is pass where do leaves the numerators alone: only the sums behind
// them are formed.
func (f *factorization) measurePass(ctx context.Context, do func(s *scratch, lo, hi int, sum *partialSums)) error {
	return f.passOver(ctx, len(f.sums.num), func(_ int, s *scratch, lo, hi int, sum *partialSums) { do(s, lo, hi, sum) })
}

// overRows calls do for every block of rows.
func (f *factorization) overRows(ctx context.Context, do func(worker, lo, hi int)) error {
	return blas.For(ctx, f.threads, f.n, f.block, do)
}

// passOver forms the sums from place skip of partialSums.all on. The numerators, the
// bulk of them, are not cleared: the first block of a chunk writes them (beta).
func (f *factorization) passOver(ctx context.Context, skip int, do func(worker int, s *scratch, lo, hi int, sum *partialSums)) error {
	err := blas.For(ctx, f.threads, len(f.partials), 1, func(worker, q, _ int) {
		sum := &f.partials[q]
		clear(sum.all[len(sum.num):])
		sum.beta = 0
		end := min((q+1)*f.chunk, f.n)
		for lo := q * f.chunk; lo < end; lo += f.block {
			do(worker, &f.scratch[worker], lo, min(lo+f.block, end), sum)
			sum.beta = 1
		}
	})
	if err != nil {
		return err
	}
	return blas.For(ctx, f.threads, len(f.sums.all)-skip, 8192, func(_, lo, hi int) {
		lo, hi = lo+skip, hi+skip
		copy(f.sums.all[lo:hi], f.partials[0].all[lo:hi])
		for q := 1; q < len(f.partials); q++ {
			blas.Axpy(1, f.partials[q].all[lo:hi], f.sums.all[lo:hi])
		}
	})
}

// sides are U = X ∘ P and V = WH ∘ P of a row of a block, next to each other: the
// block is both [U V] with rows of 2m, whose product with Wᵀ is all that the step
// of H needs, and a stack of rows of m for the product with Hᵀ.
func (f *factorization) sides(s *scratch, i int) (left, right []float64) {
	m := f.m
	return s.tile[2*i*m : (2*i+1)*m], s.tile[(2*i+1)*m : (2*i+2)*m]
}

// weightedProducts multiplies the sides of a block with Hᵀ.
func (f *factorization) weightedProducts(s *scratch, rows int, num, den []float64) {
	m, r := f.m, f.r
	f.kernels.Gemm(false, false, 2*rows, r, m, 1, s.tile, m, f.ht, r, 0, s.products, r)
	for i := range rows {
		copy(num[i*r:(i+1)*r], s.products[2*i*r:])
		copy(den[i*r:(i+1)*r], s.products[(2*i+1)*r:])
	}
}
