package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// SPRNA is supervised robust nonnegative patch alignment (You et al. 2015): [CIMNMF]
// with what keeps a sample to its class, seen where what keeps it from the others has
// unit size,
//
//	Φ = (L^b)^(−½) L^w (L^b)^(−½),
//
// L^w of sparse affine codes by the k1 nearest of its class, L^b of distances to the k2
// nearest of others, weighted by erf(d/(2√2))/(2d²). Samples have unit length for both.
// It needs [Options].Labels. Φ is dense, 8n² bytes, and takes about 9n³ flops; 4Rn² more an
// iteration.
type SPRNA struct {
	Within           int      `json:"k1" default:"6" allowed:"≥ 1" doc:"k1, the nearest of the same class"`
	Between          int      `json:"k2" default:"20" allowed:"≥ 1" doc:"k2, the nearest of other classes"`
	Combine          string   `json:"combine" default:"pinv" allowed:"pinv|ridge" doc:"how L^b, which is singular, is inverted: without its eigenvalues below 1e-6 of the largest, or with so much added to all"`
	AllowIndefinite  bool     `json:"allow_indefinite" default:"false" doc:"take a Φ that rounding leaves not positive semidefinite, in place of an error"`
	Lambda           *float64 `json:"lambda" default:"0.0001" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none"`
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
}

// Name returns "sp-rna".
func (SPRNA) Name() string { return "sp-rna" }

func (SPRNA) needsLabels() {}

func (p SPRNA) factoring() factoring {
	return factoring{
		align: discriminative{within: p.Within, between: p.Between, codes: true, singular: p.Combine}.align,
		run: byNMF{Options: nmf.Options{Loss: nmf.Correntropy, Sigma: sigmaRule(p.Theta, p.Sigma2, p.FreezeSigmaAfter, p.KernelConstant),
			Schedule: p.Schedule, Warm: p.Warm, Lambda: *p.Lambda,
			Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalise: p.Normalise}, indefinite: p.AllowIndefinite},
		shift: p.Shift,
	}
}
