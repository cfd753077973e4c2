package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// DPP chooses exemplars by a determinantal point process (Kulesza and Taskar 2012): sets
// are likely in proportion to the determinant of their similarities, so that samples
// which are like each other seldom come together. The similarities are
//
//	K̄ᵢⱼ = (Kᵢⱼ + Kⱼᵢ)/2,   Kᵢⱼ = exp(−‖xᵢ − xⱼ‖²/2sᵢ²),
//
// with sᵢ the distance to the k-th nearest sample, without their negative eigenvalues. By
// default the set is not drawn: each exemplar is the one that multiplies the determinant
// most. O(n²m + n³), or O(n²m + nT²) with negative=keep; 40n² bytes. The
// objective is the logarithm of the determinant.
type DPP struct {
	Sample    string `json:"sample" default:"map" allowed:"map|exact" doc:"the greedy set of large determinant, which is always the same, or a random one of that size by the seed"`
	Neighbors *int   `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the nearest sample whose distance is the width of the kernel; auto: ⌊√n⌋"`
	Negative  string `json:"negative" default:"zero" allowed:"zero|keep" doc:"eigenvalues of the similarities below 0: set to 0, which takes all eigenpairs, or kept as they are (with sample=map alone)"`
	FeatureScale
}

// Name returns "dpp".
func (DPP) Name() string { return "dpp" }

func (m DPP) check(n, _ int) error {
	if m.Sample == "exact" && m.Negative == "keep" {
		return fmt.Errorf("dpp: negative=keep leaves no probabilities to draw by; give negative=zero, or sample=map")
	}
	return checkRoot(m.Name(), m.Neighbors, n, n-1)
}

func (m DPP) choose(p *problem, count int) (*choice, error) {
	n := int64(p.x.N)
	need := 8*n*int64(p.x.M) + 12*n*n + 8*n*int64(count)
	mend := "take fewer samples, or raise the limit"
	if m.Negative == "zero" {
		need += 28 * n * n
		mend = "take negative=keep, which needs no eigenvectors, fewer samples, or raise the limit"
	}
	if err := p.limit(need, mend); err != nil {
		return nil, err
	}
	p.scaleFeatures(m.Scale)
	kernel, err := p.adaptiveSimilarities(m.Neighbors)
	if err != nil {
		return nil, err
	}
	end := p.clock.Phase("solve")
	chosen, logs, err := m.solve(p, kernel, count)
	end()
	if err != nil {
		return nil, err
	}
	found := &choice{first: totalOf(logs[:min(1, len(logs))]), last: totalOf(logs), iterations: len(chosen), converged: true}
	found.indices, err = p.filled(chosen, count, "the determinant of every larger set is 0")
	return found, err
}

// solve returns up to count exemplars and the logarithms of the factors of their
// determinant.
func (m DPP) solve(p *problem, kernel []float64, count int) ([]int, []float64, error) {
	n, o := p.x.N, p.exemplarOptions()
	if m.Negative == "keep" {
		return exemplars.Greedy(p.ctx, kernel, n, count, o)
	}
	e, err := exemplars.NewEnsemble(p.ctx, kernel, n, o)
	if err != nil {
		return nil, nil, err
	}
	p.details["negative_eigenvalues"], p.details["lowest_eigenvalue"], p.details["rank"] = e.Negative, e.Lowest, e.Rank()
	if m.Sample == "map" {
		return exemplars.Greedy(p.ctx, e.Kernel(), n, count, o)
	}
	chosen, err := e.Sample(p.ctx, min(count, e.Rank()), blas.NewStream(o.Seed))
	if err != nil {
		return nil, nil, err
	}
	logs, err := exemplars.LogFactors(p.ctx, e.Kernel(), n, chosen)
	return chosen, logs, err
}
