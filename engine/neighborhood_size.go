package engine

import (
	"strconv"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/wording"
)

// neighborhoodSize finds the number of neighbours from the samples where that is [Auto], and
// the radius of neighbourhoods as Options.Radius says: none, auto or a length.
type neighborhoodSize struct {
	radius     string
	components string // the policy for several components
}

// radius is that of neighbourhoods, in the unit of the samples.
type radius struct {
	r     float64 // 0: the number of neighbours counts
	least int     // neighbours within it
}

func (g neighborhoodSize) apply(s state) (state, undo, error) {
	auto := isAuto(s.method, neighborsKey)
	if !auto && g.radius == "none" {
		return s, nil, nil
	}
	defer s.Phase("scale")()
	s.method = withoutAuto(s.method)
	full, err := resolved(s.method, s.x.N(), func(string, ...any) {})
	if err != nil {
		return s, nil, err
	}
	if rowOf(full).neighbors == nil {
		s.Warn("%s has no neighbourhoods: radius does nothing", s.Method())
		return s, nil, nil
	}
	if _, plain := rowOf(full).searches("embed").(neighborhood.Nearest); !plain {
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
	s.radius, err = g.radiusOf(s)
	return s, nil, err
}

// number is the method with the number of neighbours that the samples show; full has its
// defaults.
func (g neighborhoodSize) number(s state, full Method) (Method, error) {
	x, m := s.x, s.method
	most := *rowOf(full).neighbors
	if x.Absent() || x.Compressed() != nil {
		return m, nil
	}
	k, err := scale.Neighbors(s.Context(), x.Points(), rowOf(full).dim, most, finder(s.Run))
	if err != nil {
		return m, err
	}
	reason := "found from the samples"
	if k, err = g.joining(s, k, most); err != nil {
		return m, err
	}
	switch k = allowed(full, x, k, most); {
	case k > most:
		reason = "the least that join the samples in one component"
	case k == most:
		reason = "the most that are tried: nothing that is seen in the samples asks for fewer"
	}
	s.Note("neighbors_found", k)
	s.Note("neighbors_reason", reason)
	s.Explain("neighbours: %d, %s", k, reason)
	return withCount(m, neighborsKey, k), nil
}

// mostJoining is the largest part of the samples that counts as a neighbourhood.
const mostJoining = 8

// joining is the least number of neighbours from k to most that makes a graph of as few
// components as most do; or, if those are several and are refused, the least that makes one, up to
// mostJoining of the samples.
func (g neighborhoodSize) joining(s state, k, most int) (int, error) {
	x := s.x
	wide, err := neighborhood.Nearest(most).Find(s.Run, x)
	if err != nil {
		return k, err
	}
	_, sizes := wide.Graph.Components()
	if len(sizes) > 1 && g.components == "error" {
		if join := neighborhood.Joining(s.Run, x, neighborhood.Nearest(most), most); join > 0 && join <= x.N()/mostJoining {
			return join, nil
		}
	}
	for ; k < most; k++ {
		if _, parts := wide.Graph.Truncated(k).Components(); len(parts) == len(sizes) {
			break
		}
	}
	return k, nil
}

// radiusOf finds the radius in the unit of the samples.
func (g neighborhoodSize) radiusOf(s state) (radius, error) {
	if g.radius == "none" {
		return radius{}, nil
	}
	full, err := resolved(s.method, s.x.N(), func(string, ...any) {})
	if err != nil {
		return radius{}, err
	}
	found := radius{least: allowed(full, s.x, max(6, rowOf(full).dim+2), neighborhood.MostWithin)}
	if g.radius != "auto" {
		r, err := strconv.ParseFloat(g.radius, 64)
		found.r = magnitude.Times(r, -s.unit.exponent)
		return found, err
	}
	if found.r, err = neighborhood.MedianRadius(s.Run, s.x, *rowOf(full).neighbors); err != nil {
		return found, err
	}
	s.Note("radius_found", magnitude.Times(found.r, s.unit.exponent))
	return found, nil
}

// allowed is the least number of neighbours from k to most that the method takes.
func allowed(full Method, x samples.Samples, k, most int) int {
	for ; k < most; k++ {
		r := rowOf(withCount(full, neighborsKey, k))
		if r.check == nil || r.check(x.N(), x.M()) == nil {
			break
		}
	}
	return k
}
