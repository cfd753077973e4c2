package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Alignment returns the alignment matrix of a method, without the solve: the symmetric,
// positive semidefinite n × n matrix Φ = Σ SᵢLᵢSᵢᵀ. Its eigenvectors for the smallest
// eigenvalues are the coordinates of [Embed]. For [LE], [SMCE] and [NLE] it is the normalised
// Laplacian D^−½ΦD^−½, for [DiffusionMaps] the one of the weights divided by the densities.
// For [UMAP] and [TSNE], which solve no eigenproblem, it is the matrix of weights W or
// probabilities P, with a zero diagonal, which [SpectralInit] accepts.
// The caller owns the matrix; its Storage method returns the type of github.com/james-bowman/sparse.
//
// If the neighbour graph has several components, the matrix has one block for each; that is not an error.
// Methods with a dense matrix return an error; errors about the input are those of [Embed]. The
// cost is that of Embed without its solve.
func Alignment(ctx context.Context, x mat.Matrix, m Method, o Options) (*sparse.CSR, error) {
	f, s, err := begin(ctx, "embed", x, m, o)
	if err != nil {
		return nil, err
	}
	settled, err := param.Resolve(s.method.Name(), s.method, method.AnySize, func(string, ...any) {})
	if err != nil {
		return nil, err
	}
	if choice := method.RowOf(settled).Embed(); choice.Neighbors == nil || choice.Joint.Matrix == nil {
		return nil, fmt.Errorf("%s: it has no sparse alignment matrix; take lle, neml, mlle, ltsa, hlle, le, umap, lnp or smce", s.Method())
	}
	if s, _, err = through(s, f.toNeighbors(densify{remedy: fewerEntries})...); err != nil {
		return nil, err
	}
	p := embedding{state: s}.choose(method.RowOf(s.method).Embed())
	if err := s.checkMemory(p.steps.Patch, f.options.Landmarks); err != nil {
		return nil, err
	}
	at, err := p.neighborhoods()
	if err != nil {
		return nil, err
	}
	return p.steps.Joint.Matrix(p.input(at))
}

// toNeighbors returns the stages of an embedding up to the neighbour search, for results that need
// no undo. dense determines what happens to sparse samples.
func (f fit) toNeighbors(dense densify) []stage {
	o := f.options
	return []stage{rescaleAffinities{f.task, o.Affinities}, read{data: f.data}, f.standardize(), dense, rescale{}, label{o.Labels, o.Targets}, count{weights: o.Weights},
		reduce{o.Reduce}, dimension{}, denoise{o.Denoise}, neighborhoodSize{o.Radius, o.Components}, parameters{fit: f, unsolved: true}, inUnit{f.task}}
}

// Represent returns the neighbours by which a method represents each sample, in
// increasing distance, with their weights: the convex weights of [LNP], the kept weights of
// [SMCE], the signed weights of [LLE], and for [LE] the edges of each sample to the neighbours
// in its list, scaled to sum 1. From them, package [measures] computes the
// dimension of the data and how well an embedding keeps neighbours. The Matrix method of the result
// returns a sparse matrix, one row for each sample. Other methods return an error; errors about the
// input are those of [Embed].
func Represent(ctx context.Context, x mat.Matrix, m Method, o Options) (*neighbors.Graph, error) {
	f, s, err := begin(ctx, "embed", x, m, o)
	if err != nil {
		return nil, err
	}
	if s, _, err = through(s, f.toNeighbors(densify{always: true, remedy: fewerEntries})...); err != nil {
		return nil, err
	}
	p := embedding{state: s}.choose(method.RowOf(s.method).Embed())
	if p.steps.Neighbors == nil {
		return nil, fmt.Errorf("%s: it does not represent samples by their neighbours; take lnp, smce, lle or le", s.Method())
	}
	at, err := p.neighborhoods()
	if err != nil {
		return nil, err
	}
	g := at.Found.Graph
	if g.Weight == nil {
		if p.steps.Patch.Weights == nil {
			return nil, fmt.Errorf("%s: it does not weight a sample's neighbours; take lnp, smce, lle or le", s.Method())
		}
		if g.Weight, err = p.steps.Patch.Weights(patch.Local{Run: s.Run, X: s.x, Graph: g}); err != nil {
			return g, err
		}
	}
	if !s.unit.Numbers(1, g.Dist) {
		return nil, s.unit.Refuse("distances would be beyond the range of numbers")
	}
	return g, nil
}

// ReconstructionWeights returns the weights with which LLE reconstructs every row of x from its
// neighbours in g (see [LLE]), n × k, padded with zeros after short lists: row i corresponds
// to g.Of(i) and sums to 1. gamma is the regularisation as a share of the trace. Of the options it
// reads Backend and Threads.
//
// It returns an error if g has another number of samples, gamma is not positive, or ctx is
// cancelled. O(n(k²m + k³)).
func ReconstructionWeights(ctx context.Context, x mat.Matrix, g *neighbors.Graph, gamma float64, o Options) (*mat.Dense, error) {
	if err := refuseAbsentData(ctx, x); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("weights: no graph given; give one of package neighbors")
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	s := state{Run: method.NewRun(ctx, "weights", kernels, Options{Threads: o.Threads}, NewClock())}
	if s, x, err = s.hold(x); err != nil {
		return nil, err
	}
	if s, _, err = through(s, read{data: x}, densify{always: true, remedy: fewerEntries}); err != nil {
		return nil, err
	}
	points := s.x
	if row, col, value := points.FirstNotFinite(); row >= 0 {
		return nil, fmt.Errorf("weights: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", row+1, col+1, value)
	}
	_, _, size := points.Largest()
	points = points.ScaledDown(magnitude.Exponent(math.Abs(size))) // weights have no unit
	switch {
	case g.Len() != points.N():
		return nil, fmt.Errorf("weights: a graph of %d samples for data of %d", g.Len(), points.N())
	case g.MaxDegree() == 0:
		return nil, fmt.Errorf("weights: the graph lists no neighbours")
	case !(gamma > 0):
		return nil, fmt.Errorf("weights: gamma is %v; give a number above 0", gamma)
	}
	columns, err := patch.Reconstruction(patch.Regularized(gamma, 0)).Weights(patch.Local{Run: s.Run, X: points, Graph: g})
	w := mat.NewDense(points.N(), g.MaxDegree(), nil)
	for i := range points.N() {
		copy(w.RawRowView(i), columns[g.Ptr[i]:g.Ptr[i+1]])
	}
	return w, err
}
