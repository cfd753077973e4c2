package smrmf

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// graphPictures are the samples by class, exemplars as a class of their own, and the
// edges between them.
func graphPictures(d *bench.Data, exemplars []int, edges []float64) map[string]*bench.Picture {
	labels := slices.Clone(d.Labels)
	for _, i := range exemplars {
		labels[i] = slices.Max(d.Labels) + 1
	}
	list := map[string]*bench.Picture{"samples": {Points: d.X, Labels: labels}}
	if len(edges) > 0 {
		list["edges"] = &bench.Picture{Points: mat.NewDense(len(edges)/2, 2, edges)}
	}
	return list
}

// learned is what a selective method says of its graph.
type learned struct {
	exemplars []int
	graph     *sparse.CSR // rows of Z of the exemplars, less all but their k largest entries
	encoding  *sparse.CSR // Z, a row for every sample
}

// learnedOf reads it from a clustering; methods that are not selective have none.
func learnedOf(c *engine.Clustering) learned {
	if c.Selection == nil {
		return learned{}
	}
	return learned{c.Selection.Exemplars, c.Selection.Learned, c.Selection.Encoding}
}

// figures judges the graph: bad neighbours and neighbourhoods of the exemplars and the
// mean mismatch of their neighbourhoods; the mismatch of the other samples' rows of Z, by their k
// largest entries; and the mismatch among the nearest samples, of both.
func (l learned) figures(ctx context.Context, d *bench.Data) (map[string]float64, error) {
	figures := map[string]float64{}
	n := len(d.Labels)
	if l.graph != nil && l.graph.NNZ() > 0 {
		b, err := measures.BadNeighborsOf(l.graph, d.Labels)
		if err != nil {
			return nil, err
		}
		figures["bad-nn"], figures["bad-nbh"], figures["snbh"], figures["owners"] = b.Neighbors, b.Neighborhoods, b.Mismatch, float64(b.Owners)
	}
	if len(l.exemplars) == 0 || len(l.exemplars) >= n {
		return figures, nil
	}
	k := measures.DefaultNeighbors(n)
	if l.encoding != nil {
		rest := l.unselected(k)
		figures["empty-rows"] = float64(n - len(l.exemplars))
		if rest.NNZ() > 0 {
			b, err := measures.BadNeighborsOf(rest, d.Labels)
			if err != nil {
				return nil, err
			}
			figures["nsnbh"] = b.Mismatch
			figures["empty-rows"] -= float64(b.Owners)
		}
	}
	g, err := nearestOf(ctx, d.X, k, 0)
	if err != nil {
		return nil, err
	}
	figures["near-selected"], figures["near-others"] = mismatchOf(g, d.Labels, l.exemplars)
	return figures, nil
}

// unselected has the k largest entries of the rows of Z of samples that are no
// exemplars, ties to the lower column, without the diagonal.
func (l learned) unselected(k int) *sparse.CSR {
	z := l.encoding
	rest := &sparse.CSR{Rows: z.Rows, Cols: z.Cols, Ptr: make([]int, 1, z.Rows+1)}
	for i := range z.Rows {
		if !slices.Contains(l.exemplars, i) {
			cols, vals := z.Row(i)
			var order []int
			for p, j := range cols {
				if int(j) != i && vals[p] > 0 {
					order = append(order, p)
				}
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(vals[b], vals[a]) })
			order = order[:min(k, len(order))]
			slices.Sort(order)
			for _, p := range order {
				rest.Col, rest.Val = append(rest.Col, cols[p]), append(rest.Val, vals[p])
			}
		}
		rest.Ptr = append(rest.Ptr, len(rest.Col))
	}
	return rest
}

// picture shows the graph over the samples of the plane.
func (l learned) picture(d *bench.Data) map[string]*bench.Picture {
	var edges []float64
	if l.graph != nil {
		for i := range l.graph.Rows {
			cols, vals := l.graph.Row(i)
			for p, j := range cols {
				if vals[p] != 0 && int(j) != i {
					edges = append(edges, float64(i), float64(j))
				}
			}
		}
	}
	return graphPictures(d, l.exemplars, edges)
}

// mismatchOf is the mean share of a sample's neighbours that are of other classes, of
// the selected samples and of the others.
func mismatchOf(g *neighbors.Graph, labels []int64, selected []int) (own, others float64) {
	for i := range g.Len() {
		wrong := 0
		for _, j := range g.Of(i) {
			if labels[j] != labels[i] {
				wrong++
			}
		}
		share := float64(wrong) / float64(len(g.Of(i)))
		if slices.Contains(selected, i) {
			own += share
		} else {
			others += share
		}
	}
	return own / float64(len(selected)), others / float64(g.Len()-len(selected))
}
