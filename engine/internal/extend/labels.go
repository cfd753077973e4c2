package extend

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// labelling are the kinds whose mappings give a label, the number of a cluster from 0, in
// place of coordinates. Their models have the number "clusters".
var labelling = map[string]bool{
	"centers":              true,
	"exemplars":            true,
	"nystrom-centers":      true,
	"pursuit-labels":       true,
	"same-codes":           true,
	"sparse-affine-labels": true,
}

// Labels reports whether the mapping of a kind gives labels.
func Labels(kind string) bool { return labelling[kind] }

// clustersNumber is the name of the number of clusters of a kind that gives labels.
const clustersNumber = "clusters"

// Clusters is the number of clusters of an extension that gives labels, 0 of another.
func (e *Extension) Clusters() int {
	if !Labels(e.Kind) {
		return 0
	}
	return int(min(max(e.Numbers[clustersNumber], 0), math.MaxInt32))
}

// labels returns the n labels of an array, whole numbers below that of the clusters.
func (e *Extension) labels(name string, n int) ([]float64, error) {
	clusters, err := e.number(clustersNumber, 1, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if clusters != math.Trunc(clusters) {
		return nil, fmt.Errorf("model: the number %q of a %s model is %v, not a whole one", clustersNumber, e.Kind, clusters)
	}
	a, err := e.array(name, n, 1)
	if err != nil {
		return nil, err
	}
	list := mat.Col(nil, 0, a)
	for i, v := range list {
		if !(v >= 0 && v < clusters && v == math.Trunc(v)) {
			return nil, fmt.Errorf("model: entry %d (counting from 1) of the array %q is %v, which is no label of %g clusters", i+1, name, v, clusters)
		}
	}
	return list, nil
}

// column is a list of whole numbers as an array of one column.
func column[N int | int64](list []N) *mat.Dense {
	a := mat.NewDense(len(list), 1, nil)
	for i, v := range list {
		a.Set(i, 0, float64(v))
	}
	return a
}

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
