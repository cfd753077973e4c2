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

// sparselyCoded maps points by the weights that the sparse programme gives them
// among their k nearest training samples, as the samples themselves were given
// theirs: the mean of their coordinates under these. A point at the place of a
// training sample gets its coordinates.
type sparselyCoded struct {
	*training
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

func newSparseAffine(e *Extension, r Resources) (*Mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	lambda, err := e.number("lambda", math.SmallestNonzeroFloat64, math.MaxFloat64)
	if err != nil {
		return nil, err
	}
	keep, err := e.number("keep", math.SmallestNonzeroFloat64, 1)
	b := &sparselyCoded{t, neighborhood.SparseAffine{Nearest: neighborhood.Nearest(t.k), Lambda: lambda, Keep: keep}}
	return t.mapping(b.apply), err
}

func (b *sparselyCoded) apply(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	least := neighborhood.Coincidence(b.samples)
	return blas.For(ctx, b.Threads, points.N(), blockRows, func(_, lo, hi int) {
		w := neighborhood.NewSparseCoder(b.Kernels, b.rule)
		var c neighborhood.Candidates
		for i := lo; i < hi; i++ {
			out, list := dst.RawRowView(i), g.Of(i)
			if c.Take(b.samples, points, i, list, g.Distances(i), least) > 0 {
				copy(out, b.y.RawRowView(int(list[0])))
				continue
			}
			w.Solve(&c)
			clear(out)
			var total float64
			for _, at := range w.Kept() {
				total += w.Weights[at]
				blas.Axpy(w.Weights[at], b.y.RawRowView(int(list[at])), out)
			}
			blas.Scale(1/total, out)
		}
	})
}
