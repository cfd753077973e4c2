package align

import (
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// ring is a ring of five samples, the last of which hangs to it by edges of the given weight.
func ring(t *testing.T, weight float64) Input {
	g := &neighbors.Graph{Ptr: []int{0}}
	for i := range 5 {
		w := 1.0
		if i >= 3 { // the edges from 3 to 4 and from 4 to 0
			w = weight
		}
		g.Index, g.Weight = append(g.Index, int32((i+1)%5)), append(g.Weight, w)
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return Input{Local: patch.Local{Run: steptest.Run(t), X: samples.OfRows(5, 1, make([]float64, 5)), Graph: g}, Patch: patch.GivenEdges()}
}

// A row of zero is refused in every sum that is solved for coordinates; one at rounding where
// no scaling lifts it; and neither in a term beside which others place the samples.
func TestRowsOfZero(t *testing.T) {
	for _, c := range []struct {
		name    string
		rule    Rule[*Sum]
		weight  float64
		refused bool
	}{
		{"a sum", SumOfPatches, 0, true}, {"a sum, at rounding", SumOfPatches, 1e-17, true}, {"a sum, small", SumOfPatches, 1e-12, false},
		{"a Laplacian", NormalizedSum, 0, true}, {"a Laplacian, at rounding", NormalizedSum, 1e-17, false}, {"a term", GraphTerm, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.rule(ring(t, c.weight))
			switch {
			case !c.refused && err != nil:
				t.Error(err)
			case c.refused && (err == nil || !strings.Contains(err.Error(), "no equation places sample 5 (counting from 1): all their weights are 0")):
				t.Errorf("error %v", err)
			}
		})
	}
	in := ring(t, 0)
	if _, err := Regularizer(GraphTerm)(in); err != nil || len(in.Warnings()) != 1 || !strings.Contains(in.Warnings()[0], "sample 5 (counting from 1): the graph term is made without") {
		t.Errorf("a term: %v, warnings %q", err, in.Warnings())
	}
}
