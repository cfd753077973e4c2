package extend

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Exemplars is the extension of a clustering by the samples that stand for the others: a
// new sample, scaled as those of the fit, gets the label of the exemplar at the least
// distance, which is the one that would stand for it alone. rows are the exemplars, scaled,
// with their labels.
func Exemplars(rows *mat.Dense, labels []int64, clusters int, scaling samples.Scaling) *Extension {
	order := make([]int, len(labels))
	for q, c := range labels {
		order[q] = int(c)
	}
	e := &Extension{Kind: "exemplars", Arrays: map[string]*mat.Dense{"exemplars": rows, "labels": column(order)},
		Numbers: map[string]float64{clustersNumber: float64(clusters)}}
	e.withScaling(scaling)
	return e
}

// row is a vector as an array of one row.
func row(v []float64) *mat.Dense { return mat.NewDense(1, len(v), slices.Clone(v)) }

func newExemplars(e *Extension, r Resources) (*Mapping, error) {
	rows, err := e.array("exemplars", 0, 0)
	if err != nil {
		return nil, err
	}
	c := &nearestCenter{centers: samples.Of(rows)}
	if err := e.checkSize("exemplars", c.centers); err != nil {
		return nil, err
	}
	if c.label, err = e.labels("labels", c.centers.N()); err != nil {
		return nil, err
	}
	scaling, err := e.scaling(c.centers.M())
	if err != nil {
		return nil, err
	}
	apply := func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		var outside firstRow
		err := blas.For(ctx, r.Threads, points.N, blockRows, func(_, lo, hi int) {
			scaled := make([]float64, points.M)
			for i := lo; i < hi; i++ {
				copy(scaled, points.Row(i))
				scaling.Scale(scaled)
				if err := beyond(i, scaled, points.Row(i), func(q int) int { return q }); err != nil {
					outside.found(err)
					continue
				}
				dst.Set(i, 0, c.of(scaled))
			}
		})
		return outside.or(err)
	}
	return &Mapping{Features: c.centers.M(), Dim: 1, Apply: apply}, nil
}
