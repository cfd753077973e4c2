package extend

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// BarycentricMap maps by the weights that reconstruct a sample from its nearest training samples.
type BarycentricMap struct {
	Training
	By patch.Regularization
}

// Kind returns "barycentric".
func (BarycentricMap) Kind() string { return "barycentric" }

// barycentric maps points by the weights that reconstruct them from their k
// nearest training samples (the separate projection of Wang and Zhang 2010):
// z = Σ wⱼ yⱼ.
type barycentric struct {
	*training
	by patch.Regularization
}

// blockRows is the number of new samples that a worker maps at a time.
const blockRows = 128

// Barycentric is the default rule of methods with neighbourhoods, with the
// method's γ; 0: auto.
func Barycentric(gamma float64) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return ByNeighbors(f.nearest(f.Found.Degree()), s.Y, gamma), "", nil
	}
}

// BarycentricOfAll is the rule of methods without neighbourhoods whose coordinates are
// not a projection: barycentric weights on the k nearest samples.
func BarycentricOfAll(k int) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return ByNeighbors(f.nearest(k), s.Y, 0), "", nil
	}
}

// ByNeighbors returns the barycentric extension of samples with coordinates y. γ = 0 is auto: the
// weights then reproduce as many tangents as y has columns, if a neighbourhood has clear tangents.
func ByNeighbors(of Searched, y *mat.Dense, gamma float64) *Extension {
	_, dim := y.Dims()
	of.Neighbors = min(of.Neighbors, of.Samples.N(), maxNearest)
	return &Extension{Map: BarycentricMap{of.in(y), patch.Regularized(gamma, dim)}}
}

func (m BarycentricMap) prepare(r Resources) (*Mapping, error) {
	t, err := m.search(r)
	if err != nil {
		return nil, err
	}
	if t.k > maxNearest {
		return nil, fmt.Errorf("model: the number of neighbours of a %s model is %d, above %d", m.Kind(), t.k, maxNearest)
	}
	k := float64(t.k)
	if err := r.fit(r.workers() * k * (4*k + 2*float64(t.samples.M()))); err != nil {
		return nil, err
	}
	return t.mapping((&barycentric{t, m.By}).apply), nil
}

func (b *barycentric) apply(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
	g, err := b.index.Search(ctx, points, b.k)
	if err != nil {
		return err
	}
	type scratch struct {
		weights  *patch.WeightSolver
		gathered *samples.Gathered
	}
	workers := make([]scratch, blas.Threads(b.Threads))
	return blas.For(ctx, b.Threads, points.N(), rowsOf(float64(b.k*b.k)*float64(b.k+points.M())), func(w, lo, hi int) {
		s := &workers[w]
		if s.weights == nil {
			*s = scratch{patch.NewWeightSolver(b.Kernels, b.k, b.by).Until(endOf(ctx)), samples.NewGathered(b.samples)}
		}
		for i := lo; i < hi; i++ {
			differences, m := s.gathered.DifferencesTo(points, i, g.Of(i))
			out := dst.RawRowView(i)
			clear(out)
			for a, w := range s.weights.Solve(differences, b.k, m) {
				blas.Axpy(w, b.y.RawRowView(int(g.Of(i)[a])), out)
			}
		}
	})
}
