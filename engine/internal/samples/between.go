package samples

import "github.com/orthant-go/orthant/engine/neighbors"

// Between measures distances between any samples by a metric.
type Between struct {
	by     *neighbors.Between
	places []int32 // see [Samples]
}

// Between prepares the samples for a number of workers, in the memory of [Samples.BetweenBytes].
func (x Samples) Between(metric neighbors.Metric, workers int) (*Between, error) {
	x = x.InUnitOf(metric)
	places := x.places
	if places != nil {
		stored, _ := x.StoredRows()
		x = OfRows(stored.N, stored.M, stored.Data)
	}
	by, err := neighbors.NewBetween(x.Matrix(), metric, workers)
	return &Between{by, places}, err
}

// BetweenBytes bounds the memory of [Samples.Between] in addition to the samples.
func (x Samples) BetweenBytes(metric neighbors.Metric) int64 {
	if metric == neighbors.Euclidean {
		return 0
	}
	return 2*x.Bytes() + x.InUnitOfBytes(metric)
}

// Distances writes the distances of sample i to others, in the unit in which the metric measures. A worker, counted
// from 0, measures one sample at a time.
func (b *Between) Distances(worker, i int, others []int32, into []float64) {
	if b.places != nil {
		i = int(b.places[i])
		placed := make([]int32, len(others))
		for at, j := range others {
			placed[at] = b.places[j]
		}
		others = placed
	}
	b.by.Distances(worker, i, others, into)
}
