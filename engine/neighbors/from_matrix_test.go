package neighbors_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Lists are by distance, with stored zeros, without the sample itself, of any length.
func TestFromMatrix(t *testing.T) {
	a := &sparse.CSR{Rows: 4, Cols: 4, Ptr: []int{0, 4, 6, 6, 7}, Col: []int32{0, 1, 2, 3, 0, 1, 2}, Val: []float64{0, 2, 1, 1, 0, 5, 3}}
	g, err := neighbors.FromMatrix(a)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Ptr, []int{0, 3, 4, 4, 5}) || !slices.Equal(g.Index, []int32{2, 3, 1, 0, 2}) || !slices.Equal(g.Dist, []float64{1, 1, 2, 0, 3}) {
		t.Errorf("%v %v %v", g.Ptr, g.Index, g.Dist)
	}
	// Rows by distance keep their order, though the columns of equal ones do not ascend.
	b := &sparse.CSR{Rows: 4, Cols: 4, Ptr: []int{0, 4, 4, 7, 7}, Col: []int32{0, 3, 2, 1, 3, 1, 0}, Val: []float64{0, 1, 1, 2, 2, 1, 1}}
	if g, err = neighbors.FromMatrix(b); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Ptr, []int{0, 3, 3, 6, 6}) || !slices.Equal(g.Index, []int32{3, 2, 1, 0, 1, 3}) || !slices.Equal(g.Dist, []float64{1, 1, 2, 1, 1, 2}) {
		t.Errorf("%v %v %v", g.Ptr, g.Index, g.Dist)
	}
	one := func(rows, cols int, col int32, v float64) *sparse.CSR {
		return &sparse.CSR{Rows: rows, Cols: cols, Ptr: []int{0, 1, 1}, Col: []int32{col}, Val: []float64{v}}
	}
	for want, a := range map[string]*sparse.CSR{
		"no matrix given":          nil,
		"2 × 3":                    one(2, 3, 1, 1),
		"lists sample 2 of 2":      one(2, 2, 2, 1),
		"is NaN":                   one(2, 2, 1, math.NaN()),
		"is +Inf":                  one(2, 2, 1, math.Inf(1)),
		"the distance is -1; give": one(2, 2, 1, -1),
		"column 2 (counting from 1) is stored twice": {Rows: 2, Cols: 2, Ptr: []int{0, 2, 2}, Col: []int32{1, 1}, Val: []float64{1, 1}},
	} {
		if _, err := neighbors.FromMatrix(a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestFromLists(t *testing.T) {
	g, err := neighbors.FromLists(2, []int64{2, 1, 1, 0, 1, 0}, []float64{1, 1, 0, 4, 3, 2})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Ptr, []int{0, 2, 3, 5}) || !slices.Equal(g.Index, []int32{2, 1, 0, 0, 1}) || !slices.Equal(g.Dist, []float64{1, 1, 4, 2, 3}) {
		t.Errorf("%v %v %v", g.Ptr, g.Index, g.Dist)
	}
	for _, c := range []struct {
		k         int
		indices   []int64
		distances []float64
		want      string
	}{
		{0, nil, nil, "at least 1"},
		{2, []int64{1}, []float64{1}, "do not form rows of 2"},
		{1, []int64{1, 0}, []float64{1}, "1 distances for 2"},
		{1, []int64{1, 2}, []float64{1, 1}, "row 2 (counting from 1) lists sample 2 of 2"},
		{1, []int64{-1, 0}, []float64{1, 1}, "lists sample -1"},
		{2, []int64{1, 1, 0, 1}, []float64{1, 2, 1, 0}, "row 1 (counting from 1) lists sample 1 (from 0) twice"},
		{1, []int64{1, 0}, []float64{1, math.NaN()}, "row 2, column 1 (counting from 1): the distance is NaN"},
		{1, []int64{1, 0}, []float64{math.Inf(1), 1}, "the distance is +Inf"},
		{1, []int64{1, 0}, []float64{-1, 1}, "the distance is -1"},
	} {
		if _, err := neighbors.FromLists(c.k, c.indices, c.distances); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}
