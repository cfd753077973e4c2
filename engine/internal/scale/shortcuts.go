package scale

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

const (
	// maxExamined bounds the samples whose neighbours are examined.
	maxExamined = 2000
	// steep is the share of a squared difference off the tangents from which it is not a step
	// along the surface.
	steep = 0.5
	// beyond, times the squared distance of the last neighbour that determines the tangents, is the smallest
	// squared distance off them that counts; less is curvature or noise.
	beyond = 1.0
	// maxSteep is the share of samples with such a step among their nearest neighbours from which
	// the test is not applicable: the tangents are not reliable, as in most real data.
	maxSteep = 0.003
)

// Neighbors returns the largest number of neighbours, up to most, with which no neighbourhood
// reaches another sheet: as few samples have a step off their tangents
// as with the 2d + 2 nearest, which determine the tangents. One such step distorts an embedding.
// lists have at least that many neighbours of every sample, found exactly; nil: they are searched for. O(n log n).
func Neighbors(ctx context.Context, x neighbors.Points, lists *neighbors.Graph, d, most int, s Settings) (int, error) {
	least := 2*d + 2
	if most <= least+1 || x.N <= most+1 || d >= x.M {
		return most, nil
	}
	count := min(x.N, maxExamined)
	begin := func() *centre { return newListedCentre(x, lists, d) }
	at := x.Row
	if lists == nil || count < x.N || x.M > MaxColumns {
		f, err := newSurface(ctx, x, d, s)
		if err != nil {
			return most, err
		}
		begin = func() *centre { return newCentre(f.near, f.low.M, d) }
		at = func(q int) []float64 { return f.near.At(q * x.N / count) }
	}
	first := make([]int, count) // rank of the first step off the tangents
	workers := make([]*centre, blas.Threads(s.Threads))
	err := blas.For(ctx, s.Threads, count, 32, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = begin()
		}
		for q := lo; q < hi; q++ {
			workers[w].listed = q
			first[q] = workers[w].firstSteep(at(q), least, most)
		}
	})
	if err != nil {
		return most, err
	}
	under := make([]int, most+1)
	for _, r := range first {
		for k := r; k <= most; k++ {
			under[k]++
		}
	}
	if float64(under[least]) > maxSteep*float64(count) {
		return most, nil
	}
	k := least + 1
	for k < most && under[k+1] == under[least] {
		k++
	}
	return k, nil
}

// firstSteep returns the rank of the nearest neighbour whose difference is off the tangents of
// the least nearest; a rank beyond most: none.
func (c *centre) firstSteep(z []float64, least, most int) int {
	list, out := []Level{{Neighbors: least}}, make([][2]float64, 1)
	c.spectra(z, list, out)
	c.nearest(z, most+1)
	for r := 1; r <= most; r++ {
		x := c.at(c.order[r].place)
		for j, v := range z {
			c.from[j] = x[j] - v
		}
		off := c.order[r].square
		for a := range c.d {
			along := blas.Dot(c.axes[a*c.m:(a+1)*c.m], c.from)
			off -= along * along
		}
		if off > steep*c.order[r].square && (r <= least || off > beyond*c.order[least].square) {
			return r
		}
	}
	return most + 1
}
