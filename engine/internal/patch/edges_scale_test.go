package patch

import (
	"context"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// t=auto is the mean over the edges of the graph, each counted once.
func TestHeatScaleOverEdges(t *testing.T) {
	x := steptest.Sheet(60, 3, 17)
	g := must.Get(neighbors.Exact(context.Background(), samples.Of(x).Points(), 5, neighbors.Options{}))(t)
	for _, graph := range []string{"union", "mutual", "average"} {
		var total, count float64
		for i := range 60 {
			for j := range i {
				a, b := slices.Contains(g.Of(i), int32(j)), slices.Contains(g.Of(j), int32(i))
				if a && b || (a || b) && graph != "mutual" {
					total += blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j))
					count++
				}
			}
		}
		got := Edges{Graph: graph, Weights: "heat", Joined: true}.Scale(g)
		golden.Expect(t, graph, []float64{got}, []float64{total / count}, 1e-12)
	}
}
