package method

import (
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
)

// The groups of parameters of methods that look for the indicators of clusters.

// FeatureScale says how the features are scaled before anything else.
type FeatureScale struct {
	Scale string `json:"scale" default:"minmax" allowed:"minmax|shift|none" doc:"how the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at all"`
}

// Origin says from where the rays of the clusters start.
type Origin struct {
	Offset string `json:"offset" default:"mean" paper:"none" allowed:"mean|none" doc:"what is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their mean, or nothing"`
}

// IndicatorStart says where the indicators start.
type IndicatorStart struct {
	Init string `json:"init" default:"spectral" paper:"nndsvd" allowed:"spectral|kmeans|nndsvd" doc:"the start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in the graph), the clusters of k-means, or parts of the leading singular vectors"`
}

// Lagrangian is the augmented Lagrangian of rmnmf and the methods like it. A tolerance of 0 runs all
// iterations.
type Lagrangian struct {
	Mu         float64  `json:"mu" default:"auto" paper:"0.01" allowed:"> 0" doc:"μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ times the largest degree if that is larger"`
	Hold       *int     `json:"hold" default:"10" paper:"0" allowed:"≥ 0" doc:"iterations before the penalty begins to grow"`
	Rho        float64  `json:"rho" default:"1.1" allowed:"≥ 1" doc:"ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰"`
	Iterations int      `json:"iterations" default:"150" allowed:"≥ 1" doc:"the most iterations"`
	Tolerance  *float64 `json:"tolerance" default:"1e-5" allowed:"≥ 0" doc:"stop when all residuals of the splittings are at most this; 0: never"`
	Harden     *int     `json:"harden" default:"20" paper:"0" allowed:"≥ 0" doc:"every this many iterations, make a partition by the largest entries of G; return the best one, with the factors that fit it. The partition of the start counts, too; if it is the best, it is first improved by moving single samples. 0: return the factors of the last iteration"`
}

// IndicatorLabels says how samples are clustered by their indicators.
type IndicatorLabels struct {
	Labels string `json:"labels" default:"argmax" allowed:"argmax|kmeans" doc:"how a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters can stay empty), or by k-means among the rows of G"`
}

// mostNeighbors is the default of neighbors where there are more samples than its square.
const mostNeighbors = 7

// startingGraph makes the starts, with the graph of the nearest samples for a spectral one.
func startingGraph() factor.Starts {
	return factor.Starts{Spectral: cluster.Spectral, KMeans: cluster.Means,
		Neighbors: neighborhood.RootNearest{Most: mostNeighbors}, Patch: patch.Edges{Graph: "union", Weights: "adaptive"}.Rule()}
}

// nearest are k neighbours, by default ⌊√n⌋, of which there are no more than mostNeighbors
// unless the paper's defaults hold.
func (p Protocol) nearest(k *int) neighborhood.RootNearest {
	if p.Protocol == param.ProtocolOfPaper {
		return neighborhood.RootNearest{K: k}
	}
	return neighborhood.RootNearest{K: k, Most: mostNeighbors}
}

// indicatorParameters are the groups that all methods of indicators have.
type indicatorParameters struct {
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
}

// The graph terms of partitions that cut all edges, as shares of the loss without
// components, by which λ is found where it was not given. They were chosen on Sonar,
// Ionosphere, Wave, WDBC and ORL; half and twice as much do next to as well.
const (
	shareOfNearest = 0.5
	shareOfLearned = 0.25
	// shareOfFew is that of f-smrmf, whose exemplars have a small part of what its encoding
	// gives the samples.
	shareOfFew = 2
)

// byALM is the solver with the parameters of the groups and the weight λ; nil: by the loss
// and the graph.
func byALM(lambda *float64, share float64, g indicatorParameters) factor.ByALM {
	r := factor.ByALM{Scale: g.Scale, Centered: g.Offset == "mean", Lambda: lambda, Share: share, Starts: startingGraph()}
	r.Starts.Init = g.Init
	r.Mu, r.Balanced, r.Rho = g.Mu, g.Mu == 0, g.Rho
	r.Passes, r.Tolerance, r.Hold, r.Harden = g.Iterations, *g.Tolerance, *g.Hold, *g.Harden
	return r
}
