package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// NMFBeta is nonnegative matrix factorisation by a β-divergence (Févotte and Idier 2011),
//
//	min Σ d(x|WH)   under W, H ≥ 0,   d(x|y) = x^β/(β(β−1)) + y^β/β − x·y^(β−1)/(β−1),
//
// or by another loss that is a sum over the entries: the likelihood of a negative binomial distribution, for
// counts that vary more than Poisson's (Gouvert, Oberlin and Févotte 2020), or Huber's loss, for entries
// that are far off. There are optional penalties on both factors ([Penalties]); multiplicative
// updates never raise the objective. β = 2 is [NMF] with solver=mu, β = 1 is [NMFKL], and β = 0 is the
// Itakura–Saito divergence x/y − log(x/y) − 1, which does not depend on the scale of an
// entry. With β ≤ 0 no entry may be zero. Sparse data stay sparse; WH is formed tile by tile.
// 12nmR flops and 2nm powers for each iteration.
type NMFBeta struct {
	Protocol
	Loss       string   `json:"loss" default:"beta" allowed:"beta|negative-binomial|huber" doc:"the loss of an entry. beta: the divergence of β; negative-binomial: the negative log-likelihood of counts with variance y + φy² around their means y, for counts that vary more than Poisson's, which are nmf-kl; huber: half the square of residuals up to δ, and linear beyond, for data with entries that are far off"`
	Beta       *float64 `json:"beta" default:"1.5" doc:"for loss=beta: β of the divergence: 2 is the squared error, 1 Kullback–Leibler, 0 Itakura–Saito. With a smaller β small entries count more; with β ≤ 0 no entry may be zero"`
	Dispersion *float64 `json:"dispersion" default:"auto" allowed:"≥ 0" doc:"for loss=negative-binomial: φ of the variance y + φy², of all columns; 0: Poisson's; auto: that of each column, by maximum likelihood"`
	Threshold  *float64 `json:"threshold" default:"auto" allowed:"> 0" doc:"for loss=huber: δ, the residual beyond which the loss is linear; auto: 1.345 times the scale of the residuals, which is 1.4826 times their median over the entries above zero, in iterations 1, 10, … 50, never rising"`
	Order      string   `json:"order" default:"basis-first" allowed:"basis-first|w-first" doc:"which factor is updated first. basis-first: H, then W with the new H; w-first: W first, as in scikit-learn, and the factors are not rescaled"`
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
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p NMFBeta) check(int, int) error {
	loss := p.loss()
	switch {
	case loss == nmf.Beta:
		return nil
	case p.Order == nmf.WFirst:
		return wording.Errorf("%s: ‹order=w-first› is for ‹loss=beta›; choose ‹order=basis-first› with ‹loss=%s›", p.Name(), loss)
	case loss == nmf.NegativeBinomial && p.Stop == nmf.RelativeDecrease:
		return wording.Errorf("%s: ‹stop=relative-decrease› takes the root of the loss, and that of ‹loss=%s› may be below zero; choose ‹stop=change›", p.Name(), loss)
	}
	return nil
}

// loss returns the loss, [nmf.Beta] of every β.
func (p NMFBeta) loss() *nmf.Loss {
	if p.Loss == "" {
		return nmf.Beta
	}
	loss, _ := nmf.LossNamed(p.Loss)
	return loss
}

func (p NMFBeta) factoring() factor.Plan {
	o := nmf.Options{Loss: p.loss(), Solver: nmf.Multiplicative}
	switch {
	case o.Loss == nmf.Beta:
		o.Loss, o.Beta = nmf.Divergence(*p.Beta), *p.Beta
	case o.Loss == nmf.NegativeBinomial && p.Dispersion != nil:
		o.Dispersion = []float64{*p.Dispersion}
	case o.Loss == nmf.Huber && p.Threshold != nil:
		o.Threshold = *p.Threshold
	}
	return factor.Plan{Solve: ordered(byNMF(factor.ByNMF{Options: o}, p.PositiveStart, p.Updates, p.Stopping, p.Penalties, p.FixedFactor), p.Order), Sparse: true}
}

func (p NMFBeta) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
