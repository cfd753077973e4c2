package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// mostApart is the largest quotient of given distances and samples, and its reciprocal the
// smallest, whose squares count beside each other.
const mostApart = 0x1p300

// measures reports whether what a method makes of its neighbours depends on their distances.
func (r row) measures(task string) bool {
	if r.searches(task) == nil {
		return false
	}
	switch task {
	case "embed":
		return !r.embed().patch.NoDistances
	case "factorize":
		return !r.factorize().Patch.NoDistances
	}
	plan := r.cluster(2).Plan
	if plan.Factors != nil {
		return !plan.Factors.Patch.NoDistances
	}
	return !plan.Edges.NoDistances
}

// oneUnit refuses a graph or distances, beside samples, of a size so far from theirs that
// squares would overflow or vanish. Where the structure stands alone it was divided itself.
func (b begun) oneUnit(task string, r row, x samples.Samples, s scaling) error {
	if x.Absent() || b.options.Affinities != nil || !b.placeless() || !r.measures(task) {
		return nil
	}
	what, row, col, value := "graph", 0, 0, 0.0
	if b.graph != nil {
		row, col, value = longestEdge(b.graph)
	} else {
		what = "distances"
		row, col, value = b.distances.Largest()
	}
	if value == 0 || value >= 1/mostApart && value <= mostApart {
		return nil
	}
	return fmt.Errorf("%s: row %d, column %d (counting from 1) of the %s is %.4g, the largest distance, where the largest entry of the samples is %.4g, and squares would be beyond the range of numbers; give both in one unit",
		b.Method(), row+1, col+1, what, magnitude.Times(value, s.exponent), math.Abs(s.value))
}
