package engine

import (
	"gonum.org/v1/gonum/floats"

	"github.com/orthant-go/orthant/engine/internal/quality"
)

// MostLabels is the number of samples whose labels in every run are worth keeping, for
// [CopheneticCorrelation]: it compares all pairs of them.
const MostLabels = 1000

// LabelledSamples are the samples, of n, whose labels are kept: all, or [MostLabels] that are
// evenly spread.
func LabelledSamples(n int) []int { return quality.Spread(n, MostLabels) }

// Labels enters the largest component of each of some samples, the first of equal ones.
func (r *FactorRun) Labels(some []int, into []int64) {
	for at, i := range some {
		into[at] = int64(floats.MaxIdx(r.W.RawRowView(i)))
	}
}
