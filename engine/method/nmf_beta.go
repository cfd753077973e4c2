package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// NMFBeta is nonnegative matrix factorisation by a β-divergence (Févotte and Idier 2011),
//
//	min Σ d(x|WH)   under W, H ≥ 0,   d(x|y) = x^β/(β(β−1)) + y^β/β − x·y^(β−1)/(β−1),
//
// with optional penalties on both factors ([Penalties]), by multiplicative
// updates that never raise it. β = 2 is [NMF] with solver=mu, β = 1 is [NMFKL], and β = 0 is the
// Itakura–Saito divergence x/y − log(x/y) − 1, which does not depend on the scale of an
// entry. With β ≤ 0 no entry may be zero. Sparse data stay sparse; WH is formed tile by tile.
// 12nmR flops and 2nm powers for each iteration.
type NMFBeta struct {
	Protocol
	Beta  *float64 `json:"beta" default:"1.5" doc:"β of the divergence: 2 is the squared error, 1 Kullback–Leibler, 0 Itakura–Saito. With a smaller β small entries count more; with β ≤ 0 no entry may be zero"`
	Order string   `json:"order" default:"basis-first" allowed:"basis-first|w-first" doc:"which factor is updated first. basis-first: H, then W with the new H; w-first: W first, as in scikit-learn, and the factors are not rescaled"`
	PositiveStart
	Updates  `iterations:"500" normalise:"auto" doc_tolerance:"stop when the quantity that stop names falls below this; 0: never" allowed_normalise:"auto|end|each|none" doc_normalise:"when components are scaled to unit length, and W by the inverse: at the end, after each iteration (the objective may then rise), or never; auto: at the end, but never with a penalty, because penalties depend on the lengths"`
	Stopping `allowed_stop:"change|relative-decrease" doc_stop:"the quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's rule, the decrease of the error (the root of the loss) in 10 iterations divided by the error of the start"`
	Penalties
	FixedFactor
	ClusterLabels
}

// Name returns "nmf-beta".
func (NMFBeta) Name() string { return "nmf-beta" }

func (p NMFBeta) row() Row {
	return Row{Factorize: p.factoring, Cluster: p.grouping}
}

func (p NMFBeta) factoring() factor.Plan {
	o := nmf.Options{Loss: nmf.Divergence(*p.Beta), Beta: *p.Beta, Solver: nmf.Multiplicative}
	return factor.Plan{Solve: ordered(byNMF(factor.ByNMF{Options: o}, p.PositiveStart, p.Updates, p.Stopping, p.Penalties, p.FixedFactor), p.Order), Sparse: true}
}

func (p NMFBeta) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
