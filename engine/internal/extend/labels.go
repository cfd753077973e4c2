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

// Labels are the labels of the samples, or of their representatives, that a map gives to new samples.
type Labels struct {
	Of    []int64
	Count int // number of clusters
}

// Clusters returns the number of clusters.
func (l Labels) Clusters() int { return l.Count }

// floats returns the labels in the type of results.
func (l Labels) floats() []float64 { return floats(l.Of) }

func floats(labels []int64) []float64 {
	list := make([]float64, len(labels))
	for i, c := range labels {
		list[i] = float64(c)
	}
	return list
}

// nearestCenter gives a row the label of the nearest centre, on ties the first one,
// as in k-means.
type nearestCenter struct {
	centers samples.Samples
	label   []float64 // of each centre
}

// CentersMap gives a sample the label of the nearest centre.
type CentersMap struct{ Centers }

// Centers are the centres of k-means in the order in which ties are broken, with their labels.
type Centers struct {
	Rows *mat.Dense
	Labels
}

// Kind returns "centers".
func (CentersMap) Kind() string { return "centers" }

// ByCenters is the extension of k-means among the samples: centers has a row for each
// cluster, in the order of their labels, and order lists the labels as ties are broken.
func ByCenters(centers *mat.Dense, order []int) *Extension {
	return &Extension{Map: CentersMap{inOrder(centers, order)}}
}

// inOrder returns the centres in the order in which ties are broken.
func inOrder(centers *mat.Dense, order []int) Centers {
	clusters, m := centers.Dims()
	sorted, labels := mat.NewDense(clusters, m, nil), make([]int64, clusters)
	for at, c := range order {
		sorted.SetRow(at, centers.RawRowView(c))
		labels[at] = int64(c)
	}
	return Centers{sorted, Labels{labels, clusters}}
}

// nearest returns the search for the nearest centre.
func (c Centers) nearest() *nearestCenter {
	return &nearestCenter{samples.Of(c.Rows), c.floats()}
}

// of returns the label of a row.
func (c *nearestCenter) of(row []float64) float64 {
	best, at := math.Inf(1), 0
	for q := range c.centers.N() {
		if d := blas.SquaredDistance(row, c.centers.Row(q)); d < best {
			best, at = d, q
		}
	}
	return c.label[at]
}

// ofEntries returns the label of a compressed row. norms has ‖c‖² for each centre, to which the
// entries of the row add their part of the squared distance.
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

func (m CentersMap) prepare(r Resources) (*Mapping, error) {
	c := m.nearest()
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

// ByExemplars is the extension of a clustering by exemplars: a
// new sample, scaled as in the fit, gets the label of the nearest exemplar,
// which would represent it. rows are the exemplars, scaled,
// with their labels.
func ByExemplars(rows *mat.Dense, labels []int64, clusters int, scaling samples.Scaling) *Extension {
	return &Extension{Map: ExemplarsMap{Centers{rows, Labels{labels, clusters}}, scaling}}
}

// ExemplarsMap gives a sample, after scaling, the label of the nearest exemplar.
type ExemplarsMap struct {
	Centers
	Scaling samples.Scaling
}

// Kind returns "exemplars".
func (ExemplarsMap) Kind() string { return "exemplars" }

func (m ExemplarsMap) prepare(r Resources) (*Mapping, error) {
	c, scaling := m.nearest(), m.Scaling
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
