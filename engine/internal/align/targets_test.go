package align

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// Graphs that targets change are those of umap-learn, which sums certainties in single precision.
func TestIntersectedIsUMAPLearns(t *testing.T) {
	var c struct {
		X, Y            [][]float64
		Neighbors       int `json:"neighbors_with_self"`
		TargetNeighbors int `json:"target_neighbors_with_self"`
		Cases           []struct {
			Weight float64
			Edges  [][3]float64
		}
	}
	if err := json.Unmarshal(must.Get(os.ReadFile("testdata/targets.json"))(t), &c); err != nil {
		t.Fatal(err)
	}
	x, y := steptest.Samples(c.X), steptest.Samples(c.Y)
	g := must.Get(neighbors.Exact(t.Context(), x.Points(), c.Neighbors-1, neighbors.Options{}))(t)
	in := Input{Local: patch.Local{Run: steptest.Run(t), X: x, Graph: g}, Patch: patch.Fuzzy{Mix: 1}.Rule()}
	for _, one := range c.Cases {
		got := must.Get(Intersected(one.Weight, c.TargetNeighbors-1, y)(in))(t)
		if got.W.NNZ() != 2*len(one.Edges) {
			t.Errorf("weight %v: %d edges, want %d", one.Weight, got.W.NNZ()/2, len(one.Edges))
		}
		if err := got.W.CheckSymmetric(); err != nil {
			t.Errorf("weight %v: %v", one.Weight, err)
		}
		for _, e := range one.Edges {
			if v := got.W.At(int(e[0]), int(e[1])); math.Abs(v-e[2]) > 1e-4 {
				t.Errorf("weight %v: the edge of %v and %v has %v, want %v", one.Weight, e[0], e[1], v, e[2])
			}
		}
	}
}

// The larger the weight, the more certain are the edges among near targets than the others.
func TestIntersectedPrefersNearTargets(t *testing.T) {
	x := samples.Of(steptest.Sheet(200, 4, 1))
	y := mat.NewDense(200, 1, nil)
	for i := range 200 {
		y.Set(i, 0, float64(i*37%200))
	}
	g := must.Get(neighbors.Exact(t.Context(), x.Points(), 8, neighbors.Options{}))(t)
	in := Input{Local: patch.Local{Run: steptest.Run(t), X: x, Graph: g}, Patch: patch.Fuzzy{Mix: 1}.Rule()}
	last := math.Inf(1)
	for _, weight := range []float64{0.1, 0.5, 0.9, 1} {
		w := must.Get(Intersected(weight, 8, samples.Of(y))(in))(t).W
		var apart, all float64
		for i := range w.Rows {
			cols, vals := w.Row(i)
			for q, j := range cols {
				apart += vals[q] * math.Abs(y.At(i, 0)-y.At(int(j), 0))
				all += vals[q]
			}
		}
		if apart/all >= last {
			t.Errorf("weight %v: the ends of an edge are %v apart in the targets, and by less weight %v", weight, apart/all, last)
		}
		last = apart / all
	}
	if last > 4 {
		t.Errorf("by targets alone the ends of an edge are %v apart in them", last)
	}
}
