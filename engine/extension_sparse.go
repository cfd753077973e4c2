package engine

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// sparselyCoded maps points by the weights that the sparse programme gives them
// among their k nearest training samples, as the samples themselves were given
// theirs: the mean of their coordinates under these. A point at the place of a
// training sample gets its coordinates.
type sparselyCoded struct {
	*training
	rule sparseAffine
}

func sparseExtension(method SMCE) extendRule {
	return func(p *problem, _ *alignment, s *solution) (*extension, error) {
		return &extension{
			kind:   "sparse-affine",
			arrays: map[string]*mat.Dense{"samples": mat.NewDense(p.x.N, p.x.M, p.x.Data[:p.x.N*p.x.M]), "embedding": s.y},
			numbers: map[string]float64{"neighbors": float64(min(method.Neighbors, p.x.N)),
				"lambda": method.Lambda, "keep": method.Keep},
		}, nil
	}
}

func newSparselyCoded(e *extension, r resources) (mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	lambda, err := e.number("lambda", math.SmallestNonzeroFloat64, math.MaxFloat64)
	if err != nil {
		return nil, err
	}
	keep, err := e.number("keep", math.SmallestNonzeroFloat64, 1)
	return &sparselyCoded{t, sparseAffine{nearest: nearest(t.k), lambda: lambda, keep: keep}}, err
}

func (b *sparselyCoded) apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	least := coincidence(b.samples)
	return blas.For(ctx, b.threads, points.N, patchRows, func(_, lo, hi int) {
		w := newSparseCoder(b.kernels, b.rule)
		var c candidateSet
		for i := lo; i < hi; i++ {
			out, list := dst.RawRowView(i), g.Of(i)
			if c.take(b.samples, points.Row(i), list, g.Distances(i), least) > 0 {
				copy(out, b.y.RawRowView(int(list[0])))
				continue
			}
			w.of(&c, points.M)
			clear(out)
			var total float64
			for _, at := range w.kept() {
				total += w.weights[at]
				blas.Axpy(w.weights[at], b.y.RawRowView(int(list[at])), out)
			}
			blas.Scale(1/total, out)
		}
	})
}
