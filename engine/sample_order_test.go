package engine

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
)

// Samples that are put in order come back in the caller's: rows of the result, labels,
// landmarks, a start, and the rule for new samples belong to the samples as they were given.
func TestOrderOfSamplesIsNotSeen(t *testing.T) {
	const n = pipeline.OrderedFrom + 200
	roll := generate(t, "swiss-roll", n, 3)
	shuffle := make([]int, n)
	for i := range shuffle {
		shuffle[i] = i
	}
	s := blas.NewStream(4)
	for i := n - 1; i > 0; i-- {
		j := s.Below(i + 1)
		shuffle[i], shuffle[j] = shuffle[j], shuffle[i]
	}
	mixed := pipeline.RowsInOrder(roll.X, shuffle)
	for _, m := range []Method{LE{Neighbors: 8, Dim: 2}, LTSA{Neighbors: 10, Dim: 2}, Isomap{Neighbors: 10, Dim: 2}, NPP{Neighbors: 10, Dim: 2}} {
		var y []*mat.Dense
		for _, x := range []*mat.Dense{roll.X, mixed} {
			r := embed(t, x, m, Options{Model: true, Landmarks: map[bool]int{true: 300}[m.Name() == "isomap"]})
			model := must(r.Model())(t)
			again := transformed(t, model, x, Options{})
			if m.Name() != "isomap" { // whose landmarks alone are where they were
				var d mat.Dense
				if d.Sub(again, r.Y); !(mat.Norm(&d, 2) < 0.02*mat.Norm(r.Y, 2)) {
					t.Errorf("%s: the model moves its own samples by %g of %g", m.Name(), mat.Norm(&d, 2), mat.Norm(r.Y, 2))
				}
			}
			y = append(y, r.Y)
		}
		if m.Name() == "isomap" { // other landmarks of other numbers
			continue
		}
		first := pipeline.RowsInOrder(y[0], shuffle)
		for j := range 2 {
			a, b := mat.Col(nil, j, first), mat.Col(nil, j, y[1])
			if blas.Dot(a, b) < 0 {
				blas.Scale(-1, b)
			}
			blas.Axpy(-1, a, b)
			if !(math.Sqrt(blas.Dot(b, b)) < 1e-6*math.Sqrt(blas.Dot(a, a))) {
				t.Errorf("%s, column %d: shuffled samples have other coordinates", m.Name(), j+1)
			}
		}
	}
}

// A graph that is given has the bits of one that is found, beside the samples and alone.
func TestOrderOfAGivenGraph(t *testing.T) {
	roll := generate(t, "swiss-roll", pipeline.OrderedFrom+1, 3)
	n, _ := roll.X.Dims()
	g := graphOf(t, roll.X, 9)
	if order := g.BreadthFirst(); order[0] != 0 || order[1] != int(g.Of(0)[0]) {
		t.Errorf("the order begins with %v", order[:2])
	} else if slices.Sort(order); order[n-1] != n-1 || len(slices.Compact(order)) != n {
		t.Error("the order leaves samples out")
	}
	for found, method := range map[Method]Method{LE{Neighbors: 9, Dim: 2}: LE{Dim: 2}, LTSA{Neighbors: 9, Dim: 2}: LTSA{Dim: 2}} {
		want := embed(t, roll.X, found, Options{})
		inputs := []mat.Matrix{roll.X, nil}
		if method.Name() == "ltsa" {
			inputs = inputs[:1]
		}
		for _, x := range inputs {
			got := embed(t, x, method, Options{Graph: g})
			if !mat.Equal(got.Y, want.Y) {
				t.Errorf("%s, samples %v: other bits", method.Name(), x != nil)
			}
		}
	}
}
