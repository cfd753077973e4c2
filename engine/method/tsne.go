package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/solvers/layout"
)

// TSNE is t-distributed stochastic neighbour embedding (van der Maaten and Hinton 2008): each sample picks
// neighbours with probabilities of a given perplexity, and the map is the one in which picking by its
// own distances, with heavy tails, differs least from that (Kullback–Leibler). A map shows which
// samples are neighbours and which groups they make; the sizes of groups, their densities and the
// distances between them mean little.
//
// The repulsion of all samples is summed exactly for few samples, by a tree (van der Maaten 2014), or by
// interpolation on a grid (Linderman et al. 2019). O(N perplexity m) for the neighbours, and for an
// iteration O(N log N) by the tree, O(N) by the grid.
type TSNE struct {
	Perplexity        float64  `json:"perplexity" default:"auto" allowed:"≥ 1" doc:"the effective number of neighbours that a sample picks from; auto: 30, or a third of the other samples where these are fewer than 90"`
	Dim               int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the map, 1 to 3"`
	Init              string   `json:"init" default:"auto" allowed:"auto|pca|spectral|random" doc:"the start: principal components of the samples, eigenvectors of the graph, or random numbers; auto: principal components, or eigenvectors where only a graph is given"`
	Iterations        int      `json:"iterations" default:"750" allowed:"≥ 1" doc:"the number of steps, with the early ones"`
	EarlyIterations   *int     `json:"early_iterations" default:"250" allowed:"≥ 0" doc:"the steps with early exaggeration"`
	EarlyExaggeration float64  `json:"early_exaggeration" default:"12" allowed:"> 0" doc:"by what attraction is multiplied at first, so that groups form"`
	Exaggeration      float64  `json:"exaggeration" default:"1" allowed:"> 0" doc:"by what attraction is multiplied later; above 1 it makes groups denser"`
	Rate              float64  `json:"rate" default:"auto" allowed:"> 0" doc:"the length of steps for the gradient without its factor 4, as in openTSNE; scikit-learn, which keeps the factor, has a fourth of it. auto: the number of samples over the exaggeration, at least 200"`
	Theta             *float64 `json:"theta" default:"auto" allowed:"≥ 0" doc:"how coarsely the tree sums repulsion, 0.5 being usual; 0: exactly; auto: exactly for few samples, by the tree, or by a grid for many"`
}

// Name returns "tsne".
func (TSNE) Name() string { return "tsne" }

func (p TSNE) row() Row {
	return Row{GraphOnly: onlyGraph, Dim: p.Dim, Embed: p.steps, sparse: true, Layout: true, Check: p.check}
}

func (p TSNE) check(n, _ int) error {
	switch {
	case p.Dim > 3:
		return fmt.Errorf("tsne: dim is %d; give 1, 2 or 3, or take umap, whose maps have any number of columns", p.Dim)
	case p.Perplexity > float64(n-1)/3:
		return fmt.Errorf("tsne: perplexity is %v, of %d samples; give at most %.3g, a third of the others", p.Perplexity, n, float64(n-1)/3)
	}
	return nil
}

func (p TSNE) steps() pipeline.Steps {
	perplexity := patch.Perplexity(p.Perplexity)
	return pipeline.Steps{
		Neighbors: neighborhood.NearestCapped(perplexity.Lists()),
		Patch:     perplexity.Rule(),
		InPlace:   true,
		Joint: pipeline.JoinExtended(align.ProbabilityGraph,
			solve.TSNE(solve.Layout{Dim: p.Dim, Init: p.Init, Scale: solve.ScaleDeviation, Size: 1e-4, Iterations: p.Iterations},
				layout.TSNE{Early: p.EarlyIterations, Exaggeration: p.EarlyExaggeration, Late: p.Exaggeration, Rate: p.Rate, Theta: p.Theta}),
			extend.TSNE(perplexity, p.Exaggeration)),
	}
}
