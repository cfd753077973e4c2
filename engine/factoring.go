package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// factoring is how a method factorises: the first three steps of an embedding for
// the term λ tr(WᵀΦW), and in place of the fourth a solver of factorisations.
type factoring struct {
	neighbors neighborRule // nil: the alignment finds them, or there is none
	patch     patchRule
	align     alignRule // of Φ; nil: no such term
	run       factorRule
	sparse    bool // sparse data stay so
}

// factorRule is a solver of factorisations with its options.
type factorRule interface {
	// factors factorises the problem's data. It may leave other data in the problem.
	factors(p *problem, w factorWork) (*factors, error)
	// transductive says why there is never a rule for new samples, to be read after
	// "there is no rule for new samples"; empty: it is an extensible.
	transductive() string
}

// extensible is a factorRule whose components give new samples their coordinates.
type extensible interface {
	factorRule
	// extension is the rule with the components h, or why these give none.
	extension(p *problem, h *mat.Dense) (*extension, string)
}

// factorWork is one factorisation.
type factorWork struct {
	factoring
	rank         int
	initW, initH *mat.Dense
	traceEvery   int
}

// factors is what a factorisation found.
type factors struct {
	w, h       []float64 // n × rank, and rows of m numbers, most often as many as the rank
	trace      []nmf.Point
	iterations int
	converged  bool
	plan       string
	split      *alm.Result // of a method by an augmented Lagrangian: more of what it found

	codes    []float64 // n × rank, what clusters are sought among in place of w; nil: w itself
	relative float64   // ‖X − WH‖_F/‖X‖_F where the trace has that of other data; 0: the trace's
}

// relativeError is ‖X − WH‖_F/‖X‖_F.
func (f *factors) relativeError() float64 {
	if f.relative > 0 {
		return f.relative
	}
	return f.trace[len(f.trace)-1].Residual
}

// factorsOf runs a factorisation of the problem's data.
func (p *problem) factorsOf(w factorWork) (*factors, error) {
	switch {
	case w.rank < 1:
		return nil, fmt.Errorf("%s: rank %d; give a whole number ≥ 1", p.name, w.rank)
	case w.traceEvery < 0:
		return nil, fmt.Errorf("%s: a trace every %d iterations; give a number ≥ 1, or 0 for every 10", p.name, w.traceEvery)
	}
	found, err := w.run.factors(p, w)
	if err != nil {
		return nil, err
	}
	p.explain("solve: %s", found.plan)
	return found, p.ctx.Err()
}

// givenFactors checks the start that was given and copies it; nil: none was.
func (p *problem) givenFactors(w factorWork) (coordinates, components []float64, err error) {
	if w.initW == nil && w.initH == nil {
		return nil, nil, nil
	}
	if coordinates, err = p.givenFactor("W", w.initW, p.x.N, w.rank); err != nil {
		return nil, nil, err
	}
	components, err = p.givenFactor("H", w.initH, w.rank, p.x.M)
	return coordinates, components, err
}

// givenFactor checks one factor of a given start, and copies it.
func (p *problem) givenFactor(name string, a *mat.Dense, rows, cols int) ([]float64, error) {
	if a == nil {
		return nil, fmt.Errorf("%s: a start needs both W and H; %s is missing (--init-w, --init-h)", p.name, name)
	}
	if r, c := a.Dims(); r != rows || c != cols {
		return nil, fmt.Errorf("%s: the start %s is %d × %d; give %d × %d", p.name, name, r, c, rows, cols)
	}
	u := mat.DenseCopyOf(a).RawMatrix().Data
	for i, v := range u {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the start %s is %v; give finite numbers ≥ 0", p.name, i/cols+1, i%cols+1, name, v)
		}
	}
	return u, nil
}

// factorGraph builds Φ for the weight λ and reports the components of its graph;
// nil: the method has none, or no weight for it.
func (p *problem) factorGraph(f factoring, lambda float64) (*alignment, error) {
	if f.align == nil {
		return nil, nil
	}
	if lambda == 0 {
		p.explain("graph: none, as λ is 0")
		return nil, nil
	}
	if p.x.N < 2 {
		return nil, fmt.Errorf("%s: one sample has no neighbours; give at least 2, or lambda=0", p.name)
	}
	if f.neighbors != nil {
		end := p.clock.Phase("neighbors")
		graph, err := f.neighbors.find(p)
		if err != nil {
			return nil, err
		}
		p.graph = graph
		end()
	}
	a, err := f.align(p, f.patch)
	if err != nil || a.whole != nil {
		return a, err
	}
	_, sizes := similar(a).Components()
	p.components, p.sizes = len(sizes), descending(sizes)
	p.explain("graph: %d component(s), Φ has %d entries", len(sizes), a.phi.NNZ())
	return a, nil
}

// descending sorts the sizes of components, the largest first.
func descending(sizes []int) []int {
	return slices.SortedFunc(slices.Values(sizes), func(a, b int) int { return b - a })
}
