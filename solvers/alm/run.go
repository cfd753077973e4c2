package alm

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
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
// n + r the passes work on n + r columns, and the matrices have so many.
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
	mu := 0.1 / max(solvers.Median(lengths), tiny)
	if s.current.affinity != nil {
		mu = max(mu, 2*s.lambda*slices.Max(s.degree))
	}
	return mu
}
