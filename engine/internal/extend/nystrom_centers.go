package extend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// nystromCenters labels points by Nyström's formula: the eigenvectors of the random walk
// give a point its row, which is scaled to unit length as in spectral clustering (the
// root of its degree, by which the eigenvectors of D^−½WD^−½ differ, is gone with it), and
// the nearest centre its label. A point whose row is zero, among training samples of
// components without a cluster of their own, gets the label of the nearest sample.
type nystromCenters struct {
	*nystromMap
	centers *nearestCenter
	label   []float64 // of the training samples
}

// NystromCenters is the rule of spectral clustering among the k nearest, by these edges.
func NystromCenters(k int, edges patch.Edges) Rule[*Clustered] {
	return func(f Fit, s *Clustered) (*Extension, string, error) {
		for j, mu := range s.Values {
			if math.Abs(1-mu) < nearOne {
				return nil, fmt.Sprintf(" because eigenvalue %d, %.3g, is too near 0 (take fewer clusters)", j+1, 1-mu), nil
			}
		}
		e := nystrom("nystrom-centers", f, s.Rows, s.Values, k, edges)
		e.Arrays["lengths"] = mat.NewDense(len(s.Lengths), 1, overLargest(s.Lengths))
		e.withCenters(s.Centers, s.Order)
		e.Arrays["sample_labels"] = column(s.Labels)
		return e, "", nil
	}
}

func newNystromCenters(e *Extension, r Resources) (*Mapping, error) {
	n, err := e.nystromMap(r)
	if err != nil {
		return nil, err
	}
	c := &nystromCenters{nystromMap: n}
	lengths, err := e.array("lengths", n.samples.N(), 1)
	if err != nil {
		return nil, err
	}
	n.factors = mat.Col(nil, 0, lengths)
	for i, v := range n.factors {
		if v < 0 {
			return nil, fmt.Errorf("model: the length of row %d of a %s model is %g, below 0", i+1, e.Kind, v)
		}
	}
	if c.centers, err = e.nearestCenter(len(n.values)); err != nil {
		return nil, err
	}
	if c.label, err = e.labels("sample_labels", n.samples.N()); err != nil {
		return nil, err
	}
	m := n.amongNearest(1, c.apply)
	m.RowBytes += 8 * int64(len(n.values))
	return m, nil
}

// overLargest is a list over its largest number.
func overLargest(list []float64) []float64 {
	shares := slices.Clone(list)
	if largest := slices.Max(list); largest > 0 {
		for i := range shares {
			shares[i] /= largest
		}
	}
	return shares
}

func (c *nystromCenters) apply(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
	return throughRows(ctx, points, len(c.values), c.nystromMap.apply, func(part samples.Samples, rows *mat.Dense, first int) error {
		var apart []int
		for i := range part.N() {
			row := rows.RawRowView(i)
			if !(blas.Dot(row, row) > 0) {
				apart = append(apart, i)
				continue
			}
			vector.Normalize(row)
			dst.Set(first+i, 0, c.centers.of(row))
		}
		for _, i := range apart {
			near, err := c.index.Search(ctx, part.Range(i, i+1), 1)
			if err != nil {
				return err
			}
			dst.Set(first+i, 0, c.label[near.Of(0)[0]])
		}
		return nil
	})
}

// throughRows maps points to rows of so many columns, a block at a time, and hands each
// block over with the place of its first point.
func throughRows(ctx context.Context, points samples.Samples, cols int, apply func(context.Context, samples.Samples, *mat.Dense) error,
	take func(part samples.Samples, rows *mat.Dense, first int) error) error {
	const block = 4096
	rows := mat.NewDense(max(1, min(points.N(), block)), cols, nil)
	for first := 0; first < points.N(); first += block {
		part := points.Range(first, min(first+block, points.N()))
		if err := apply(ctx, part, rows); err != nil {
			if at, is := errors.AsType[*RowError](err); is {
				return &RowError{first + at.Row, at.What}
			}
			return err
		}
		if err := take(part, rows, first); err != nil {
			return err
		}
	}
	return nil
}
