package extend

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// sparselyCoded codes points by the weights that the sparse programme gives them
// among their k nearest training samples, as the samples themselves were given
// theirs, scaled to sum 1. A point at the place of a training sample has weight for that
// alone.
type sparselyCoded struct {
	*searched
	rule neighborhood.SparseAffine
}

// SparseAffine is the rule of methods that choose among neighbours by a sparse affine
// combination.
func SparseAffine(rule neighborhood.SparseAffine) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return extensionOf("sparse-affine", f.X, map[string]*mat.Dense{"embedding": s.Y},
			map[string]float64{"neighbors": float64(min(int(rule.Nearest), f.X.N())), "lambda": rule.Lambda, "keep": rule.Keep}), "", nil
	}
}

// newSparseAffine maps to the mean of coordinates under the weights.
func newSparseAffine(e *Extension, r Resources) (*Mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	b, err := e.sparselyCoded(t.searched)
	return t.mapping(func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return b.code(ctx, points, t.mean(dst))
	}), err
}

// sparselyCoded reads the numbers "lambda" and "keep".
func (e *Extension) sparselyCoded(s *searched) (*sparselyCoded, error) {
	lambda, err := e.number("lambda", math.SmallestNonzeroFloat64, math.MaxFloat64)
	if err != nil {
		return nil, err
	}
	keep, err := e.number("keep", math.SmallestNonzeroFloat64, 1)
	if err == nil {
		k := float64(s.k)
		err = s.fit(s.workers() * k * (3*k + 2*float64(s.samples.M())))
	}
	return &sparselyCoded{s, neighborhood.SparseAffine{Nearest: neighborhood.Nearest(s.k), Lambda: lambda, Keep: keep}}, err
}

func (b *sparselyCoded) code(ctx context.Context, points samples.Samples, take func(i int, c code)) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	least := neighborhood.Coincidence(b.samples)
	k := float64(b.k)
	return blas.For(ctx, b.Threads, points.N(), rowsOf(k*k*(k+float64(b.samples.M()))), func(_, lo, hi int) {
		w := neighborhood.NewSparseCoder(b.Kernels, b.rule).Until(endOf(ctx))
		var c neighborhood.Candidates
		var weights []float64
		for i := lo; i < hi; i++ {
			list := g.Of(i)
			if c.Take(b.samples, points, i, list, g.Distances(i), least) > 0 {
				take(i, code{list, []int{0}, []float64{1}})
				continue
			}
			w.Solve(&c)
			kept := w.Kept()
			weights = weights[:0]
			var total float64
			for _, at := range kept {
				total += w.Weights[at]
				weights = append(weights, w.Weights[at])
			}
			blas.Scale(1/total, weights)
			take(i, code{list, kept, weights})
		}
	})
}
