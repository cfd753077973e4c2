package alm

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// Factorize runs the passes on the n × m data x (see [Start] for their scale and for the
// start, and the package comment for a pass) until no residual exceeds the
// tolerance or their number is reached. graph may be nil: none. x is not
// written to, but for a [Projector].
//
// Errors are about sizes, options out of their range, data that are not finite, what
// the graph returns, and factors that overflow. The context is looked at between
// loops. Besides x it takes two n × m matrices, and a few of n × r.
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
	s := newState(n, m, x, o)
	if err := s.begin(ctx, o.Mu); err != nil {
		return nil, err
	}
	found := &Result{Trace: []Point{s.point(0, o.Mu, 0)}}
	for pass := 1; pass <= o.Passes; pass++ {
		p, err := s.pass(ctx, graph, Step{Pass: pass, Rank: s.r, Mu: s.mu, Next: min(s.mu*o.Rho, o.Cap)})
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
		if last {
			break
		}
	}
	o.Progress(1)
	found.W, found.NonnegativePart, found.H = s.w, s.wPlus, s.h
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
