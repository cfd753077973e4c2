package layout

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// check refuses a graph that is not symmetric, finite and ≥ 0, or that is of another number of vertices
// than y, and a start that is not finite.
func check(w *sparse.CSR, y *mat.Dense) error {
	n, _ := y.Dims()
	if w.Rows != n || w.Cols != n {
		return fmt.Errorf("layout: a graph of %d × %d for %d rows of coordinates", w.Rows, w.Cols, n)
	}
	if err := w.Validate(); err != nil {
		return fmt.Errorf("layout: the graph: %w", err)
	}
	for i := range w.Rows {
		cols, vals := w.Row(i)
		for q, v := range vals {
			if !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("layout: the weight in row %d, column %d (counting from 0) is %v; give finite weights ≥ 0", i, cols[q], v)
			}
		}
	}
	if err := w.CheckSymmetric(); err != nil {
		return fmt.Errorf("layout: the graph: %w", err)
	}
	return finite(y)
}

// mostCoordinate is the largest entry of a start whose squared distances a float32 holds.
const mostCoordinate = 1e15

// single is the rows of y in single precision, those of order one after the other. It refuses a start
// with an entry that is not finite or above mostCoordinate.
func single(y *mat.Dense, order []int32) ([]float32, error) {
	if err := finite(y); err != nil {
		return nil, err
	}
	n, dim := y.Dims()
	at := make([]float32, 0, n*dim)
	for _, i := range order {
		for k, v := range y.RawRowView(int(i)) {
			if math.Abs(v) > mostCoordinate {
				return nil, fmt.Errorf("layout: row %d, column %d (counting from 0) of the start is %v; give coordinates of at most %g", i, k, v, float64(mostCoordinate))
			}
			at = append(at, float32(v))
		}
	}
	return at, nil
}

// double puts places in single precision into y, back in its order.
func double(y *mat.Dense, order []int32, at []float32) {
	_, dim := y.Dims()
	for p, i := range order {
		row := y.RawRowView(int(i))
		for k := range row {
			row[k] = float64(at[p*dim+k])
		}
	}
}

// finite refuses a start with an entry that is not finite.
func finite(y *mat.Dense) error {
	n, _ := y.Dims()
	for i := range n {
		for k, v := range y.RawRowView(i) {
			if v-v != 0 {
				return fmt.Errorf("layout: row %d, column %d (counting from 0) of the start is %v; give finite coordinates", i, k, v)
			}
		}
	}
	return nil
}
