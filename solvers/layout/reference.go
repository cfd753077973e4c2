package layout

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Reference holds vertices near given places: it adds Weight/2·‖y_i − r_i‖²/R² for each of them to the objective, where R² is the
// mean square of the distances of the places from their mean. A large weight fixes them. [TSNE], whose objective is a mean over the
// vertices, divides the sum by their number.
type Reference struct {
	Y      *mat.Dense // the places r; NaN in the first column: the vertex has none
	Weight float64
}

// held are the places of a reference in the order and precision of a layout.
type held[T float] struct {
	weight T
	dim    int
	places []T
}

// holdAll returns the places of a reference in an order; nil: there is no reference.
func holdAll[T float](r *Reference, y *mat.Dense, order []int32) (*held[T], error) {
	if r == nil {
		return nil, nil
	}
	rows, cols := r.Y.Dims()
	n, dim := y.Dims()
	if rows != n || cols != dim || !(r.Weight >= 0) {
		return nil, fmt.Errorf("layout: a reference of %d × %d with the weight %v, for %d × %d coordinates; give a row for each vertex, and a weight ≥ 0", rows, cols, r.Weight, n, dim)
	}
	h := &held[T]{weight: T(r.Weight / r.size()), dim: dim, places: make([]T, 0, n*dim)}
	for _, i := range order {
		for _, v := range r.Y.RawRowView(int(i)) {
			h.places = append(h.places, T(v))
		}
	}
	return h, nil
}

// size returns R²; 1 if all places are the same.
func (r *Reference) size() float64 {
	rows, dim := r.Y.Dims()
	mean := make([]float64, dim)
	var count, size float64
	each := func(do func(row []float64)) {
		for i := range rows {
			if row := r.Y.RawRowView(i); row[0] == row[0] {
				do(row)
			}
		}
	}
	each(func(row []float64) {
		count++
		blas.Axpy(1, row, mean)
	})
	blas.Scale(1/max(count, 1), mean)
	each(func(row []float64) { size += blas.SquaredDistance(row, mean) / count })
	if size > 0 {
		return size
	}
	return 1
}

// of returns the place that vertex i is held near; nil: none.
func (h *held[T]) of(i int) []T {
	if r := h.places[i*h.dim : (i+1)*h.dim]; r[0] == r[0] {
		return r
	}
	return nil
}

// pull moves the place p of vertex i towards its reference, by an implicit step of the given length: it is stable for
// any weight.
func (h *held[T]) pull(i int, p []T, step T) {
	for k, r := range h.of(i) {
		p[k] = drawn(p[k], r, step*h.weight)
	}
}

// drawn returns the place between p and r that an implicit step of a spring reaches.
func drawn[T float](p, r, step T) T { return (p + T(step*r)) / (1 + step) }

// slope adds the gradient of the term of vertex i at p.
func (h *held[T]) slope(i int, p, g []T) {
	for k, r := range h.of(i) {
		g[k] += T(h.weight * (p[k] - r))
	}
}
