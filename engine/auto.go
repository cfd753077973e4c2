package engine

import (
	"fmt"
	"strconv"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// neighborhoodSize finds the number of neighbours from the samples if it is [Auto], and
// the radius of neighbourhoods according to Options.Radius: none, auto or a length.
type neighborhoodSize struct {
	radius     string
	components string // the policy for several components
}

func (g neighborhoodSize) apply(s state) (state, undo, error) {
	auto := param.IsAuto(s.method, param.Neighbors)
	if !auto && g.radius == "none" {
		return s, nil, nil
	}
	defer s.Phase("scale")()
	s.method = param.WithCount(s.method, param.Neighbors, 0)
	full, err := param.Resolve(s.method.Name(), s.method, s.x.N(), func(string, ...any) {})
	if err != nil {
		return s, nil, err
	}
	if method.RowOf(full).Neighbors == nil {
		s.Warn("%s has no neighbourhoods: radius does nothing", s.Method())
		return s, nil, nil
	}
	if _, plain := neighborhood.Plain(method.RowOf(full).Searches("embed"), s.x.N()); !plain {
		if g.radius != "none" {
			return s, nil, wording.Errorf("%s: it chooses neighbours in its own way: ‹radius› does not apply; leave it out", s.Method())
		}
		return s, nil, nil
	}
	if auto {
		if s.method, err = g.number(s, full); err != nil {
			return s, nil, err
		}
	}
	s.given.Within, err = g.radiusOf(s)
	return s, nil, err
}

// number returns the method with the number of neighbours found from the samples; full has its
// defaults.
func (g neighborhoodSize) number(s state, full Method) (Method, error) {
	x, m := s.x, s.method
	most := *method.RowOf(full).Neighbors
	if x.Absent() || x.Compressed() != nil {
		return m, nil
	}
	k, err := g.chosen(s, nil, method.RowOf(full).Dim, most)
	if err != nil {
		return m, err
	}
	reason := "found from the samples"
	switch k = allowed(full, x, k, most); {
	case k > most:
		reason = "the least that join the samples in one component"
	case k == most:
		reason = "the most that are tried: nothing that is seen in the samples asks for fewer"
	}
	s.Note("neighbors_found", k)
	s.Note("neighbors_reason", reason)
	s.Explain("neighbours: %d, %s", k, reason)
	return param.WithCount(m, param.Neighbors, k), nil
}

// finder returns the settings of a search for the scale.
func finder(job *run.Run) scale.Settings {
	return scale.Settings{Kernels: job.Kernels(), Threads: job.Threads(), Seed: job.Seed()}
}

// maxJoining: neighbourhoods have at most n/maxJoining of the n samples.
const maxJoining = 8

// chosen returns the number of neighbours for dim coordinates, at most the given number unless more are needed to join
// the samples. lists are that many of every sample, found exactly; otherwise they are searched for.
func (g neighborhoodSize) chosen(s state, lists *neighbors.Graph, dim, most int) (int, error) {
	wide := lists
	if lists == nil || lists.MaxDegree() != most {
		found, err := neighborhood.Nearest(most).Find(s.Run, s.x)
		if err != nil {
			return most, err
		}
		if wide, lists = found.Graph, nil; !s.Approximate() {
			lists = wide
		}
	}
	k, err := scale.Neighbors(s.Context(), s.x.Points(), lists, dim, most, finder(s.Run))
	if err != nil {
		return k, err
	}
	return g.joining(s, wide, k, most), nil
}

// joining returns the smallest number of neighbours from k to most for which the graph has as few
// components as for most, of which wide are the lists. If those are several and several are refused, it returns the
// smallest number that connects the graph, up to n/maxJoining.
func (g neighborhoodSize) joining(s state, wide *neighbors.Graph, k, most int) int {
	x := s.x
	_, sizes := wide.Components()
	if len(sizes) > 1 && g.components == "error" {
		if join := neighborhood.Joining(s.Run, x, neighborhood.Nearest(most), most); join > 0 && join <= x.N()/maxJoining {
			return join
		}
	}
	for ; k < most; k++ {
		if _, parts := wide.Truncated(k).Components(); len(parts) == len(sizes) {
			break
		}
	}
	return k
}

// radiusOf returns the radius in the unit of the samples.
func (g neighborhoodSize) radiusOf(s state) (neighborhood.Within, error) {
	if g.radius == "none" {
		return neighborhood.Within{}, nil
	}
	full, err := param.Resolve(s.method.Name(), s.method, s.x.N(), func(string, ...any) {})
	if err != nil {
		return neighborhood.Within{}, err
	}
	found := neighborhood.Within{Least: allowed(full, s.x, max(6, method.RowOf(full).Dim+2), neighborhood.MaxWithin)}
	if g.radius != "auto" {
		r, err := strconv.ParseFloat(g.radius, 64)
		found.Radius = magnitude.Times(r, -s.unit.Exponent)
		return found, err
	}
	if found.Radius, err = neighborhood.MedianRadius(s.Run, s.x, *method.RowOf(full).Neighbors); err != nil {
		return found, err
	}
	s.Note("radius_found", magnitude.Times(found.Radius, s.unit.Exponent))
	return found, nil
}

// allowed returns the smallest number of neighbours from k to most that the method accepts.
func allowed(full Method, x samples.Samples, k, most int) int {
	for ; k < most; k++ {
		r := method.RowOf(param.WithCount(full, param.Neighbors, k))
		if r.Check == nil || r.Check(x.N(), x.M()) == nil {
			break
		}
	}
	return k
}

// settleAuto sets the options that neighbors=auto and radius imply, and refuses auto if
// there is nothing to choose. denoised: the caller set the option about noise.
func (s state) settleAuto(task string, o Options, denoised bool) (state, Options, error) {
	auto := param.IsAuto(s.method, param.Neighbors)
	if param.IsAuto(s.method, param.Dim) && task != "embed" {
		return s, o, wording.Errorf("%s: ‹dim=auto› is for embeddings; give a number of coordinates to %s", s.Method(), task)
	}
	if auto && task != "embed" {
		return s, o, wording.Errorf("%s: ‹neighbors=auto› is for embeddings; give a number of neighbours to %s", s.Method(), task)
	}
	if len(structures(o)) == 0 {
		if task == "embed" && (auto || o.Radius != "none") && !denoised {
			o.Denoise = "auto"
		}
		return s, o, nil
	}
	if auto || o.Radius != "none" {
		s.Warn("the neighbours are given: ‹neighbors=auto› and ‹radius› do nothing")
	}
	if o.Denoise != "off" {
		s.Warn("the neighbours are given, and belong to the samples before denoising: denoise does nothing")
	}
	if o.Radius, o.Denoise = "none", "off"; auto {
		s.method = param.WithCount(s.method, param.Neighbors, 0)
	}
	return s, o, nil
}

// dimension finds the number of coordinates from the samples if it is [Auto].
type dimension struct{}

func (dimension) apply(s state) (state, undo, error) {
	x, m := s.x, s.method
	row := method.RowOf(m)
	auto := param.IsAuto(m, param.Dim)
	switch byRule := row.Components != nil; {
	case byRule && !auto && row.Dim != 0:
		return s, nil, wording.Errorf("%s: ‹dim_rule=parallel› finds the number of components, and ‹dim› is %d; leave one of the two out", s.Method(), row.Dim)
	case !auto && !byRule:
		return s, nil, nil
	}
	if err := s.refuseIncomplete("‹dim=auto›"); err != nil {
		return s, nil, err
	}
	switch {
	case x.Absent():
		return s, nil, wording.Errorf("%s: ‹dim=auto› is estimated from samples, and only their graph is known; give a number", s.Method())
	case x.Compressed() != nil:
		return s, nil, wording.Errorf("%s: ‹dim=auto› is not estimated from samples that stay sparse; give a number, or a dense matrix", s.Method())
	}
	defer s.Phase("scale")()
	if row.Components != nil {
		return dimensionByRule(s, row)
	}
	found, err := scale.EstimateDimension(s.Context(), x.Points(), finder(s.Run))
	if err != nil {
		return s, nil, wording.Errorf("%s: ‹dim=auto›: %w", s.Method(), err)
	}
	dim := found.Dim
	for dim > 1 && !takesDim(m, dim, x) {
		dim--
	}
	if dim < found.Dim {
		found.Reason += fmt.Sprintf(", and %s has at most %d here", s.Method(), dim)
	}
	s.Note("dim_found", dim)
	s.Note("dim_estimate", found.Estimate)
	s.Note("dim_gaps", found.Gaps)
	s.Note("dim_reason", found.Reason)
	s.Explain("dim: %d: %s", dim, found.Reason)
	s.method = param.WithCount(m, param.Dim, dim)
	return s, nil, nil
}

// dimensionByRule finds the number of coordinates by the rule of the method.
func dimensionByRule(s state, row method.Row) (state, undo, error) {
	n, m := s.x.N(), s.x.M()
	if err := s.Fit(8*(int64(n)*int64(m)+5*int64(min(n, m))*int64(min(n, m))), "finding the number of components needs", "give a number, take fewer samples or columns, or raise the limit"); err != nil {
		return s, nil, err
	}
	found, err := row.Components(s.Context(), s.x.Points(), finder(s.Run))
	if err != nil {
		return s, nil, wording.Errorf("%s: ‹dim=auto›: %w", s.Method(), err)
	}
	s.Note("dim_found", found.Dim)
	s.Note("dim_reason", found.Reason)
	run.MeasureAll(s.Run, "dim_variances", run.Square, found.Variances)
	run.MeasureAll(s.Run, "dim_thresholds", run.Square, found.Thresholds)
	s.Explain("dim: %d: %s", found.Dim, found.Reason)
	s.method = param.WithCount(s.method, param.Dim, found.Dim)
	return s, nil, nil
}

// takesDim reports whether the method can give the samples dim coordinates.
func takesDim(m Method, dim int, x samples.Samples) bool {
	m = param.WithCount(m, param.Dim, dim)
	if param.IsAuto(m, param.Neighbors) {
		m = param.WithCount(m, param.Neighbors, 0)
	}
	full, err := param.Resolve(m.Name(), m, x.N(), func(string, ...any) {})
	if err != nil {
		return true // the method will report the error
	}
	check := method.RowOf(full).Check
	return dim < x.N() && (check == nil || check(x.N(), x.M()) == nil)
}
