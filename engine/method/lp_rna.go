package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// LPRNA is locality-preserving robust nonnegative patch alignment (You et al. 2015):
// [CIMNMF] with the graph of locally sparse codes. Each sample of unit length is
// represented by its p nearest, in order of distance, as
//
//	min ‖x − Ba − e‖² + ξ1 Σ (aⱼ − aⱼ₊₁)² + ξ2(‖a‖₁ + ‖e‖₁),
//
// where e absorbs occlusion and noise, and Φ = 2(D − S) for S = (|A| + |A|ᵀ)/2 without
// entries below τ. Because of the factor 2, λ with term=plain differs from that of [GNMF]. The codes take 4mp
// flops for each sample and each of about a hundred steps; then as [CIMGNMF]. Sparse data stay sparse.
type LPRNA struct {
	Protocol
	P      int      `json:"neighbors" former:"p" capped:"true" default:"100" allowed:"≥ 1" doc:"p: a sample is written as a sum of its p nearest samples, at most n − 1"`
	Xi1    *float64 `json:"xi1" default:"0.01" allowed:"≥ 0" doc:"ξ1, the weight of the differences of the codes of adjacent neighbours"`
	Xi2    float64  `json:"xi2" default:"0.01" allowed:"> 0" doc:"ξ2, the weight of Σ|a| + Σ|e|"`
	Tau    *float64 `json:"tau" default:"0.001" allowed:"≥ 0" doc:"τ: smaller codes are omitted from the graph"`
	Lambda *float64 `json:"lambda" default:"1" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	TermScale
	PositiveStart
	Updates `iterations:"500"`
	CorrentropyTerm
	ClusterLabels
}

// Name returns "lp-rna".
func (LPRNA) Name() string { return "lp-rna" }

func (p LPRNA) row() Row {
	return Row{Factorize: p.factoring, Cluster: p.grouping}
}

func (p LPRNA) factoring() factor.Plan {
	return factor.Plan{
		Neighbors: neighborhood.UnitNearest{Nearest: neighborhood.Nearest(p.P)},
		Align:     align.Regularizer(align.LocallySparse{Smooth: *p.Xi1, Sparse: p.Xi2, Least: *p.Tau}.Align),
		Solve:     byNMF(factor.ByNMF{Options: nmf.Options{Lambda: *p.Lambda}}, p.TermScale, p.PositiveStart, p.Updates, p.CorrentropyTerm),
		Sparse:    true,
	}
}

func (p LPRNA) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
