package method

import (
	"cmp"
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/trust"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/layout"
)

// UMAP is uniform manifold approximation and projection (McInnes, Healy and Melville 2018). A fuzzy graph
// has a membership strength for each pair of neighbours. Along its edges samples attract each other
// in the map, and randomly drawn samples repel each other. A map shows which samples are
// neighbours and which groups they form. The sizes of groups, their densities and the distances between
// them mean little.
//
// k neighbours correspond to n_neighbors = k + 1 of umap-learn, which counts the sample itself. If
// target_weight is above 0, labels pull the samples of a class together; the label −1 means that the class is
// unknown. Targets, with target_metric=euclidean, pull samples with similar numbers together. A density above 0
// makes it densMAP (Narayan, Berger and Cho 2021). A graph in several components is one map. O(N k m) for the
// neighbours, an eigenproblem for the start, and O(epochs · N k · negatives).
type UMAP struct {
	Neighbors       int      `json:"neighbors" default:"14" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample: fewer show finer structure, more show the global structure"`
	Dim             int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the map; 2 or 3 for pictures, more for clustering"`
	MinDist         *float64 `json:"min_dist" default:"0.1" allowed:"≥ 0" doc:"the smallest distance between samples in the map: less makes groups denser"`
	Spread          float64  `json:"spread" default:"1" allowed:"> 0" doc:"the scale of the map, the unit of min_dist"`
	Init            string   `json:"init" default:"spectral" allowed:"spectral|pca|random" doc:"the start: eigenvectors of the graph, principal components of the samples, or random numbers"`
	Epochs          int      `json:"epochs" default:"auto" allowed:"from 1 to 30000" doc:"the passes over the edges; auto: 500 up to 10 000 samples, 200 for more, and 200 in addition with density"`
	Negatives       int      `json:"negatives" default:"5" allowed:"from 1 to 100" doc:"the samples drawn to repel a sample each time that an edge attracts it"`
	Repulsion       float64  `json:"repulsion" default:"1" allowed:"> 0" doc:"the weight of repulsion"`
	Mix             *float64 `json:"mix" default:"1" allowed:"from 0 to 1" doc:"combines the membership strengths of an edge from its two ends: their fuzzy union (1), their intersection (0), or a mean of the two"`
	Connectivity    float64  `json:"connectivity" default:"1" allowed:"> 0" doc:"the number of nearest samples with membership strength 1"`
	Rate            float64  `json:"rate" default:"1" allowed:"> 0" doc:"the length of the first steps, which falls to 0"`
	Density         *float64 `json:"density" default:"0" allowed:"≥ 0" doc:"the weight of the preservation of densities (densMAP's λ): 0 ignores them, 2 is usual"`
	TargetWeight    *float64 `json:"target_weight" default:"0" allowed:"from 0 to 1" doc:"the weight of given labels or targets: not at all (0), half (0.5, usual), or alone (1)"`
	TargetMetric    string   `json:"target_metric" default:"categorical" allowed:"categorical|euclidean" doc:"the kind of supervision: class labels (categorical), or numeric targets with Euclidean distances (euclidean)"`
	TargetNeighbors int      `json:"target_neighbors" default:"auto" allowed:"≥ 1" doc:"for euclidean targets: the nearest neighbours of each sample by targets; auto: neighbors"`
	Alignment
}

// Alignment is the parameter of maps that follow a given one.
type Alignment struct {
	ReferenceWeight float64 `json:"reference_weight" default:"0" allowed:"from 0 to 1e6" doc:"the weight of a given start as a reference, near which its samples stay, so that maps of versions of the data can be compared: 0: not at all, 5 is usual"`
}

// Name returns "umap".
func (UMAP) Name() string { return "umap" }

func (p UMAP) row() Row {
	r := Row{
		GraphOnly: onlyGraph, Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, sparse: true, Layout: true, Map: trust.Settings{Lists: "‹neighbors=15›", Steps: "‹epochs=500›"},
		Check: p.check, Labels: p.learns() && !p.numeric(),
	}
	if p.learns() && p.numeric() {
		r.Inputs, r.Given = Targets, p.given
	}
	return r
}

// learns reports whether labels or targets are used.
func (p UMAP) learns() bool { return p.TargetWeight != nil && *p.TargetWeight > 0 }

// numeric reports whether the targets are numbers.
func (p UMAP) numeric() bool { return p.TargetMetric == "euclidean" }

func (p UMAP) check(int, int) error {
	switch {
	case *p.MinDist >= 3*p.Spread:
		return fmt.Errorf("umap: min_dist is %v with the spread %v; give less than three times the spread", *p.MinDist, p.Spread)
	case p.learns() && p.numeric() && *p.Density > 0:
		return wording.Errorf("umap: ‹density› preserves the distances of neighbours, but ‹target_metric=euclidean› joins samples that are not neighbours; leave one of them out")
	}
	return nil
}

func (p UMAP) steps() pipeline.Steps { return p.given(pipeline.Given{}) }

func (p UMAP) given(given pipeline.Given) pipeline.Steps {
	if given.Targets.N() > 0 {
		return p.of(align.Intersected(*p.TargetWeight, cmp.Or(p.TargetNeighbors, p.Neighbors), given.Targets))
	}
	return p.of(align.Targeted(*p.TargetWeight))
}

// of returns the steps for a rule of the graph.
func (p UMAP) of(graph align.Rule[*align.Graph]) pipeline.Steps {
	fuzzy := patch.Fuzzy{Connectivity: p.Connectivity, Mix: *p.Mix}
	curve, _ := layout.NewCurve(*p.MinDist, p.Spread) // invalid parameters were refused before
	of := layout.UMAP{Curve: curve, Negatives: p.Negatives, Repulsion: p.Repulsion, Rate: p.Rate}
	if *p.Density > 0 {
		graph = align.WithRadii(graph)
	}
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     fuzzy.Rule(),
		InPlace:   true,
		Aim:       quality.AimOfMap(p.Dim),
		Joint: pipeline.JoinExtended(graph,
			solve.UMAP(solve.Layout{Dim: p.Dim, Init: p.Init, Scale: solve.ScaleLargest, Size: 10, Iterations: p.Epochs, Reference: p.ReferenceWeight}, of, *p.Density),
			extend.UMAP(p.Neighbors, fuzzy, of)),
	}
}
