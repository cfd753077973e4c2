package choose

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// DPP chooses by a determinantal point process; see the method dpp.
type DPP struct {
	Sample    string // map or exact
	Neighbors *int   // for the width of the kernel; nil: ⌊√n⌋
	Negative  string // negative eigenvalues: zero or keep
	Scale     string
}

// Choose returns a set of large determinant, or a random set.
func (m DPP) Choose(job *run.Run, x samples.Samples, count int) (*Choice, error) {
	n := int64(x.N())
	need := 8*n*int64(x.M()) + 12*n*n + 8*n*int64(count)
	remedy := "take fewer samples, or raise the limit"
	if m.Negative == "zero" {
		need += 34 * n * n
		remedy = "take ‹negative=keep›, which needs no eigenvectors, fewer samples, or raise the limit"
	}
	if err := job.FitBeforeSolve(x.N(), x.M(), need, remedy); err != nil {
		return nil, err
	}
	x = x.Scaled(m.Scale)
	kernel, err := adaptiveSimilarities(job, x, m.Neighbors)
	if err != nil {
		return nil, err
	}
	end := job.Phase("solve")
	chosen, logs, err := m.solve(job, x, kernel, count)
	end()
	if err != nil {
		return nil, err
	}
	found := &Choice{First: totalOf(logs[:min(1, len(logs))]), Last: totalOf(logs), Iterations: len(chosen), Converged: true}
	found.Indices, err = filled(job, x, chosen, count, "the determinant of every larger set is 0")
	return found, err
}

// solve returns up to count exemplars and the logarithms of the factors of their
// determinant.
func (m DPP) solve(job *run.Run, x samples.Samples, kernel []float64, count int) ([]int, []float64, error) {
	n, o := x.N(), options(job, count)
	if m.Negative == "keep" {
		return exemplars.Greedy(job.Context(), kernel, n, count, o)
	}
	e, err := exemplars.NewEnsemble(job.Context(), kernel, n, o)
	if err != nil {
		return nil, nil, err
	}
	job.Note("negative_eigenvalues", e.Negative)
	job.Note("lowest_eigenvalue", e.Lowest)
	job.Note("rank", e.Rank())
	if m.Sample == "map" {
		return exemplars.Greedy(job.Context(), e.Kernel(), n, count, o)
	}
	chosen, err := e.Sample(job.Context(), min(count, e.Rank()), blas.NewStream(o.Seed))
	if err != nil {
		return nil, nil, err
	}
	logs, err := exemplars.LogFactors(job.Context(), e.Kernel(), n, chosen)
	return chosen, logs, err
}
