package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// L21NMF is nonnegative matrix factorisation by the L2,1 norm (Kong, Ding and Huang
// 2011),
//
//	min Σᵢ ‖xᵢ − wᵢH‖₂   under W, H ≥ 0:
//
// samples that fit badly count less than under squares. Multiplicative updates with a
// weight 1/‖xᵢ − wᵢH‖ for every sample. 6nmR flops an iteration.
type L21NMF struct {
	Init       string  `json:"init" default:"random" allowed:"random|nndsvda|nndsvdar" doc:"the start: uniform by the seed, or the singular vectors' parts with zeros filled by the mean or by small random numbers"`
	Iterations int     `json:"iterations" default:"200" allowed:"≥ 1" doc:"at most"`
	Tolerance  float64 `json:"tolerance" default:"0" allowed:"≥ 0" doc:"stop when a step changes WH by less, relative to it; 0: never"`
	Normalise  string  `json:"normalise" default:"end" allowed:"end|each|none" doc:"components to unit length, W against them: at the end, after each iteration, or never"`
	Shift      string  `json:"shift" default:"none" allowed:"none|columns|global" doc:"of data with negative entries: take off each column its least entry where that is negative, or off all the least of all"`
	Labels     string  `json:"labels" default:"kmeans" allowed:"kmeans|argmax" doc:"of a clustering: by k-means among the coordinates, or by each sample's largest"`
}

// Name returns "l21-nmf".
func (L21NMF) Name() string { return "l21-nmf" }

func (p L21NMF) factoring() factoring {
	return factoring{
		run:   byNMF{Options: nmf.Options{Loss: nmf.L21, Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalise: p.Normalise}},
		shift: p.Shift,
	}
}

func (p L21NMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
