package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/method"
)

// count gives the method the weights of the samples. With merged duplicates the sample that stays has the weights of all
// its copies.
type count struct {
	weights []float64
	merged  bool
}

// refuseWeights returns an error if weights are given to a method that takes none.
func refuseWeights(m Method, weights []float64) error {
	if weights == nil || method.RowOf(m).Weighted != nil {
		return nil
	}
	names := method.NamesWhere(func(_ Method, r method.Row) bool { return r.Weighted != nil })
	return fmt.Errorf("%s: it takes no weights of the samples; leave them out, or take %s", m.Name(), strings.Join(names, " or "))
}

// Weights within these bounds do not overflow.
const leastWeight, mostWeight = 1e-100, 1e100

func (g count) apply(s state) (state, undo, error) {
	row := method.RowOf(s.method)
	switch {
	case g.weights == nil:
		return s, nil, nil
	case len(g.weights) != s.x.N():
		return s, nil, fmt.Errorf("%s: %d weights of %d samples; give one for each", s.Method(), len(g.weights), s.x.N())
	}
	counted := 0
	for i, w := range g.weights {
		if !(w == 0 || w >= leastWeight && w <= mostWeight) {
			return s, nil, fmt.Errorf("%s: the weight of sample %d (counting from 1) is %v; give 0, or a number from %g to %g", s.Method(), i+1, w, leastWeight, mostWeight)
		}
		if w > 0 {
			counted++
		}
	}
	if counted < 2 {
		return s, nil, fmt.Errorf("%s: %d of %d samples have a weight above 0; give at least 2 such weights, or leave the weights out", s.Method(), counted, len(g.weights))
	}
	weights := slices.Clone(g.weights)
	if g.merged {
		for i, d := range s.copies.Of {
			if first := s.copies.First[d]; int(first) != i {
				weights[first] += weights[i]
			}
		}
	}
	s.method = row.Weighted(weights)
	return s, nil, nil
}
