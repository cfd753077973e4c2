package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// ReconstructionWeights returns the weights by which LLE writes every row of x by
// its neighbours in g (see [LLE]), n × k with zeros behind a list shorter than
// the longest: row i belongs to g.Of(i) and sums to 1. gamma is the regulariser
// as a share of the trace. It reads Backend and Threads of the options.
//
// Errors are about a graph of another number of samples, a γ that is not
// positive, and a cancelled context. O(n(k²m + k³)).
func ReconstructionWeights(ctx context.Context, x mat.Matrix, g *neighbors.Graph, gamma float64, o Options) (*mat.Dense, error) {
	points := pointsOf(x)
	switch {
	case g.Len() != points.N:
		return nil, fmt.Errorf("weights: a graph of %d samples for data of %d", g.Len(), points.N)
	case g.MaxDegree() == 0:
		return nil, fmt.Errorf("weights: the graph lists no neighbours")
	case !(gamma > 0):
		return nil, fmt.Errorf("weights: gamma is %v; give a number above 0", gamma)
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	k := g.MaxDegree()
	w := mat.NewDense(points.N, k, nil)
	return w, blas.For(ctx, o.Threads, points.N, patchRows, func(_, lo, hi int) {
		solver, d := newWeightSolver(kernels, k, gamma), make([]float64, k*points.M)
		for i := lo; i < hi; i++ {
			list := g.Of(i)
			differences(points, i, list, d)
			copy(w.RawRowView(i), solver.of(d, len(list), points.M))
		}
	})
}
