package engine

import (
	"context"

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
	resources
	samples neighbors.Points
	y       *mat.Dense
	k       int
	gamma   float64
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
	b := &barycentric{resources: r, samples: pointsOf(e.arrays["samples"]), y: e.arrays["embedding"],
		k: int(e.numbers["neighbors"]), gamma: e.numbers["gamma"]}
	return b, nil
}

func (b *barycentric) dims() (features, dim int) {
	_, dim = b.y.Dims()
	return b.samples.M, dim
}

func (b *barycentric) apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	g, err := neighbors.Search(ctx, b.samples, points, b.k, neighbors.Options{Kernels: b.kernels, Threads: b.threads})
	if err != nil {
		return err
	}
	return blas.For(ctx, b.threads, points.N, patchRows, func(_, lo, hi int) {
		weights := newWeightSolver(b.kernels, b.k, b.gamma)
		d := make([]float64, b.k*points.M)
		for i := lo; i < hi; i++ {
			for a, j := range g.Of(i) {
				row := d[a*points.M : (a+1)*points.M]
				for c, v := range b.samples.Row(int(j)) {
					row[c] = v - points.Row(i)[c]
				}
			}
			out := dst.RawRowView(i)
			clear(out)
			for a, w := range weights.of(d, b.k, points.M) {
				blas.Axpy(w, b.y.RawRowView(int(g.Of(i)[a])), out)
			}
		}
	})
}
