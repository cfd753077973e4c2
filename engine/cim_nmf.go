package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// CIMNMF is nonnegative matrix factorisation by the correntropy-induced metric (Du, Li
// and Shen 2012),
//
//	min Σᵢⱼ 1 − exp(−(X − WH)ᵢⱼ²/2σ²)   under W, H ≥ 0,   σ² = θ·mean((X − WH)²),
//
// by half-quadratic optimisation: entries that fit badly, as occluded or noisy ones,
// hardly count. σ² changes with every iteration, and so no objective need fall. 12nmR
// flops and nm exponentials an iteration, and a matrix of the data's size.
type CIMNMF struct {
	Init             string   `json:"init" default:"random" allowed:"random|nndsvda|nndsvdar" doc:"the start: uniform by the seed, or the singular vectors' parts with zeros filled by the mean or by small random numbers"`
	Iterations       int      `json:"iterations" default:"1500" allowed:"≥ 1" doc:"at most"`
	Tolerance        float64  `json:"tolerance" default:"0" allowed:"≥ 0" doc:"stop when a step changes WH by less, relative to it; 0: never"`
	Normalise        string   `json:"normalise" default:"end" allowed:"end|each|none" doc:"components to unit length, W against them: at the end, after each iteration, or never"`
	Shift            string   `json:"shift" default:"none" allowed:"none|columns|global" doc:"of data with negative entries: take off each column its least entry where that is negative, or off all the least of all"`
	Theta            float64  `json:"theta" default:"0.5" allowed:"> 0" doc:"θ of σ² = θ·mean(E²), the scale of the entries' weights exp(−e²/2σ²)"`
	Sigma2           *float64 `json:"sigma2" default:"auto" allowed:"> 0" doc:"σ² itself; auto: by θ in each iteration"`
	Schedule         string   `json:"schedule" default:"paper" allowed:"paper|refresh" doc:"the weights are computed once an iteration, or anew before each of its two steps (then no matrix of the data's size is kept)"`
	Warm             int      `json:"warm" default:"0" allowed:"≥ 0" doc:"of the iterations so many come first, with the squared error"`
	FreezeSigmaAfter int      `json:"freeze_sigma_after" default:"0" allowed:"≥ 0" doc:"iterations with weights after which σ² stays; 0: never"`
	Labels           string   `json:"labels" default:"kmeans" allowed:"kmeans|argmax" doc:"of a clustering: by k-means among the coordinates, or by each sample's largest"`
}

// Name returns "cim-nmf".
func (CIMNMF) Name() string { return "cim-nmf" }

func (p CIMNMF) factoring() factoring {
	return factoring{
		run: byNMF{Options: nmf.Options{Loss: nmf.Correntropy, Sigma: sigmaRule(p.Theta, p.Sigma2, p.FreezeSigmaAfter, false),
			Schedule: p.Schedule, Warm: p.Warm, Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalise: p.Normalise}},
		shift: p.Shift,
	}
}

func (p CIMNMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
