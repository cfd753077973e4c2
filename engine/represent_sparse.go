package engine

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// sparseAffine is the neighbourhood of sparse manifold clustering: of the k
// nearest those that a sparse affine combination with a preference for near ones
// takes (Elhamifar and Vidal 2011, eqs 5–8), weighted by its coefficients over the
// distances. Lists are in increasing distance; their weights sum to what was kept.
type sparseAffine struct {
	nearest      nearest
	lambda, keep float64
	admm         bool
}

func (r sparseAffine) find(p *problem) (*neighbors.Graph, error) {
	candidates, err := r.nearest.find(p)
	if err != nil {
		return nil, err
	}
	g, err := r.among(p, candidates)
	if err != nil {
		return nil, err
	}
	profileOf(g).tell(p, g)
	return g, nil
}

func (r sparseAffine) widen(p *problem, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := r.nearest.graph(p, k)
	return func(k int) (*neighbors.Graph, error) { return r.among(p, wide.Truncated(k)) }, err
}

// among solves the programme of every sample over its candidates.
func (r sparseAffine) among(p *problem, candidates *neighbors.Graph) (*neighbors.Graph, error) {
	least := coincidence(p.x)
	return represent(p, candidates, func() func(i int, out *sparseList) {
		w := newSparseCoder(p.kernels, r)
		var c candidateSet
		return func(i int, out *sparseList) {
			list, distances := candidates.Of(i), candidates.Distances(i)
			skip := c.take(p.x, p.x.Row(i), list, distances, least)
			if skip == len(list) {
				out.addLowest(list, distances)
				return
			}
			w.of(&c, p.x.M)
			for _, at := range w.kept() {
				out.add(list[skip+at], distances[skip+at], w.weights[at])
			}
		}
	})
}

// sparseCoder solves for the weights of one point after the other; it is one
// worker's scratch.
type sparseCoder struct {
	sparseAffine
	solver  *solvers.AffineLasso
	omega   []float64
	weights []float64
	order   []int
}

func newSparseCoder(kernels *blas.Kernels, r sparseAffine) *sparseCoder {
	return &sparseCoder{sparseAffine: r, solver: solvers.NewAffineLasso(kernels)}
}

// of computes the weights over all candidates, which sum to 1; their differences
// become unit directions.
func (w *sparseCoder) of(c *candidateSet, m int) {
	k := len(c.squares)
	if cap(w.omega) < k {
		w.omega, w.weights = make([]float64, k), make([]float64, k)
	}
	w.omega, w.weights = w.omega[:k], w.weights[:k]
	var total float64
	for a, square := range c.squares {
		w.omega[a] = math.Sqrt(square)
		total += w.omega[a]
		blas.Scale(1/w.omega[a], c.differences[a*m:(a+1)*m])
	}
	copy(w.weights, w.omega) // the distances, until the weights are known
	blas.Scale(w.lambda/total, w.omega)
	coefficients := w.solve(c.differences, k, m)
	total = 0
	for a, d := range w.weights {
		w.weights[a] = math.Abs(coefficients[a]) / d
		total += w.weights[a]
	}
	blas.Scale(1/total, w.weights)
}

func (w *sparseCoder) solve(directions []float64, k, m int) []float64 {
	if w.admm {
		near, _ := w.solver.ADMM(directions, k, m, w.omega)
		c, _ := w.solver.Polish(directions, k, m, w.omega, near)
		return c
	}
	c, _ := w.solver.Solve(directions, k, m, w.omega)
	return c
}

// kept returns the candidates of largest weight, the nearer first on ties, that
// hold the share to keep, in increasing distance.
func (w *sparseCoder) kept() []int {
	w.order = w.order[:0]
	for a, v := range w.weights {
		if v > 0 {
			w.order = append(w.order, a)
		}
	}
	slices.SortStableFunc(w.order, func(a, b int) int {
		switch {
		case w.weights[a] > w.weights[b]:
			return -1
		case w.weights[a] < w.weights[b]:
			return 1
		}
		return 0
	})
	var held float64
	for q, a := range w.order {
		if held += w.weights[a]; held >= w.keep {
			w.order = w.order[:q+1]
			break
		}
	}
	slices.Sort(w.order)
	return w.order
}
