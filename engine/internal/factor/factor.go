// Package factor has factorisations X ≈ WH: a graph term of the first three steps, and in
// place of the fourth a solver that looks for W (n × r, a row a sample) and H (r × m, a
// row a component).
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

// Plan is how a method factorises: the first three steps of an embedding for the term
// λ tr(WᵀΦW), and in place of the fourth a solver of factorisations.
type Plan struct {
	Neighbors neighborhood.Rule // nil: the alignment finds them, or there is none
	Patch     patch.Rule
	Align     align.Rule[*align.Phi] // of Φ; nil: no such term
	Solve     Rule
	Sparse    bool // compressed data stay so
}

// Rule is a solver of factorisations with its options.
type Rule interface {
	// Factorize factorises the samples.
	Factorize(w Work) (*Found, error)
	// WithoutExtension says why there is never a rule for new samples, to be read after
	// "there is no rule for new samples"; empty: the components give one, see [Found].
	WithoutExtension() string
	// Units are those of its parameters and of what it finds.
	Units() Units
}

// Work is one factorisation.
type Work struct {
	*run.Run
	X            samples.Samples
	Weights      nmf.Weights // of the entries; of ByNMF without a graph
	Plan         Plan
	HeldOut      float64 // the share of the entries that runs do not see; of Restart
	Rank         int
	InitW, InitH *mat.Dense
	TraceEvery   int
}

// Found is what a factorisation found.
type Found struct {
	W, H       []float64 // n × rank, and rows of m numbers, most often as many as the rank
	Offset     []float64 // m numbers, X ≈ Offset + WH; nil: zeros
	Trace      []nmf.Point
	Iterations int
	Converged  bool
	Plan       string
	Judged                 // by the trace
	Predicted  Prediction  // of runs that do not see all entries
	Split      *alm.Result // of a method by an augmented Lagrangian: more of what it found

	Codes    []float64 // n × rank, what clusters are sought among in place of W; nil: W itself
	Relative float64   // the relative error where the trace has that of other data; 0: the trace's

	Samples int // of samples that were read batch by batch

	Components []int      // the sizes of the components of the graph, descending; nil: there is none, or a dense one
	Selection  *Selection // of a selective method; nil: the method is none

	Extension *extend.Extension // nil: there is none, because of Reason
	Reason    string
}

// RelativeError is ‖X − Offset − WH‖_F/‖X − Offset‖_F.
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
	job := w.Run // and not w from here on: a solver that scales the samples lets go of the others
	found, err := w.Plan.Solve.Factorize(w)
	if err != nil {
		return nil, err
	}
	job.Explain("solve: %s", found.Plan)
	found.judged(job, plan, exponent)
	return found, job.Err()
}

// givenFactors checks the start that was given and copies it; nil: none was. signed says
// that H may have negative entries.
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

// givenFactor checks one factor of a given start, or one that is fixed, and copies it.
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

// graph builds Φ of the samples x for the weight λ, and the sizes of the components of
// its graph where that is sparse; nil: the method has none, or no weight for it.
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
