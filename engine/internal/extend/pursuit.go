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

// pursued maps points by the weights that the pursuit gives them among their k
// nearest training samples: z = Σ wⱼ yⱼ, a convex combination. A point at the
// place of a training sample gets its coordinates.
type pursued struct {
	*training
	cap int // 0: none
}

// Pursuit is the rule of methods that choose among k neighbours by pursuit; the cap is
// the one that the fit has found.
func Pursuit(k int) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return extensionOf("pursuit", f.X, map[string]*mat.Dense{"embedding": s.Y},
			map[string]float64{"neighbors": float64(min(k, f.X.N())), "cap": float64(f.Found.Cap)}), "", nil
	}
}

func newPursuit(e *Extension, r Resources) (*Mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	most, err := e.number("cap", 0, math.MaxInt32)
	return t.mapping((&pursued{t, int(most)}).apply), err
}

func (b *pursued) apply(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	most := b.cap
	if most == 0 {
		most = math.MaxInt
	}
	return blas.For(ctx, b.Threads, points.N(), blockRows, func(_, lo, hi int) {
		w := neighborhood.NewPursuer(b.Kernels)
		var c neighborhood.Candidates
		for i := lo; i < hi; i++ {
			out := dst.RawRowView(i)
			clear(out)
			c.Take(b.samples, points, i, g.Of(i), g.Distances(i), 0)
			selected, weights := w.Select(c.Differences, c.Squares, c.Width, most)
			for t, at := range selected {
				blas.Axpy(weights[t], b.y.RawRowView(int(g.Of(i)[at])), out)
			}
		}
	})
}
