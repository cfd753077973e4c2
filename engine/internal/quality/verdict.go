package quality

import (
	"cmp"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

// The thresholds were fixed on five surfaces and scored on seven others (docs/quality.md,
// bench/suites/verdict).
const (
	// MostUneven: sound embeddings of sheets are even to this at some size of charts.
	MostUneven = 0.26
	// leastParticipation: a coordinate whose squares are spread over fewer samples than this
	// share of all distinguishes these from the others, and shows nothing else.
	// Fewer than fewParticipants are few of any number.
	leastParticipation, fewParticipants = 0.01, 5
	// LeastParticipants: of fewer samples a coordinate may be one of few.
	LeastParticipants = 64
	// Where the samples are spread over fewer places than fewPlaces, or than this share of as many as
	// there could be along one coordinate, a picture shows little of them.
	leastPlaces, fewPlaces = 0.05, 5
	// Coordinates that keep fewer of the neighbours than leastKept, or than lostByChance times what
	// chance gives, do not show them.
	leastKept, lostByChance = 0.02, 2
)

// Uneven reports whether the coordinates stretch the data unevenly at every size of charts.
func (c *Charts) Uneven() bool { return c.Laid() && !(c.Even() <= MostUneven) }

// TooThin reports whether the data have one direction less than the embedding of d coordinates, by
// the smallest charts.
func (c *Charts) TooThin(d int) bool {
	return c.Laid() && Thin(c.Thin-c.Off[0], d, c.Sizes[0]-1)
}

// FewSamples is the first coordinate that is one of few of n samples; −1: none is.
func (q *Scores) FewSamples(n int) int {
	if n < LeastParticipants {
		return -1
	}
	return slices.IndexFunc(q.Participation, func(share float64) bool {
		return share*float64(n) < math.Max(fewParticipants, leastParticipation*float64(n))
	})
}

// Collapsed reports whether nearly all samples are in few places.
func (q *Scores) Collapsed() bool {
	p := q.Places
	return p.Samples >= LeastParticipants && p.Effective < math.Max(fewPlaces, leastPlaces*float64(min(p.Samples, placesAcross)))
}

// Chance is the share of neighbours that coordinates keep that have nothing to do with the data.
func (q *Scores) Chance() float64 {
	var sum float64
	for _, count := range keptCounts {
		sum += float64(count) / float64(max(1, q.Places.All-1)) / float64(len(keptCounts))
	}
	return sum
}

// Lost reports whether the embedding keeps hardly more neighbours than chance does.
func (q *Scores) Lost() bool {
	return q.Kept.Score() < max(leastKept, lostByChance*q.Chance())
}

// Worst are the centres of the charts that deviate most, at most this many, the worst first.
func (c *Charts) Worst(count int) []int {
	order := make([]int, len(c.Deviations))
	for at := range order {
		order[at] = at
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.Deviations[b], c.Deviations[a]), cmp.Compare(a, b))
	})
	order = order[:min(count, len(order))]
	for at, chart := range order {
		order[at] = c.Centers[chart]
	}
	return order
}

// Flattest is the size, by its place, of the charts that have the least variance off their
// tangents, of as many samples each.
func (c *Charts) Flattest() int {
	least := 0
	for at, off := range c.Thinned {
		if off < c.Thinned[least] {
			least = at
		}
	}
	return least
}

// Even is the least unevenness over the sizes of charts; NaN: none were laid.
func (c *Charts) Even() float64 {
	if !c.Laid() {
		return math.NaN()
	}
	return c.Unevenness[c.Best]
}

// chanceCharts is the number of charts that are drawn, by the stream chanceStream.
const chanceCharts, chanceStream = 65, 20040917

// LastByChance is what the last of d directions holds of the variance of a sample and its k nearest
// on a flat sheet of d dimensions (median): the samples are drawn evenly from a ball around the first.
// O(kd² + d³).
func LastByChance(d, k int) float64 {
	rng := blas.NewStream(chanceStream)
	x, mean, scatter := make([]float64, k*d), make([]float64, d), make([]float64, d*d)
	values, scratch := make([]float64, d), make([]float64, 2*d)
	shares := make([]float64, chanceCharts)
	for c := range shares {
		rng.Normals(x)
		clear(mean)
		clear(scatter)
		for i := range k {
			row := x[i*d : i*d+d]
			blas.Scale(math.Pow(rng.Uniform(), 1/float64(d))/math.Sqrt(blas.Dot(row, row)), row)
			blas.Axpy(1/float64(k+1), row, mean)
		}
		var sum float64
		for a := range d {
			for b := range a + 1 {
				v := -float64(k+1) * mean[a] * mean[b]
				for i := range k {
					v += x[i*d+a] * x[i*d+b]
				}
				scatter[a*d+b], scatter[b*d+a] = v, v
			}
			sum += scatter[a*d+a]
		}
		blas.SymEigSmall(d, scatter, values, false, scratch) // small and finite: it converges
		shares[c] = max(values[0], 0) / sum
	}
	return orderstat.LowerMedian(shares)
}

// leastOfChance: a last direction that holds less than this share of what it holds by chance is
// none. Sound charts of 1 to 20 dimensions have six tenths and more, and those of one dimension less
// up to three tenths, with noise (bench/suites/verdict).
const leastOfChance = 0.2

// Thin reports whether the last of d directions, which holds a share of the variance of a sample and
// its k nearest, does not count.
func Thin(share float64, d, k int) bool {
	if d < 2 || share >= leastOfChance/float64(d) { // chance leaves it no more than an equal part
		return false
	}
	return share < leastOfChance*LastByChance(d, k)
}
