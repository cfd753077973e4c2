package engine

// CIMNMF is nonnegative matrix factorisation by the correntropy-induced metric (Du, Li
// and Shen 2012),
//
//	min Σᵢⱼ 1 − exp(−(X − WH)ᵢⱼ²/2σ²)   under W, H ≥ 0,   σ² = θ·mean((X − WH)²),
//
// by half-quadratic optimisation: entries that fit badly, as occluded or noisy ones,
// hardly count. σ² changes with every iteration, and so no objective need fall. 12nmR
// flops and nm exponentials an iteration, and a matrix of the data's size.
type CIMNMF struct {
	PositiveStart
	Updates `iterations:"1500"`
	Correntropy
	ClusterLabels
}

// Name returns "cim-nmf".
func (CIMNMF) Name() string { return "cim-nmf" }

func (p CIMNMF) factoring() factoring {
	return factoring{run: byNMF{}.with(p.PositiveStart, p.Updates, p.Correntropy)}
}

func (p CIMNMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
