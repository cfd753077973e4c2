package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// CIMGNMF is [CIMNMF] with the graph term of [GNMF], which You et al. (2015) call
// KGNMF:
//
//	min Σᵢⱼ 1 − exp(−(X − WH)ᵢⱼ²/2σ²) + λ tr(WᵀΦW)   under W, H ≥ 0.
//
// The search for neighbours, and 12nmR flops and nm exponentials an iteration.
type CIMGNMF struct {
	Neighbors int      `json:"neighbors" default:"5" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1"`
	Lambda    *float64 `json:"lambda" default:"100" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	PositiveStart
	Updates
	CorrentropyTerm
	ClusterLabels
}

// Name returns "cim-gnmf".
func (CIMGNMF) Name() string { return "cim-gnmf" }

func (p CIMGNMF) factoring() factoring {
	return factoring{
		neighbors: nearest(p.Neighbors), patch: edges{graph: "union", weights: "binary"}, align: sumOfPatches,
		run: byNMF{Options: nmf.Options{Lambda: *p.Lambda}}.with(p.PositiveStart, p.Updates, p.CorrentropyTerm),
	}
}

func (p CIMGNMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
