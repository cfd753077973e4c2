package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// L21NMF is nonnegative matrix factorisation by the L2,1 norm (Kong, Ding and Huang
// 2011),
//
//	min Σᵢ ‖xᵢ − wᵢH‖₂   under W, H ≥ 0.
//
// Samples that fit badly have less weight than with squares. The first iterations are those of [NMF], by
// coordinate descent. Then multiplicative updates with a weight 1/‖xᵢ − wᵢH‖ for every sample follow,
// which never raise the objective, so the result is at least as good as the factors of nmf. Sparse data
// stay sparse. 6nmR flops for each iteration.
type L21NMF struct {
	Protocol
	PositiveStart
	Updates `iterations:"500"`
	MissingEntries
	Warm *int `json:"warm" default:"200" deprecated:"all" allowed:"≥ 0" doc:"the number of first iterations that lower the squared error, as nmf does, by coordinate descent, at most half of all; from there the multiplicative updates begin"`
	ClusterLabels
}

// Name returns "l21-nmf".
func (L21NMF) Name() string { return "l21-nmf" }

func (p L21NMF) row() Row {
	return Row{Factorize: p.factoring, Cluster: p.grouping, Missing: &p.MissingEntries}
}

func (p L21NMF) factoring() factor.Plan {
	return factor.Plan{Solve: byNMF(factor.ByNMF{Options: nmf.Options{Loss: nmf.L21, Warm: min(*p.Warm, p.Iterations/2)}}, p.PositiveStart, p.Updates, p.MissingEntries), Sparse: true}
}

func (p L21NMF) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
