// Package factor implements factorisations X ≈ WH: the first three steps of an embedding make a graph
// term, and the fourth is a solver for W (n × r, one row for each sample) and H (r × m, one
// row for each component).
package factor

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Plan describes how a method factorises: the first three steps of an embedding make the term
// λ tr(WᵀΦW), and the fourth is a solver of factorisations.
type Plan struct {
	Neighbors neighborhood.Rule // nil: the alignment searches, or there is no graph
	Patch     patch.Rule
	Align     align.Rule[*align.Phi] // makes Φ; nil: there is no graph term
	Solve     Rule
	Sparse    bool // compressed data stay compressed
}

// Rule is a solver of factorisations with its options.
type Rule interface {
	// Factorize factorises the samples.
	Factorize(w Work) (*Found, error)
	// WithoutExtension returns the reason if there is never a rule for new samples, which completes
	// "there is no rule for new samples"; empty: the components give a rule, see [Found].
	WithoutExtension() string
	// Units returns the units of the parameters and the results.
	Units() Units
}

// Work is one factorisation.
type Work struct {
	*run.Run
	X            samples.Samples
	Weights      nmf.Weights // of the entries; for ByNMF without a graph
	Plan         Plan
	HeldOut      float64 // share of the entries hidden from each run; for Restart
	Rank         int
	InitW, InitH *mat.Dense
	// Collection says of which matrices the samples are put together; nil: of one. DatasetLabels are the caller's.
	Collection    *nmf.Collection
	DatasetLabels []int64
	TraceEvery    int
}

// Found is the result of a factorisation.
type Found struct {
	W, H       []float64 // n × rank, and rows of m numbers, usually rank of them
	Own        []float64 // V of each dataset, rank × m; nil: there are none
	Offset     []float64 // m numbers, X ≈ Offset + WH; nil: zeros
	Trace      []nmf.Point
	Iterations int
	Converged  bool
	Plan       string
	Judged                 // from the trace
	Predicted  Prediction  // for runs with hidden entries
	Split      *alm.Result // further results of augmented Lagrangian methods

	CollectionErrors // of a [Work.Collection]

	Codes    []float64 // n × rank, clustered in place of W; nil: W itself
	Relative float64   // the relative error if the trace is about other data; 0: that of the trace

	Samples int // number of samples that were read in batches

	Components []int      // sizes of the components of the graph, descending; nil: there is no graph, or a dense one
	Selection  *Selection // of a selective method, otherwise nil

	Extension *extend.Extension // nil: none, for the given Reason
	Reason    string
}

// RelativeError returns ‖X − Offset − WH‖_F/‖X − Offset‖_F.
func (f *Found) RelativeError() float64 {
	if f.Relative > 0 {
		return f.Relative
	}
	return f.Trace[len(f.Trace)-1].Residual
}

// Factorize runs the solver of the plan.
func (w Work) Factorize() (*Found, error) {
	switch {
	case w.Rank < 1:
		return nil, fmt.Errorf("%s: rank %d; give a whole number ≥ 1", w.Method(), w.Rank)
	case w.TraceEvery < 0:
		return nil, fmt.Errorf("%s: a trace every %d iterations; give a number ≥ 1, or 0 for every 10", w.Method(), w.TraceEvery)
	}
	plan, exponent := w.Plan, w.X.Exponent()
	job := w.Run // w must not be used below: a solver that scales the samples releases the originals
	found, err := w.Plan.Solve.Factorize(w)
	if err != nil {
		return nil, err
	}
	job.Explain("solve: %s", found.Plan)
	found.judged(job, plan, exponent)
	return found, job.Err()
}

// givenFactors checks and copies the given start; nil: none was given. With signed,
// H may have negative entries.
func (w Work) givenFactors(signed bool) (coordinates, components []float64, err error) {
	if w.InitW == nil && w.InitH == nil {
		return nil, nil, nil
	}
	if coordinates, err = w.givenFactor("start", "W", w.InitW, w.X.N(), w.Rank, false); err != nil {
		return nil, nil, err
	}
	components, err = w.givenFactor("start", "H", w.InitH, w.Rank, w.X.M(), signed)
	return coordinates, components, err
}

// givenFactor checks and copies one factor of a given start, or a fixed one.
func (w Work) givenFactor(role, name string, a *mat.Dense, rows, cols int, signed bool) ([]float64, error) {
	if a == nil {
		return nil, wording.Errorf("%s: a start needs both W and H; %s is missing (‹init_w›, ‹init_h›)", w.Method(), name)
	}
	if r, c := a.Dims(); r != rows || c != cols {
		return nil, fmt.Errorf("%s: the %s %s is %d × %d; give %d × %d", w.Method(), role, name, r, c, rows, cols)
	}
	u := mat.DenseCopyOf(a).RawMatrix().Data
	for i, v := range u {
		if signed && v-v != 0 {
			return nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the %s %s is %v; give finite numbers", w.Method(), i/cols+1, i%cols+1, role, name, v)
		}
		if !signed && (!(v >= 0) || math.IsInf(v, 1)) {
			return nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the %s %s is %v; give finite numbers ≥ 0", w.Method(), i/cols+1, i%cols+1, role, name, v)
		}
	}
	return u, nil
}

// graph builds Φ of the samples x for the weight λ, and returns the sizes of the components of
// its graph if that is sparse; nil: the method has no graph term, or λ is 0.
func (w Work) graph(x samples.Samples, lambda float64) (*align.Phi, []int, error) {
	f := w.Plan
	if f.Align == nil {
		return nil, nil, nil
	}
	if lambda == 0 {
		w.Explain("graph: none, as λ is 0")
		return nil, nil, nil
	}
	if x.N() < 2 {
		return nil, nil, wording.Errorf("%s: one sample has no neighbours; give at least 2, or ‹lambda=0›", w.Method())
	}
	in := align.Input{Local: patch.Local{Run: w.Run, X: x}, Patch: f.Patch}
	if f.Neighbors != nil {
		end := w.Phase("neighbors")
		found, err := f.Neighbors.Find(w.Run, x)
		if err != nil {
			return nil, nil, err
		}
		in.Graph = found.Graph
		in.Run = in.Holding(found.Bytes())
		end()
	}
	a, err := f.Align(in)
	if err != nil || a.Dense != nil {
		return a, nil, err
	}
	_, sizes := align.Joined(a.Sparse).Components()
	w.Explain("graph: %d component(s), Φ has %d entries", len(sizes), a.Sparse.NNZ())
	return a, align.Descending(sizes), nil
}
