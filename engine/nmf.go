package engine

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// NMF is nonnegative matrix factorisation in the least-squares sense (Lee and Seung
// 2001),
//
//	min ‖X − WH‖²_F   under W, H ≥ 0,
//
// with penalties on both factors where they are asked for ([Penalties]),
// by coordinate descent (Cichocki and Phan 2009) or by multiplicative updates, H
// first and W with the new H. Sparse data stay sparse. New samples get the
// coordinates under the components that stay. 4nmR flops an iteration.
type NMF struct {
	Protocol
	LeastSquares `allowed_solver:"auto|mu|hals|minibatch" doc_solver:"multiplicative updates, or coordinate descent (hierarchical alternating least squares), which comes to the same error in fewer iterations, or this batch by batch, for data that need not fit into memory, where iterations are passes (20); auto: hals where the other parameters allow it"`
	MiniBatch
	Order       string `json:"order" default:"auto" allowed:"auto|basis-first|codes-first|w-first" doc:"basis-first: H, then W with the new H; codes-first, of solver=mu: W first, from components of unit length, where a change of the objective by tolerance (1e-5) ends the 500 iterations; w-first: W first, as scikit-learn goes (solver=hals: with one sweep), and nothing changes the scale of the factors; auto: codes-first in a clustering, else basis-first"`
	Extrapolate bool   `json:"extrapolate" default:"false" doc:"of solver=hals: momentum with restarts (Ang and Gillis 2019)"`
	Start
	Updates `normalise:"auto" doc_tolerance:"stop when what stop names falls below this; 0: never" allowed_normalise:"auto|end|each|none" doc_normalise:"components to unit length, W against them: at the end, after each iteration (then nothing need fall), or never; auto: at the end, but never with a penalty, which chooses the lengths"`
	Stopping
	Penalties
	MissingEntries
	FixedFactor
	ClusterLabels
}

// Name returns "nmf".
func (NMF) Name() string { return "nmf" }

func (p NMF) row() row {
	return row{check: p.check, forTask: p.forTask, factorize: p.factoring, cluster: p.grouping}
}

func (p NMF) forTask(task string) Method {
	if p.of().Present() && (p.Order == "" || p.Order == "auto") {
		p.Order = nmf.BasisFirst // the codes come first from components of unit length
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
		Solve:  ordered(byNMF(factor.ByNMF{Options: nmf.Options{Extrapolate: p.Extrapolate}}, p.LeastSquares, p.MiniBatch, p.Start, p.Updates, p.Stopping, p.Penalties, p.MissingEntries, p.FixedFactor), p.Order),
		Sparse: true,
	}
}

func (p NMF) grouping(int) grouping { return p.clusteredBy(p.factoring()) }
