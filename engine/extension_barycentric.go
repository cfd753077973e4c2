package engine

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// barycentricGamma regularises the weights of new samples where the method has
// no γ of its own.
const barycentricGamma = 1e-3

// barycentric maps points by the weights that reconstruct them from their k
// nearest training samples (the separate projection of Wang and Zhang 2010):
// z = Σ wⱼ yⱼ.
type barycentric struct {
	*training
	gamma float64
}

// barycentricExtension is the extendRule of methods that name none.
func barycentricExtension(p *problem, _ *alignment, s *solution) (*extension, error) {
	return byNeighbours(p.x, s.y, p.graph.MaxDegree(), p.gamma()), nil
}

// byNeighbours is the barycentric extension of samples with coordinates y.
func byNeighbours(x neighbors.Points, y *mat.Dense, k int, gamma float64) *extension {
	return &extension{
		kind:    "barycentric",
		arrays:  map[string]*mat.Dense{"samples": mat.NewDense(x.N, x.M, x.Data[:x.N*x.M]), "embedding": y},
		numbers: map[string]float64{"neighbors": float64(min(k, x.N)), "gamma": gamma},
	}
}

func newBarycentric(e *extension, r resources) (mapping, error) {
	t, err := newTraining(e, r)
	if err != nil {
		return nil, err
	}
	gamma, err := e.number("gamma", math.SmallestNonzeroFloat64, math.MaxFloat64)
	return &barycentric{t, gamma}, err
}

func (b *barycentric) apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	type scratch struct {
		weights     *weightSolver
		differences []float64
	}
	workers := make([]scratch, blas.Threads(b.threads))
	return blas.For(ctx, b.threads, points.N, patchRows, func(w, lo, hi int) {
		s := &workers[w]
		if s.weights == nil {
			*s = scratch{newWeightSolver(b.kernels, b.k, b.gamma), make([]float64, b.k*points.M)}
		}
		for i := lo; i < hi; i++ {
			for a, j := range g.Of(i) {
				row := s.differences[a*points.M : (a+1)*points.M]
				for c, v := range b.samples.Row(int(j)) {
					row[c] = v - points.Row(i)[c]
				}
			}
			out := dst.RawRowView(i)
			clear(out)
			for a, w := range s.weights.of(s.differences, b.k, points.M) {
				blas.Axpy(w, b.y.RawRowView(int(g.Of(i)[a])), out)
			}
		}
	})
}
