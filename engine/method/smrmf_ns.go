package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/selective"
)

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
