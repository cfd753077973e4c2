package method

import (
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/solvers/selective"
)

// The groups of parameters of methods that find cluster indicators.

// FeatureScale selects the scaling of the features, which comes first.
type FeatureScale struct {
	Scale string `json:"scale" default:"minmax" allowed:"minmax|shift|none" doc:"how the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at all"`
}

// Origin selects the origin of the rays of the clusters.
type Origin struct {
	Offset string `json:"offset" default:"mean" allowed:"mean|none" doc:"what is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their mean, or nothing"`
}

// IndicatorStart selects the start of the indicators.
type IndicatorStart struct {
	Init string `json:"init" default:"spectral" allowed:"spectral|kmeans|nndsvd" doc:"the start: spectral clusters of the neighbour graph (k-means clusters if a sample has no neighbour in the graph), the clusters of k-means, or parts of the leading singular vectors"`
}

// Lagrangian configures the augmented Lagrangian of rmnmf and similar methods. A tolerance of 0 runs all
// iterations.
type Lagrangian struct {
	Mu         float64  `json:"mu" default:"auto" allowed:"> 0" doc:"μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ times the largest degree if that is larger"`
	Hold       *int     `json:"hold" default:"10" allowed:"≥ 0" doc:"iterations before the penalty begins to grow"`
	Rho        float64  `json:"rho" default:"1.1" allowed:"≥ 1" doc:"ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰"`
	Iterations int      `json:"iterations" default:"150" allowed:"≥ 1" doc:"the most iterations"`
	Tolerance  *float64 `json:"tolerance" default:"1e-5" allowed:"≥ 0" doc:"stop when all residuals of the splittings are at most this; 0: never"`
	Harden     *int     `json:"harden" default:"20" allowed:"≥ 0" doc:"every this many iterations, make a partition by the largest entries of G; return the best one, with the factors that fit it. The partition of the start counts, too; if it is the best, it is first improved by moving single samples. 0: return the factors of the last iteration"`
}

// IndicatorLabels configures how samples are clustered by their indicators.
type IndicatorLabels struct {
	Labels string `json:"labels" default:"argmax" allowed:"argmax|kmeans" doc:"how a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters can stay empty), or by k-means among the rows of G"`
}

// maxNeighbors is the largest default of neighbors.
const maxNeighbors = 7

// startingGraph returns the starts, with a graph of the nearest samples for the spectral one.
func startingGraph() factor.Starts {
	return factor.Starts{Spectral: cluster.Spectral, KMeans: cluster.Means,
		Neighbors: neighborhood.RootNearest{Most: maxNeighbors}, Patch: patch.Edges{Graph: "union", Weights: "adaptive"}.Rule()}
}

// nearest returns the rule for k neighbours, by default ⌊√n⌋, at most maxNeighbors
// unless the paper's defaults apply.
func (p Protocol) nearest(k *int) neighborhood.RootNearest {
	if p.Protocol == param.ProtocolOfPaper {
		return neighborhood.RootNearest{K: k}
	}
	return neighborhood.RootNearest{K: k, Most: maxNeighbors}
}

// indicatorParameters are the groups that all methods with indicators have.
type indicatorParameters struct {
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
}

// The graph terms of partitions that cut all edges, as shares of the loss without
// components. They determine the default λ. They were chosen on Sonar,
// Ionosphere, Wave, WDBC and ORL; half and twice as much are nearly as good.
const (
	shareOfNearest = 0.5
	shareOfLearned = 0.25
	// shareOfFew is the share for f-smrmf, whose exemplars have a small part of the encoding.
	shareOfFew = 2
)

// byALM returns the solver with the parameters of the groups and the weight λ; nil: derived from the loss
// and the graph.
func byALM(lambda *float64, share float64, g indicatorParameters) factor.ByALM {
	r := factor.ByALM{Scale: g.Scale, Centered: g.Offset == "mean", Lambda: lambda, Share: share, Starts: startingGraph()}
	r.Starts.Init = g.Init
	r.Mu, r.Balanced, r.Rho = g.Mu, g.Mu == 0, g.Rho
	r.Passes, r.Tolerance, r.Hold, r.Harden = g.Iterations, *g.Tolerance, *g.Hold, *g.Harden
	return r
}

// The groups of parameters of the selective methods, which learn their graph from an
// encoding Z of the samples. A method passes its groups to its solver by bySelection.

// EncodingWeights are the weights of the terms of the objective.
type EncodingWeights struct {
	Lambda *float64 `json:"lambda" default:"auto" allowed:"≥ 0" doc:"λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components"`
	Beta   *float64 `json:"dissimilarity_weight" former:"beta" default:"auto" allowed:"> 0" doc:"β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0"`
}

// LearnedGraph configures how the graph follows from the encoding.
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
	Delta float64 `json:"square_weight" former:"delta" default:"0" allowed:"≥ 0" doc:"δ, the weight of the squares of Z: with a larger δ more samples represent each sample; 0: the mean, over the samples, of the δ with which k samples would represent it by the dissimilarities alone"`
}

// encodingParameters is a group of parameters.
type encodingParameters interface{ encode(r *factor.BySelection) }

// bySelection returns the solver with the parameters of some groups.
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
