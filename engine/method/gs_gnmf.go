package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// GSGNMF is GNMF on a graph of codes: an elastic net represents each sample as a sum of its nearest
// samples, all of unit length, and S = (|A| + |A|ᵀ)/2 for the codes A. It replaces the group-sparse
// graph of Fang, Wang and Dai (2012), whose groups are not reproduced. A code takes about ten linear
// systems of the order of its support. With neighbors=all the support has up to half of the samples,
// and the Gram matrix and an inverse take 16n² bytes. Sparse data stay sparse.
type GSGNMF struct {
	Protocol
	Neighbors *int     `json:"neighbors" default:"100" zero:"all" allowed:"≥ 0" doc:"k: a sample is written as a sum of its k nearest samples; all, or 0: of all others"`
	L1        float64  `json:"l1" default:"0.0001" allowed:"> 0" doc:"ℓ1, the weight of Σ|a| in the code of a sample of unit length"`
	L2        float64  `json:"l2" default:"0.001" allowed:"> 0" doc:"ℓ2, the weight of Σa²"`
	Lambda    *float64 `json:"lambda" default:"0.3" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	TermScale
	LeastSquares
	Start
	Updates
	ClusterLabels
}

// Name returns "gs-gnmf".
func (GSGNMF) Name() string { return "gs-gnmf" }

func (p GSGNMF) row() Row {
	return Row{forTask: p.forTask, Neighbors: p.Neighbors, Squares: 1, Factorize: p.factoring, Cluster: p.grouping}
}

func (p GSGNMF) forTask(string) Method {
	p.settle(p.Protocol, false)
	return p
}

func (p GSGNMF) factoring() factor.Plan {
	f := factor.Plan{
		Align:  align.Regularizer(align.ElasticNet{Ridge: p.L2, Sparse: p.L1}.Align),
		Solve:  byNMF(factor.ByNMF{Options: nmf.Options{Lambda: *p.Lambda}}, p.TermScale, p.LeastSquares, p.Start, p.Updates),
		Sparse: true,
	}
	if *p.Neighbors > 0 {
		f.Neighbors = neighborhood.UnitNearest{Nearest: neighborhood.Nearest(*p.Neighbors)}
	}
	return f
}

func (p GSGNMF) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
