package factor

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// ByALM looks for orthonormal, nonnegative indicators of clusters by an augmented
// Lagrangian, from the factors of NNDSVD or those given.
type ByALM struct {
	alm.Options        // λ, the penalty, limits
	Scale       string // of the features: minmax, shift or none
	// Learn makes the graph of a method that learns its affinities; nil: the graph of the
	// first three steps, which is fixed. The samples x are scaled, those of unit are
	// besides divided by their spectral norm, as the factorisation sees them.
	Learn func(job *run.Run, x samples.Samples, unit []float64) (alm.Graph, error)
}

// Factorize looks for the indicators of the scaled samples.
func (r ByALM) Factorize(w Work) (*Found, error) {
	if err := w.checkIndicators(); err != nil {
		return nil, err
	}
	copies := 3 // of the samples: scaled, and two that split the problem
	if r.Learn != nil {
		copies++ // divided by their norm besides
	}
	if err := w.roomForIndicators(copies); err != nil {
		return nil, err
	}
	o := w.indicatorOptions(r.Options)
	var err error
	if o.W, o.H, err = w.givenFactors(); err != nil {
		return nil, err
	}
	w.X = w.X.Scaled(r.Scale) // the work on other samples; the others are let go
	whole := w.Run
	w.Run = whole.Holding(8 * int64(w.X.N()) * int64(w.X.M()))
	var graph alm.Graph
	var components []int
	unit := w.X.Data() // taken over: nothing looks at the samples once they are divided
	if r.Learn == nil {
		phi, sizes, err := w.graph(w.X, r.Lambda)
		if err != nil {
			return nil, err
		}
		if components = sizes; phi != nil {
			graph = alm.Fixed(affinities(phi.Sparse))
			w.Run = whole.Holding(phi.Bytes())
			if err := w.roomForIndicators(copies); err != nil {
				return nil, err
			}
		}
	} else {
		unit = append([]float64(nil), unit...)
	}
	begin, err := w.beginIndicators(unit, &o)
	if err != nil {
		return nil, err
	}
	if r.Learn != nil {
		if graph, err = r.Learn(whole.Holding(w.indicatorBytes(copies)), w.X, unit); err != nil {
			return nil, err
		}
	}
	found, err := w.indicators(unit, graph, o)
	if err != nil {
		return nil, err
	}
	blas.Scale(begin.Norm, found.H)
	found.Components = components
	return found, nil
}

// WithoutExtension says why.
func (ByALM) WithoutExtension() string { return ", as the clusters are found for all samples together" }

// checkIndicators refuses numbers of samples and clusters that no orthonormal
// indicators have.
func (w Work) checkIndicators() error {
	n, rank := w.X.N(), w.Rank
	switch {
	case n < 2:
		return fmt.Errorf("%s: %d sample; give at least 2", w.Method(), n)
	case rank > n:
		return fmt.Errorf("%s: rank %d for %d samples; give at most %d", w.Method(), rank, n, n)
	}
	return nil
}

// indicatorBytes is what the passes hold, with so many copies of the samples, but for the
// graph.
func (w Work) indicatorBytes(copies int) int64 {
	n, m, c := int64(w.X.N()), int64(w.X.M()), int64(w.Rank)
	return 8 * (int64(copies)*n*m + 8*n*c + 18*c*(m+c))
}

// roomForIndicators refuses what would exceed the limit of memory, but for the graph.
func (w Work) roomForIndicators(copies int) error {
	return w.FitBeforeSolve(w.X.N(), w.X.M(), w.indicatorBytes(copies), "take a smaller rank, fewer samples, or raise the limit")
}

// indicatorOptions are those of a method with what is common to all runs.
func (w Work) indicatorOptions(o alm.Options) alm.Options {
	o.Rank, o.TraceEvery = w.Rank, w.TraceEvery
	o.Kernels, o.Threads, o.Progress = w.Kernels(), w.Threads(), w.Fraction("solve")
	return o
}

// beginIndicators divides unit by its spectral norm and completes the start.
func (w Work) beginIndicators(unit []float64, o *alm.Options) (*alm.InitialFactors, error) {
	defer w.Phase("start")()
	begin, err := alm.Start(w.Context(), w.X.N(), w.X.M(), unit, o.Rank, *o)
	if err != nil {
		return nil, w.Solver(err)
	}
	w.Note("spectral_norm", begin.Norm)
	if o.W != nil { // given, in the scale of the samples
		blas.Scale(1/begin.Norm, o.H)
		return begin, nil
	}
	w.takeStart(begin, o)
	return begin, nil
}

// takeStart takes the start that was found.
func (w Work) takeStart(begin *alm.InitialFactors, o *alm.Options) {
	o.W, o.H = begin.W, begin.H
	if begin.Filled > 0 {
		w.Warn("only %d of the %d components follow from the data, which have no more singular values above rounding; the others start from every %d-th sample",
			o.Rank-begin.Filled, o.Rank, begin.Filled)
	}
}

// indicators runs the passes and tells what is known of them.
func (w Work) indicators(unit []float64, graph alm.Graph, o alm.Options) (*Found, error) {
	defer w.Phase("solve")()
	n := w.X.N()
	m := len(unit) / n
	found, err := alm.Factorize(w.Context(), n, m, unit, graph, o)
	if err != nil {
		return nil, w.Solver(err)
	}
	last := found.Trace[len(found.Trace)-1]
	w.Note("residual_data", last.Residuals[0])
	w.Note("residual_indicators", last.Residuals[1])
	w.Note("residual_graph", last.Residuals[2])
	w.Note("penalty", last.Mu)
	if o.Tolerance > 0 && !found.Converged {
		w.Warn("the splitting of the problem is closed to %.1e only where %.1e was asked for: more iterations or a larger rho close it further", last.Largest(), o.Tolerance)
	}
	f := &Found{W: found.W, H: found.H, Iterations: found.Passes, Converged: found.Converged, Split: found,
		Plan: "two sweeps over the samples in each pass, 6nmc flops, and the orthonormal factor of an n × c matrix"}
	for _, at := range found.Trace {
		objective := at.Loss + at.Regularizer
		f.Trace = append(f.Trace, nmf.Point{Iteration: at.Pass, Objective: objective, Surrogate: objective, Residual: at.Relative, Regularizer: at.Regularizer})
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
