package patch

import (
	"cmp"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/layout"
)

// ControlledPairs are the pairs of PaCMAP (Wang, Huang, Rudin and Shaposhnik 2021, section 4.1). For
// each sample they are the Near samples of its list with the least d²/(σᵢσⱼ), where σ is the mean
// distance to the fourth to sixth neighbour; MidNear samples, each the second nearest of 6 that are
// drawn; and Further samples that are drawn among those that are not near.
type ControlledPairs struct{ Near, MidNear, Further int }

// moreLists are the samples of a list beyond the near pairs, among which these are chosen.
const moreLists = 50

// Lists is the number of samples in a list.
func (c ControlledPairs) Lists() int { return c.Near + moreLists }

// List fills w with 1 for the near samples of a list at ascending distances, and with 0 for the others.
// width has the σ of all samples.
func (c ControlledPairs) List(list []int32, d, width, w []float64) {
	near := c.nearest(list, d, localWidth(d), width, nil)
	for q, j := range list {
		if w[q] = 0; slices.ContainsFunc(near, func(s scaled) bool { return s.j == j }) {
			w[q] = 1
		}
	}
}

// Of finds the pairs. The lists of the graph are wider than the near pairs.
func (c ControlledPairs) Of(in Local) (layout.Pairs, error) {
	n := in.X.N()
	near := make([]layout.Pair, n*c.Near)
	mid := make([]layout.Pair, n*c.MidNear)
	further := make([]layout.Pair, n*c.Further)
	width := LocalWidths(in.Graph)
	none := layout.Pair{I: -1}
	err := blas.For(in.Context(), in.Threads(), n, edgeRows, func(_, lo, hi int) {
		var list []scaled
		for i := lo; i < hi; i++ {
			list = c.nearest(in.Graph.Of(i), in.Graph.Distances(i), width[i], width, list[:0])
			for q := range c.Near {
				at := none
				if q < len(list) {
					at = layout.Pair{I: int32(i), J: list[q].j}
				}
				near[i*c.Near+q] = at
			}
			stream := blas.NewStream(in.Seed() ^ uint64(i)<<20)
			for q := range c.MidNear {
				mid[i*c.MidNear+q] = layout.Pair{I: int32(i), J: secondOfSix(in, stream, i)}
			}
			for q := range c.Further {
				further[i*c.Further+q] = none
				for range 100 { // near ones are drawn again
					j := int32(stream.Below(n))
					if int(j) != i && !slices.ContainsFunc(list, func(s scaled) bool { return s.j == j }) {
						further[i*c.Further+q].I, further[i*c.Further+q].J = int32(i), j
						break
					}
				}
			}
		}
	})
	missing := func(p layout.Pair) bool { return p.I < 0 || p.J < 0 }
	return layout.Pairs{Near: slices.DeleteFunc(near, missing), MidNear: slices.DeleteFunc(mid, missing), Further: slices.DeleteFunc(further, missing)}, err
}

// scaled is a sample of a list at its scaled distance.
type scaled struct {
	j int32
	d float64
}

// LocalWidths are the σ of all samples.
func LocalWidths(g *neighbors.Graph) []float64 {
	width := make([]float64, g.Len())
	for i := range width {
		width[i] = localWidth(g.Distances(i))
	}
	return width
}

// localWidth is the mean of the fourth to sixth distance.
func localWidth(d []float64) (width float64) {
	d = d[min(3, max(len(d)-1, 0)):min(6, len(d))]
	for _, v := range d {
		width += v / float64(len(d))
	}
	return max(width, math.SmallestNonzeroFloat64) // so that no quotient of two zeros comes about
}

// nearest are the near samples among those at distances d from one whose σ is own, the nearest first.
func (c ControlledPairs) nearest(js []int32, d []float64, own float64, width []float64, list []scaled) []scaled {
	for q, j := range js {
		list = append(list, scaled{j, d[q] / own * (d[q] / width[j])})
	}
	slices.SortStableFunc(list, func(a, b scaled) int { return cmp.Compare(a.d, b.d) })
	return list[:min(len(list), c.Near)]
}

// secondOfSix draws six samples other than i, and is the second nearest of them; −1: there are too few.
func secondOfSix(in Local, stream *blas.Stream, i int) int32 {
	n := in.X.N()
	if n < 3 {
		return -1
	}
	var drawn []scaled
	for range min(6, n-1) {
		for {
			j := int32(stream.Below(n))
			if int(j) != i && !slices.ContainsFunc(drawn, func(s scaled) bool { return s.j == j }) {
				drawn = append(drawn, scaled{j, in.X.SquaredDistance(i, int(j))})
				break
			}
		}
	}
	slices.SortFunc(drawn, func(a, b scaled) int { return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(a.j, b.j)) })
	return drawn[1].j
}
