package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// NMFKL is nonnegative matrix factorisation by the Kullback–Leibler divergence (Lee
// and Seung 2001),
//
//	min Σ x log(x/(WH)) − x + WH   under W, H ≥ 0,
//
// the negative log-likelihood of counts with Poisson noise, up to a constant, with optional penalties on
// both factors ([Penalties]), by multiplicative updates. Sparse data
// stay sparse. 8nmR flops for each iteration.
type NMFKL struct {
	Protocol
	Order            string `json:"order" default:"basis-first" allowed:"basis-first|w-first" doc:"which factor is updated first. basis-first: H, then W with the new H; w-first: W first, as in scikit-learn, and the factors are not rescaled"`
	DivergenceSolver `doc_solver:"mu: multiplicative updates over all samples; minibatch: batch by batch, for data larger than memory, where an iteration is a pass over the data (default 20)"`
	MiniBatch
	PositiveStart
	Updates  `iterations:"500" normalise:"auto" doc_tolerance:"stop when the quantity that stop names falls below this; 0: never" allowed_normalise:"auto|end|each|none" doc_normalise:"when components are scaled to unit length, and W by the inverse: at the end, after each iteration (the objective may then rise), or never; auto: at the end, but never with a penalty, because penalties depend on the lengths"`
	Stopping `allowed_stop:"change|relative-decrease" doc_stop:"the quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's rule, the decrease of the error (the root of the loss) in 10 iterations divided by the error of the start"`
	Penalties
	MissingEntries
	FixedFactor
	Abundances
	Smoothness
	ClusterLabels
}

// Name returns "nmf-kl".
func (NMFKL) Name() string { return "nmf-kl" }

func (p NMFKL) row() Row {
	return Row{Check: func(int, int) error { return p.MiniBatch.check(p.Name()) }, forTask: p.forTask, Factorize: p.factoring, Cluster: p.grouping, Missing: &p.MissingEntries, KeepsSingle: keepsSingle(p.Init, p.Updates, p.MissingEntries), InBatches: p.Solver == nmf.MiniBatch}
}

func (p NMFKL) forTask(string) Method {
	settlePasses(p.Solver, &p.Updates)
	return p
}

func (p NMFKL) factoring() factor.Plan {
	return factor.Plan{Solve: ordered(byNMF(factor.ByNMF{Options: nmf.Options{Loss: nmf.KL}}, p.DivergenceSolver, p.MiniBatch, p.PositiveStart, p.Updates, p.Stopping, p.Penalties, p.MissingEntries, p.FixedFactor, p.Abundances, p.Smoothness), p.Order), Sparse: true}
}

func (p NMFKL) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
