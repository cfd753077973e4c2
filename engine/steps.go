package engine

import (
	"context"
	"fmt"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// steps are the four choices that make a method.
type steps struct {
	neighbors neighborRule // nil: every sample is local to every other
	patch     patchRule    // nil where the alignment needs none
	align     alignRule
	solve     solveRule
	extend    extendRule // for new samples; nil: by barycentric weights where there are neighbourhoods

	ownLandmarks  bool // the alignment takes problem.landmarks into account; otherwise they are embedded alone and extended
	needConnected bool // nothing is defined across components: components=joint is refused
}

// neighborRule finds who is local to whom.
type neighborRule interface {
	find(p *problem) (*neighbors.Graph, error)
	// widen prepares the graphs of up to k neighbours instead of those that were
	// asked for, to tell which number would connect it.
	widen(p *problem, k int) (narrowed func(k int) (*neighbors.Graph, error), err error)
}

// patchRule says what is kept of each neighbourhood, as small symmetric
// matrices.
type patchRule interface {
	// sets lists the rows that each patch touches.
	sets(g *neighbors.Graph) (ptr []int, index []int32)
	// begin looks at all points once, where the rule needs that, and returns a
	// maker of patch functions: every worker calls it once and so has scratch of
	// its own.
	begin(p *problem) (func() patchFunc, error)
}

// patchFunc writes the lower triangle of patch i, row after row.
type patchFunc func(i int, dst []float64)

// alignRule adds the patches up.
type alignRule func(p *problem, rule patchRule) (*alignment, error)

// alignment is the matrix whose eigenvectors are the coordinates.
type alignment struct {
	phi   *sparse.CSR
	whole []float64 // in place of phi where that would not be sparse: n × n, row after row
	null  []float64 // the unit vector that it is known to send to zero
	scale []float64 // coordinates are scale ∘ eigenvector; nil: the eigenvector

	laplacian bool                        // phi is a normalised graph Laplacian
	factored  func() (*sparse.CSR, error) // Bᵀ with phi = BBᵀ; nil: not known

	gram     *gram         // in place of phi, for methods that keep no locality
	dense    *denseProblem // beside phi, for linear projections
	scatter  *scatter      // in place of phi, for methods that separate classes
	geodesic *geodesic     // likewise, for methods that keep distances along the graph
}

// solveRule finds the coordinates.
type solveRule func(p *problem, a *alignment) (*solution, error)

// solution is what a solve rule gives back.
type solution struct {
	y         *mat.Dense
	values    []float64
	next      float64
	residuals []float64
	converged bool
	plan      *solvers.Plan
	solves    int
	products  int
	angle     float64

	objective     []float64 // of an iterative method: at the start and after each iteration
	orthogonality float64
	iterations    int

	mean       []float64  // m, of a linear method: y = (x − mean)·projection; nil: zeros
	projection *mat.Dense // m × d, of a linear method

	extension   *extension // for new samples; nil: there is no rule
	noExtension string     // why, to be read after "there is no rule for new samples"
}

// problem is one embedding under way: the data, the options, and what the steps
// have found so far.
type problem struct {
	ctx     context.Context
	name    string // the method's
	x       neighbors.Points
	dim     int
	params  map[string]any // the method's, defaults filled in
	options Options
	kernels *blas.Kernels
	clock   *Clock
	graph   *neighbors.Graph
	labels  []int64 // of the samples of x; nil unless the method is supervised
	// landmarks are the samples chosen where the method's steps have ownLandmarks,
	// ascending; nil: all.
	landmarks []int

	// Of a factorisation.
	sparse     *sparse.CSR // the data where they are sparse; x then has no entries
	shift      []float64   // that was taken off each column; nil: none
	components int         // of the graph
	sizes      []int
	selection  *Selected // of a selective method
	*report
}

// report collects what is said about a run besides its numbers.
type report struct {
	warnings []string
	details  map[string]any
}

func (r *report) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// fraction returns a callback that reports the progress of a phase.
func (p *problem) fraction(phase string) func(float64) {
	return func(done float64) { p.options.Progress(Progress{phase, done}) }
}

// counted reports the progress of a phase as the sum of what is done of n.
func counted(fraction func(float64), n int) func(more int) {
	var done atomic.Int64
	return func(more int) { fraction(float64(done.Add(int64(more))) / float64(n)) }
}

// explain tells one line of what is going to be done.
func (p *problem) explain(format string, args ...any) {
	p.options.Explain(fmt.Sprintf(format, args...))
}

// run takes the steps after the neighbourhoods are known.
func (p *problem) run(s steps) (*solution, error) {
	a, err := s.align(p, s.patch)
	if err != nil {
		return nil, err
	}
	end := p.clock.Phase("solve")
	found, err := s.solve(p, a)
	end()
	if err != nil {
		return nil, err
	}
	extend := s.extend
	if extend == nil && p.graph != nil {
		extend = barycentricExtension
	}
	if extend != nil {
		found.extension, err = extend(p, a, found)
	}
	return found, err
}

// gamma is the regularisation of weights that the method was given.
func (p *problem) gamma() float64 {
	if g, ok := p.params["gamma"].(float64); ok {
		return g
	}
	return barycentricGamma
}
