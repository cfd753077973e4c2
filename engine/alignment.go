package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
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
	b, x, m, err := begin(ctx, "embed", x, m, o)
	if err != nil {
		return nil, err
	}
	if s := rowOf(m).embed(); s.neighbors == nil || s.joint.matrix == nil {
		return nil, fmt.Errorf("%s: it has no sparse alignment matrix; take lle, neml, mlle, ltsa, hlle, le, lnp or smce", b.Method())
	}
	points, err := b.data(x, rowOf(m).sparse, fewerEntries)
	if err != nil {
		return nil, err
	}
	points, _, m, err = b.readied(points, m)
	if err != nil {
		return nil, err
	}
	method := rowOf(m)
	s := method.embed()
	s.patch = b.edges(s.patch)
	if err := b.checkMemory(locality{x: points}, method, s.patch); err != nil {
		return nil, err
	}
	found, err := b.lists(s.neighbors).Find(b.Run, points)
	if err != nil {
		return nil, err
	}
	job := b.Holding(found.Bytes())
	return s.joint.matrix(align.Input{Local: patch.Local{Run: job, X: points, Graph: found.Graph}, Patch: s.patch})
}

// readied brings the data to an ordinary size and settles the method on them, for the first
// steps of a method without its solve.
func (b *begun) readied(points samples.Samples, m Method) (samples.Samples, scaling, Method, error) {
	if points.N() < 2 || points.M() < 1 && b.graph == nil {
		return points, scaling{}, nil, fmt.Errorf("%s: %d × %d data have no neighbours; give at least 2 samples and 1 column", b.Method(), points.N(), points.M())
	}
	points, scaled, err := b.ordinary(points)
	if err != nil {
		return points, scaled, nil, err
	}
	if m, err = b.dimensioned(points, m); err != nil {
		return points, scaled, nil, err
	}
	if points, _, err = b.smoothed(points, m, scaled); err != nil {
		return points, scaled, nil, err
	}
	if m, err = b.sized(points, m, scaled); err != nil {
		return points, scaled, nil, err
	}
	if m, err = b.resolve(m, points.N(), points.M()); err != nil {
		return points, scaled, nil, err
	}
	m, err = scaled.of(m)
	return points, scaled, m, err
}
