package lnp

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// comparison is how the first of some methods fares against the others.
type comparison struct {
	least []float64      // the K at which it takes least
	ahead map[string]int // how often another one takes less
	lossy []string       // those that lose much less trust, by the mean over K
}

func (c comparison) always(sizes []int) bool { return len(c.least) == len(sizes) && len(c.lossy) == 0 }

func (c comparison) at(sizes []int) string {
	if len(c.least) == 0 {
		return "no K"
	}
	all := make([]float64, len(sizes))
	for i, k := range sizes {
		all[i] = float64(k)
	}
	return fmt.Sprintf("%d of %d K (%s)", len(c.least), len(sizes), rangesText(c.least, all))
}

// why says what is in the way of a claim that the method is the fastest.
func (c comparison) why(which string) string {
	var said []string
	for _, x := range fourTimed(byLNP)[1:] {
		if n := c.ahead[x.name]; n > 0 {
			said = append(said, fmt.Sprintf("%s takes less at %d K", x.name, n))
		}
	}
	if len(c.lossy) > 0 {
		said = append(said, fmt.Sprintf("it loses more than %g times the trust that %s loses", bench.AsGood, strings.Join(c.lossy, ", ")))
	}
	if len(said) == 0 {
		return which + " nothing is in the way"
	}
	return which + " " + strings.Join(said, ", ")
}

// against compares the times of whole embeddings, and what these are worth.
func (q timedSet) against(r *bench.Records, methods []chooser, sizes []int) comparison {
	c := comparison{ahead: map[string]int{}}
	lost := make([]float64, len(methods)) // of trust, over all K
	for _, k := range sizes {
		own, _ := phaseSeconds(r, q.name(methods[0], k), "total")
		if name, _ := q.fastest(r, methods, k); name == methods[0].name {
			c.least = append(c.least, float64(k))
		}
		for i, x := range methods {
			if v, _ := phaseSeconds(r, q.name(x, k), "total"); v < own {
				c.ahead[x.name]++
			}
			kept, _ := r.Quality(q.name(x, k), "trustworthiness")
			lost[i] += 1 - kept
		}
	}
	for i, x := range methods {
		if lost[0] > bench.AsGood*lost[i] {
			c.lossy = append(c.lossy, x.name)
		}
	}
	return c
}

// fastest returns the method that takes least at one K, the first of equal ones.
func (q timedSet) fastest(r *bench.Records, methods []chooser, k int) (name string, seconds float64) {
	for _, x := range methods {
		if v, _ := phaseSeconds(r, q.name(x, k), "total"); name == "" || v < seconds {
			name, seconds = x.name, v
		}
	}
	return name, seconds
}

// times writes what the embedding by each method takes at one K.
func (q timedSet) times(r *bench.Records, k int) string {
	var said []string
	for _, x := range append(fourTimed(byPrinted), byLNP) {
		v, _ := phaseSeconds(r, q.name(x, k), "total")
		said = append(said, fmt.Sprintf("%s %s", x.name, bench.MedianText(bench.Statistics{Median: v, Values: []float64{v}})))
	}
	return strings.Join(said, ", ")
}
