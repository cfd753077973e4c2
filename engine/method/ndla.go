package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// NDLA is nonnegative discriminative locality alignment (Guan, Tao, Luo and Yuan
// 2011): samples of a class are kept together, and classes apart,
//
//	min ‖X − WH‖²_F + λ tr(WᵀΦW)   under W, H ≥ 0,   Φ = (L^b)^(−½) L^w (L^b)^(−½),
//
// where L^w and L^b sum unit distances to the k1 nearest samples of the same class and the k2
// nearest of other classes. It is supervised: it needs engine.Options.Labels. Φ is dense, 8n²
// bytes, and takes about 9n³ flops, plus 4Rn² for each iteration. Sparse data stay sparse.
type NDLA struct {
	Protocol
	Within          int      `json:"k1" default:"6" allowed:"≥ 1" doc:"k1, the nearest samples of the same class; fewer in a small class"`
	Between         int      `json:"k2" default:"20" allowed:"≥ 1" doc:"k2, the nearest samples of other classes"`
	Combine         string   `json:"combine" default:"pinv" allowed:"pinv|ridge" doc:"how L^b is inverted, which has a null vector for each component of its graph: without its eigenvalues below 1e-6 of the largest, or with this amount added to all eigenvalues"`
	AllowIndefinite bool     `json:"allow_indefinite" default:"false" doc:"accept a Φ that is not positive semidefinite because of rounding; false: it is an error"`
	Lambda          *float64 `json:"lambda" default:"1" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	TermScale
	LeastSquares
	Start
	Updates
}

// Name returns "ndla".
func (NDLA) Name() string { return "ndla" }

func (p NDLA) row() Row {
	return Row{forTask: p.forTask, Labels: true, Squares: align.WhitenedSquares, Factorize: p.factoring}
}

func (p NDLA) forTask(string) Method {
	p.settle(p.Protocol, false)
	return p
}

func (p NDLA) factoring() factor.Plan {
	return factor.Plan{
		Align:  align.Discriminative{Within: p.Within, Between: p.Between, Singular: p.Combine}.Align,
		Solve:  byNMF(factor.ByNMF{Options: nmf.Options{Lambda: *p.Lambda}, Indefinite: p.AllowIndefinite}, p.TermScale, p.LeastSquares, p.Start, p.Updates),
		Sparse: true,
	}
}
