package quality

import (
	"cmp"
	"math"
	"slices"
)

// The thresholds were fixed on five surfaces and scored on seven others (docs/quality.md,
// bench/suites/verdict).
const (
	// MostUneven: sound embeddings of sheets are even to this at some size of charts.
	MostUneven = 0.26
	// leastParticipation: a coordinate whose squares are spread over fewer samples than this
	// share of all tells those from the others, and nothing else.
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

// Uneven tells whether the coordinates stretch the data unevenly at every size of charts.
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

// Worst are the centres of the charts that deviate most, at most so many, the worst first.
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
