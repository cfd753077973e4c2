package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/wording"
)

// SMCE is sparse manifold clustering and embedding (Elhamifar and Vidal 2011):
// each sample is represented as a sparse affine combination of its K nearest,
//
//	min λ Σⱼ qⱼ|cⱼ| + ½‖Σⱼ cⱼuⱼ‖²   under Σⱼ cⱼ = 1,
//
// with unit directions uⱼ and the share qⱼ of all distances. The coefficients divided by
// the distances, scaled to sum 1 and cut to the largest, form a graph, by which
// samples are clustered, or embedded by Laplacian eigenmaps. A smaller λ uses more
// neighbours. The programme is solved exactly by an active set; ADMM, which the
// authors use, is available for comparison. O(N s K m) for supports of s.
type SMCE struct {
	Neighbors int     `json:"neighbors" default:"50" allowed:"≥ 1" doc:"K, the number of nearest neighbours among which a sample chooses its own"`
	Dim       int     `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Lambda    float64 `json:"distance_cost" former:"lambda" default:"10" allowed:"> 0" doc:"λ, the cost of distance against misfit"`
	Keep      float64 `json:"keep" default:"0.95" allowed:"> 0" doc:"at most 1: of a sample's weights the largest are kept, as many as make up this share of their sum"`
	Solver    string  `json:"solver" default:"active-set" allowed:"active-set|admm" doc:"how the sparse codes are computed: exactly, or by the published iteration, whose result is then made exact"`
}

// Name returns "smce".
func (SMCE) Name() string { return "smce" }

func (p SMCE) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Cluster: p.grouping, Check: p.check, Degree: p.degree, sparse: true}
}

func (p SMCE) check(n, m int) error {
	if p.Keep > 1 {
		return wording.Errorf("smce: ‹keep› is %v; give a number above 0 and at most 1", p.Keep)
	}
	return nil
}

func (p SMCE) rule() neighborhood.SparseAffine {
	return neighborhood.SparseAffine{Nearest: neighborhood.Nearest(p.Neighbors), Lambda: p.Lambda, Keep: p.Keep, ADMM: p.Solver == "admm"}
}

func (p SMCE) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: p.rule(),
		Patch:     patch.GivenEdges(),
		Joint:     pipeline.JoinExtended(align.NormalizedSum, solve.BottomEigenvectors(p.Dim, 0), extend.SparseAffine(p.rule())),
	}
}

func (SMCE) degree(m int) int { return min(m+1, 12) }

func (p SMCE) grouping(int) Grouping {
	inside := func(size, dim int) SMCE {
		q := p
		q.Neighbors, q.Dim = min(p.Neighbors, size-1), dim
		return q
	}
	return Grouping{Plan: cluster.Plan{
		Neighbors: p.rule(),
		Edges:     patch.GivenEdges(),
		Extend:    extend.ByCode(extend.SparseAffine(p.rule())),
		Within:    func(size int) neighborhood.Rule { return inside(size, 1).rule() },
		Weighted:  true,
	}, Embed: func(size, dim int) Method { return inside(size, dim) }}
}
