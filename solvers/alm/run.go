package alm

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/orderstat"
	"github.com/orthant-go/orthant/sparse"
)

// Factorize runs the passes on the n × m data x (see [Start] for their scale and for the
// start, and the package comment for a pass) until no residual exceeds the
// tolerance or their number is reached. graph may be nil: none. x is not
// written to, but for a [Projector].
//
// Errors are about sizes, options out of their range, data that are not finite, what
// the graph returns, and factors that overflow. The context is looked at between
// loops. Besides x it takes two n × m matrices, and a few of n × r. Where m is well above
// n + r the passes work on n + r columns, and the matrices have this many.
func Factorize(ctx context.Context, n, m int, x []float64, graph Graph, o Options) (*Result, error) {
	if err := check(n, m, x); err != nil {
		return nil, err
	}
	o, err := o.filled(n, m)
	if err != nil {
		return nil, err
	}
	if graph == nil {
		graph, o.Lambda = Fixed(nil), 0
	}
	if _, moves := graph.(Projector); moves || !pays(n, m, o.Rank, o.Passes) {
		return iterate(ctx, n, m, x, graph, o)
	}
	inside := newSpan(n, m, x, o)
	if inside == nil {
		return iterate(ctx, n, m, x, graph, o)
	}
	o.H = inside.start()
	found, err := iterate(ctx, n, inside.p, inside.samples(), graph, o)
	if err != nil {
		return nil, err
	}
	found.H, err = inside.back(ctx, found.H)
	return found, err
}

// iterate runs the passes.
func iterate(ctx context.Context, n, m int, x []float64, graph Graph, o Options) (*Result, error) {
	s := newState(n, m, x, o)
	if o.Balanced {
		o.Mu = min(s.balance(graph.Affinity()), o.Cap)
	}
	if err := s.begin(ctx, o.Mu); err != nil {
		return nil, err
	}
	found := &Result{Trace: []Point{s.point(0, o.Mu, 0)}}
	var kept hardening
	if o.Harden > 0 {
		kept.add(0, largestEntries(n, s.r, s.w))
	}
	for pass := 1; pass <= o.Passes; pass++ {
		next := s.mu
		if pass > o.Hold {
			next = min(s.mu*o.Rho, o.Cap)
		}
		p, err := s.pass(ctx, graph, Step{Pass: pass, Rank: s.r, Mu: s.mu, Next: next})
		if err != nil {
			return nil, err
		}
		if p.Largest()-p.Largest() != 0 {
			return nil, errNotFinite
		}
		found.Passes, found.Converged = pass, o.Tolerance > 0 && p.Largest() <= o.Tolerance
		o.Progress(float64(pass) / float64(o.Passes))
		last := o.Watch(p) || found.Converged || pass == o.Passes
		if last || pass%o.TraceEvery == 0 {
			s.takeAffinity(graph.Affinity())
			p.Regularizer = s.regularizer()
			found.Trace = append(found.Trace, p)
		}
		if o.Harden > 0 && (last || pass%o.Harden == 0) {
			kept.add(pass, largestEntries(n, s.r, s.w))
		}
		if last {
			break
		}
	}
	o.Progress(1)
	found.W, found.NonnegativePart, found.H = s.w, s.wPlus, s.h
	if o.Harden > 0 {
		if err := kept.best(ctx, s, graph.Affinity(), o, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// pass takes the steps of H, W₊ and W, lets the graph learn, and ends with the
// multipliers and the E of the next pass.
func (s *state) pass(ctx context.Context, graph Graph, step Step) (Point, error) {
	s.takeAffinity(graph.Affinity())
	if err := s.stepFactors(ctx); err != nil {
		return Point{}, err
	}
	if q, moves := graph.(Projector); moves {
		if err := s.project(ctx, q, step); err != nil {
			return Point{}, err
		}
	}
	residual, err := graph.Update(ctx, s.w, s.wPlus, step)
	if err != nil {
		return Point{}, err
	}
	s.stepMultiplier()
	if err := s.sweep(ctx, step.Next); err != nil {
		return Point{}, err
	}
	return s.point(step.Pass, step.Mu, residual), nil
}

// project lets the data move. WH + E − Λ₁/μ is WH + X − A, and A moves with the data.
func (s *state) project(ctx context.Context, q Projector, step Step) error {
	target := make([]float64, len(s.x))
	s.kernels.GemmParallel(s.threads, false, false, s.n, s.m, s.r, 1, s.w, s.r, s.h, s.m, 0, target, s.m)
	blas.Axpy(-1, s.x, s.a)
	blas.Axpy(-1, s.a, target)
	if err := q.Project(ctx, target, s.x, step); err != nil {
		return err
	}
	blas.Axpy(1, s.x, s.a)
	s.measureData()
	return nil
}

// balance is the penalty at which the step of W₊ is no longer than it should be and few
// samples have a residual of their own: the larger of 0.1/median ‖(X − WH)ᵢ‖ and 2λ times
// the largest degree.
func (s *state) balance(affinity *sparse.CSR) float64 {
	s.takeAffinity(affinity)
	lengths, row := make([]float64, s.n), make([]float64, s.m)
	for i := range lengths {
		copy(row, s.x[i*s.m:(i+1)*s.m])
		for k, v := range s.w[i*s.r : (i+1)*s.r] {
			if v != 0 {
				blas.Axpy(-v, s.h[k*s.m:(k+1)*s.m], row)
			}
		}
		lengths[i] = math.Sqrt(blas.Dot(row, row))
	}
	mu := 0.1 / max(orderstat.Median(lengths), tiny)
	if s.current.affinity != nil {
		mu = max(mu, 2*s.lambda*slices.Max(s.degree))
	}
	return mu
}

const (
	// tileNumbers bounds the samples of a block, of which four panels are worked on at
	// a time: a quarter of a MiB each.
	tileNumbers = 1 << 15
	// blockUnit divides the rows of a block, for the sake of the products' tiles.
	blockUnit = 14
	// maxChunks is the number of chunks of samples, the unit of parallel work.
	maxChunks = 16
	// columnBlock is the number of columns of H that a worker solves for.
	columnBlock = 256
)

// state holds the blocks of variables of one iteration.
type state struct {
	n, m, r int
	lambda  float64
	mu      float64 // of the present E and A
	kernels *blas.Kernels
	threads int

	x, e, a  []float64 // n × m: the data, E, and A = X − E + Λ₁/μ
	h        []float64 // H, r × m
	w, wPlus []float64 // n × r
	l2       []float64 // Λ₂, n × r
	target   []float64 // N, n × r

	block, chunk, chunks int
	tile                 [][]float64 // of each worker: block × m
	row                  [][]float64 // of each worker: m
	product              [][]float64 // of each worker: block × r
	partial              [][]float64 // WᵀA of each chunk: r × m
	sums                 []sums      // of each chunk

	normX   float64   // ‖X‖²
	degree  []float64 // S1
	frame   *frame    // of W
	current passState

	// The loops, made once: a closure at each call would be an allocation.
	sweepChunk, stepChunkWPlus, formChunkTargets, solveColumns func(worker, lo, hi int)
}

// passState is what the loops of a pass share.
type passState struct {
	affinity *sparse.CSR
	ratio    float64 // of the penalty to the next
}

// sums over the samples of a chunk.
type sums struct {
	residual float64 // ‖X − WH − E‖²
	squares  float64 // ‖X − WH‖²
	loss     float64 // Σ ‖(X − WH)ᵢ‖
	split    float64 // ‖W − W₊‖²
}

func newState(n, m int, x []float64, o Options) *state {
	r := o.Rank
	s := &state{n: n, m: m, r: r, lambda: o.Lambda, kernels: o.Kernels, threads: o.Threads, x: x}
	s.e, s.a = make([]float64, n*m), make([]float64, n*m)
	s.h = append([]float64(nil), o.H...)
	s.w = append([]float64(nil), o.W...)
	s.wPlus, s.l2, s.target = make([]float64, n*r), make([]float64, n*r), make([]float64, n*r)
	s.degree = make([]float64, n)
	s.frame = newFrame(n, r, o.Kernels, o.Threads)
	s.layout()
	s.sums = make([]sums, s.chunks)
	for range s.chunks {
		s.partial = append(s.partial, make([]float64, r*m))
	}
	for range min(blas.Threads(o.Threads), s.chunks) {
		s.tile, s.row = append(s.tile, make([]float64, s.block*m)), append(s.row, make([]float64, m))
		s.product = append(s.product, make([]float64, s.block*r))
	}
	s.sweepChunk, s.stepChunkWPlus, s.formChunkTargets, s.solveColumns = s.sweepSamples, s.stepSamplesWPlus, s.formTargets, s.solveColumnBlock
	s.measureData()
	return s
}

// layout cuts the samples. It depends on the sizes alone.
func (s *state) layout() {
	s.block = min(s.n, max(1, min(16, tileNumbers/s.m/blockUnit))*blockUnit)
	// A chunk has sums of r × m to itself; there are few where that would weigh.
	chunks := max(2, min(maxChunks, s.n/s.r))
	s.chunk = ((s.n+chunks-1)/chunks + s.block - 1) / s.block * s.block
	s.chunks = (s.n + s.chunk - 1) / s.chunk
}

// rows are the samples of a chunk.
func (s *state) rows(chunk int) (lo, hi int) {
	return chunk * s.chunk, min((chunk+1)*s.chunk, s.n)
}

// blocks calls do for the blocks of a chunk.
func (s *state) blocks(chunk int, do func(lo, hi int)) {
	from, to := s.rows(chunk)
	for lo := from; lo < to; lo += s.block {
		do(lo, min(lo+s.block, to))
	}
}

// each runs a loop over the chunks.
func (s *state) each(ctx context.Context, do func(worker, lo, hi int)) error {
	return blas.For(ctx, s.threads, s.chunks, 1, do)
}

func (s *state) measureData() {
	var squares float64
	for i := range s.n {
		row := s.x[i*s.m : (i+1)*s.m]
		squares += blas.Dot(row, row)
	}
	s.normX = squares
}
