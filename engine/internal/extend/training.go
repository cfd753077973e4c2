package extend

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// training are the samples of a fit with their coordinates, ready to be searched:
// what every mapping by nearest samples begins with. Its arrays are "samples"
// (n × m) and "embedding" (n × d), its number is "neighbors".
type training struct {
	Resources
	samples samples.Samples
	y       *mat.Dense
	index   *neighbors.Index
	k       int
}

func newTraining(e *Extension, r Resources) (*training, error) {
	rows, err := e.array("samples", 0, 0)
	if err != nil {
		return nil, err
	}
	t := &training{Resources: r, samples: samples.Of(rows)}
	if t.y, err = e.array("embedding", t.samples.N(), 0); err != nil {
		return nil, err
	}
	if err := e.checkSize("samples", t.samples); err != nil {
		return nil, err
	}
	k, err := e.number("neighbors", 1, float64(t.samples.N()))
	if err != nil {
		return nil, err
	}
	t.k = int(k)
	t.index, err = neighbors.NewIndex(t.samples.Points(), neighbors.Options{Kernels: r.Kernels, Threads: r.Threads})
	return t, err
}

// mapping maps by a function among the training samples.
func (t *training) mapping(apply func(context.Context, neighbors.Points, *mat.Dense) error) *Mapping {
	_, dim := t.y.Dims()
	return &Mapping{Features: t.samples.M(), Dim: dim, Apply: apply}
}

// checkSize refuses an array of samples, or of centres, whose squares overflow: fits
// divide them.
func (e *Extension) checkSize(name string, x samples.Samples) error {
	const most = 1e150
	if row, col, v := x.Largest(); math.Abs(v) > most {
		return fmt.Errorf("model: row %d, column %d (counting from 1) of the array %q is %v, beyond %g", row+1, col+1, name, v, most)
	}
	return nil
}
