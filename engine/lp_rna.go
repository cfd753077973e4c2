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
	Nearest          int      `json:"p" default:"100" allowed:"≥ 1" doc:"p, the nearest samples that a sample is written by"`
	Xi1              *float64 `json:"xi1" default:"0.01" allowed:"≥ 0" doc:"ξ1, the weight of the differences of the codes of adjacent neighbours"`
	Xi2              float64  `json:"xi2" default:"0.01" allowed:"> 0" doc:"ξ2, the weight of Σ|a| + Σ|e|"`
	Tau              *float64 `json:"tau" default:"0.001" allowed:"≥ 0" doc:"τ, codes below which are left out of the graph"`
	Lambda           *float64 `json:"lambda" default:"100" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none"`
	Init             string   `json:"init" default:"random" allowed:"random|nndsvda|nndsvdar" doc:"the start: uniform by the seed, or the singular vectors' parts with zeros filled by the mean or by small random numbers"`
	Iterations       int      `json:"iterations" default:"200" allowed:"≥ 1" doc:"at most"`
	Tolerance        float64  `json:"tolerance" default:"0" allowed:"≥ 0" doc:"stop when a step changes WH by less, relative to it; 0: never"`
	Normalise        string   `json:"normalise" default:"end" allowed:"end|each|none" doc:"components to unit length, W against them: at the end, after each iteration, or never"`
	Shift            string   `json:"shift" default:"none" allowed:"none|columns|global" doc:"of data with negative entries: take off each column its least entry where that is negative, or off all the least of all"`
	Theta            float64  `json:"theta" default:"0.5" allowed:"> 0" doc:"θ of σ² = θ·mean(E²), the scale of the entries' weights exp(−e²/2σ²)"`
	Sigma2           *float64 `json:"sigma2" default:"auto" allowed:"> 0" doc:"σ² itself; auto: by θ in each iteration"`
	Schedule         string   `json:"schedule" default:"paper" allowed:"paper|refresh" doc:"the weights are computed once an iteration, or anew before each of its two steps (then no matrix of the data's size is kept)"`
	Warm             int      `json:"warm" default:"0" allowed:"≥ 0" doc:"of the iterations so many come first, with the squared error"`
	FreezeSigmaAfter int      `json:"freeze_sigma_after" default:"0" allowed:"≥ 0" doc:"iterations with weights after which σ² stays; 0: never"`
	KernelConstant   bool     `json:"kernel_constant" default:"false" doc:"keep the factor 1/(√(2π)σ) of the kernel, which multiplies λ by √(2π)σ"`
	Labels           string   `json:"labels" default:"kmeans" allowed:"kmeans|argmax" doc:"of a clustering: by k-means among the coordinates, or by each sample's largest"`
}

// Name returns "lp-rna".
func (LPRNA) Name() string { return "lp-rna" }

func (p LPRNA) factoring() factoring {
	return factoring{
		neighbors: unitNearest{nearest(p.Nearest)},
		align:     locallySparse{smooth: *p.Xi1, sparse: p.Xi2, least: *p.Tau}.align,
		run: byNMF{Options: nmf.Options{Loss: nmf.Correntropy, Sigma: sigmaRule(p.Theta, p.Sigma2, p.FreezeSigmaAfter, p.KernelConstant),
			Schedule: p.Schedule, Warm: p.Warm, Lambda: *p.Lambda,
			Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalise: p.Normalise}},
		shift: p.Shift,
	}
}

func (p LPRNA) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
