package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// byALM looks for orthonormal, nonnegative indicators of clusters by an augmented
// Lagrangian, from the factors of NNDSVD or those given. The problem is left with the
// scaled samples.
type byALM struct {
	alm.Options        // λ, the penalty, limits
	scale       string // of the features: minmax, shift or none
	// learn makes the graph of a method that learns its affinities; nil: the graph of the
	// first three steps, which stays. The samples of p are scaled, those of unit are
	// besides divided by their spectral norm, as the factorisation sees them.
	learn func(p *problem, unit []float64) (alm.Graph, error)
}

func (r byALM) factors(p *problem, w factorWork) (*factors, error) {
	if err := p.checkIndicators(w.rank); err != nil {
		return nil, err
	}
	if err := p.roomForIndicators(w.rank); err != nil {
		return nil, err
	}
	o := p.indicatorOptions(r.Options, w)
	var err error
	if o.Indicators, o.Components, err = p.givenFactors(w); err != nil {
		return nil, err
	}
	p.scaleFeatures(r.scale)
	var graph alm.Graph
	unit := p.x.Data
	if r.learn == nil {
		phi, err := p.factorGraph(w.factoring, r.Lambda)
		if err != nil {
			return nil, err
		}
		if phi != nil {
			graph = alm.Fixed(affinities(phi.phi))
		}
	} else {
		unit = append([]float64(nil), unit...)
	}
	begin, err := p.beginIndicators(unit, &o)
	if err != nil {
		return nil, err
	}
	if r.learn != nil {
		if graph, err = r.learn(p, unit); err != nil {
			return nil, err
		}
	}
	found, err := p.indicators(unit, graph, o)
	if err != nil {
		return nil, err
	}
	blas.Scale(begin.Norm, found.h)
	return found, nil
}

func (byALM) transductive() string { return ", as the clusters are found for all samples together" }

// checkIndicators refuses numbers of samples and clusters that no orthonormal
// indicators have.
func (p *problem) checkIndicators(rank int) error {
	n := p.x.N
	switch {
	case n < 2:
		return fmt.Errorf("%s: %d sample; give at least 2", p.name, n)
	case rank > n:
		return fmt.Errorf("%s: rank %d for %d samples; give at most %d", p.name, rank, n, n)
	}
	return nil
}

// roomForIndicators refuses what would exceed the limit of memory, but for the graph.
func (p *problem) roomForIndicators(rank int) error {
	n, m, c := int64(p.x.N), int64(p.x.M), int64(rank)
	return p.limit(8*(5*n*m+6*n*c+18*c*(m+c)), "take a smaller rank, fewer samples, or raise the limit")
}

// indicatorOptions are those of a method with what is common to all runs.
func (p *problem) indicatorOptions(o alm.Options, w factorWork) alm.Options {
	o.Rank, o.TraceEvery = w.rank, w.traceEvery
	o.Kernels, o.Threads, o.Progress = p.kernels, p.options.Threads, p.fraction("solve")
	return o
}

// beginIndicators divides unit by its spectral norm and completes the start.
func (p *problem) beginIndicators(unit []float64, o *alm.Options) (*alm.InitialFactors, error) {
	defer p.clock.Phase("start")()
	begin, err := alm.Start(p.ctx, p.x.N, p.x.M, unit, o.Rank, *o)
	if err != nil {
		return nil, p.ofSolver(err)
	}
	p.details["spectral_norm"] = begin.Norm
	if o.Indicators != nil { // given, in the scale of the samples
		blas.Scale(1/begin.Norm, o.Components)
		return begin, nil
	}
	p.takeStart(begin, o)
	return begin, nil
}

// takeStart takes the start that was found.
func (p *problem) takeStart(begin *alm.InitialFactors, o *alm.Options) {
	o.Indicators, o.Components = begin.Indicators, begin.Components
	if begin.Filled > 0 {
		p.warn("only %d of the %d components follow from the data, which have no more singular values above rounding; the others start from every %d-th sample",
			o.Rank-begin.Filled, o.Rank, begin.Filled)
	}
}

// indicators runs the passes and tells what is known of them.
func (p *problem) indicators(unit []float64, graph alm.Graph, o alm.Options) (*factors, error) {
	defer p.clock.Phase("solve")()
	n, m := p.x.N, len(unit)/p.x.N
	found, err := alm.Factorize(p.ctx, n, m, unit, graph, o)
	if err != nil {
		return nil, p.ofSolver(err)
	}
	last := found.Trace[len(found.Trace)-1]
	p.details["residual_data"], p.details["residual_indicators"], p.details["residual_graph"] = last.Residuals[0], last.Residuals[1], last.Residuals[2]
	p.details["penalty"] = last.Mu
	if o.Tolerance > 0 && !found.Converged {
		p.warn("the splitting of the problem is closed to %.1e only where %.1e was asked for: more iterations or a larger rho close it further", last.Largest(), o.Tolerance)
	}
	f := &factors{w: found.Indicators, h: found.Components, iterations: found.Passes, converged: found.Converged, split: found,
		plan: "two sweeps over the samples in each pass, 6nmc flops, and the orthonormal factor of an n × c matrix"}
	for _, at := range found.Trace {
		objective := at.Loss + at.Regularizer
		f.trace = append(f.trace, nmf.Point{Iteration: at.Pass, Objective: objective, Surrogate: objective, Residual: at.Relative, Regulariser: at.Regularizer})
	}
	return f, nil
}

// affinities are S of a graph Laplacian Φ = diag(S1) − S.
func affinities(phi *sparse.CSR) *sparse.CSR {
	s := &sparse.CSR{Rows: phi.Rows, Cols: phi.Cols, Ptr: make([]int, 1, phi.Rows+1), Col: make([]int32, 0, phi.NNZ()), Val: make([]float64, 0, phi.NNZ())}
	for i := range phi.Rows {
		cols, vals := phi.Row(i)
		for q, j := range cols {
			if int(j) != i && vals[q] != 0 {
				s.Col, s.Val = append(s.Col, j), append(s.Val, -vals[q])
			}
		}
		s.Ptr = append(s.Ptr, len(s.Col))
	}
	return s
}
