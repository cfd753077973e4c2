package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/scale"
	"github.com/orthant-go/orthant/engine/wording"
)

// dimensioned is the method with the number of coordinates that the samples show, where that
// is [Auto].
func (b *begun) dimensioned(x samples.Samples, m Method) (Method, error) {
	if !isAuto(m, dimKey) {
		return m, nil
	}
	switch {
	case x.Absent():
		return nil, wording.Errorf("%s: ‹dim=auto› is estimated from samples, and only their graph is known; give a number", b.Method())
	case x.Compressed() != nil:
		return nil, wording.Errorf("%s: ‹dim=auto› is not estimated from samples that stay sparse; give a number, or a dense matrix", b.Method())
	}
	defer b.Phase("scale")()
	found, err := scale.EstimateDimension(b.Context(), x.Points(), b.finder())
	if err != nil {
		return nil, wording.Errorf("%s: ‹dim=auto›: %w", b.Method(), err)
	}
	dim := found.Dim
	for dim > 1 && !takesDim(m, dim, x) {
		dim--
	}
	if dim < found.Dim {
		found.Reason += fmt.Sprintf(", and %s has at most %d here", b.Method(), dim)
	}
	b.Note("dim_found", dim)
	b.Note("dim_estimate", found.Estimate)
	b.Note("dim_gaps", found.Gaps)
	b.Note("dim_reason", found.Reason)
	b.Explain("dim: %d: %s", dim, found.Reason)
	return withCount(m, dimKey, dim), nil
}

// takesDim tells whether the method can give so many coordinates to the samples.
func takesDim(m Method, dim int, x samples.Samples) bool {
	m = withCount(m, dimKey, dim)
	if isAuto(m, neighborsKey) {
		m = withoutAuto(m)
	}
	full, err := resolved(m, x.N(), func(string, ...any) {})
	if err != nil {
		return true // it will say what is wrong
	}
	check := rowOf(full).check
	return dim < x.N() && (check == nil || check(x.N(), x.M()) == nil)
}
