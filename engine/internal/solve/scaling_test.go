package solve

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
)

// Beyond align.StoredGram samples K is not stored; the result is the same.
func TestScalingWithoutStoredGram(t *testing.T) {
	roll := must.Get(datasets.Generate("swiss-roll", 250, 1, nil))(t)
	x, tolerance := samples.Of(roll.X), 1e-6
	updates := Multiplicative{Dim: 2, Update: "penalty", Init: "spectral", Iterations: 30, Tolerance: &tolerance}
	stored := must.Get(align.SimilarityGram(align.Input{Local: patch.Local{Run: steptest.Run(t), X: x}}))(t)
	var results []*Solution
	for _, a := range []*align.Similarity{stored, {Centered: x.Centered(x.Mean()).Data()}} {
		s := must.Get(updates.Scaling(Input{Run: steptest.Run(t), X: x}, a))(t)
		results = append(results, s)
	}
	// The largest eigenvalue, by which K is scaled internally, is an estimate. Columns
	// are nonnegative, so their signs are determined.
	for j := range updates.Dim {
		y, other := mat.Col(nil, j, results[0].Y), mat.Col(nil, j, results[1].Y)
		var largest, difference float64
		for i, v := range y {
			largest, difference = max(largest, math.Abs(v)), max(difference, math.Abs(v-other[i]))
		}
		if d := difference / largest; !(d <= 1e-3) {
			t.Errorf("coordinate %d of the embeddings differs by %g", j, d)
		}
	}
	a, b := results[0].Objective[30], results[1].Objective[30]
	if math.Abs(a-b) > 1e-3*a {
		t.Errorf("objectives %g and %g", a, b)
	}
}
