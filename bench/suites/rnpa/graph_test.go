package rnpa

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// The weight's place counts along a list, whatever the numbers of the samples.
func TestCodesUse(t *testing.T) {
	x := []float64{0, 1, 3, 7} // on a line: the lists of the first are 1, 2, 3
	g := must.Get(neighbors.Exact(t.Context(), neighbors.Points{N: 4, M: 1, Data: x}, 3, neighbors.Options{Threads: 1}))(t)
	codes := mat.NewDense(4, 4, nil)
	codes.Set(0, 1, 3)
	codes.Set(0, 3, 1)
	used, place := codesUse(g, codes)
	if math.Abs(used-2.0/12) > 1e-15 || math.Abs(place-0.25) > 1e-15 {
		t.Errorf("%v of the neighbours, at %v; want 1/6 at 1/4", used, place)
	}
}
