package method

import (
	"math"

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

// PaCMAP is pairwise controlled manifold approximation (Wang, Huang, Rudin and Shaposhnik 2021): near pairs of
// samples attract each other, further pairs repel, and mid-near pairs first arrange the parts of the
// map. It preserves large distances better than t-SNE and UMAP. With local it
// is LocalMAP (Wang, Sun, Huang and Rudin 2025).
//
// O(N k m) for the neighbours and O(iterations · pairs).
type PaCMAP struct {
	Neighbors  int      `json:"neighbors" default:"10" allowed:"≥ 1" doc:"k, the near pairs of each sample"`
	Dim        int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the map"`
	MidNear    *float64 `json:"mid_near" default:"0.5" allowed:"≥ 0" doc:"mid-near pairs for each near pair"`
	Further    *float64 `json:"further" default:"2" allowed:"≥ 0" doc:"further pairs for each near pair"`
	Init       string   `json:"init" default:"auto" allowed:"auto|pca|spectral|random" doc:"the start: principal components of the samples, eigenvectors of the graph of near pairs, or random numbers; auto: principal components, or eigenvectors where the samples are not given"`
	Iterations int      `json:"iterations" default:"450" allowed:"≥ 1" doc:"the number of steps: 100 each, or two ninths of fewer than 450, for the first two phases; none for these with a reference"`
	Local      bool     `json:"local" default:"false" doc:"adjust the pairs to the map in the last phase, so that groups come apart more clearly (LocalMAP)"`
	Rate       float64  `json:"rate" default:"1" allowed:"> 0" doc:"the length of steps (Adam)"`
	Alignment
}

// Name returns "pacmap".
func (PaCMAP) Name() string { return "pacmap" }

func (p PaCMAP) row() Row {
	r := Row{GraphOnly: onlyGraph, Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, sparse: true, Layout: true, Reduce: 100, Map: trust.Settings{Lists: "‹neighbors=15›", Steps: "‹iterations=450›"}}
	if p.MidNear == nil || *p.MidNear > 0 { // mid-near pairs are not neighbours, and a graph does not have their distances
		r.GraphOnly = func() (parameter, remedy string) { return "‹mid_near›", "all distances, or take ‹mid_near=0›" }
		r.Inputs, r.Given = AllDistances, p.given
	}
	return r
}

func (p PaCMAP) steps() pipeline.Steps { return p.given(pipeline.Given{}) }

func (p PaCMAP) given(given pipeline.Given) pipeline.Steps {
	of := func(ratio float64) int { return int(min(math.Round(ratio*float64(p.Neighbors)), math.MaxInt16)) }
	pairs := patch.ControlledPairs{Near: p.Neighbors, MidNear: of(*p.MidNear), Further: of(*p.Further), Distances: given.Distances}
	phase := min(100, p.Iterations*2/9)
	if p.ReferenceWeight > 0 {
		phase = 0 // the order of the groups is there, and mid-near pairs would lose it
	}
	return pipeline.Steps{
		Neighbors: neighborhood.NearestCapped(pairs.Lists()),
		InPlace:   true,
		Aim:       quality.AimOfMap(p.Dim),
		Joint: pipeline.JoinExtended(align.ControlledPairs(pairs),
			solve.PaCMAP(solve.Layout{Dim: p.Dim, Init: p.Init, Scale: solve.ScaleLargest, Size: 0.1, Iterations: p.Iterations, Reference: p.ReferenceWeight},
				layout.PaCMAP{Phases: [3]int{phase, phase, p.Iterations - 2*phase}, Rate: p.Rate}, p.Local),
			extend.PaCMAP(pairs)),
	}
}
