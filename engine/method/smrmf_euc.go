package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/selective"
)

// SMRMFEuc is [SMRMF] with distances instead of the dissimilarities by a kernel: those between samples,
// divided by the largest, and squared distances between indicators.
type SMRMFEuc struct {
	Protocol
	Neighbors *int `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each exemplar, at most n − 1; auto: ⌊√n⌋"`
	BoundedEncoding
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
	IndicatorLabels
}

// Name returns "smrmf-euc".
func (SMRMFEuc) Name() string { return "smrmf-euc" }

func (p SMRMFEuc) row() Row {
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p SMRMFEuc) check(n, _ int) error {
	return checkSelection(p.Name(), p.Neighbors, p.Exemplars, p.P, n)
}

func (p SMRMFEuc) factoring() factor.Plan {
	return factor.Plan{Solve: bySelection(factor.BySelection{ByALM: byALM(nil, shareOfLearned, indicatorParameters{p.FeatureScale, p.Origin, p.IndicatorStart, p.Lagrangian}), Graph: selective.Options{Distances: true}, K: p.Neighbors}, p.BoundedEncoding)}
}

func (p SMRMFEuc) grouping(int) Grouping { return factorGrouping(p.Labels, p.factoring()) }
