package method

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/selective"
)

// SMRMF is selective manifold regularised matrix factorisation (Mani, Domeniconi and
// Griva 2020): rmnmf with a graph that is learned together with the indicators, from an encoding Z of
// all samples by few,
//
//	min Σᵢ ‖(X − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG) + β⟨D, Z⟩
//	under GᵀG = I, G ≥ 0, Z ≥ 0, 1ᵀZ = 1ᵀ, Σᵢ ‖zᵢ‖_p ≤ τ,
//
// where D has the dissimilarities by a kernel of density-adaptive width. L is the Laplacian of the k
// largest entries of each of the τ largest rows of Z. n²m flops, O(n²) for each step of
// A2DM2, and O(n²C) for each iteration; 4n² bytes.
type SMRMF struct {
	Protocol
	Neighbors *int `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each exemplar, at most n − 1; the distance to the k-th nearest sample is the bandwidth; auto: ⌊√n⌋"`
	BoundedEncoding
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
	IndicatorLabels
}

// Name returns "smrmf".
func (SMRMF) Name() string { return "smrmf" }

func (p SMRMF) row() Row {
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p SMRMF) check(n, _ int) error {
	return checkSelection(p.Name(), p.Neighbors, p.Exemplars, p.P, n)
}

func (p SMRMF) factoring() factor.Plan {
	return factor.Plan{Solve: bySelection(factor.BySelection{ByALM: byALM(nil, shareOfLearned, indicatorParameters{p.FeatureScale, p.Origin, p.IndicatorStart, p.Lagrangian}), K: p.Neighbors}, p.BoundedEncoding)}
}

func (p SMRMF) grouping(int) Grouping { return factorGrouping(p.Labels, p.factoring()) }

// checkSelection returns an error for numbers of neighbours and exemplars that n samples do not
// have, and for a bound on the rows that no encoding satisfies.
func checkSelection(name string, k *int, exemplars int, norm string, n int) error {
	if n < 2 {
		return fmt.Errorf("%s: %d sample; give at least 2", name, n)
	}
	if err := (neighborhood.RootNearest{K: k}).Check(name, n, n-1); err != nil {
		return err
	}
	if exemplars > n {
		return fmt.Errorf("%s: %d exemplars requested of %d samples; give a number from 1 to %d", name, exemplars, n, n)
	}
	tau := exemplars
	if tau == 0 {
		tau = selective.DefaultExemplars(n)
	}
	if norm == "2" && float64(tau)*float64(tau) < float64(n) {
		return wording.Errorf("%s: with ‹p=2› the columns of an encoding by %d exemplars cannot sum to 1: give at least %.0f exemplars for %d samples, or ‹p=inf›",
			name, tau, math.Ceil(math.Sqrt(float64(n))), n)
	}
	return nil
}

// SMRMFEuc is [SMRMF] with distances instead of the dissimilarities by a kernel: those between samples,
// divided by the largest, and squared distances between indicators.
type SMRMFEuc struct {
	Protocol
	Neighbors *int `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each exemplar, at most n − 1; auto: ⌊√n⌋"`
	BoundedEncoding
	FeatureScale
	Origin
	IndicatorStart
	Lagrangian
	IndicatorLabels
}

// Name returns "smrmf-euc".
func (SMRMFEuc) Name() string { return "smrmf-euc" }

func (p SMRMFEuc) row() Row {
	return Row{Check: p.check, Factorize: p.factoring, Cluster: p.grouping}
}

func (p SMRMFEuc) check(n, _ int) error {
	return checkSelection(p.Name(), p.Neighbors, p.Exemplars, p.P, n)
}

func (p SMRMFEuc) factoring() factor.Plan {
	return factor.Plan{Solve: bySelection(factor.BySelection{ByALM: byALM(nil, shareOfLearned, indicatorParameters{p.FeatureScale, p.Origin, p.IndicatorStart, p.Lagrangian}), Graph: selective.Options{Distances: true}, K: p.Neighbors}, p.BoundedEncoding)}
}

func (p SMRMFEuc) grouping(int) Grouping { return factorGrouping(p.Labels, p.factoring()) }
