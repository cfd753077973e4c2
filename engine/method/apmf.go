package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/factor"
)

// APMF is adaptive projected matrix factorisation (Chen, Wang and Li 2018; reconstructed from
// the abstract): amrmf in a subspace that is learned as well,
//
//	min Σᵢ ‖(XP − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG) + Σᵢⱼ ‖Pᵀxᵢ − Pᵀxⱼ‖² sᵢⱼ + aᵢsᵢⱼ²
//	under PᵀP = I, GᵀG = I, G ≥ 0, S1 = 1, S ≥ 0.
//
// W is G, and H is Pᵀ, which has the directions of the subspace as rows: WH does not approximate X. A
// step of P is 20 generalised power iterations of 4nmd flops each, so it is by far the slowest of its
// family.
type APMF struct {
	Protocol
	Neighbors *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each sample, at most n − 2; auto: ⌊√n⌋, at most 7"`
	Subspace  *int     `json:"subspace" default:"auto" allowed:"≥ 1" doc:"d, the dimensions of the subspace, at most the smaller side of the data; auto: as many as clusters, at least 2"`
	Lambda    *float64 `json:"lambda" default:"auto" allowed:"≥ 0" doc:"λ, the weight of the graph term, also of the indicators in the choice of neighbours; auto: the λ with which the term of a partition that cuts all edges is a quarter of the loss without components; 0: no graph"`
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
	IndicatorLabels
}

// Name returns "apmf".
func (APMF) Name() string { return "apmf" }

func (p APMF) row() Row {
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p APMF) check(n, m int) error {
	if p.Subspace != nil && *p.Subspace > min(n, m) {
		return fmt.Errorf("%s: a subspace of %d dimensions for %d × %d data; give at most %d", p.Name(), *p.Subspace, n, m, min(n, m))
	}
	return p.nearest(p.Neighbors).Check(p.Name(), n, n-2)
}

func (p APMF) factoring() factor.Plan {
	return factor.Plan{Solve: factor.Projected{
		ByALM:     byALM(p.Lambda, shareOfLearned, indicatorParameters{p.FeatureScale, p.Origin, p.IndicatorStart, p.Lagrangian}),
		Neighbors: p.nearest(p.Neighbors), Dim: p.Subspace,
	}}
}

func (p APMF) grouping(int) Grouping { return factorGrouping(p.Labels, p.factoring()) }
