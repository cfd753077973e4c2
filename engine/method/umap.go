package method

import (
	"cmp"
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/layout"
)

// UMAP is uniform manifold approximation and projection (McInnes, Healy and Melville 2018): a fuzzy graph
// says how certain it is that two samples are neighbours; along its edges they attract each other
// in the map, and each is repelled by others that are drawn at random. A map shows which samples are
// neighbours and which groups they make; the sizes of groups, their densities and the distances between
// them mean little.
//
// k neighbours are umap-learn's n_neighbors = k + 1, which counts the sample itself. Labels, where
// target_weight is above 0, pull the samples of a class together; the label −1 means that the class is not
// known. Targets, with target_metric=euclidean, pull samples of near numbers together. With density above 0 it is densMAP (Narayan, Berger and Cho 2021). A graph in several components is one map. O(N k m) for the neighbours, an eigenproblem for
// the start, and O(epochs · N k · negatives).
type UMAP struct {
	Neighbors       int      `json:"neighbors" default:"14" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample: fewer show finer structure, more the whole"`
	Dim             int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the map; 2 or 3 for pictures, more for clustering"`
	MinDist         *float64 `json:"min_dist" default:"0.1" allowed:"≥ 0" doc:"how near to each other samples of the map may be: less makes groups denser"`
	Spread          float64  `json:"spread" default:"1" allowed:"> 0" doc:"the scale of the map, the unit of min_dist"`
	Init            string   `json:"init" default:"spectral" allowed:"spectral|pca|random" doc:"the start: eigenvectors of the graph, principal components of the samples, or random numbers"`
	Epochs          int      `json:"epochs" default:"auto" allowed:"from 1 to 30000" doc:"how often the edges are gone through; auto: 500 up to 10 000 samples, 200 of more, and 200 besides with density"`
	Negatives       int      `json:"negatives" default:"5" allowed:"from 1 to 100" doc:"the samples that repel one for each time that an edge attracts it"`
	Repulsion       float64  `json:"repulsion" default:"1" allowed:"> 0" doc:"the weight of repulsion"`
	Mix             *float64 `json:"mix" default:"1" allowed:"from 0 to 1" doc:"an edge counts by the union of what both its ends say (1), by the intersection (0), or by a mean of the two"`
	Connectivity    float64  `json:"connectivity" default:"1" allowed:"> 0" doc:"the number of nearest samples that are neighbours with certainty"`
	Rate            float64  `json:"rate" default:"1" allowed:"> 0" doc:"the length of the first steps, which falls to 0"`
	Density         *float64 `json:"density" default:"0" allowed:"≥ 0" doc:"how much the map keeps of the densities of the data (densMAP's λ): not (0), or more (2 is usual)"`
	TargetWeight    *float64 `json:"target_weight" default:"0" allowed:"from 0 to 1" doc:"how much the labels or targets count, if they are given: not at all (0), half (0.5, usual), or alone (1)"`
	TargetMetric    string   `json:"target_metric" default:"categorical" allowed:"categorical|euclidean" doc:"what samples are known by: their classes, the labels (categorical), or numbers, the targets, which are near each other or far apart (euclidean)"`
	TargetNeighbors int      `json:"target_neighbors" default:"auto" allowed:"≥ 1" doc:"of euclidean targets: the nearest by targets of each sample; auto: as many as neighbors"`
}

// Name returns "umap".
func (UMAP) Name() string { return "umap" }

func (p UMAP) row() Row {
	return Row{
		GraphOnly: onlyGraph, Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, sparse: true, Layout: true,
		Check: p.check, Labels: p.learns() && !p.numeric(), Targets: p.learns() && p.numeric(),
	}
}

// learns reports whether labels or targets count.
func (p UMAP) learns() bool { return p.TargetWeight != nil && *p.TargetWeight > 0 }

// numeric reports whether samples are known by numbers.
func (p UMAP) numeric() bool { return p.TargetMetric == "euclidean" }

func (p UMAP) check(int, int) error {
	switch {
	case *p.MinDist >= 3*p.Spread:
		return fmt.Errorf("umap: min_dist is %v, with the spread %v; give less than three times the spread", *p.MinDist, p.Spread)
	case p.learns() && p.numeric() && *p.Density > 0:
		return wording.Errorf("umap: ‹density› keeps the distances of neighbours, and ‹target_metric=euclidean› joins samples that are none; leave one of them out")
	}
	return nil
}

func (p UMAP) steps() pipeline.Steps {
	fuzzy := patch.Fuzzy{Connectivity: p.Connectivity, Mix: *p.Mix}
	curve, _ := layout.NewCurve(*p.MinDist, p.Spread) // parameters that it refuses are refused before
	of := layout.UMAP{Curve: curve, Negatives: p.Negatives, Repulsion: p.Repulsion, Rate: p.Rate}
	graph := align.Targeted(*p.TargetWeight)
	if p.learns() && p.numeric() {
		graph = align.Intersected(*p.TargetWeight, cmp.Or(p.TargetNeighbors, p.Neighbors))
	}
	if *p.Density > 0 {
		graph = align.WithRadii(graph)
	}
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     fuzzy.Rule(),
		InPlace:   true,
		Joint: pipeline.JoinExtended(graph,
			solve.UMAP(solve.Layout{Dim: p.Dim, Init: p.Init, Scale: solve.ScaleLargest, Size: 10, Iterations: p.Epochs}, of, *p.Density),
			extend.UMAP(p.Neighbors, fuzzy, of)),
	}
}
