package measures_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/internal/must"
)

// Components in another order and at other lengths are found again; one too many is matched with none.
func TestMatchComponents(t *testing.T) {
	reference := mat.NewDense(3, 4, []float64{1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 3, 4})
	h := mat.NewDense(4, 4, []float64{0, 0, 6e200, 8e200, 5, 5, 5, 5, 1e-200, 0, 0, 0, 0, 2, 2, 1})
	c := must.Get(measures.MatchComponents(h, reference))(t)
	if want := []int{2, -1, 0, 1}; !slices.Equal(c.Of, want) {
		t.Errorf("matched with %v, want %v", c.Of, want)
	}
	last := 4 / math.Sqrt(18)
	for i, want := range []float64{1, 0, 1, last} {
		if math.Abs(c.Cosine[i]-want) > 1e-15 {
			t.Errorf("component %d has the cosine %v, want %v", i, c.Cosine[i], want)
		}
	}
	if math.Abs(c.Mean-(2+last)/3) > 1e-15 {
		t.Errorf("mean %v", c.Mean)
	}
	// The largest sum, not the largest cosine first: (0.8 + 0.6 in any order) beats 0.96.
	pairs := mat.NewDense(2, 2, []float64{1, 0, 0.8, 0.6})
	other := mat.NewDense(2, 2, []float64{0.96, 0.28, 1, 0})
	if c := must.Get(measures.MatchComponents(pairs, other))(t); !slices.Equal(c.Of, []int{1, 0}) {
		t.Errorf("matched with %v", c.Of)
	}
	must.Refuse(t, "same columns")(measures.MatchComponents(h, mat.NewDense(1, 3, nil)))
}

func TestSparseness(t *testing.T) {
	got := must.Get(measures.Sparseness(mat.NewDense(4, 4, []float64{0, 7, 0, 0, 2, 2, 2, 2, 0, 0, 0, 0, 1, 1, 0, 0})))(t)
	if got[0] != 1 || got[1] != 0 || !math.IsNaN(got[2]) || math.Abs(got[3]-(2-math.Sqrt2)) > 1e-15 {
		t.Errorf("%v", got)
	}
	must.Refuse(t, "at least 2")(measures.Sparseness(mat.NewDense(2, 1, []float64{1, 2})))
}

// Shares are those of the product, entry by entry, and do not depend on the scales of the factors.
func TestComponentShares(t *testing.T) {
	w := mat.NewDense(3, 2, []float64{1, 0, 2, 1, 0, 3})
	h := mat.NewDense(2, 2, []float64{1, 2, 4, 1})
	var x mat.Dense
	x.Mul(w, h)
	var sums, squares [2]float64
	for i := range 3 {
		for j := range 2 {
			for k := range 2 {
				part := w.At(i, k) * h.At(k, j)
				sums[k] += part / mat.Sum(&x)
				squares[k] += part * x.At(i, j) / math.Pow(mat.Norm(&x, 2), 2)
			}
		}
	}
	for i := range 3 {
		w.Set(i, 1, w.At(i, 1)*8)
	}
	h.SetRow(1, []float64{0.5, 0.125})
	for of, want := range map[bool][2]float64{false: sums, true: squares} {
		got := must.Get(measures.ComponentShares(w, h, of))(t)
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-15 {
				t.Errorf("squares %v: %v, want %v", of, got, want)
			}
		}
	}
	must.Refuse(t, "n × r")(measures.ComponentShares(w, mat.NewDense(3, 2, nil), false))
	must.Refuse(t, "is zero")(measures.ComponentShares(w, mat.NewDense(2, 2, nil), false))
	must.Refuse(t, "negative")(measures.ComponentShares(w, mat.NewDense(2, 2, []float64{-1, 1, 1, 1}), false))
}
