package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/solvers/nonnegative"
)

// NMMS is nonnegative multidimensional scaling (Zafeiriou and Laskaris 2010, eq.
// 2): nonnegative coordinates whose inner products approximate those of the centred
// samples,
//
//	min ‖K − H·diag(s)·Hᵀ‖²   under H ≥ 0, s ≥ 0, HᵀH = I,   K = XcXcᵀ, Y = H·diag(√s).
//
// With distances=geodesic K is −½JD²J for the shortest path lengths D in
// the neighbour graph, as in [Isomap]; with Options.Distances in place of samples it is
// that for the given distances. New samples get coordinates by barycentric
// weights on their nearest ones. O(Nm²) once and 8NmP for each iteration with the factor Xc, if
// that is smaller than K. With round, or a multiplicative update, O(N²m) once and 4N²P for each
// iteration, 8N² bytes; beyond 20 000 samples of fewer columns a Euclidean K is then not
// stored but recomputed in every iteration.
type NMMS struct {
	Distances  string   `json:"distances" default:"euclidean" allowed:"euclidean|geodesic" doc:"the distances: between samples, or along their neighbour graph, which has to be connected"`
	Neighbors  int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample, for the graph of distances=geodesic and for new samples"`
	Dim        int      `json:"dim" default:"2" allowed:"≥ 1" doc:"P, the columns of the embedding"`
	Update     string   `json:"update" default:"gradient" allowed:"gradient|paper|penalty" deprecated:"printed" doc:"the rule. gradient: projected gradients of an objective with a penalty on overlap; the others are multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective (penalty)"`
	Alpha      *float64 `json:"overlap_penalty" former:"alpha" default:"auto" allowed:"> 0" doc:"weight of the penalty (update=gradient and penalty); auto: 0.1 times the square of the largest eigenvalue of the Gram matrix K, in all iterations"`
	Init       string   `json:"init" default:"random" allowed:"random|spectral" doc:"the start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts of the leading eigenvectors"`
	Iterations int      `json:"iterations" default:"auto" allowed:"≥ 1" doc:"the most iterations; auto: 20000 for update=gradient, else 500"`
	Tolerance  *float64 `json:"tolerance" default:"auto" allowed:"≥ 0" doc:"update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by less, relative to it (auto: 1e-06); 0: never"`
	Normalize  bool     `json:"normalise" default:"false" deprecated:"all" doc:"with update=printed: scale columns to unit length after every step"`
	Round      bool     `json:"round" default:"false" doc:"make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns"`
}

// Name returns "nmms".
func (NMMS) Name() string { return "nmms" }

func (p NMMS) row() Row {
	r := Row{GraphOnly: onlyGraph, Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Memory: p.memory, Units: productUnits}
	if p.Distances != "geodesic" {
		r.Inputs, r.Given = AllDistances, p.given
	}
	return r
}

func (p NMMS) memory(n, m int64, threads, _ int) int64 {
	switch {
	case p.Distances == "geodesic":
		return align.GeodesicBytes(n, threads, 0) + 8*n*n
	case m < n && (n > align.StoredGram || p.plain()):
		return 8 * m * (n + m)
	}
	return 8 * n * (n + m)
}

// plain reports whether products with K are enough, without the signs of its entries.
func (p NMMS) plain() bool { return p.Update == nonnegative.UpdateGradient && !p.Round }

func (p NMMS) updates() solve.Multiplicative {
	return solve.Multiplicative{Dim: p.Dim, Update: p.Update, Alpha: p.Alpha, Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalize: p.Normalize, Round: p.Round}
}

func (p NMMS) steps() pipeline.Steps { return p.given(pipeline.Given{}) }

func (p NMMS) given(given pipeline.Given) pipeline.Steps {
	updates := p.updates()
	if p.Distances == "geodesic" {
		return pipeline.Steps{
			Neighbors:     neighborhood.Nearest(p.Neighbors),
			Joint:         pipeline.Join(align.GeodesicGram, updates.Scaling),
			NeedConnected: true,
		}
	}
	if given.Distances.N() > 0 {
		return pipeline.Steps{Joint: pipeline.Join(align.DistanceGram(given.Distances), updates.Scaling)}
	}
	gram := align.SimilarityGram
	if p.plain() {
		gram = align.SimilarityFactor
	}
	return pipeline.Steps{Joint: pipeline.JoinExtended(gram, updates.Scaling, extend.BarycentricOfAll(p.Neighbors))}
}
