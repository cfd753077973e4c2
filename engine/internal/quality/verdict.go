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
	// LeastThin: a last tangent that holds less of a neighbourhood than this is none.
	LeastThin = 0.04
	// leastParticipation: a coordinate whose squares are spread over fewer samples than this
	// share of all tells those from the others, and nothing else.
	leastParticipation = 0.01
)

// Uneven tells whether the coordinates stretch the data unevenly at every size of charts.
func (c *Charts) Uneven() bool { return c.Laid() && !(c.Even() <= MostUneven) }

// TooThin tells whether the data have one direction less than the embedding.
func (c *Charts) TooThin() bool { return c.Laid() && c.Thin < LeastThin }

// FewSamples is the first coordinate that is one of few of n samples; −1: none is.
func (q *Scores) FewSamples(n int) int {
	if n < LeastSamples {
		return -1
	}
	return slices.IndexFunc(q.Participation, func(share float64) bool {
		return share*float64(n) < math.Max(2, leastParticipation*float64(n))
	})
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
