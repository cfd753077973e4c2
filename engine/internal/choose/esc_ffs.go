package choose

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// ESCFFS chooses by the misfit of sparse codes; see the method esc-ffs.
type ESCFFS struct {
	Gamma float64
	First *int // the row of the first exemplar; nil: a random one
	Scale string
}

// Choose repeatedly selects the sample with the worst code.
func (m ESCFFS) Choose(job *run.Run, x samples.Samples, count int) (*Choice, error) {
	defer job.Phase("solve")()
	found, _, _, err := m.search(job, x, count)
	if err != nil {
		return nil, err
	}
	return &Choice{Indices: found.Indices, First: found.Costs[0], Last: found.Costs[count-1], Iterations: count, Converged: true}, nil
}

// search finds exemplars and the codes of all samples, after scaling them.
func (m ESCFFS) search(job *run.Run, x samples.Samples, count int) (*exemplars.FarthestFirstResult, samples.Samples, samples.Scaling, error) {
	scaling := samples.Scaling{}
	n, k := int64(x.N()), int64(count)
	if err := job.FitBeforeSolve(x.N(), x.M(), 8*(2*n*k+2*n*int64(x.M())+k*k), "take fewer exemplars or samples, or raise the limit"); err != nil {
		return nil, x, scaling, err
	}
	scaling = x.ScalingOf(m.Scale)
	x = x.ScaledBy(scaling)
	first, err := m.first(job, x)
	if err != nil {
		return nil, x, scaling, err
	}
	found, err := exemplars.FarthestFirst(job.Context(), points(x), count, exemplars.FarthestFirstOptions{Options: options(job, count), Gamma: m.Gamma, First: first})
	if err != nil {
		return nil, x, scaling, err
	}
	job.Note("lasso_solves", found.Solves)
	job.Note("lasso_violation", found.Violation)
	if found.Violation > 1e-6 {
		job.Warn("the codes of some samples miss their conditions of optimality by %.1e: a smaller gamma is easier", found.Violation)
	}
	return found, x, scaling, nil
}

// first returns the row of the first exemplar.
func (m ESCFFS) first(job *run.Run, x samples.Samples) (int, error) {
	var directed []int
	zeros := 0
	for i := range x.N() {
		if row := x.Row(i); blas.Dot(row, row) > 0 {
			directed = append(directed, i)
		} else {
			zeros++
		}
	}
	switch {
	case len(directed) == 0:
		return 0, fmt.Errorf("esc-ffs: all samples are zeros, which have no direction; take another scale, or another method")
	case zeros > 0:
		job.Warn("%d samples are all zeros and have no code", zeros)
	}
	if m.First == nil {
		return directed[blas.NewStream(job.Seed()).Below(len(directed))], nil
	}
	if row := x.Row(*m.First); blas.Dot(row, row) == 0 {
		return 0, wording.Errorf("esc-ffs: ‹first› is row %d, which is all zeros and has no direction; give another", *m.First)
	}
	return *m.First, nil
}

// Encode codes the samples by count exemplars. Codes are scaled to unit length, except
// zeros.
func (m ESCFFS) Encode(job *run.Run, x samples.Samples, count int) (*neighborhood.Coding, error) {
	found, coded, scaling, err := m.search(job, x, count)
	if err != nil {
		return nil, err
	}
	job.Note("exemplars", found.Indices)
	codes := samples.OfRows(x.N(), count, found.Codes)
	for i := range codes.N() {
		if row := codes.Row(i); blas.Dot(row, row) > 0 {
			vector.Normalize(row)
		}
	}
	return &neighborhood.Coding{Codes: codes, Coded: coded, Scaling: scaling, Exemplars: found.Indices}, nil
}
