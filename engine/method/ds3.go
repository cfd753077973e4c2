package method

import (
	"github.com/orthant-go/orthant/engine/internal/choose"
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
)

// DS3 chooses representatives by the dissimilarities of all pairs of samples (Elhamifar,
// Sapiro and Sastry 2016): zᵢⱼ is the degree to which sample i represents sample j, and
//
//	min ⟨D, Z⟩   under Z ≥ 0, 1ᵀZ = 1ᵀ, Σᵢ ‖zᵢ‖_p ≤ τ     (constrained)
//	min ⟨D, Z⟩ + α ρ_max Σᵢ ‖zᵢ‖_p under the first two   (regularised)
//
// with ‖·‖_p of rows and D divided by its largest entry; samples with large rows
// represent the others. Exemplars are in descending order of the norms of their rows. In the
// constrained form τ is their number for p = ∞, and √(n·number) for p = 2, which is the sum for
// rows that share the samples evenly. A clustering has one exemplar for each cluster,
// and assigns each sample to the exemplar that represents it most. O(n²) for each iteration, 40n² bytes.
// The objective is ⟨D, Z⟩.
type DS3 struct {
	Form            string   `json:"form" default:"constrained" allowed:"constrained|regularised" doc:"how few exemplars are enforced: the sum of the norms of Z's rows is bounded (constrained), or is a term of the objective (regularised)"`
	P               string   `json:"p" default:"inf" allowed:"inf|2" doc:"the norm of a row of Z: its largest entry, or its length"`
	Alpha           float64  `json:"norm_weight" former:"alpha" default:"0.1" allowed:"> 0" doc:"α, for form=regularised: the weight of the term, as a share of the weight ρ_max at which a single representative is left; a smaller α gives more exemplars"`
	Mu              float64  `json:"mu" default:"0.1" allowed:"> 0" doc:"μ, the penalty of the alternating directions; it changes the number of iterations, not the solution"`
	Iterations      int      `json:"iterations" default:"3000" allowed:"≥ 1" doc:"the most iterations"`
	Tolerance       *float64 `json:"tolerance" default:"1e-7" allowed:"≥ 0" doc:"stop when the mean difference of the two copies of Z, and the mean change of one of them, are at most this; 0: never"`
	Dissimilarities string   `json:"dissimilarities" default:"euclidean" allowed:"euclidean|kernel" doc:"the dissimilarities of the samples: distances, or 1 minus the similarities of dpp"`
	Neighbors       *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k: the distance to the k-th nearest sample is the width of the kernel; auto: ⌊√n⌋"`
	FeatureScale
}

// Name returns "ds3".
func (DS3) Name() string { return "ds3" }

func (m DS3) row() Row {
	return Row{Choose: func() choose.Rule { return m.rule().Choose }, Cluster: m.grouping, Check: m.check, Cheaper: m.cheaper}
}

func (m DS3) check(n, _ int) error {
	if m.Dissimilarities != "kernel" {
		return nil
	}
	return neighborhood.RootNearest{K: m.Neighbors}.Check(m.Name(), n, n-1)
}

func (m DS3) rule() choose.DS3 {
	return choose.DS3{Form: m.Form, P: m.P, Alpha: m.Alpha, Mu: m.Mu, Iterations: m.Iterations, Tolerance: *m.Tolerance,
		Dissimilarities: m.Dissimilarities, Neighbors: m.Neighbors, Scale: m.Scale}
}

func (m DS3) grouping(int) Grouping {
	noRule := ""
	if m.Dissimilarities == "kernel" {
		noRule = " with ‹dissimilarities=kernel›, whose width follows the samples of the fit"
	}
	return Grouping{Plan: cluster.Plan{
		Assign: m.rule().Assign,
		NoRule: noRule,
		Within: cluster.PursuitWithin(12),
	}, Embed: byPCA}
}

func (m DS3) cheaper(n int, _ bool) string {
	if n < manyPairs {
		return ""
	}
	return "has n² unknowns in each iteration; esc-ffs and ipm choose in time that grows as n"
}
