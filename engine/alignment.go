package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/sparse"
)

// Alignment returns the alignment matrix of a method, without the solve: the symmetric,
// positive semidefinite n × n matrix Φ = Σ SᵢLᵢSᵢᵀ whose eigenvectors of the smallest
// eigenvalues [Embed] takes for coordinates. Of [LE], [SMCE] and [NLE] it is the normalised
// Laplacian D^−½ΦD^−½, of [DiffusionMaps] that of the weights divided by the densities.
// The matrix is the caller's; its Storage is that of github.com/james-bowman/sparse.
//
// If the neighbour graph has several components, the matrix has as many blocks; that is no error.
// Other methods, whose matrix is dense, are an error; errors about the input are those of [Embed]. The
// cost is that of Embed without its solve.
func Alignment(ctx context.Context, x mat.Matrix, m Method, o Options) (*sparse.CSR, error) {
	f, s, err := begin(ctx, "embed", x, m, o)
	if err != nil {
		return nil, err
	}
	if choice := method.RowOf(s.method).Embed(); choice.Neighbors == nil || choice.Joint.Matrix == nil {
		return nil, fmt.Errorf("%s: it has no sparse alignment matrix; take lle, neml, mlle, ltsa, hlle, le, lnp or smce", s.Method())
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

// toNeighbors are the stages of an embedding that lead to the search for neighbours, where
// nothing is taken back. dense says what becomes of sparse samples.
func (f fit) toNeighbors(dense densify) []stage {
	o := f.options
	return []stage{rescaleAffinities{f.task, o.Affinities}, read{data: f.data}, f.standardize(), dense, rescale{}, label{o.Labels},
		dimension{}, denoise{o.Denoise}, neighborhoodSize{o.Radius, o.Components}, parameters{fit: f, unsolved: true}, inUnit{f}}
}

// input is what an alignment takes of neighbourhoods.
func (p embedding) input(at pipeline.Locality) align.Input {
	return align.Input{Local: patch.Local{Run: p.Holding(at.Found.Bytes()), X: at.X, Graph: at.Found.Graph}, Patch: p.steps.Patch}
}
