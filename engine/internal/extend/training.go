package extend

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Searched are the samples of a fit in which the nearest are searched. Every map by
// nearest samples begins with them.
type Searched struct {
	Samples   samples.Samples
	Neighbors int              // number of nearest samples by which a new sample is mapped
	Metric    neighbors.Metric // of the search; empty: Euclidean
}

// nearest returns the samples of a fit, for maps by the k nearest.
func (f Fit) nearest(k int) Searched { return Searched{f.X, min(k, f.X.N()), f.Metric()} }

// in adds the coordinates of the samples.
func (s Searched) in(y *mat.Dense) Training { return Training{s, y} }

// searched are samples with an index for searches.
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
	if metric != neighbors.Euclidean { // turned, undivided, or copied together with the queries
		if err := r.fit(3 * float64(s.Samples.Bytes()) / 8); err != nil {
			return nil, err
		}
	}
	index, err := samples.NewIndex(s.Samples.MarkDivided(r.exponent), metric, neighbors.Options{Kernels: r.Kernels, Threads: r.Threads})
	return &searched{r, s.Samples, index, s.Neighbors}, err
}

// Training are the samples of a fit with their coordinates.
type Training struct {
	Searched
	Embedding *mat.Dense // n × d
}

// training are training samples with an index for searches.
type training struct {
	*searched
	y *mat.Dense
}

func (t Training) search(r Resources) (*training, error) {
	s, err := t.Searched.search(r)
	return &training{s, t.Embedding}, err
}

// mapping returns the mapping by a function that takes new samples in the form of the training
// samples.
func (t *training) mapping(apply func(context.Context, samples.Samples, *mat.Dense) error) *Mapping {
	_, dim := t.y.Dims()
	return t.amongNearest(dim, apply)
}

// amongNearest returns the mapping by a function of the nearest training samples.
func (s *searched) amongNearest(dim int, apply func(context.Context, samples.Samples, *mat.Dense) error) *Mapping {
	m := mappingAmong(s.samples, dim, apply)
	m.RowBytes = 16*int64(s.k) + 8*int64(dim) // memory of its list
	return m
}

// labelling returns the mapping by a function of the nearest training samples and their distances to a label. begin makes one for each block of samples.
func (s *searched) labelling(begin func() func(list []int32, distances []float64) int64) *Mapping {
	return s.amongNearest(1, func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		g, err := s.index.Search(ctx, points, s.k)
		if err != nil {
			return err
		}
		return blas.For(ctx, s.Threads, points.N(), blockRows, func(_, lo, hi int) {
			label := begin()
			for i := lo; i < hi; i++ {
				dst.Set(i, 0, float64(label(g.Of(i), g.Distances(i))))
			}
		})
	})
}

// mappingAmong returns the mapping by a function that takes new samples in the form of the training
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
