package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// NMF is nonnegative matrix factorisation in the least-squares sense (Lee and Seung
// 2001),
//
//	min ‖X − WH‖²_F   under W, H ≥ 0,
//
// with optional penalties on both factors ([Penalties]),
// by coordinate descent (Cichocki and Phan 2009) or by multiplicative updates, H
// first and W with the new H. Sparse data stay sparse. New samples get
// coordinates with respect to the fixed components. 4nmR flops for each iteration.
type NMF struct {
	Protocol
	LeastSquares `allowed_solver:"auto|mu|hals|minibatch" doc_solver:"mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which reaches the same error in fewer iterations; minibatch: hals batch by batch, for data larger than memory, where an iteration is a pass over the data (default 20); auto: hals if the other parameters allow it, else mu"`
	MiniBatch
	Order       string `json:"order" default:"auto" allowed:"auto|basis-first|codes-first|w-first" doc:"which factor is updated first. basis-first: H, then W with the new H; codes-first (solver=mu only): W first, from components of unit length, for at most 500 iterations, until the objective changes by less than tolerance (1e-5); w-first: W first, as in scikit-learn (solver=hals: with one sweep), and the factors are not rescaled; auto: codes-first in a clustering, else basis-first"`
	Extrapolate bool   `json:"extrapolate" default:"false" doc:"for solver=hals: momentum with restarts (Ang and Gillis 2019)"`
	Start
	Updates `normalise:"auto" doc_tolerance:"stop when the quantity that stop names falls below this; 0: never" allowed_normalise:"auto|end|each|none" doc_normalise:"when components are scaled to unit length, and W by the inverse: at the end, after each iteration (the objective may then rise), or never; auto: at the end, but never with a penalty, because penalties depend on the lengths"`
	Stopping
	Penalties
	MissingEntries
	FixedFactor
	Abundances
	Smoothness
	Volume float64 `json:"volume" default:"0" allowed:"≥ 0" doc:"for sum_to_one=true: v, the weight of the term v‖X‖² log det(I + HHᵀ/(0.1s²)), s² the mean square of a sample's length, by which components enclose the samples closely; it has no unit; 0: none"`
	ClusterLabels
}

// Name returns "nmf".
func (NMF) Name() string { return "nmf" }

func (p NMF) row() Row {
	return Row{Check: p.check, forTask: p.forTask, Factorize: p.factoring, Cluster: p.grouping, Missing: &p.MissingEntries, KeepsSingle: keepsSingle(p.Init, p.Updates, p.MissingEntries), InBatches: p.Solver == nmf.MiniBatch}
}

func (p NMF) forTask(task string) Method {
	if (p.of().Present() || p.SmoothH > 0) && (p.Order == "" || p.Order == "auto") {
		p.Order = nmf.BasisFirst // because codes-first starts from components of unit length, and has no step for smooth ones
	}
	settleOrder(task, p.Protocol, &p.LeastSquares, &p.Order, &p.Updates)
	settlePasses(p.Solver, &p.Updates)
	return p
}

func (p NMF) check(int, int) error {
	if err := p.MiniBatch.check(p.Name()); err != nil {
		return err
	}
	return checkOrder(p.Name(), p.Solver, p.Order)
}

func (p NMF) factoring() factor.Plan {
	return factor.Plan{
		Solve:  ordered(byNMF(factor.ByNMF{Options: nmf.Options{Extrapolate: p.Extrapolate, Volume: p.Volume}}, p.LeastSquares, p.MiniBatch, p.Start, p.Updates, p.Stopping, p.Penalties, p.MissingEntries, p.FixedFactor, p.Abundances, p.Smoothness), p.Order),
		Sparse: true,
	}
}

func (p NMF) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
