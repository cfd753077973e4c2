package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Online learns components H from one batch of samples after the other (Mairal, Bach, Ponce
// and Sapiro 2010, algorithm 1; under the divergence Lefèvre, Bach and Févotte 2011). It
// keeps of the samples only sums over their coordinates W, in which earlier batches
// fade:
//
//	squares      A ← ρA + WᵀW,  B ← ρB + WᵀX,             H by coordinate descent on ½tr(HᵀAH) − tr(BᵀH)
//	divergence   A ← ρA + H∘(Wᵀ(X/WH)),  B ← ρB + Wᵀ1,    H = A/B
//
// Under the divergence H and the W of the batch move in turns before A and B are kept.
//
// with ρ = φ^(b/n), φ the forget factor, b the rows of the batch and n the rows of a pass,
// at most the number of rows seen so far. So the first batches, whose coordinates belong to the
// start of H, are forgotten soon.
//
// An Online belongs to one goroutine.
type Online struct {
	*factorization
	options Options
	learner learner
	codes   *Encoder  // solves for the coordinates of a batch
	sums    State     // A, B and the rows seen; its H is the H of the factorization
	pass    int       // rows of a pass; 0: not known
	most    int       // rows of a batch
	room    []float64 // W of the largest batch so far
	before  []float64
}

// State is the state of an [Online]: another one can continue from it.
type State struct {
	H    []float64 // r × m
	A    []float64 // r × r of the squares, r × m of the divergence
	B    []float64 // r × m of the squares, r of the divergence
	Seen int       // rows
}

// Learned is the effect of a batch on an [Online].
type Learned struct {
	Rows    int
	Loss    float64 // of the batch with its coordinates, before H moved
	Squares float64 // of the residuals of the batch, likewise
	Data    float64 // ‖X‖² of the batch
	Change  float64 // ‖H − H′‖/‖H‖ by the batch
}

// Add adds what another batch did.
func (l *Learned) Add(d Learned) {
	l.Rows += d.Rows
	l.Loss += d.Loss
	l.Squares += d.Squares
	l.Data += d.Data
	l.Change = d.Change
}

// Point is the loss as a point of a trace.
func (l Learned) Point() Point {
	p := Point{Objective: l.Loss, Surrogate: l.Loss}
	if l.Data > 0 {
		p.Residual = math.Sqrt(l.Squares / l.Data)
	}
	return p
}

// learner is how one loss learns.
type learner interface {
	// sum finds the coordinates of the batch and sums over them, and returns the loss and the
	// squares of the residuals.
	sum(ctx context.Context) (loss, squares float64, err error)
	// learn keeps this share of the sums so far, adds the sums of the batch and moves H.
	learn(ctx context.Context, keep float64, to *State) error
	// sizes are the numbers of A and B.
	sizes() (a, b int)
}

// NewOnline prepares for data of m columns, in batches of at most o.Batches.Rows, n rows in
// all; 0: unknown. Of the options it reads Rank, Loss (Frobenius or KL), Batches,
// Init, H, Seed, Threads and Kernels.
func NewOnline(n, m int, o Options) (*Online, error) {
	o.Solver = MiniBatch
	rows := o.Batches.Rows
	if rows == 0 {
		rows = defaultBatch
	}
	if n > 0 {
		rows = min(rows, n)
	}
	d := Data{Rows: rows, Cols: m}
	o, err := o.withDefaults(d)
	if err != nil {
		return nil, err
	}
	f := sized(d, o)
	f.cutRows()
	f.allocateComponents(make([]float64, f.r*f.m))
	f.sums, f.width = newPartialSums(f.m, f.r, false), f.m
	f.allocateScratch()
	for i := range f.scratch {
		f.scratch[i].code = newCodeScratch(f.r, f.m)
	}
	l := &Online{factorization: f, options: o, pass: n, most: rows, before: make([]float64, len(f.h))}
	l.codes = &Encoder{options: Options{Tolerance: batchTolerance, Iterations: batchRounds}, ridged: f.gramH} // without a penalty
	l.learner = f.loss.algorithms[MiniBatch].learner(l)
	a, b := l.learner.sizes()
	l.sums = State{A: make([]float64, a), B: make([]float64, b)}
	return l, nil
}

// Step learns from a batch.
func (l *Online) Step(ctx context.Context, d Data) (Learned, error) {
	if d.Cols != l.m {
		return Learned{}, fmt.Errorf("nmf: samples of %d columns where the components have %d", d.Cols, l.m)
	}
	if d.Rows > l.most {
		return Learned{}, fmt.Errorf("nmf: a batch of %d samples; give at most %d", d.Rows, l.most)
	}
	totals, err := d.inspect()
	if err != nil {
		return Learned{}, err
	}
	if d.Sparse != nil {
		d.transpose = transposeSparse(d.Sparse)
	}
	f := l.factorization
	if len(l.room) < d.Rows*l.r {
		l.room = withBeyond(d.Rows * l.r)
	}
	f.data, f.n, f.totals, f.w = d, d.Rows, totals, l.room[:d.Rows*l.r]
	for i := range f.scratch {
		f.scratch[i].wide = widenedRows{rows: f.scratch[i].wide.rows}
	}
	if l.sums.Seen == 0 {
		if err := l.begin(ctx); err != nil {
			return Learned{}, err
		}
	}
	done := Learned{Rows: d.Rows, Data: totals.squares}
	if done.Loss, done.Squares, err = l.learner.sum(ctx); err != nil {
		return done, err
	}
	if done.Loss-done.Loss != 0 {
		return done, fmt.Errorf("nmf: the objective is no longer finite; scale the data to moderate size")
	}
	copy(l.before, f.h)
	if err := l.learner.learn(ctx, l.keep(d.Rows), &l.sums); err != nil {
		return done, err
	}
	l.sums.Seen += d.Rows
	var moved, length float64
	for i, v := range f.h {
		moved += (v - l.before[i]) * (v - l.before[i])
		length += v * v
	}
	if length > 0 {
		done.Change = math.Sqrt(moved / length)
	}
	return done, nil
}

// keep is ρ for a batch of this many rows.
func (l *Online) keep(rows int) float64 {
	n := l.sums.Seen
	if l.pass > 0 {
		n = min(n, l.pass)
	}
	if n == 0 {
		return 0
	}
	return math.Pow(l.options.Batches.Forget, float64(rows)/float64(n))
}

// begin starts H by the first batch, as a factorisation of it starts.
func (l *Online) begin(ctx context.Context) error {
	f := l.factorization
	if l.options.H != nil {
		if err := givenFactor("components", l.options.H, f.r, f.m); err != nil {
			return err
		}
		copy(f.h, l.options.H)
	} else {
		clear(f.w)
		if err := f.start(ctx, l.options, new(Result)); err != nil {
			return err
		}
	}
	for i, v := range f.h {
		f.h[i] = max(v, denominator)
	}
	f.updateGram()
	return nil
}

// State returns the state; it shares no memory.
func (l *Online) State() State {
	s := State{Seen: l.sums.Seen}
	s.H = append(s.H, l.h...)
	s.A, s.B = append(s.A, l.sums.A...), append(s.B, l.sums.B...)
	return s
}

// Restore goes on from a state of the same sizes.
func (l *Online) Restore(s State) error {
	if len(s.A) != len(l.sums.A) || len(s.B) != len(l.sums.B) || s.Seen < 1 {
		return fmt.Errorf("nmf: %d and %d sums over %d samples are not state of rank %d for %d columns", len(s.A), len(s.B), s.Seen, l.r, l.m)
	}
	for _, c := range []struct {
		name string
		from []float64
		to   []float64
	}{{"components", s.H, l.h}, {"sums A", s.A, l.sums.A}, {"sums B", s.B, l.sums.B}} {
		if err := givenFactor(c.name, c.from, 1, len(c.to)); err != nil {
			return err
		}
		copy(c.to, c.from)
	}
	l.sums.Seen = s.Seen
	l.updateGram()
	return nil
}

// Components returns H, r × m, with zeros restored where small numbers replaced them.
func (l *Online) Components() []float64 {
	h := append([]float64(nil), l.h...)
	for i, v := range h {
		if v <= denominator {
			h[i] = 0
		}
	}
	return h
}

// batchPass finds the coordinates of each block of the batch, and sums over them.
func (f *factorization) batchPass(ctx context.Context, codes func(s *scratch, lo, hi int), accumulate func(s *scratch, lo, hi int, sum *partialSums)) error {
	for len(f.partials) < f.chunks() {
		f.partials = append(f.partials, newPartialSums(f.m, f.r, false))
	}
	all := f.partials
	f.partials = all[:f.chunks()]
	defer func() { f.partials = all }()
	return f.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		codes(s, lo, hi)
		accumulate(s, lo, hi, sum)
	})
}

// batchRows calls do for every block of the batch.
func (f *factorization) batchRows(ctx context.Context, do func(s *scratch, lo, hi int)) error {
	return blas.For(ctx, f.threads, f.n, f.block, func(worker, lo, hi int) { do(&f.scratch[worker], lo, hi) })
}

const (
	// batchTolerance is the residual to which the coordinates of a batch are solved (see
	// [NewEncoder]), within this many rounds.
	batchTolerance = 1e-3
	batchRounds    = 200
	// batchSweeps is the number of sweeps over H for a batch at most.
	batchSweeps = 2
)

// fade is a ← keep·a + b.
func fade(keep float64, a, b []float64) {
	for i, v := range b {
		a[i] = keep*a[i] + v
	}
}
