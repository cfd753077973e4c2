package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// GNMF is graph-regularised nonnegative matrix factorisation (Cai, He, Han and Huang
// 2011): neighbours keep similar coordinates,
//
//	min ‖X − WH‖²_F + λ tr(WᵀΦW)   under W, H ≥ 0,   Φ = D − S,
//
// with S the binary graph of the k nearest neighbours. The paper's term decreases as W
// shrinks and H grows, so that there is no minimiser. The balanced term, the default, is
// that of coordinates with respect to components of unit length. Sparse data stay sparse, also in the
// neighbour search. The cost is the search and 4nmR flops for each iteration.
type GNMF struct {
	Protocol
	Neighbors int      `json:"neighbors" default:"5" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1"`
	Lambda    *float64 `json:"lambda" default:"0.3" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	TermScale
	LeastSquares
	Order string `json:"order" default:"auto" allowed:"auto|basis-first|codes-first" doc:"for solver=mu, which factor is updated first: H, then W with the new H; or W first, from components of unit length, for at most 500 iterations, until the objective changes by less than tolerance (1e-5); auto: W first in a clustering, else H first"`
	Start
	Updates
	ClusterLabels
}

// Name returns "gnmf".
func (GNMF) Name() string { return "gnmf" }

func (p GNMF) row() Row {
	return Row{Neighbors: &p.Neighbors, Check: p.check, forTask: p.forTask, Factorize: p.factoring, Cluster: p.grouping}
}

func (p GNMF) forTask(task string) Method {
	settleOrder(task, p.Protocol, &p.LeastSquares, &p.Order, &p.Updates)
	return p
}

func (p GNMF) check(int, int) error { return checkOrder(p.Name(), p.Solver, p.Order) }

func (p GNMF) factoring() factor.Plan {
	return factor.Plan{
		Neighbors: neighborhood.Nearest(p.Neighbors), Patch: patch.Edges{Graph: "union", Weights: "binary"}.Rule(), Align: align.Regularizer(align.GraphTerm),
		Solve:  ordered(byNMF(factor.ByNMF{Options: nmf.Options{Lambda: *p.Lambda}}, p.TermScale, p.LeastSquares, p.Start, p.Updates), p.Order),
		Sparse: true,
	}
}

func (p GNMF) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
