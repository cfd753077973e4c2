package extend

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// searched are the samples of a fit, ready to be searched: what every mapping by nearest
// samples begins with. Its array is "samples" (n × m), its number is "neighbors".
type searched struct {
	Resources
	samples samples.Samples
	index   *neighbors.Index
	k       int
}

func newSearched(e *Extension, r Resources) (*searched, error) {
	rows, err := e.array("samples", 0, 0)
	if err != nil {
		return nil, err
	}
	s := &searched{Resources: r, samples: samples.Of(rows)}
	if err := e.checkSize("samples", s.samples); err != nil {
		return nil, err
	}
	k, err := e.number("neighbors", 1, float64(s.samples.N()))
	if err != nil {
		return nil, err
	}
	s.k = int(k)
	s.index, err = neighbors.NewIndex(s.samples.Points(), neighbors.Options{Kernels: r.Kernels, Threads: r.Threads})
	return s, err
}

// training are such samples with their coordinates, the array "embedding" (n × d).
type training struct {
	*searched
	y *mat.Dense
}

func newTraining(e *Extension, r Resources) (*training, error) {
	s, err := newSearched(e, r)
	if err != nil {
		return nil, err
	}
	t := &training{searched: s}
	t.y, err = e.array("embedding", t.samples.N(), 0)
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
