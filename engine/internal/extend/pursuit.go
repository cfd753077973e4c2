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

// pursued codes points by the weights that the pursuit gives them among their k
// nearest training samples, those of a convex combination. A point at the place of a
// training sample has weight for that alone.
type pursued struct {
	*searched
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

// newPursuit maps to z = Σ wⱼ yⱼ.
func newPursuit(e *Extension, r Resources) (*Mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	b, err := e.pursued(t.searched)
	return t.mapping(func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		return b.code(ctx, points, t.mean(dst))
	}), err
}

// pursued reads the number "cap".
func (e *Extension) pursued(s *searched) (*pursued, error) {
	most, err := e.number("cap", 0, math.MaxInt32)
	if err == nil {
		k, m := float64(s.k), float64(s.samples.M())
		err = s.fit(s.workers() * (2*k*m + 3*min(k, m+2)*min(k, m+2)))
	}
	return &pursued{s, int(most)}, err
}

func (b *pursued) code(ctx context.Context, points samples.Samples, take func(i int, c code)) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	most := b.cap
	if most == 0 {
		most = math.MaxInt
	}
	k, m := float64(b.k), float64(b.samples.M())
	return blas.For(ctx, b.Threads, points.N(), rowsOf(k*min(k, m+1)*(k+m)), func(_, lo, hi int) {
		w := neighborhood.NewPursuer(b.Kernels).Until(endOf(ctx))
		var c neighborhood.Candidates
		for i := lo; i < hi; i++ {
			c.Take(b.samples, points, i, g.Of(i), g.Distances(i), 0)
			selected, weights := w.Select(c.Differences, c.Squares, c.Width, most)
			take(i, code{g.Of(i), selected, weights})
		}
	})
}
