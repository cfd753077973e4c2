package solve

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/layout"
	"github.com/orthant-go/orthant/sparse"
)

// checkStart refuses a given start of another shape than that of the coordinates.
func checkStart(in Input, dim int) error {
	rows, cols := in.Start.Dims()
	if n := in.X.N(); rows != n || cols != dim {
		return fmt.Errorf("%s: the start is %d × %d for %d samples in %d columns; give one row of coordinates for each sample", in.Method(), rows, cols, n, dim)
	}
	return nil
}

// given returns a copy of the given start, which has a place for each sample.
func given(in Input, dim int) (*mat.Dense, error) {
	if err := checkStart(in, dim); err != nil {
		return nil, err
	}
	y := mat.DenseCopyOf(in.Start)
	for i := range y.RawMatrix().Rows {
		for k, v := range y.RawRowView(i) {
			if v-v != 0 {
				return nil, startError(in, i, k, v, "give finite coordinates")
			}
		}
	}
	return y, nil
}

func startError(in Input, i, k int, v float64, remedy string) error {
	return fmt.Errorf("%s: row %d, column %d (counting from 1) of the start is %v; %s", in.Method(), i+1, k+1, v, remedy)
}

// given returns a copy of the given start, and the reference, if the start is one. Samples of which no coordinate is known (NaN)
// start among their neighbours in the graph, and have no reference.
func (l Layout) given(in Input, graph func() *sparse.CSR) (*mat.Dense, *layout.Reference, error) {
	if err := checkStart(in, l.Dim); err != nil {
		return nil, nil, err
	}
	y := mat.DenseCopyOf(in.Start)
	var without []int // the samples that have no place
	for i := range y.RawMatrix().Rows {
		unknown := 0
		for k, v := range y.RawRowView(i) {
			if math.IsInf(v, 0) {
				return nil, nil, startError(in, i, k, v, "give finite coordinates, or NaN in all columns of a sample without a place")
			}
			if v != v {
				unknown++
			}
		}
		switch unknown {
		case 0:
		case l.Dim:
			without = append(without, i)
		default:
			return nil, nil, fmt.Errorf("%s: row %d (counting from 1) of the start has coordinates that are NaN, and others that are not; give all of them, or NaN in all", in.Method(), i+1)
		}
	}
	if len(without) == y.RawMatrix().Rows {
		return nil, nil, fmt.Errorf("%s: the start has no sample with coordinates; give those of one sample or more, or leave it out", in.Method())
	}
	var reference *layout.Reference
	if l.Reference > 0 {
		reference = &layout.Reference{Y: in.Start, Weight: l.Reference}
	}
	if len(without) > 0 {
		in.Note("start_rows_without", len(without))
		place(in, y, graph(), without)
	}
	return y, reference, in.Err()
}

// place gives samples without a place the mean of their neighbours' places by the weights of the graph, in rounds outwards from the
// samples that have one. Samples that no path leads to get a place beyond the right edge of the map, where the layout takes them
// as a group: one place for each component of the graph.
func place(in Input, y *mat.Dense, w *sparse.CSR, without []int) {
	random := blas.NewStream(in.Seed())
	shift := make([]float64, y.RawMatrix().Cols)
	low, high := corners(y)
	beyond, gap := slices.Clone(high), max(0.1*(high[0]-low[0]), 1)
	noise := startNoise * (high[0] - low[0] + gap)
	put := func(i int, at []float64) {
		random.Normals(shift)
		blas.Scale(noise, shift)
		blas.Axpy(1, at, shift)
		y.SetRow(i, shift)
	}
	for len(without) > 0 {
		var rows []int // of this round
		var places [][]float64
		left := without[:0]
		for _, i := range without {
			if at := meanPlace(y, w, i); at != nil {
				rows, places = append(rows, i), append(places, at)
			} else {
				left = append(left, i)
			}
		}
		if without = left; len(rows) == 0 {
			beyond[0] += gap
			rows, places, without = without[:1], [][]float64{beyond}, without[1:]
		}
		for q, i := range rows {
			put(i, places[q])
		}
	}
}

// meanPlace returns the mean of the places of the neighbours of a sample, by their weights; nil: none of them has one.
func meanPlace(y *mat.Dense, w *sparse.CSR, i int) []float64 {
	var mean []float64
	var sum float64
	cols, weights := w.Row(i)
	for q, j := range cols {
		if at := y.RawRowView(int(j)); at[0] == at[0] && weights[q] > 0 {
			if mean == nil {
				mean = make([]float64, len(at))
			}
			blas.Axpy(weights[q], at, mean)
			sum += weights[q]
		}
	}
	if mean != nil {
		blas.Scale(1/sum, mean)
	}
	return mean
}

// corners returns the least and the largest coordinates in each column of the places that are known.
func corners(y *mat.Dense) (low, high []float64) {
	for i := range y.RawMatrix().Rows {
		row := y.RawRowView(i)
		switch {
		case row[0] != row[0]:
		case low == nil:
			low, high = slices.Clone(row), slices.Clone(row)
		default:
			for k, v := range row {
				low[k], high[k] = min(low[k], v), max(high[k], v)
			}
		}
	}
	return low, high
}
