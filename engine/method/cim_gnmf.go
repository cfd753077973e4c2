package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// CIMGNMF is [CIMNMF] with the graph term of [GNMF], which You et al. (2015) call
// KGNMF:
//
//	min Σᵢⱼ 1 − exp(−(X − WH)ᵢⱼ²/2σ²) + λ tr(WᵀΦW)   under W, H ≥ 0.
//
// The cost is the neighbour search, and 12nmR flops and nm exponentials for each iteration. Sparse data
// stay sparse, as with [CIMNMF].
type CIMGNMF struct {
	Protocol
	Neighbors int      `json:"neighbors" default:"5" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1"`
	Lambda    *float64 `json:"lambda" default:"0.3" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	TermScale
	PositiveStart
	Updates `iterations:"500"`
	CorrentropyTerm
	ClusterLabels
}

// Name returns "cim-gnmf".
func (CIMGNMF) Name() string { return "cim-gnmf" }

func (p CIMGNMF) row() Row {
	return Row{Neighbors: &p.Neighbors, Factorize: p.factoring, Cluster: p.grouping}
}

func (p CIMGNMF) factoring() factor.Plan {
	return factor.Plan{
		Neighbors: neighborhood.Nearest(p.Neighbors), Patch: patch.Edges{Graph: "union", Weights: "binary"}.Rule(), Align: align.Regularizer(align.GraphTerm),
		Solve:  byNMF(factor.ByNMF{Options: nmf.Options{Lambda: *p.Lambda}}, p.TermScale, p.PositiveStart, p.Updates, p.CorrentropyTerm),
		Sparse: true,
	}
}

func (p CIMGNMF) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
