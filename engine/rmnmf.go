package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/solvers/alm"
)

// RMNMF is robust manifold nonnegative matrix factorisation (Huang, Nie, Huang and
// Ding 2014) for clusters: orthonormal, nonnegative indicators under a loss that
// forgives samples that fit badly, with neighbours kept together,
//
//	min Σᵢ ‖(X − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG)   under GᵀG = I, G ≥ 0,
//
// by an augmented Lagrangian ([alm]). W is G and H is Fᵀ, of either sign, in the scale
// of the features that was chosen. The largest entry of a sample's row of G tells its
// cluster. The search for neighbours, and 6nmC flops an iteration.
type RMNMF struct {
	Neighbors *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other; auto: ⌊√n⌋"`
	Weights   string   `json:"weights" default:"adaptive" allowed:"adaptive|binary" doc:"of the graph's edges: a Gaussian whose width is the distance to the k-th neighbour, the mean of both ends', or 1"`
	Select    string   `json:"select" default:"none" allowed:"none|dpp|ipm|ds3|esc-ffs" doc:"of the graph only the neighbourhoods of exemplars, chosen by this method at its defaults; none: all of it"`
	Exemplars *int     `json:"exemplars" default:"auto" allowed:"≥ 1" doc:"τ, the exemplars that select chooses; auto: a tenth of the samples"`
	Lambda    *float64 `json:"lambda" default:"0.1" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	FeatureScale
	Lagrangian
	IndicatorLabels
}

// Name returns "rmnmf".
func (RMNMF) Name() string { return "rmnmf" }

func (p RMNMF) check(n, _ int) error {
	if p.Exemplars != nil && *p.Exemplars > n {
		return fmt.Errorf("rmnmf: %d exemplars asked of %d samples; give a number from 1 to %d", *p.Exemplars, n, n)
	}
	return checkRoot(p.Name(), p.Neighbors, n, n-1)
}

func (p RMNMF) factoring() factoring {
	f := factoring{
		neighbors: rootNearest{p.Neighbors}, patch: edges{graph: "union", weights: p.Weights}, align: sumOfPatches,
		run: byALM{Options: alm.Options{Lambda: *p.Lambda}}.with(p.FeatureScale, p.Lagrangian),
	}
	if p.Select != "none" {
		f.neighbors, f.patch = selectedNearest{rootNearest{p.Neighbors}, p.Weights, p.Select, p.Exemplars}, listedEdges{}
	}
	return f
}

func (p RMNMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }

// checkRoot refuses a number of neighbours, given or ⌊√n⌋, that exceeds the most there
// can be.
func checkRoot(name string, k *int, n, most int) error {
	if got := (rootNearest{k}).number(n); got > most {
		return fmt.Errorf("%s: %d neighbours asked of %d samples; give a number from 1 to %d, or more samples", name, got, n, most)
	}
	return nil
}
