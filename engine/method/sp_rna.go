package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// SPRNA is supervised robust nonnegative patch alignment (You et al. 2015): [CIMNMF]
// with what keeps a sample to its class, seen where what keeps it from the others has
// unit size,
//
//	Φ = (L^b)^(−½) L^w (L^b)^(−½),
//
// L^w of sparse affine codes by the k1 nearest of its class, L^b of distances to the k2
// nearest of others, weighted by erf(d/(2√2))/(2d²). Samples have unit length for both.
// It needs engine.Options.Labels. Φ is dense, 8n² bytes, and takes about 9n³ flops; 4Rn² more an
// iteration. Sparse data stay sparse.
type SPRNA struct {
	Protocol
	Within          int      `json:"k1" default:"6" allowed:"≥ 1" doc:"k1, the nearest samples of the same class; fewer in a small class"`
	Between         int      `json:"k2" default:"20" allowed:"≥ 1" doc:"k2, the nearest samples of other classes"`
	Combine         string   `json:"combine" default:"pinv" allowed:"pinv|ridge" doc:"how L^b is inverted, which has a null vector for each component of its graph: without its eigenvalues below 1e-6 of the largest, or with this amount added to all eigenvalues"`
	AllowIndefinite bool     `json:"allow_indefinite" default:"false" doc:"accept a Φ that is not positive semidefinite because of rounding; false: it is an error"`
	Lambda          *float64 `json:"lambda" default:"1" allowed:"≥ 0" doc:"λ, the weight of the graph term; 0: none, and no graph is built"`
	TermScale
	PositiveStart
	Updates `iterations:"500"`
	CorrentropyTerm
}

// Name returns "sp-rna".
func (SPRNA) Name() string { return "sp-rna" }

func (p SPRNA) row() Row {
	return Row{Labels: true, Squares: align.WhitenedSquares, Factorize: p.factoring}
}

func (p SPRNA) factoring() factor.Plan {
	return factor.Plan{
		Align:  align.Discriminative{Within: p.Within, Between: p.Between, Codes: true, Singular: p.Combine}.Align,
		Solve:  byNMF(factor.ByNMF{Options: nmf.Options{Lambda: *p.Lambda}, Indefinite: p.AllowIndefinite}, p.TermScale, p.PositiveStart, p.Updates, p.CorrentropyTerm),
		Sparse: true,
	}
}
