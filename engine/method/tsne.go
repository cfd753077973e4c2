package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/trust"
	"github.com/orthant-go/orthant/solvers/layout"
)

// TSNE is t-distributed stochastic neighbour embedding (van der Maaten and Hinton 2008). Each sample picks
// neighbours with probabilities of a given perplexity. The map minimises the Kullback–Leibler divergence
// between them and the probabilities of its own distances, which have heavy tails. A map shows which
// samples are neighbours and which groups they form. The sizes of groups, their densities and the
// distances between them mean little.
//
// The repulsion between all samples is summed exactly for few samples, by a tree (van der Maaten 2014), or by
// interpolation on a grid (Linderman et al. 2019). O(N perplexity m) for the neighbours; an iteration
// takes O(N log N) with the tree and O(N) with the grid.
type TSNE struct {
	Perplexity        float64  `json:"perplexity" default:"auto" allowed:"≥ 1" doc:"the effective number of neighbours; auto: 30, or a third of the other samples if these are fewer than 90"`
	Dim               int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the map, 1 to 3"`
	Init              string   `json:"init" default:"auto" allowed:"auto|pca|spectral|random" doc:"the start: principal components of the samples, eigenvectors of the graph, or random numbers; auto: principal components, or eigenvectors if only a graph is given"`
	Iterations        int      `json:"iterations" default:"750" allowed:"≥ 1" doc:"the number of steps, including the early ones"`
	EarlyIterations   *int     `json:"early_iterations" default:"auto" allowed:"≥ 0" doc:"the steps with early exaggeration; auto: 250, or none with a reference"`
	EarlyExaggeration float64  `json:"early_exaggeration" default:"12" allowed:"> 0" doc:"the factor of attraction in the early steps, so that groups form"`
	Exaggeration      float64  `json:"exaggeration" default:"1" allowed:"> 0" doc:"the factor of attraction in the later steps; above 1 it makes groups denser"`
	Rate              float64  `json:"rate" default:"auto" allowed:"> 0" doc:"the step length for the gradient without its factor 4, as in openTSNE; the equivalent rate of scikit-learn, which keeps the factor, is a fourth. auto: the number of samples divided by the exaggeration, at least 200"`
	Theta             *float64 `json:"theta" default:"auto" allowed:"≥ 0" doc:"the accuracy of the tree that sums repulsion, usually 0.5; 0: exact sums; auto: exact for few samples, otherwise the tree, or a grid for many samples"`
	Alignment
}

// Name returns "tsne".
func (TSNE) Name() string { return "tsne" }

func (p TSNE) row() Row {
	return Row{GraphOnly: onlyGraph, Dim: p.Dim, Embed: p.steps, sparse: true, Layout: true, Check: p.check, Map: trust.Settings{Lists: "‹perplexity=30›", Steps: "‹iterations=750›"}}
}

func (p TSNE) check(n, _ int) error {
	switch {
	case p.Dim > 3:
		return fmt.Errorf("tsne: dim is %d; give 1, 2 or 3, or use umap, whose maps have any number of columns", p.Dim)
	case p.Perplexity > float64(n-1)/3:
		return fmt.Errorf("tsne: perplexity is %v for %d samples; give at most %.3g, a third of the others", p.Perplexity, n, float64(n-1)/3)
	}
	return nil
}

func (p TSNE) steps() pipeline.Steps {
	perplexity := patch.Perplexity(p.Perplexity)
	early := p.EarlyIterations
	if early == nil && p.ReferenceWeight > 0 {
		early = new(0) // the groups have formed
	}
	return pipeline.Steps{
		Neighbors: neighborhood.NearestCapped(perplexity.Lists()),
		Patch:     perplexity.Rule(),
		InPlace:   true,
		Aim:       quality.AimOfMap(p.Dim),
		Joint: pipeline.JoinExtended(align.ProbabilityGraph,
			solve.TSNE(solve.Layout{Dim: p.Dim, Init: p.Init, Scale: solve.ScaleDeviation, Size: 1e-4, Iterations: p.Iterations, Reference: p.ReferenceWeight},
				layout.TSNE{Early: early, Exaggeration: p.EarlyExaggeration, Late: p.Exaggeration, Rate: p.Rate, Theta: p.Theta}),
			extend.TSNE(perplexity, p.Exaggeration)),
	}
}
