package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Encoder finds coordinates under fixed components H, each sample as though it
// were the only one: from the start mean(x)/(r·mean(H)) of its own, and, under
// Correntropy, with its own σ² = θ·mean(e²) in every iteration. So the coordinates of
// a sample do not depend on the other samples, and the coordinates of c·x are c times
// the coordinates of x.
//
// It may be used by any number of goroutines at a time.
type Encoder struct {
	fixed   factorization // H, Hᵀ and HHᵀ
	options Options
	rowSums []float64 // of H
	ridged  []float64 // HHᵀ with the l2 of the penalty of W on its diagonal
	slopes  []float64 // the row sums and the l1
}

// NewEncoder prepares r × m components, which must be finite and ≥ 0 and not all zero.
// Of the options it looks at Loss (see [Loss.Encoding]), Solver (HALS solves the
// nonnegative least squares, many sweeps at one product), Iterations, Tolerance, Sigma,
// Penalties (of W: each sample pays m·α_W·(ρ‖w‖₁ + (1−ρ)/2·‖w‖²)), Threads and Kernels.
// Without a tolerance the encoder takes this many Iterations of the solver. With one it solves
// to the end, whatever the solver: until the residual of each sample is at most the
// tolerance, or this many Iterations. The residual has no unit:
//
//	squares      max over k of |min(w_k‖h_k‖/‖x‖, g_k/(‖h_k‖‖x‖))|,  g = (wH − x)Hᵀ
//	divergence   max over k of |min(w_k s_k/Σx, g_k/s_k)|,  g = s − (x/wH)Hᵀ,  s_k = Σⱼ h_kj
//
// where a penalty adds l1 + l2·w to g, l2 to ‖h_k‖², and l1 + l2·w_k to s_k. It is 0 where
// the conditions of Karush, Kuhn and Tucker hold: at the minimum, as both are convex.
// Correntropy has several minima; its residual is the residual of the squares under
// the weights of the coordinates themselves, from the minimum that 200 multiplicative
// steps lead to.
func NewEncoder(components []float64, m int, o Options) (*Encoder, error) {
	if m < 1 || len(components) < m || len(components)%m != 0 {
		return nil, fmt.Errorf("nmf: %d numbers are not components of %d columns", len(components), m)
	}
	o.Rank = len(components) / m
	o.Graph, o.Lambda, o.Penalties.H, o.Stop, o.Order, o.Fixed, o.Init, o.Warm = Graph{}, 0, 0, "", "", "", "", 0
	o.Loss = o.Loss.Encoding()
	switch {
	case o.Loss == NegativeBinomial && len(o.Dispersion) == 0:
		return nil, fmt.Errorf("nmf: loss %s encodes by the dispersions of a fit; give them", o.Loss)
	case o.Loss == Huber && o.Threshold == 0:
		return nil, fmt.Errorf("nmf: loss %s encodes by the δ of a fit; give it", o.Loss)
	}
	d := Data{Rows: o.Rank, Cols: m}
	o, err := o.withDefaults(d)
	if err != nil {
		return nil, err
	}
	if err := givenFactor("components", components, o.Rank, m); err != nil {
		return nil, err
	}
	e := &Encoder{fixed: *sized(d, o), options: o}
	e.fixed.allocateComponents(components)
	e.fixed.updateGram()
	e.rowSums = e.fixed.rowSums()
	e.penalise()
	if sum := total(e.rowSums); !(sum > 0) || sum-sum != 0 {
		return nil, fmt.Errorf("nmf: the components add up to %v; nothing can be encoded with them", sum)
	}
	return e, nil
}

// penalise prepares an encoder for a penalty.
func (e *Encoder) penalise() {
	f := &e.fixed
	e.ridged = f.penaltyW.ridged(f.r, f.gramH, make([]float64, f.r*f.r))
	e.slopes = slices.Clone(e.rowSums)
	for k := range e.slopes {
		e.slopes[k] += f.penaltyW.l1
	}
}

// Encode returns the n × r coordinates of samples. Data that are negative or not
// finite are a [NegativeError]. Samples with [Weights] are the minimum over their weighted
// entries; they take an encoder with a tolerance, and not Correntropy. The residual is then
// computed from √v∘x and components times √v. An iteration takes 2nr² flops under the squared error,
// 4nmr under KL and 6nmr under Correntropy.
func (e *Encoder) Encode(ctx context.Context, d Data) ([]float64, error) {
	f, err := e.prepare(d)
	if err != nil {
		return nil, err
	}
	e.start(f)
	return f.w, e.encodeBlocks(ctx, f)
}

// EncodeResidual is Encode with the largest residual of a sample (see [NewEncoder]); 0
// of an encoder without a tolerance.
func (e *Encoder) EncodeResidual(ctx context.Context, d Data) ([]float64, float64, error) {
	f, err := e.prepare(d)
	if err != nil {
		return nil, 0, err
	}
	e.start(f)
	err = e.encodeBlocks(ctx, f)
	var worst float64
	for _, s := range f.scratch {
		if s.code != nil {
			worst = max(worst, s.code.worst)
		}
	}
	return f.w, worst, err
}

// start gives every sample the start of its own.
func (e *Encoder) start(f *factorization) {
	mean := total(e.rowSums) / float64(len(f.h))
	for i := range f.n {
		f.startRow(i, f.data.rowSum(i)/float64(f.m)/(float64(f.r)*mean))
	}
}

// Encode finds the coordinates of samples that are encoded together: from the start
// mean(X)/(r·mean(H)) for all of them (You et al. 2015, section IV), and under
// Correntropy with one σ² for all, computed anew in each iteration unless Sigma.Fixed
// sets it. Where the problem is convex they end at about the same place as by an
// [Encoder], whose options it looks at.
func Encode(ctx context.Context, d Data, components []float64, o Options) ([]float64, error) {
	e, err := NewEncoder(components, d.Cols, o)
	if err != nil {
		return nil, err
	}
	if err := e.options.checkTogether(d); err != nil {
		return nil, err
	}
	f, err := e.prepare(d)
	if err != nil {
		return nil, err
	}
	start := f.totals.mean(d) / (float64(f.r) * (total(f.h) / float64(len(f.h))))
	for i := range f.n {
		f.startRow(i, start)
	}
	if together := f.loss.encodeTogether; together != nil {
		err = together(ctx, e, f)
	} else {
		err = e.encodeBlocks(ctx, f)
	}
	if err != nil {
		return nil, err
	}
	e.options.Progress(1)
	return f.w, nil
}

// prepare checks samples and takes the memory to encode them.
func (e *Encoder) prepare(d Data) (*factorization, error) {
	f := e.fixed
	if d.Cols != f.m {
		return nil, fmt.Errorf("nmf: samples of %d columns where the components have %d", d.Cols, f.m)
	}
	if err := f.loss.checkSparse(d, ""); err != nil {
		return nil, err
	}
	if err := e.checkKnown(d); err != nil {
		return nil, err
	}
	d, err := d.underWeights(false, f.loss)
	if err != nil {
		return nil, err
	}
	if f.totals, err = d.inspect(); err != nil {
		return nil, err
	}
	if err := e.options.checkLoss(d); err != nil {
		return nil, err
	}
	f.data, f.n = d, d.Rows
	f.cutRows()
	f.w = make([]float64, f.n*f.r)
	f.allocateScratch()
	if e.options.Tolerance > 0 {
		for i := range f.scratch {
			f.scratch[i].code = newCodeScratch(f.r, f.m)
		}
	}
	return &f, nil
}

// encodeBlocks encodes block by block: the samples do not depend on each other.
func (e *Encoder) encodeBlocks(ctx context.Context, f *factorization) error {
	encode := f.loss.algorithms[e.options.Solver].encode
	if e.options.Tolerance > 0 {
		encode = f.loss.algorithms[e.options.Solver].solve
	}
	if f.simplex {
		encode = encodeOnSimplex
	}
	f.stop = func() bool { return ctx.Err() != nil }
	for i := range f.scratch {
		if c := f.scratch[i].code; c != nil {
			c.squares.stop = f.stop
		}
	}
	return blas.For(ctx, f.threads, f.n, f.block, func(worker, lo, hi int) { encode(e, f, &f.scratch[worker], lo, hi) })
}

// stopped reports whether to leave a sample, or a block, as it is: each step of an encoding may take
// seconds at ranks of thousands, and there are thousands of steps.
func (f *factorization) stopped() bool { return f.stop != nil && f.stop() }

// startRow fills a row of W.
func (f *factorization) startRow(i int, v float64) {
	for k := range f.r {
		f.w[i*f.r+k] = v
	}
}

// checkKnown refuses weights where samples cannot be encoded under them.
func (e *Encoder) checkKnown(d Data) error {
	switch {
	case !d.Weights.Present():
		return nil
	case e.fixed.loss.scaled || e.fixed.loss.denseWeights:
		return fmt.Errorf("nmf: loss %s encodes samples of which every entry is known; fill in the missing ones", e.fixed.loss)
	case e.fixed.simplex:
		return fmt.Errorf("nmf: coordinates that sum to one are found of samples of which every entry is known; fill in the missing ones")
	case e.options.Tolerance == 0:
		return fmt.Errorf("nmf: samples with weights are encoded to the end; give a tolerance")
	}
	return nil
}

// whole reports whether the entries of a sample all have weight 1, so that it is encoded as
// though there were no weights, to the bit.
func (f *factorization) whole(i int) bool {
	k := f.data.known
	if k == nil {
		return true
	}
	if k.v == nil {
		return k.all && k.q.Ptr[i] == k.q.Ptr[i+1]
	}
	for _, v := range k.v[i*f.m : (i+1)*f.m] {
		if v != 1 {
			return false
		}
	}
	return true
}

// gramOf is HVHᵀ for the weights V of a sample, with the l2 of the penalty of W on its
// diagonal as whole, HHᵀ, has it, and the length of the sample under the weights.
func (f *factorization) gramOf(s *scratch, i int, whole []float64) (gram []float64, size float64) {
	if f.whole(i) {
		return whole, math.Sqrt(f.rowSquares(s, i))
	}
	k, c := f.data.known, s.code
	columns, weights := k.rowWeights(i, f.m)
	root := c.root[:len(weights)]
	for q, v := range weights {
		root[q] = math.Sqrt(v)
	}
	f.weightedGram(c, root, columns)
	if k.all {
		for at, v := range c.gram {
			c.gram[at] = f.gramH[at] - v
		}
	}
	for at := 0; at < len(c.gram); at += f.r + 1 {
		c.gram[at] += f.penaltyW.l2
	}
	return c.gram, math.Sqrt(k.squares[i])
}

// sumsOf are the row sums of HV for the weights V of a sample with the l1 of the penalty of W,
// as sums, the row sums of H, have it.
func (f *factorization) sumsOf(i int, sums []float64, c *codeScratch) []float64 {
	if f.whole(i) {
		return sums
	}
	k := f.data.known
	columns, weights := k.rowWeights(i, f.m)
	own := c.sums
	for at := range own {
		own[at] = f.penaltyW.l1
	}
	if k.all {
		copy(own, sums)
	}
	for q, v := range weights {
		j := q
		if columns != nil {
			j = int(columns[q])
		}
		blas.Axpy(k.sign()*v, f.ht[j*f.r:(j+1)*f.r], own)
	}
	for at, v := range own {
		own[at] = max(v, 0)
	}
	return own
}

// rowWeights are the weights of a sample, or the amounts subtracted from weights of 1, and their
// columns (nil: all).
func (k *known) rowWeights(i, m int) (columns []int32, weights []float64) {
	if k.v != nil {
		return nil, k.v[i*m : (i+1)*m]
	}
	return k.q.Row(i)
}

// rowSquares is ‖x‖² of a sample.
func (f *factorization) rowSquares(s *scratch, i int) float64 {
	if a := f.data.Sparse; a != nil {
		_, vals := a.Row(i)
		return blas.Dot(vals, vals)
	}
	x := f.rows(s, i, i+1)
	return blas.Dot(x, x)
}

// weightedRows is how many weighted columns of H are multiplied at a time.
const weightedRows = 64

// weightedGram computes HDHᵀ for a diagonal D of which root has the square roots, over
// the given columns, all where that is nil.
func (f *factorization) weightedGram(c *codeScratch, root []float64, columns []int32) {
	r := f.r
	clear(c.gram)
	for lo := 0; lo < len(root) && !f.stopped(); lo += weightedRows {
		part := root[lo:min(lo+weightedRows, len(root))]
		for q, v := range part {
			j := lo + q
			if columns != nil {
				j = int(columns[lo+q])
			}
			to := c.panel[q*r : (q+1)*r]
			copy(to, f.ht[j*r:(j+1)*r])
			blas.Scale(v, to)
		}
		f.kernels.Gemm(true, false, r, r, len(part), 1, c.panel, r, c.panel, r, 1, c.gram, r)
	}
}

// codeScratch is the scratch memory of a worker that encodes samples to convergence.
type codeScratch struct {
	squares *leastSquares
	gram    []float64 // r × r, weighted
	panel   []float64 // weightedRows × r
	root    []float64 // m: square roots of weights
	model   []float64 // m: wH
	right   []float64 // r: H(p∘x)
	next    []float64 // r: where a step leads
	move    []float64 // r: the step
	spare   []float64 // m
	sums    []float64 // r: of the rows of H under the weights of a sample
	sigma2  float64   // of the last weights
	worst   float64   // the largest residual so far
}

func newCodeScratch(r, m int) *codeScratch {
	return &codeScratch{squares: newLeastSquares(r), gram: make([]float64, r*r), panel: make([]float64, weightedRows*r),
		root: make([]float64, m), spare: make([]float64, m), model: make([]float64, m), right: make([]float64, r), sums: make([]float64, r), next: make([]float64, r), move: make([]float64, r)}
}

const (
	// nearBound: coordinates below this share of the sample whose gradient holds them
	// there are left out of Newton's equations.
	nearBound = 1e-3
	// damping is the share of the Hessian's diagonal that is added to it.
	damping = 1e-10
	// armijo is the share of the promised fall that a step has to reach.
	armijo = 1e-4
	// halvings is how often a step is halved before it is given up.
	halvings = 30
)

// solvePassive solves Newton's equations for the coordinates that are free to move.
func (c *codeScratch) solvePassive() {
	q := c.squares
	q.factorize(c.gram)
	for a, k := range q.passive {
		q.target[a] = -c.right[k]
	}
	q.substitute()
	for a, k := range q.passive {
		c.move[k] = q.target[a]
	}
}

// step leaves w + length·move, without what would be negative, in next, and returns the fall that
// the gradient promises of it, with a minus.
func (c *codeScratch) step(w []float64, length float64) (promised float64) {
	for k, v := range w {
		if c.next[k] = max(0, v+length*c.move[k]); c.next[k] < vanished {
			c.next[k] = 0
		}
		promised += c.right[k] * (c.next[k] - v)
	}
	return promised
}
