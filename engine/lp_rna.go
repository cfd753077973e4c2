package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// LPRNA is locality-preserving robust nonnegative patch alignment (You et al. 2015):
// [CIMNMF] with the graph of locally sparse codes. Each sample of unit length is
// written by its p nearest, in order of distance, as
//
//	min ‖x − Ba − e‖² + ξ1 Σ (aⱼ − aⱼ₊₁)² + ξ2(‖a‖₁ + ‖e‖₁),
//
// e taking what is occluded or noisy, and Φ = 2(D − S) for S = (|A| + |A|ᵀ)/2 without
// entries below τ. Mind the 2 when comparing λ with that of [GNMF]. The codes take 4mp
// flops for each of some hundred steps and sample; then as [CIMGNMF].
type LPRNA struct {
	Nearest int      `json:"p" default:"100" allowed:"≥ 1" doc:"p, the nearest samples that a sample is written by, at most n − 1"`
	Xi1     *float64 `json:"xi1" default:"0.01" allowed:"≥ 0" doc:"ξ1, the weight of the differences of the codes of adjacent neighbours"`
	Xi2     float64  `json:"xi2" default:"0.01" allowed:"> 0" doc:"ξ2, the weight of Σ|a| + Σ|e|"`
	Tau     *float64 `json:"tau" default:"0.001" allowed:"≥ 0" doc:"τ, codes below which are left out of the graph"`
	Lambda  *float64 `json:"lambda" default:"100" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	PositiveStart
	Updates
	CorrentropyTerm
	ClusterLabels
}

// Name returns "lp-rna".
func (LPRNA) Name() string { return "lp-rna" }

func (p LPRNA) factoring() factoring {
	return factoring{
		neighbors: unitNearest{nearest(p.Nearest)},
		align:     locallySparse{smooth: *p.Xi1, sparse: p.Xi2, least: *p.Tau}.align,
		run:       byNMF{Options: nmf.Options{Lambda: *p.Lambda}}.with(p.PositiveStart, p.Updates, p.CorrentropyTerm),
	}
}

func (p LPRNA) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
