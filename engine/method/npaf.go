package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// NPAF is the nonnegative patch alignment framework (Guan, Tao, Luo and Yuan 2011) on
// the neighbour graph,
//
//	min D(X, WH) + λ tr(WᵀΦW)   under W, H ≥ 0,   Φ = D − S,
//
// where D is the squared error or the Kullback–Leibler divergence. λ is half the γ of the
// paper. With the squared error it is [GNMF]; the papers have different defaults. Sparse data stay sparse.
type NPAF struct {
	Protocol
	Loss      string   `json:"loss" default:"frobenius" allowed:"frobenius|kl" doc:"D, the squared error or the Kullback–Leibler divergence (solver=mu only)"`
	Neighbors int      `json:"neighbors" default:"5" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1"`
	Lambda    *float64 `json:"lambda" default:"0.3" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	TermScale
	LeastSquares
	Start
	Updates
	ClusterLabels
}

// Name returns "npaf".
func (NPAF) Name() string { return "npaf" }

func (p NPAF) row() Row {
	return Row{forTask: p.forTask, Neighbors: &p.Neighbors, Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p NPAF) forTask(string) Method {
	p.settle(p.Protocol, p.Loss == "kl")
	return p
}

func (p NPAF) factoring() factor.Plan {
	return factor.Plan{
		Neighbors: neighborhood.Nearest(p.Neighbors), Patch: patch.Edges{Graph: "union", Weights: "binary"}.Rule(), Align: align.Regularizer(align.GraphTerm),
		Solve:  byNMF(factor.ByNMF{Options: nmf.Options{Loss: p.loss(), Lambda: *p.Lambda}}, p.TermScale, p.LeastSquares, p.Start, p.Updates),
		Sparse: true,
	}
}

func (p NPAF) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }

// loss returns the loss with the given name, which must be an allowed one.
func (p NPAF) loss() *nmf.Loss {
	loss, _ := nmf.LossNamed(p.Loss)
	return loss
}

func (p NPAF) check(int, int) error {
	if p.Solver == nmf.HALS && !p.loss().SolvedBy(nmf.HALS) {
		return wording.Errorf("npaf: ‹solver=hals› is for ‹loss=frobenius›; choose ‹solver=mu› for the divergence")
	}
	return nil
}
