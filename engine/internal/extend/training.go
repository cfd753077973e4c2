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

// searched are the samples of a fit, ready to be searched: what every mapping by nearest
// samples begins with. Its array is "samples" (n × m,
// dense or compressed), its number is "neighbors".
type searched struct {
	Resources
	samples samples.Samples
	index   *samples.Index
	k       int
}

func newSearched(e *Extension, r Resources) (*searched, error) {
	x, err := e.samples()
	if err != nil {
		return nil, err
	}
	s := &searched{Resources: r, samples: x}
	k, err := e.number("neighbors", 1, float64(s.samples.N()))
	if err != nil {
		return nil, err
	}
	s.k = int(k)
	if err := r.fit(float64(s.samples.N())); err != nil {
		return nil, err
	}
	s.index, err = samples.NewIndex(s.samples, neighbors.Options{Kernels: r.Kernels, Threads: r.Threads})
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

// mapping maps by a function among the training samples, which takes new ones in the same
// form.
func (t *training) mapping(apply func(context.Context, samples.Samples, *mat.Dense) error) *Mapping {
	_, dim := t.y.Dims()
	return t.amongNearest(dim, apply)
}

// amongNearest maps by a function among the nearest training samples.
func (s *searched) amongNearest(dim int, apply func(context.Context, samples.Samples, *mat.Dense) error) *Mapping {
	m := mappingAmong(s.samples, dim, apply)
	m.RowBytes = 16*int64(s.k) + 8*int64(dim) // its list
	return m
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
