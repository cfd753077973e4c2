package engine

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// pursued maps points by the weights that the pursuit gives them among their k
// nearest training samples: z = Σ wⱼ yⱼ, a convex combination. A point at the
// place of a training sample gets its coordinates.
type pursued struct {
	*training
	cap int // 0: none
}

// pursuitExtension is the extendRule of methods that choose among k neighbours by
// pursuit; the cap is the one that the fit has found.
func pursuitExtension(k int) extendRule {
	return func(p *problem, _ *alignment, s *solution) (*extension, error) {
		most, _ := p.details["cap"].(int)
		return &extension{
			kind:    "pursuit",
			arrays:  map[string]*mat.Dense{"samples": mat.NewDense(p.x.N, p.x.M, p.x.Data[:p.x.N*p.x.M]), "embedding": s.y},
			numbers: map[string]float64{"neighbors": float64(min(k, p.x.N)), "cap": float64(most)},
		}, nil
	}
}

func newPursued(e *extension, r resources) (mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	most, err := e.number("cap", 0, math.MaxInt32)
	return &pursued{t, int(most)}, err
}

func (b *pursued) apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	most := b.cap
	if most == 0 {
		most = math.MaxInt
	}
	return blas.For(ctx, b.threads, points.N, patchRows, func(_, lo, hi int) {
		w := &pursuer{kernels: b.kernels}
		var c candidateSet
		for i := lo; i < hi; i++ {
			out := dst.RawRowView(i)
			clear(out)
			c.take(b.samples, points.Row(i), g.Of(i), g.Distances(i), 0)
			selected, weights := w.of(c.differences, c.squares, points.M, most)
			for t, at := range selected {
				blas.Axpy(weights[t], b.y.RawRowView(int(g.Of(i)[at])), out)
			}
		}
	})
}
