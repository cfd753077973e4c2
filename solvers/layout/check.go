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
