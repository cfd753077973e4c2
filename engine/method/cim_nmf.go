package method

import "github.com/orthant-go/orthant/engine/internal/factor"

// CIMNMF is nonnegative matrix factorisation by the correntropy-induced metric (Du, Li
// and Shen 2012),
//
//	min Σᵢⱼ 1 − exp(−(X − WH)ᵢⱼ²/2σ²)   under W, H ≥ 0,
//
// by half-quadratic optimisation: entries that fit badly, such as occluded or noisy ones,
// have little weight. σ² is θ times the square of the scale of the residuals ([Correntropy]). With the
// defaults it decreases for 50 iterations and then stays constant, and F = 2σ² Σ 1 − exp(…), which
// the steps minimise, never rises. 12nmR
// flops and nm exponentials for each iteration, and a matrix of the data's size. Sparse data stay
// sparse, without such a matrix, at 10nmR flops and 2nm exponentials, because zero entries also have
// weights.
type CIMNMF struct {
	Protocol
	PositiveStart
	Updates `iterations:"500"`
	Correntropy
	ClusterLabels
}

// Name returns "cim-nmf".
func (CIMNMF) Name() string { return "cim-nmf" }

func (p CIMNMF) row() Row {
	return Row{Factorize: p.factoring, Cluster: p.grouping}
}

func (p CIMNMF) factoring() factor.Plan {
	return factor.Plan{Solve: byNMF(factor.ByNMF{}, p.PositiveStart, p.Updates, p.Correntropy), Sparse: true}
}

func (p CIMNMF) grouping(int) Grouping { return p.clusteredBy(p.factoring()) }
