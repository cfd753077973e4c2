package engine

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// training are the samples of a fit with their coordinates, ready to be searched:
// what every mapping by nearest samples begins with. Its arrays are "samples"
// (n × m) and "embedding" (n × d), its number is "neighbors".
type training struct {
	resources
	samples neighbors.Points
	y       *mat.Dense
	index   *neighbors.Index
	k       int
}

func newTraining(e *extension, r resources) (*training, error) {
	samples, err := e.array("samples", 0, 0)
	if err != nil {
		return nil, err
	}
	t := &training{resources: r, samples: pointsOf(samples)}
	if t.y, err = e.array("embedding", t.samples.N, 0); err != nil {
		return nil, err
	}
	k, err := e.number("neighbors", 1, float64(t.samples.N))
	if err != nil {
		return nil, err
	}
	t.k = int(k)
	t.index, err = neighbors.NewIndex(t.samples, neighbors.Options{Kernels: r.kernels, Threads: r.threads})
	return t, err
}

func (t *training) dims() (features, dim int) {
	_, dim = t.y.Dims()
	return t.samples.M, dim
}
