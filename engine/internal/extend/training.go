package extend

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Searched are the samples of a fit among which the nearest are searched: what every mapping by
// nearest samples begins with.
type Searched struct {
	Samples   samples.Samples
	Neighbors int              // the nearest that a new sample is mapped by
	Metric    neighbors.Metric // by which they are; empty: Euclidean
}

// nearest are the samples of a fit, of which new ones are mapped by the k nearest.
func (f Fit) nearest(k int) Searched { return Searched{f.X, min(k, f.X.N()), f.Metric()} }

// in are the samples with their coordinates.
func (s Searched) in(y *mat.Dense) Training { return Training{s, y} }

// searched are such samples, ready to be searched.
type searched struct {
	Resources
	samples samples.Samples
	index   *samples.Index
	k       int
}

func (s Searched) search(r Resources) (*searched, error) {
	if err := r.fit(float64(s.Samples.N())); err != nil {
		return nil, err
	}
	if s.Samples.OwnBytes() < s.Samples.Bytes() { // copied into their order
		if err := r.fit(float64(s.Samples.Bytes()) / 8); err != nil {
			return nil, err
		}
	}
	metric := cmp.Or(s.Metric, neighbors.Euclidean)
	if metric != neighbors.Euclidean { // turned, undivided, or copied with what is searched for
		if err := r.fit(3 * float64(s.Samples.Bytes()) / 8); err != nil {
			return nil, err
		}
	}
	index, err := samples.NewIndex(s.Samples.DividedBy(r.exponent), metric, neighbors.Options{Kernels: r.Kernels, Threads: r.Threads})
	return &searched{r, s.Samples, index, s.Neighbors}, err
}

// Training are the samples of a fit with their coordinates.
type Training struct {
	Searched
	Embedding *mat.Dense // n × d
}

// training are such samples, ready to be searched.
type training struct {
	*searched
	y *mat.Dense
}

func (t Training) search(r Resources) (*training, error) {
	s, err := t.Searched.search(r)
	return &training{s, t.Embedding}, err
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
