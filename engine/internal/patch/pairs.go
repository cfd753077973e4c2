package patch

import (
	"cmp"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/layout"
)

// ControlledPairs are the pairs of PaCMAP (Wang, Huang, Rudin and Shaposhnik 2021, section 4.1). For
// each sample they are the Near samples of its list with the least d²/(σᵢσⱼ), where σ is the mean
// distance to the fourth to sixth neighbour; MidNear samples, each the second nearest of 6 that are
// drawn; and Further samples that are drawn among those that are not near.
type ControlledPairs struct {
	Near, MidNear, Further int
	Distances              samples.Samples // given, n × n, by the numbers of the samples; empty: the metric of the run measures them
}

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
	var measure func(worker, i int, others []int32, into []float64)
	if c.MidNear > 0 {
		var err error
		if measure, err = c.measure(in); err != nil {
			return layout.Pairs{}, err
		}
	}
	err := blas.For(in.Context(), in.Threads(), n, edgeRows, func(worker, lo, hi int) {
		var list []scaled
		six, d := make([]int32, 0, 6), make([]float64, 6)
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
				mid[i*c.MidNear+q] = none
				if six = drawSix(stream, n, i, six[:0]); len(six) > 1 {
					measure(worker, i, six, d)
					mid[i*c.MidNear+q] = layout.Pair{I: int32(i), J: second(six, d[:len(six)])}
				}
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
	missing := func(p layout.Pair) bool { return p.I < 0 }
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

// drawSix appends six samples of n other than i to an empty list, or all others if they are fewer.
func drawSix(stream *blas.Stream, n, i int, six []int32) []int32 {
	for len(six) < min(6, n-1) {
		if j := int32(stream.Below(n)); int(j) != i && !slices.Contains(six, j) {
			six = append(six, j)
		}
	}
	return six
}

// second is the second nearest of samples at distances d, ties by the lower number.
func second(list []int32, d []float64) int32 {
	order := []int{0, 1, 2, 3, 4, 5}[:len(list)]
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(d[a], d[b]), cmp.Compare(list[a], list[b])) })
	return list[order[1]]
}

// measure returns a function that writes the distances of sample i to others.
func (c ControlledPairs) measure(in Local) (func(worker, i int, others []int32, into []float64), error) {
	if c.Distances.N() == 0 {
		return in.X.PairDistances(in.Metric(), blas.Threads(in.Threads()))
	}
	return func(_, i int, others []int32, into []float64) {
		row := c.Distances.Row(in.X.Number(i) - 1)
		for q, j := range others {
			into[q] = row[in.X.Number(int(j))-1]
		}
	}, nil
}
