package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/solvers/smacof"
)

// SMACOF is metric and non-metric multidimensional scaling by majorisation (de Leeuw and Heiser 1980): coordinates of
// the least stress
//
//	σ = Σ w (d̂ − ‖y_i − y_j‖)²
//
// over all pairs of samples. The targets d̂ are the distances d of the samples by any metric, or with
// nonmetric a monotone function of them, which is found together with the coordinates (Kruskal 1964). The reported
// objective is stress-1, √(σ/Σ w d̂²), of each iteration.
//
// With Options.Distances in place of samples it scales these, of which some may be NaN, unknown; with Options.Graph only the
// distances of the listed pairs are known; Options.Affinities are the weights w of pairs, 0 for those not listed. 4n² bytes for the distances, O(n² d) for
// each iteration. With Options.Landmarks the other samples are placed where their stress to the landmarks is least, as are new samples.
type SMACOF struct {
	Dim        int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Nonmetric  bool     `json:"nonmetric" default:"false" doc:"keep only the order of the distances: the targets of the coordinates are a monotone function of the distances"`
	Ties       string   `json:"ties" default:"primary" allowed:"primary|secondary" doc:"for nonmetric: equal distances may get different targets (primary), or get the same (secondary)"`
	Weights    string   `json:"weights" default:"uniform" allowed:"uniform|sammon|elastic" doc:"the weight of a pair at the distance d: 1, 1/d (sammon: Sammon's mapping) or 1/d² (elastic: relative errors count); given weights are multiplied by it"`
	Init       string   `json:"init" default:"classical" allowed:"classical|random" doc:"the first start: classical scaling, where distances are unknown of shortest paths through the known ones, or random coordinates by the seed"`
	Restarts   int      `json:"restarts" default:"1" allowed:"≥ 1" doc:"the number of starts; the result of the least stress is kept. All but the first start are random"`
	Iterations int      `json:"iterations" default:"1000" allowed:"≥ 1" doc:"the most iterations from each start"`
	Tolerance  *float64 `json:"tolerance" default:"1e-6" allowed:"≥ 0" doc:"stop when an iteration without extrapolation lowers the stress by less than this, relative to it; 0: when it falls no more"`
}

// Name returns "smacof".
func (SMACOF) Name() string { return "smacof" }

func (p SMACOF) row() Row {
	return Row{lengths: true, Dim: p.Dim, Embed: p.steps, Inputs: AllPairs, Given: p.given, GraphOnly: onlyGraph, Places: true, Memory: p.memory, Cheaper: p.cheaper,
		Units: Units{Coordinates: 1}, sparse: true}
}

func (p SMACOF) power() float64 {
	return map[string]float64{"sammon": 1, "elastic": 2}[p.Weights]
}

func (p SMACOF) memory(n, _ int64, _, _ int) int64 {
	weighted := p.power() > 0
	return align.DissimilaritiesBytes(n, weighted) + max(p.options().BytesFor(n, n*(n-1)/2, p.Dim, true, weighted), 4*n*n)
}

func (p SMACOF) options() smacof.Options {
	return smacof.Options{NonMetric: p.Nonmetric, Ties: solve.TiesNamed(p.Ties), Iterations: p.Iterations, Tolerance: p.Tolerance}
}

func (p SMACOF) steps() pipeline.Steps { return p.given(pipeline.Given{}) }

func (p SMACOF) given(given pipeline.Given) pipeline.Steps {
	of := align.Dissimilarities{Distances: given.Distances, Graph: given.Graph, Weights: given.Weights, Power: p.power()}
	scaling := solve.Stress{Dim: p.Dim, Init: p.Init, Starts: p.Restarts, Options: p.options()}
	return pipeline.Steps{Orthogonal: true, Joint: pipeline.JoinExtended(of.Take, scaling.Coordinates, extend.Stress(p.power()))}
}

// manyScaled is the number of samples from which landmarks are suggested.
const manyScaled = 10_000

func (p SMACOF) cheaper(n int, landmarks bool) string {
	if n < manyScaled || landmarks {
		return ""
	}
	return fmt.Sprintf("goes over %.2g pairs in each iteration; ‹landmarks=%d› scales that many samples, with 1/%d of the work and of the memory, and places the others by them", float64(n)*float64(n)/2, landmarksFor(n), n*n/landmarksFor(n)/landmarksFor(n))
}
