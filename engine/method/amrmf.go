package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
)

// AMRMF is adaptive manifold regularised matrix factorisation (Zhang, Zhang, Du, You
// and Tao 2017; reconstructed from the abstract): rmnmf with a graph that is learned together with the
// indicators,
//
//	min Σᵢ ‖(X − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG) + Σᵢⱼ ‖xᵢ − xⱼ‖² sᵢⱼ + aᵢsᵢⱼ²
//	under GᵀG = I, G ≥ 0, S1 = 1, S ≥ 0,
//
// where aᵢ is such that each sample has k neighbours. After each pass S is recomputed from the
// distances of the samples and those of their indicators. n²m flops once, and 6nmC for each
// iteration, plus the search for S, at most n² while all distances are kept (see
// [alm.Adaptive]).
type AMRMF struct {
	Protocol
	Neighbors *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each sample, at most n − 2; auto: ⌊√n⌋, at most 7"`
	Lambda    *float64 `json:"lambda" default:"auto" allowed:"≥ 0" doc:"λ, the weight of the graph term, also of the indicators in the choice of neighbours; auto: the λ with which the term of a partition that cuts all edges is a quarter of the loss without components; 0: no graph"`
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
	IndicatorLabels
}

// Name returns "amrmf".
func (AMRMF) Name() string { return "amrmf" }

func (p AMRMF) row() Row {
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p AMRMF) check(n, _ int) error {
	return p.nearest(p.Neighbors).Check(p.Name(), n, n-2)
}

func (p AMRMF) factoring() factor.Plan {
	solver := byALM(p.Lambda, shareOfLearned, indicatorParameters{p.FeatureScale, p.Origin, p.IndicatorStart, p.Lagrangian})
	return factor.Plan{Solve: solver.Adaptive(p.nearest(p.Neighbors))}
}

func (p AMRMF) grouping(int) Grouping { return factorGrouping(p.Labels, p.factoring()) }
