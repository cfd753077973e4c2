package engine

import "github.com/orthant-go/orthant/solvers/nmf"

// NMFKL is nonnegative matrix factorisation by the Kullback–Leibler divergence (Lee
// and Seung 2001),
//
//	min Σ x log(x/(WH)) − x + WH   under W, H ≥ 0,
//
// the likelihood of counts with Poisson noise, by multiplicative updates. Sparse data
// stay sparse. 8nmR flops an iteration.
type NMFKL struct {
	PositiveStart
	Updates
	ClusterLabels
}

// Name returns "nmf-kl".
func (NMFKL) Name() string { return "nmf-kl" }

func (p NMFKL) factoring() factoring {
	return factoring{run: byNMF{Options: nmf.Options{Loss: nmf.KL}}.with(p.PositiveStart, p.Updates), sparse: true}
}

func (p NMFKL) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
