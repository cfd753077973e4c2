package metrics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Rows of NaN go out of all inputs alike, and the caller's stay as they were.
func TestLeaveOutUnplaced(t *testing.T) {
	nan := math.NaN()
	y := mat.NewDense(4, 2, []float64{0, 1, nan, nan, 4, 5, nan, nan})
	x := mat.NewDense(4, 1, []float64{10, 11, 12, 13})
	labels := []int64{1, 2, 3, 4}
	in := &Inputs{Matrices: map[string]*mat.Dense{"in": x, "embedding": y}, Classes: map[string][]int64{"labels": labels}}
	left, err := in.LeaveOutUnplaced()
	if err != nil || left != 2 {
		t.Fatalf("%d left out, %v", left, err)
	}
	if !slices.Equal(in.Matrices["in"].RawMatrix().Data, []float64{10, 12}) || !slices.Equal(in.Matrices["embedding"].RawMatrix().Data, []float64{0, 1, 4, 5}) || !slices.Equal(in.Classes["labels"], []int64{1, 3}) {
		t.Errorf("kept %v, %v", in.Matrices, in.Classes)
	}
	if !slices.Equal(labels, []int64{1, 2, 3, 4}) || x.At(1, 0) != 11 {
		t.Error("the caller's inputs have changed")
	}
	for _, c := range []struct {
		entries []float64
		rows    int // of the samples
		want    string
	}{
		{[]float64{0, nan, 1, 2}, 2, "row 1, column 2 (counting from 1) is NaN"},
		{[]float64{0, 1, math.Inf(1), 2}, 2, "row 2, column 1 (counting from 1) is +Inf"},
		{[]float64{nan, nan, nan, nan}, 2, "no sample has coordinates, all 2 rows are NaN"},
		{[]float64{0, 1, nan, nan}, 3, ""}, // another number of rows: for CheckInputs
	} {
		in := &Inputs{Matrices: map[string]*mat.Dense{"in": mat.NewDense(c.rows, 1, nil), "embedding": mat.NewDense(2, 2, c.entries)}}
		left, err := in.LeaveOutUnplaced()
		if c.want == "" && (err != nil || left != 0) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %d, %v; want %q", c.entries, left, err, c.want)
		}
	}
}
