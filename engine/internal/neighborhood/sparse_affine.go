package neighborhood

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/lasso"
)

// SparseAffine is the neighbourhood of sparse manifold clustering: of the k
// nearest samples, those used by a sparse affine combination with a preference for near ones
// (Elhamifar and Vidal 2011, eqs 5–8), weighted by its coefficients divided by the
// distances. Lists are in increasing distance; their weights sum to the share that was kept.
type SparseAffine struct {
	Nearest      Nearest
	Lambda, Keep float64 // λ, and the share of a sample's weights to keep
	ADMM         bool    // use the published iteration instead of active sets
}

// Find searches the nearest samples and solves the programmes among them.
func (r SparseAffine) Find(job *run.Run, x samples.Samples) (Found, error) {
	candidates, err := r.Nearest.find(run.Euclidean(job), x)
	if err != nil {
		return Found{}, err
	}
	g, err := r.among(job, x, candidates)
	if err != nil {
		return Found{}, err
	}
	return represented(job, g, profileOf(g)), nil
}

// Widen searches once, and the returned function solves the programmes among fewer candidates.
func (r SparseAffine) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := exact(run.Euclidean(job), x, k)
	return func(k int) (*neighbors.Graph, error) { return r.among(job, x, wide.Truncated(k)) }, err
}

// among solves the programme of every sample over its candidates.
func (r SparseAffine) among(job *run.Run, x samples.Samples, candidates *neighbors.Graph) (*neighbors.Graph, error) {
	least := Coincidence(x)
	g, _, err := represent(job, candidates, func() func(i int, out *Lists) {
		w := NewSparseCoder(job.Kernels(), r)
		var c Candidates
		return func(i int, out *Lists) {
			list, distances := candidates.Of(i), candidates.Distances(i)
			skip := c.Take(x, x, i, list, distances, least)
			if skip == len(list) {
				out.addLowest(list, distances)
				return
			}
			w.Solve(&c)
			for _, at := range w.Kept() {
				out.add(list[skip+at], distances[skip+at], w.Weights[at])
			}
		}
	})
	return g, err
}

// SparseCoder computes the weights of one point at a time. It is the workspace of one
// worker.
type SparseCoder struct {
	SparseAffine
	solver  *lasso.AffineLasso
	omega   []float64
	Weights []float64 // for the candidates of the last point
	order   []int
}

// NewSparseCoder returns a coder for the rule.
func NewSparseCoder(kernels *blas.Kernels, r SparseAffine) *SparseCoder {
	return &SparseCoder{SparseAffine: r, solver: lasso.NewAffineLasso(kernels)}
}

// Until makes the coder stop once stop returns true; the weights are then meaningless.
func (w *SparseCoder) Until(stop func() bool) *SparseCoder {
	w.solver.Until(stop)
	return w
}

// Solve computes the weights over all candidates, which sum to 1. It replaces their differences
// by unit directions.
func (w *SparseCoder) Solve(c *Candidates) {
	k, m := len(c.Squares), c.Width
	if cap(w.omega) < k {
		w.omega, w.Weights = make([]float64, k), make([]float64, k)
	}
	w.omega, w.Weights = w.omega[:k], w.Weights[:k]
	var total float64
	for a, square := range c.Squares {
		w.omega[a] = math.Sqrt(square)
		total += w.omega[a]
		blas.Scale(1/w.omega[a], c.Differences[a*m:(a+1)*m])
	}
	copy(w.Weights, w.omega) // temporarily the distances
	blas.Scale(w.Lambda/total, w.omega)
	coefficients := w.solve(c.Differences, k, m)
	total = 0
	for a, d := range w.Weights {
		w.Weights[a] = math.Abs(coefficients[a]) / d
		total += w.Weights[a]
	}
	blas.Scale(1/total, w.Weights)
}

func (w *SparseCoder) solve(directions []float64, k, m int) []float64 {
	if w.ADMM {
		near, _ := w.solver.ADMM(directions, k, m, w.omega)
		c, _ := w.solver.Polish(directions, k, m, w.omega, near)
		return c
	}
	c, _ := w.solver.Solve(directions, k, m, w.omega)
	return c
}

// Kept returns the candidates with the largest weights, the nearer first on ties, up to
// the share to keep, in increasing distance.
func (w *SparseCoder) Kept() []int {
	w.order = w.order[:0]
	for a, v := range w.Weights {
		if v > 0 {
			w.order = append(w.order, a)
		}
	}
	slices.SortStableFunc(w.order, func(a, b int) int {
		switch {
		case w.Weights[a] > w.Weights[b]:
			return -1
		case w.Weights[a] < w.Weights[b]:
			return 1
		}
		return 0
	})
	var held float64
	for q, a := range w.order {
		if held += w.Weights[a]; held >= w.Keep {
			w.order = w.order[:q+1]
			break
		}
	}
	slices.Sort(w.order)
	return w.order
}
