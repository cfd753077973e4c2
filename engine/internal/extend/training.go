package extend

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// training are the samples of a fit with their coordinates, ready to be searched:
// what every mapping by nearest samples begins with. Its arrays are "samples"
// (n × m, dense or compressed) and "embedding" (n × d), its number is "neighbors".
type training struct {
	Resources
	samples samples.Samples
	y       *mat.Dense
	index   *samples.Index
	k       int
}

func newTraining(e *Extension, r Resources) (*training, error) {
	x, err := e.samples()
	if err != nil {
		return nil, err
	}
	t := &training{Resources: r, samples: x}
	if t.y, err = e.array("embedding", t.samples.N(), 0); err != nil {
		return nil, err
	}
	k, err := e.number("neighbors", 1, float64(t.samples.N()))
	if err != nil {
		return nil, err
	}
	t.k = int(k)
	t.index, err = samples.NewIndex(t.samples, neighbors.Options{Kernels: r.Kernels, Threads: r.Threads})
	return t, err
}

// mapping maps by a function among the training samples, which takes new ones in the same
// form.
func (t *training) mapping(apply func(context.Context, samples.Samples, *mat.Dense) error) *Mapping {
	_, dim := t.y.Dims()
	return mappingAmong(t.samples, dim, apply)
}

// mappingAmong maps by a function that takes new samples in the form of the training
// samples.
func mappingAmong(x samples.Samples, dim int, apply func(context.Context, samples.Samples, *mat.Dense) error) *Mapping {
	m := &Mapping{Features: x.M(), Dim: dim, Apply: func(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
		return apply(ctx, samples.OfRows(points.N, points.M, points.Data).As(x), dst)
	}}
	if x.Compressed() != nil {
		m.ApplySparse = func(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error {
			return apply(ctx, samples.OfCompressed(a), dst)
		}
	}
	return m
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
