package samples

import "github.com/orthant-go/orthant/engine/neighbors"

// PairDistances returns a function that writes the distances of sample i to others by a metric, in the unit in which it
// measures. Each of the workers, counted from 0, measures one sample at a time. The memory is that of
// [Samples.PairDistancesBytes].
func (x Samples) PairDistances(metric neighbors.Metric, workers int) (func(worker, i int, others []int32, into []float64), error) {
	stored, rowOf := x.InUnitOf(metric).Stored()
	pairs, err := neighbors.NewPairDistances(stored.Matrix(), metric, workers)
	if err != nil {
		return nil, err
	}
	if rowOf == nil {
		return pairs.Distances, nil
	}
	return func(worker, i int, others []int32, into []float64) {
		rows := make([]int32, len(others))
		for at, j := range others {
			rows[at] = rowOf[j]
		}
		pairs.Distances(worker, int(rowOf[i]), rows, into)
	}, nil
}

// PairDistancesBytes bounds the memory of [Samples.PairDistances] in addition to the samples.
func (x Samples) PairDistancesBytes(metric neighbors.Metric) int64 {
	if metric == neighbors.Euclidean {
		return 0
	}
	return 2*x.Bytes() + x.InUnitOfBytes(metric)
}
