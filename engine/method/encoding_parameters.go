package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/selective"
)

// The groups of parameters of the selective methods, which learn their graph from an
// encoding Z of the samples. A method gives those it has to its solver by bySelection.

// EncodingWeights are the weights of the terms of the objective.
type EncodingWeights struct {
	Lambda *float64 `json:"lambda" default:"auto" paper:"0.1" allowed:"≥ 0" doc:"λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components"`
	Beta   *float64 `json:"beta" default:"auto" allowed:"> 0" doc:"β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0"`
}

// LearnedGraph says how the graph follows from the encoding.
type LearnedGraph struct {
	Mode string `json:"mode" default:"learned" allowed:"learned|input" doc:"which neighbours of an exemplar count: the k with the largest entries in Z, or the k nearest samples; their weights are their entries in Z in both cases"`
	Diag string `json:"diag" default:"keep" allowed:"keep|rank|drop" doc:"a sample may represent itself. keep: that counts in the choice of exemplars; rank: it does not count; drop: no sample represents itself"`
}

// BoundedEncoding is an encoding with Σᵢ ‖zᵢ‖_p ≤ τ, and its graph.
type BoundedEncoding struct {
	Exemplars int `json:"exemplars" default:"0" allowed:"≥ 0" doc:"τ, the samples whose neighbourhoods regularise the factors, and the bound on the sum of the norms of Z's rows; 0: a tenth of all samples, at least 1"`
	EncodingWeights
	P string `json:"p" default:"inf" allowed:"inf|2" doc:"the norm of the rows of Z; the sum of these norms is at most τ; with p=2, τ has to be at least √n"`
	LearnedGraph
	StartSteps int `json:"start_steps" default:"500" allowed:"≥ 1" doc:"the most steps of A2DM2, which finds the first encoding; a step costs a fraction of an iteration"`
}

// SquaredEncoding is an encoding with the term δ/2 ‖Z‖² in place of a bound.
type SquaredEncoding struct {
	EncodingWeights
	Delta float64 `json:"delta" default:"0" allowed:"≥ 0" doc:"δ, the weight of the squares of Z: with a larger δ more samples represent each sample; 0: the mean, over the samples, of the δ with which k samples would represent it by the dissimilarities alone"`
}

// encodingParameters are a group of parameters.
type encodingParameters interface{ encode(r *factor.BySelection) }

// bySelection is the solver with the parameters of some groups.
func bySelection(r factor.BySelection, groups ...encodingParameters) factor.BySelection {
	for _, g := range groups {
		g.encode(&r)
	}
	return r
}

func (g EncodingWeights) encode(r *factor.BySelection) {
	r.Lambda = g.Lambda
	if g.Beta != nil {
		r.Graph.Beta = *g.Beta
	}
}

func (g LearnedGraph) encode(r *factor.BySelection) {
	r.Graph.Input, r.Graph.Diagonal = g.Mode == "input", g.Diag
}

func (g BoundedEncoding) encode(r *factor.BySelection) {
	g.EncodingWeights.encode(r)
	g.LearnedGraph.encode(r)
	r.Graph.Exemplars, r.Graph.Start = g.Exemplars, g.StartSteps
	if g.P == "2" {
		r.Graph.Norm = selective.Euclidean
	}
}

func (g SquaredEncoding) encode(r *factor.BySelection) {
	g.EncodingWeights.encode(r)
	r.Graph.Fast, r.Graph.Delta = true, g.Delta
}
