package engine

import "math"

// ConsensusBytes is the memory that [FindConsensus] and [CopheneticCorrelation] take beside the
// data: so many components of all runs, of a rank, in three forms, the coordinates of the samples
// in four, the sums over the samples for as many columns as the data or the levels have, whichever
// are more, and what is compared of so many labels a run. It is at most 2⁶² bytes.
func ConsensusBytes(components, rank, samples, columns, levels, labels int64) int64 {
	f := func(v int64) float64 { return float64(v) }
	widest := math.Max(f(columns), f(levels))
	need := 8 * (3*f(components)*f(columns) + 4*f(samples)*f(rank) + 16*(f(rank)+2)*widest + 3*f(labels)*f(labels))
	return int64(math.Min(need, 1<<62))
}
