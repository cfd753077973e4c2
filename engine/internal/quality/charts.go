package quality

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/solvers"
)

const (
	// At least and at most so many charts are laid, and one for each chartShare samples between.
	leastCharts, mostCharts, chartShare = 64, 200, 64
	// A chart has up to so many times the samples of a neighbourhood, up to mostSamples, and up
	// to a share of all.
	mostTimes, mostSamples, leastShare = 16, 256, 4
	// wideOrder bounds the order of the matrices of charts beyond the first size: in many
	// columns they would take longer than the embedding.
	wideOrder = 32
	// mostDim: for more coordinates no charts are laid.
	mostDim = 16
	blockOf = 4 // charts
)

// Charts are sets of samples that are near each other along the graph, each with the
// least-squares map of its tangent coordinates to the embedding.
type Charts struct {
	Centers []int // samples
	Sizes   []int // samples of a chart, ascending; empty: no charts were laid
	// By size: the share of a chart's variance off its tangent space (median), the share
	// of its coordinates' variance that is no linear function of its tangent coordinates, and
	// the unevenness.
	Off, Bent, Unevenness []float64
	// Thinned is Off of as many samples as the smallest chart has, spread over each: few samples
	// leave less to their directions for want of samples, so that only as many can be compared.
	// It is what [Charts.TakeThinned] takes.
	Thinned []float64
	// Thin is the share that all tangents but the last leave of the smallest charts (median); of
	// one dimension NaN.
	Thin float64
	// Of the size at which the unevenness is least: each chart's deviation, and the least stretch
	// of a chart over the mean one (median).
	Best         int // of Sizes
	Deviations   []float64
	LeastStretch float64
}

// unlaid are no charts.
func unlaid() Charts { return Charts{Thin: math.NaN(), LeastStretch: math.NaN()} }

// Laid tells whether charts were laid.
func (c *Charts) Laid() bool { return len(c.Sizes) > 0 }

// chartsOf is the number of charts of n samples.
func chartsOf(n int) int { return max(leastCharts, min(mostCharts, n/chartShare)) }

// sizesOf are the sizes of charts: a neighbourhood with its sample, twice as many and so on. It
// is empty where there are too few samples for any, or lists that were chosen by weights.
func sizesOf(in patch.Local) []int {
	n, first := in.Graph.Len(), in.Graph.MaxDegree()+1
	if n < LeastSamples || first > n/leastShare || in.Graph.Weight != nil {
		return nil
	}
	sizes := []int{first}
	for size := 2 * first; size <= min(n/leastShare, mostTimes*first, mostSamples) && min(size, in.X.M()) <= wideOrder; size *= 2 {
		sizes = append(sizes, size)
	}
	return sizes
}

// chartsBytes is the memory in which the workers look at charts of up to so many samples.
func chartsBytes(in patch.Local, most int) int64 {
	ofWalker := 12*int64(in.Graph.Len()) + in.X.LaidBytes(in.Graph.MaxDegree()+1)
	ofMapper := 16*int64(most)*int64(most) + in.X.LaidBytes(most+1)
	return int64(blas.Threads(in.Threads())) * (ofWalker + ofMapper)
}

// surveyor is one worker's scratch.
type surveyor struct {
	walk   *walker
	mapper *patch.TangentMapper
	few    []int32
}

// thinned are so many samples of a chart, evenly by their distance from its centre.
func (s *surveyor) thinned(chart []int32, count int) []int32 {
	s.few = s.few[:0]
	for at := range min(count, len(chart)) {
		s.few = append(s.few, chart[at*len(chart)/min(count, len(chart))])
	}
	return s.few
}

// survey has every chart of every size looked at: that around centre at of the size s.
func (c *Charts) survey(in patch.Local, dim int, look func(by *surveyor, at, s int, chart []int32)) error {
	most := c.Sizes[len(c.Sizes)-1]
	workers := make([]*surveyor, blas.Threads(in.Threads()))
	return blas.For(in.Context(), in.Threads(), len(c.Centers), blockOf, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &surveyor{newWalker(in), patch.NewTangentMapper(in, most, dim), make([]int32, 0, c.Sizes[0])}
		}
		for at := lo; at < hi; at++ {
			set := workers[w].walk.nearest(c.Centers[at], most)
			for s, size := range c.Sizes {
				look(workers[w], at, s, set[:min(size, len(set))])
			}
		}
	})
}

// lay lays charts around some samples.
func lay(in patch.Local, y *mat.Dense, some, sizes []int) (Charts, error) {
	c := unlaid()
	c.Centers, c.Sizes = some, sizes
	_, dim := y.Dims()
	scales := make([]scale, len(sizes))
	for s := range scales {
		scales[s] = newScale(len(some), dim)
	}
	err := c.survey(in, dim, func(by *surveyor, at, s int, chart []int32) {
		scales[s].thin[at], scales[s].off[at] = by.mapper.Find(chart, dim, y, scales[s].maps[at])
	})
	if err != nil {
		return c, err
	}
	c.compare(scales, dim)
	return c, nil
}

// TakeThinned takes Thinned, for a cause that is looked for where something is doubted.
func (c *Charts) TakeThinned(in patch.Local, dim int) error {
	if !c.Laid() {
		return nil
	}
	thinned := make([][]float64, len(c.Sizes))
	for s := range thinned {
		thinned[s] = make([]float64, len(c.Centers))
	}
	err := c.survey(in, dim, func(by *surveyor, at, s int, chart []int32) {
		thinned[s][at] = by.mapper.Off(by.thinned(chart, c.Sizes[0]), dim)
	})
	if err != nil {
		return err
	}
	for _, shares := range thinned {
		c.Thinned = append(c.Thinned, solvers.LowerMedian(shares))
	}
	return nil
}
