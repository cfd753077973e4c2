package extend

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// nearestCenter gives a row the label of the nearest centre; on ties that of the centre
// that stands first, as k-means itself does.
type nearestCenter struct {
	centers samples.Samples
	label   []float64 // of each centre
}

// Centers is the extension of k-means among the samples: centers has a row for each
// cluster, in the order of their labels, and order lists the labels as ties are broken.
func Centers(centers *mat.Dense, order []int) *Extension {
	e := &Extension{Kind: "centers", Arrays: map[string]*mat.Dense{}, Numbers: map[string]float64{}}
	e.withCenters(centers, order)
	return e
}

// withCenters adds the arrays "centers" (C × m) and "labels" (C × 1) and the number of
// clusters.
func (e *Extension) withCenters(centers *mat.Dense, order []int) {
	clusters, m := centers.Dims()
	sorted := mat.NewDense(clusters, m, nil)
	for at, c := range order {
		sorted.SetRow(at, centers.RawRowView(c))
	}
	e.Arrays["centers"], e.Arrays["labels"] = sorted, column(order)
	e.Numbers[clustersNumber] = float64(clusters)
}

// nearestCenter reads what withCenters wrote, for rows of m entries; 0: any number.
func (e *Extension) nearestCenter(m int) (*nearestCenter, error) {
	rows, err := e.array("centers", 0, m)
	if err != nil {
		return nil, err
	}
	c := &nearestCenter{centers: samples.Of(rows)}
	if err := e.checkSize("centers", c.centers); err != nil {
		return nil, err
	}
	c.label, err = e.labels("labels", c.centers.N())
	return c, err
}

// of is the label of a row.
func (c *nearestCenter) of(row []float64) float64 {
	best, at := math.Inf(1), 0
	for q := range c.centers.N() {
		if d := blas.SquaredDistance(row, c.centers.Row(q)); d < best {
			best, at = d, q
		}
	}
	return c.label[at]
}

// ofEntries is the label of a compressed row, by ‖c‖² and what its entries change of the
// squared distance.
func (c *nearestCenter) ofEntries(a *sparse.CSR, i int, norms []float64) float64 {
	best, at := math.Inf(1), 0
	cols, vals := a.Row(i)
	for q, d := range norms {
		center := c.centers.Row(q)
		for p, v := range vals {
			d += v * (v - 2*center[cols[p]])
		}
		if d < best {
			best, at = d, q
		}
	}
	return c.label[at]
}

func newCenters(e *Extension, r Resources) (*Mapping, error) {
	c, err := e.nearestCenter(0)
	if err != nil {
		return nil, err
	}
	apply := func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		return blas.For(ctx, r.Threads, points.N, blockRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				dst.Set(i, 0, c.of(points.Row(i)))
			}
		})
	}
	norms := make([]float64, c.centers.N())
	for q := range norms {
		norms[q] = blas.Dot(c.centers.Row(q), c.centers.Row(q))
	}
	applySparse := func(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error {
		return blas.For(ctx, r.Threads, a.Rows, blockRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				dst.Set(i, 0, c.ofEntries(a, i, norms))
			}
		})
	}
	return &Mapping{Features: c.centers.M(), Dim: 1, Apply: apply, ApplySparse: applySparse}, nil
}
