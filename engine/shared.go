package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// Shared is an embedding of samples distributed over several processes. Each process works on its own
// rows, by the rules of [Embed], until it has its part of the alignment matrix. Communication and the
// solve are left to the caller.
type Shared struct {
	state
	clock  *Clock
	steps  pipeline.Steps
	row    method.Row
	others Others
}

// Others are the processes that share the samples. All processes call the same function at the same
// time, and all get the same result.
type Others interface {
	// LowerMedian is [orderstat.LowerMedian] over the numbers of all processes; NaN if there are none.
	LowerMedian(own []float64) float64
	// Sum adds the numbers of all processes elementwise.
	Sum(own ...float64) []float64
}

// Whole describes the samples of all processes together.
type Whole struct {
	Samples, Features int
	Row, Col          int     // of the largest absolute entry, from 0; for a graph without samples, of the longest distance
	Largest           float64 // that entry
	Least, Mean       int     // of a given graph: the shortest list, and the mean length rounded down
	Given             bool    // there is a given graph
}

// SharedPart holds the samples of one process.
type SharedPart struct {
	// X has the own samples, followed by those in their lists; nil: the graph is
	// enough. It is changed if the samples are of unusual magnitude.
	X    *mat.Dense
	Rows []int32 // the number of each among all samples, from 0
	Own  int     // number of own samples
	// Graph has their lists, by index in X. For the other samples it has all own samples that
	// they list, which shows whether two samples list each other.
	Graph *neighbors.Graph
}

// Share prepares an embedding by m of shared samples. Only methods whose patches
// depend on a neighbourhood and on medians over all samples can be shared: lle, mlle, neml,
// ltsa and le. Other methods are an error, and so are options that need more.
func Share(ctx context.Context, m Method, o Options, all Whole, others Others) (*Shared, error) {
	o, err := withDefaults(o)
	if err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	if err := sharable(m, o); err != nil {
		return nil, err
	}
	clock := NewClock()
	s := &Shared{state: state{Run: method.NewRun(ctx, m.Name(), kernels, o, clock), method: m}, clock: clock, others: others}
	if all.Samples < 2 || all.Features < 1 && !all.Given {
		return nil, fmt.Errorf("%s: %d × %d data cannot be embedded; give at least 2 samples and 1 column", m.Name(), all.Samples, all.Features)
	}
	if s.method, err = s.listed(all, o); err != nil {
		return nil, err
	}
	s.unit = magnitude.Unit{Exponent: magnitude.Exponent(math.Abs(all.Largest)), Method: m.Name(), Row: all.Row, Col: all.Col, Value: all.Largest}
	whole := fit{task: "embed", options: o, data: shape{all.Samples, all.Features}}
	if s.state, _, err = through(s.state, parameters{fit: whole, early: true}); err != nil {
		return nil, err
	}
	s.row = method.RowOf(s.method)
	if s.method, err = methodIn(s.unit, s.method); err != nil {
		return nil, err
	}
	s.steps = method.RowOf(s.method).Embed()
	return s, checkResults(s.unit, s.row.UnitsOf())
}

// sharable returns an error for methods and options that need all samples in one process.
func sharable(m Method, o Options) error {
	if !method.RowOf(m).Shared {
		return fmt.Errorf("%s: its samples cannot be shared among processes; take lle, mlle, neml, ltsa or le", m.Name())
	}
	if o.Neighbors == "approximate" {
		return wording.Errorf("%s: among shared samples neighbours are found exactly; leave ‹neighbors_method› out", m.Name())
	}
	for _, f := range param.Fields(&o) {
		if f.Key != "recall" && f.Key != "landmark_choice" && f.Current() != f.Default {
			return wording.Errorf("%s: ‹%s=%v› needs all samples in one process; leave it out, or embed on one machine", m.Name(), f.Key, f.Current())
		}
	}
	for _, f := range param.Fields(m) {
		if f.MayBeAuto() && f.Current() == "auto" && f.Default != any("auto") {
			return wording.Errorf("%s: ‹%s=auto› needs all samples in one process; give a number", m.Name(), f.Key)
		}
	}
	return nil
}

// listed returns the method with the number of neighbours in the lists of a given graph.
func (s *Shared) listed(all Whole, o Options) (Method, error) {
	if !all.Given {
		return s.method, nil
	}
	if all.Features < 1 {
		settled, err := param.Resolve(s.method.Name(), s.method, method.AnySize, func(string, ...any) {})
		if err != nil {
			return nil, err
		}
		if err := s.checkWithoutSamples(method.RowOf(settled), "graph", o); err != nil {
			return nil, err
		}
	}
	full, err := s.withNeighbors(max(all.Mean, 1))
	if err != nil || method.RowOf(s.method).Embed().Patch.AnyLists {
		return full, err
	}
	if all.Least == 0 {
		return nil, fmt.Errorf("%s: a row of the graph lists no neighbours, and its sample has no patch; give it some, or leave it out", s.Method())
	}
	fewest, err := s.withNeighbors(all.Least)
	if err == nil {
		fewest, err = param.Resolve(fewest.Name(), fewest, all.Samples, s.Warn)
	}
	if check := method.RowOf(fewest).Check; err == nil && check != nil {
		err = check(all.Samples, all.Features)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (the shortest list of the graph has %d)", err, all.Least)
	}
	return full, nil
}

// Neighbors returns the number of neighbours to search.
func (s *Shared) Neighbors() int { return *s.row.Neighbors }

// Dim returns the number of coordinates.
func (s *Shared) Dim() int { return s.row.Dim }

// Params returns the parameters, as in [Result].
func (s *Shared) Params() map[string]any { return s.params }

// Normalized reports whether the sum of the patches is a graph Laplacian Φ. Then the
// eigenvectors are those of D^−½ΦD^−½, and the coordinates are D^−½ times them.
func (s *Shared) Normalized() bool { return s.steps.Patch.Edges != nil }

// ScaleDown divides samples, in place, by the power of two that brings them to ordinary magnitude.
func (s *Shared) ScaleDown(x []float64) { magnitude.Scale(-s.unit.Exponent, x) }

// Align sums the patches of the own samples of a part. Rows and columns of the sum are indices
// in the part, and the sum over all parts is the alignment matrix. factored returns Bᵀ with
// BBᵀ = phi; nil: unknown. The samples and the distances must have gone through
// [Shared.ScaleDown]. All processes call it at the same time.
func (s *Shared) Align(p SharedPart) (phi *sparse.CSR, factored func() (*eigen.RowBlocks, error), err error) {
	x := samples.Unknown(len(p.Rows))
	if p.X != nil {
		x = samples.Of(p.X)
	}
	graph := p.Graph
	if !s.Normalized() { // no patches of the others
		end := graph.Ptr[p.Own]
		graph = &neighbors.Graph{Ptr: graph.Ptr[:p.Own+1], Index: graph.Index[:end], Dist: graph.Dist[:min(end, len(graph.Dist))]}
	}
	sum, err := align.GraphTerm(align.Input{Patch: s.steps.Patch, Local: patch.Local{
		Run: s.Run, X: x.Numbered(p.Rows), Graph: graph, Own: p.Own, Others: s.others}})
	if err != nil {
		return nil, nil, err
	}
	return sum.Phi, sum.Factored, nil
}

// Unplaced returns the error about samples whose rows of the alignment matrix are zero up to
// rounding: count is their number, and first the number of the first, from 1. held: a patch
// contains it.
func (s *Shared) Unplaced(count, first int, held bool) error {
	return align.Unplaced(s.Method(), s.steps.Patch, count, first, held)
}

// Found returns the details, as in [Result], and the warnings.
func (s *Shared) Found() (details map[string]any, warnings []string) {
	all := detailsIn(s.unit, s.Run)
	return all.Map(), s.Warnings()
}

// Spent returns the seconds of the phases so far, in wall and processor time.
func (s *Shared) Spent() (wall, cpu Seconds) { return s.clock.Seconds() }

// The former names of methods follow.

// Reckoned is [Shared.PeakBytes].
//
// Deprecated: use [Shared.PeakBytes].
func (s *Shared) Reckoned() int64 { return s.PeakBytes() }

// Settle is [Shared.CollectGarbage].
//
// Deprecated: use [Shared.CollectGarbage].
func (s *Shared) Settle(step int64) { s.CollectGarbage(step) }

// Left is [Shared.Remaining].
//
// Deprecated: use [Shared.Remaining].
func (s *Shared) Left() int64 { return s.Remaining() }

// Whole is [Shared.ProcessBytes].
//
// Deprecated: use [Shared.ProcessBytes].
func (s *Shared) Whole(step int64) int64 { return s.ProcessBytes(step) }

// Room is [Shared.WrapMemoryError].
//
// Deprecated: use [Shared.WrapMemoryError].
func (s *Shared) Room(err error) error { return s.WrapMemoryError(err) }

// Solver is [Shared.WrapSolverError].
//
// Deprecated: use [Shared.WrapSolverError].
func (s *Shared) Solver(err error) error { return s.WrapSolverError(err) }

// Over is [Shared.ScaleDown].
//
// Deprecated: use [Shared.ScaleDown].
func (s *Shared) Over(x []float64) { s.ScaleDown(x) }
