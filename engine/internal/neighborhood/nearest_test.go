package neighborhood

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// Two directions, and lengths that join them: on rows as they are each sample's
// nearest are those of its length, on unit rows those of its direction. The number
// of neighbours that would join is counted where the neighbours are.
func TestUnitNearestWiden(t *testing.T) {
	const half = 6
	data, stream := mat.NewDense(2*half, 2, nil), blas.NewStream(1)
	for i := range half {
		length := float64(int(1) << (2 * i))
		data.SetRow(i, []float64{length, 0.01 * length * stream.Uniform()})
		data.SetRow(half+i, []float64{length, (0.2 + 0.01*stream.Uniform()) * length})
	}
	job, x := steptest.Run(t), samples.Of(data)
	components := func(g *neighbors.Graph) int {
		_, sizes := g.Components()
		return len(sizes)
	}
	found, err := Nearest(2).Find(job, x)
	if err != nil || components(found.Graph) != 1 {
		t.Fatalf("rows as they are: %v, %d components", err, components(found.Graph))
	}
	rule := UnitNearest{2}
	if found, err = rule.Find(job, x); err != nil || components(found.Graph) != 2 {
		t.Fatalf("unit rows: %v, %d components", err, components(found.Graph))
	}
	// Each group is full with 5; the sixth neighbour is of the other.
	if got := Joining(job, x, rule, found.Graph.MaxDegree()); got != 6 {
		t.Errorf("%d", got)
	}
	narrowed := must.Get(rule.Widen(job, x, 8))(t)
	for k := 1; k <= 8; k++ {
		g := must.Get(narrowed(k))(t)
		want, err := UnitNearest{Nearest(k)}.Find(job, x)
		if err != nil || !slices.Equal(g.Index, want.Graph.Index) {
			t.Errorf("k = %d: %v, %v; want %v", k, g.Index, err, want.Graph.Index)
		}
	}
}
