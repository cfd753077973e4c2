package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/selective"
)

// FSMRMF is the fast form of [SMRMF] (Mani, Domeniconi and Griva 2020): δ/2 ‖Z‖² replaces
// the bound on the rows of Z, so that every column is an independent projection on the
// simplex and nothing of the size of Z is stored. n²m flops, and O(n²C) for
// each iteration; 4n² bytes.
type FSMRMF struct {
	Protocol
	Neighbors *int `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each exemplar, at most n − 1; the distance to the k-th nearest sample is the bandwidth; auto: ⌊√n⌋"`
	Exemplars int  `json:"exemplars" default:"0" allowed:"≥ 0" doc:"τ, the samples whose neighbourhoods regularise the factors; 0: a tenth of all, at least 1"`
	SquaredEncoding
	LearnedGraph `diag:"rank"`
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
	IndicatorLabels
}

// Name returns "f-smrmf".
func (FSMRMF) Name() string { return "f-smrmf" }

func (p FSMRMF) row() Row {
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p FSMRMF) check(n, _ int) error {
	return checkSelection(p.Name(), p.Neighbors, p.Exemplars, "inf", n)
}

func (p FSMRMF) factoring() factor.Plan {
	return factor.Plan{Solve: bySelection(factor.BySelection{
		ByALM: byALM(nil, shareOfFew, indicatorParameters{p.FeatureScale, p.Origin, p.IndicatorStart, p.Lagrangian}), Graph: selective.Options{Exemplars: p.Exemplars}, K: p.Neighbors,
	}, p.SquaredEncoding, p.LearnedGraph)}
}

func (p FSMRMF) grouping(int) Grouping { return factorGrouping(p.Labels, p.factoring()) }

// SMRMFNS is [FSMRMF] without selection: the neighbourhoods of all samples regularise
// the factors. Mani, Domeniconi and Griva (2020) compare with it.
type SMRMFNS struct {
	Protocol
	Neighbors *int `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each sample, at most n − 1; the distance to the k-th nearest sample is the bandwidth; auto: ⌊√n⌋"`
	SquaredEncoding
	Mode string `json:"mode" default:"learned" allowed:"learned|input" doc:"which neighbours of a sample count: the k with the largest entries in Z, or the k nearest samples; their weights are their entries in Z in both cases"`
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
	IndicatorLabels
}

// Name returns "smrmf-ns".
func (SMRMFNS) Name() string { return "smrmf-ns" }

func (p SMRMFNS) row() Row {
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p SMRMFNS) check(n, _ int) error {
	return checkSelection(p.Name(), p.Neighbors, 0, "inf", n)
}

func (p SMRMFNS) factoring() factor.Plan {
	return factor.Plan{Solve: bySelection(factor.BySelection{
		ByALM: byALM(nil, shareOfLearned, indicatorParameters{p.FeatureScale, p.Origin, p.IndicatorStart, p.Lagrangian}), Graph: selective.Options{All: true, Input: p.Mode == "input"}, K: p.Neighbors,
	}, p.SquaredEncoding)}
}

func (p SMRMFNS) grouping(int) Grouping { return factorGrouping(p.Labels, p.factoring()) }
