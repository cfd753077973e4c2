package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/solvers/sddm"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// denseOrder is the order up to which the dense solver is taken whatever is
	// asked for (measured: the two take the same time near 200).
	denseOrder = 200
	// denseShare: the dense solver is also taken when more than n/denseShare pairs
	// are requested, since the basis of Lanczos would then hold most of the space.
	denseShare = 4
	// fewColumns: neighbour graphs of data with more columns are mostly expanders,
	// on whose Laplacians products alone converge before a factorisation is done.
	fewColumns = 8
	// probeProducts and maxProducts are the products with a vector that a probe,
	// and a solution by products alone, may take.
	probeProducts = 800
	maxProducts   = 100000
)

// factoring is the solver that makes a factor of the whole matrix.
const factoring = "shift-invert lanczos"

// errDeclined is the answer of a solver that leaves the problem to the next rule.
var errDeclined = errors.New("solvers: declined")

// rule is one row of the choice of a solver.
type rule struct {
	solver string
	// when gives the reason to take the solver, or "" where there is none.
	when  func(ctx context.Context, p *problem) (string, error)
	solve func(p *problem, ctx context.Context) (*Eigen, error)
}

// rules are tried in order: the first that applies solves the problem unless it
// declines, and then the next one does.
var rules = []rule{
	{"dense", func(_ context.Context, p *problem) (string, error) {
		return reason(p.a.Rows <= denseOrder, "order %d ≤ %d", p.a.Rows, denseOrder), nil
	}, (*problem).dense},
	{"dense", func(_ context.Context, p *problem) (string, error) {
		return reason(p.wanted > p.a.Rows/denseShare, "%d pairs are more than 1/%d of order %d", p.wanted, denseShare, p.a.Rows), nil
	}, (*problem).dense},
	{"lanczos", func(_ context.Context, p *problem) (string, error) {
		return reason(p.Laplacian && p.Columns > fewColumns, "a Laplacian of data with %d columns: products first", p.Columns), nil
	}, (*problem).probe},
	{"lanczos", func(ctx context.Context, p *problem) (string, error) {
		if !p.Laplacian || p.probed {
			return "", nil
		}
		err := p.analyzeWithin(ctx, fills)
		if fill, is := errors.AsType[*sparse.FillError](err); is {
			return fmt.Sprintf("a Laplacian whose factorisation takes more than %.2g flops: products first", fill.Most), nil
		}
		return reason(p.plan.Flops > p.probeFlops(), "a Laplacian whose factorisation takes %.2g flops: products first", p.plan.Flops), err
	}, (*problem).probe},
	{"block davidson", func(ctx context.Context, p *problem) (string, error) { return p.filled(ctx) }, (*problem).davidson},
	{factoring, func(ctx context.Context, p *problem) (string, error) {
		if err := p.analyze(ctx); err != nil {
			return "", err
		}
		if p.Laplacian && p.Memory > 0 && p.factorBytes() > p.Memory {
			return "", nil
		}
		return fmt.Sprintf("order %d, factorisation of %.2g flops", p.a.Rows, p.plan.Flops), nil
	}, (*problem).shiftInvert},
	{"lanczos", func(context.Context, *problem) (string, error) {
		return "a Laplacian whose factor does not fit the memory limit", nil
	}, (*problem).products},
}

// reason prints why a rule applies, if it does.
func reason(applies bool, format string, args ...any) string {
	if !applies {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// solve goes through the rules.
func (p *problem) solve(ctx context.Context) (*Eigen, error) {
	for _, r := range rules {
		why, err := r.when(ctx, p)
		if err != nil {
			return nil, err
		}
		if why == "" {
			continue
		}
		p.plan.Solver, p.plan.Reason = r.solver, why
		if r.solver != factoring {
			p.Storage = nil
		}
		e, err := r.solve(p, ctx)
		if !errors.Is(err, errDeclined) {
			return e, err
		}
	}
	return nil, errDeclined // not reached: the last rule always applies and never declines
}

// analyse orders the matrix and finds the structure of its factor, once.
func (p *problem) analyze(ctx context.Context) error { return p.analyzeWithin(ctx, math.Inf(1)) }

// analyzeWithin is analyse with a [sparse.FillError] where the factor takes more than this many operations.
func (p *problem) analyzeWithin(ctx context.Context, most float64) (err error) {
	if p.analysis != nil {
		return nil
	}
	if p.filling && !math.IsInf(most, 1) { // as seen before
		return &sparse.FillError{Most: most}
	}
	analysis := p.analyzed
	if analysis == nil {
		if !math.IsInf(most, 1) {
			if p.filling, err = p.expands(ctx); err != nil {
				return err
			}
			if p.filling {
				return &sparse.FillError{Most: most}
			}
		}
		if analysis, err = sparse.AnalyzeWithin(ctx, p.a, p.Threads, most); err != nil {
			_, p.filling = errors.AsType[*sparse.FillError](err)
			return err
		}
	}
	p.analysis = analysis
	p.plan.Ordering = analysis.Ordering()
	p.plan.FactorEntries, p.plan.Flops = analysis.Entries(), analysis.Flops()
	return nil
}

// probeFlops is what a probe that fails will have cost: products, and keeping
// some fifty vectors orthogonal.
func (p *problem) probeFlops() float64 {
	return probeProducts * (2*float64(p.a.NNZ()) + 400*float64(p.a.Rows))
}

// expands reports whether the matrix is seen to fill without an analysis: [sddm.Preconditioner.Fills].
func (p *problem) expands(ctx context.Context) (bool, error) {
	if p.a.Rows < sddm.ExpanderRows || p.sigma > 0 || p.Columns > 0 && p.Columns <= fewColumns {
		return false, nil
	}
	m, err := sddm.NewPreconditioner(ctx, p.a, p.scales(), sddm.Options{Preconditioner: sddm.Diagonal, Seed: p.Seed, Threads: p.Threads, Memory: p.Memory})
	if err != nil || !m.Fills(p.a) {
		return false, ctx.Err() // another error is for those who need the preconditioner
	}
	p.byDiagonal = m
	return true, nil
}

// factorBytes is the memory of solving by factorisation: the factor, the basis, and the
// vectors under way.
func (p *problem) factorBytes() int64 {
	return p.analysis.Bytes() + 8*int64(p.a.Rows)*int64(p.minBasis()+4*p.wanted+6*p.block())
}
