package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestStandardizeAlone(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 3, 2, 4, 4, 5})
	before := slices.Clone(x.RawMatrix().Data)
	for how, want := range map[string][]float64{
		"":       {0, 3, 2, 4, 4, 5},
		"none":   {0, 3, 2, 4, 4, 5},
		"minmax": {0, 0, 0.5, 0.5, 1, 1},
		"unit":   {0, 1, 2 / math.Sqrt(20), 4 / math.Sqrt(20), 4 / math.Sqrt(41), 5 / math.Sqrt(41)},
	} {
		y := must(Standardize(t.Context(), x, how, Options{}))(t)
		for p, v := range y.RawMatrix().Data {
			if math.Abs(v-want[p]) > 1e-15 {
				t.Errorf("%q: entry %d is %v, want %v", how, p, v, want[p])
			}
		}
	}
	if !slices.Equal(x.RawMatrix().Data, before) {
		t.Error("the samples have changed")
	}
	for how, c := range map[string]struct {
		x    *mat.Dense
		want string
	}{
		"best":     {x, `standardize is "best"; give one of none, standard`},
		"standard": {mat.NewDense(2, 1, []float64{1, math.Inf(1)}), "row 2, column 1"},
		"log1p":    {mat.NewDense(2, 1, []float64{1, -2}), "entries above -1"},
	} {
		if _, err := Standardize(t.Context(), c.x, how, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", how, err)
		}
	}
}
