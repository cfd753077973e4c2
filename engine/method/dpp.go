package method

import (
	"github.com/orthant-go/orthant/engine/internal/choose"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/wording"
)

// DPP chooses exemplars by a determinantal point process (Kulesza and Taskar 2012): the probability of
// a set is proportional to the determinant of its similarities, so similar samples are rarely
// chosen together. The similarities are
//
//	K̄ᵢⱼ = (Kᵢⱼ + Kⱼᵢ)/2,   Kᵢⱼ = exp(−‖xᵢ − xⱼ‖²/2sᵢ²),
//
// where sᵢ is the distance to the k-th nearest sample; negative eigenvalues are removed. By
// default the set is not random: each exemplar is the one that increases the determinant
// most. O(n²m + n³), or O(n²m + nT²) with negative=keep; 40n² bytes. The
// objective is the logarithm of the determinant.
type DPP struct {
	Sample    string `json:"sample" default:"map" allowed:"map|exact" doc:"the set that is chosen: a greedy one of large determinant, which does not depend on the seed, or a random one of the same size, drawn by the seed"`
	Neighbors *int   `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k: the distance to the k-th nearest sample is the width of the kernel; auto: ⌊√n⌋"`
	Negative  string `json:"negative" default:"zero" allowed:"zero|keep" doc:"negative eigenvalues of the similarities are set to 0, which needs all eigenpairs, or kept (only with sample=map)"`
	FeatureScale
}

// Name returns "dpp".
func (DPP) Name() string { return "dpp" }

func (m DPP) row() Row {
	return Row{Choose: m.rule, Check: m.check, Cheaper: m.cheaper}
}

func (m DPP) check(n, _ int) error {
	if m.Sample == "exact" && m.Negative == "keep" {
		return wording.Errorf("dpp: ‹negative=keep› leaves no probabilities to draw by; give ‹negative=zero›, or ‹sample=map›")
	}
	return neighborhood.RootNearest{K: m.Neighbors}.Check(m.Name(), n, n-1)
}

func (m DPP) rule() choose.Rule {
	return choose.DPP{Sample: m.Sample, Neighbors: m.Neighbors, Negative: m.Negative, Scale: m.Scale}.Choose
}

// manyPairs is the number of samples from which a way without all eigenpairs of similarities, or
// without n² unknowns, is suggested.
const manyPairs = 5_000

func (m DPP) cheaper(n int, _ bool) string {
	if n < manyPairs || m.Negative == "keep" {
		return ""
	}
	text := "takes all eigenpairs of their similarities, in time that grows as n³"
	if m.Sample != "exact" {
		return text + "; ‹negative=keep› takes none, in time that grows as n², and leaves negative eigenvalues as they are; esc-ffs and ipm choose in time that grows as n"
	}
	return text + "; ‹sample=map› with ‹negative=keep› takes none, in time that grows as n², and chooses the likeliest set in place of a random one"
}
