package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
)

// dimension finds the number of coordinates from the samples, where that is [Auto].
type dimension struct{}

func (dimension) apply(s state) (state, undo, error) {
	x, m := s.x, s.method
	if !param.IsAuto(m, param.Dim) {
		return s, nil, nil
	}
	switch {
	case x.Absent():
		return s, nil, wording.Errorf("%s: ‹dim=auto› is estimated from samples, and only their graph is known; give a number", s.Method())
	case x.Compressed() != nil:
		return s, nil, wording.Errorf("%s: ‹dim=auto› is not estimated from samples that stay sparse; give a number, or a dense matrix", s.Method())
	}
	defer s.Phase("scale")()
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

// takesDim reports whether the method can give the samples dim coordinates.
func takesDim(m Method, dim int, x samples.Samples) bool {
	m = param.WithCount(m, param.Dim, dim)
	if param.IsAuto(m, param.Neighbors) {
		m = param.WithCount(m, param.Neighbors, 0)
	}
	full, err := param.Resolve(m.Name(), m, x.N(), func(string, ...any) {})
	if err != nil {
		return true // it will say what is wrong
	}
	check := method.RowOf(full).Check
	return dim < x.N() && (check == nil || check(x.N(), x.M()) == nil)
}
