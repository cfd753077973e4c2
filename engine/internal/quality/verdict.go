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
	// MaxUneven bounds the unevenness of correct embeddings of sheets at the best size of charts.
	MaxUneven = 0.26
	// minParticipation: a coordinate whose squares are spread over a smaller share of the samples
	// only distinguishes these samples from the others.
	// Fewer than fewParticipants are too few for any number of samples.
	minParticipation, fewParticipants = 0.01, 5
	// MinParticipants: with fewer samples a coordinate may belong to a few of them.
	MinParticipants = 64
	// A map shows little of the samples if they occupy fewer than fewPlaces places, or less than the share
	// minPlaces of the places possible along one coordinate.
	minPlaces, fewPlaces = 0.05, 5
	// Coordinates do not represent the neighbours if they keep a smaller share than minKept, or less than
	// lostByChance times the share expected by chance.
	minKept, lostByChance = 0.02, 2
)

// Uneven reports whether the coordinates stretch the data unevenly at every size of charts.
func (c *Charts) Uneven() bool { return c.Computed() && !(c.MinUnevenness() <= MaxUneven) }

// TooThin reports whether the data have one dimension less than the embedding of d coordinates, according
// to the smallest charts.
func (c *Charts) TooThin(d int) bool {
	return c.Computed() && Thin(c.Thin-c.Off[0], d, c.Sizes[0]-1)
}

// FewSamples returns the first coordinate that is determined by few of n samples; −1: none.
func (q *Scores) FewSamples(n int) int {
	if n < MinParticipants {
		return -1
	}
	return slices.IndexFunc(q.Participation, func(share float64) bool {
		return share*float64(n) < math.Max(fewParticipants, minParticipation*float64(n))
	})
}

// Collapsed reports whether nearly all samples are in a few places.
func (q *Scores) Collapsed() bool {
	p := q.Places
	return p.Samples >= MinParticipants && p.Effective < math.Max(fewPlaces, minPlaces*float64(min(p.Samples, placesAcross)))
}

// Chance returns the share of neighbours that coordinates unrelated to the data keep.
func (q *Scores) Chance() float64 {
	var sum float64
	for _, count := range keptCounts {
		sum += float64(count) / float64(max(1, q.Places.All-1)) / float64(len(keptCounts))
	}
	return sum
}

// Lost reports whether the embedding keeps hardly more neighbours than expected by chance.
func (q *Scores) Lost() bool {
	return q.Kept.Score() < max(minKept, lostByChance*q.Chance())
}

// Worst returns the centres of the charts that deviate most, at most count, the worst first.
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

// Flattest returns the index of the size at which charts have the least variance off their
// tangents, compared with equal numbers of samples.
func (c *Charts) Flattest() int {
	least := 0
	for at, off := range c.Thinned {
		if off < c.Thinned[least] {
			least = at
		}
	}
	return least
}

// MinUnevenness returns the smallest unevenness over the sizes of charts; NaN: there are no charts.
func (c *Charts) MinUnevenness() float64 {
	if !c.Computed() {
		return math.NaN()
	}
	return c.Unevenness[c.Best]
}

// chanceCharts is the number of simulated charts, and chanceStream the seed of their random stream.
const chanceCharts, chanceStream = 65, 20040917

// ExpectedLastShare returns the median share of the variance of a sample and its k nearest in the last of d
// directions, on a flat sheet of d dimensions: the neighbours are drawn uniformly from a ball around the
// sample. O(kd² + d³).
func ExpectedLastShare(d, k int) float64 {
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

// minOfChance: the last direction does not count if it has less than this share of the variance
// expected by chance. Correct charts of 1 to 20 dimensions have at least six tenths, and data of one
// dimension less at most three tenths, with noise (bench/suites/verdict).
const minOfChance = 0.2

// Thin reports whether the last of d directions, which has the given share of the variance of a sample
// and its k nearest, does not count.
func Thin(share float64, d, k int) bool {
	if d < 2 || share >= minOfChance/float64(d) { // by chance it has at most an equal part
		return false
	}
	return share < minOfChance*ExpectedLastShare(d, k)
}
