package choose

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/exemplars"
	norms "github.com/orthant-go/orthant/solvers/projections"
)

// DS3 chooses by the dissimilarities of all pairs; see the method ds3.
type DS3 struct {
	Form            string // constrained or regularised
	P               string // the norm of a row of Z: inf or 2
	Alpha, Mu       float64
	Iterations      int
	Tolerance       float64
	Dissimilarities string // euclidean or kernel
	Neighbors       *int   // for the width of the kernel; nil: ⌊√n⌋
	Scale           string
}

// Choose selects the samples with the largest rows of Z.
func (m DS3) Choose(job *run.Run, x samples.Samples, count int) (*Choice, error) {
	found, scaled, first, err := m.solve(job, x, count)
	if err != nil {
		return nil, err
	}
	c := &Choice{First: first, Last: found.Objective, Iterations: found.Iterations, Converged: found.Converged}
	chosen := found.Representatives
	job.Note("representatives", len(chosen))
	c.Indices, err = filled(job, scaled, chosen[:min(count, len(chosen))], count, "no other row of Z is large")
	return c, err
}

// solve solves the programme for at most count representatives. It also returns the scaled
// samples and the objective at the start.
func (m DS3) solve(job *run.Run, x samples.Samples, count int) (found *exemplars.DS3Result, scaled samples.Samples, first float64, err error) {
	n := x.N()
	square := int64(22) // bytes for each entry: the dissimilarities, packed and full, and encodings
	if m.Form == "regularised" {
		square = 46 // and three matrices of the splitting
	}
	if err := job.FitBeforeSolve(x.N(), x.M(), square*int64(n)*int64(n)+16*int64(n)*int64(x.M()), "take fewer samples, or raise the limit"); err != nil {
		return nil, x, 0, err
	}
	x = x.Scaled(m.Scale)
	var d []float64
	if m.Dissimilarities == "kernel" {
		if d, err = adaptiveSimilarities(job, x, m.Neighbors); err == nil {
			for at, v := range d {
				d[at] = max(1-v, 0)
			}
		}
	} else {
		d, err = euclideanShares(job, x)
	}
	if err != nil {
		return nil, x, 0, err
	}
	o := exemplars.DS3Options{Norm: norms.Max, Mu: m.Mu, Alpha: m.Alpha, Iterations: m.Iterations, Tolerance: m.Tolerance,
		Threads: job.Threads()}
	o.Progress, _ = job.Iterating("solve", m.Iterations)
	if o.Tolerance == 0 {
		o.Tolerance = math.SmallestNonzeroFloat64
	}
	tau := float64(count)
	if m.P == "2" {
		o.Norm, tau = norms.Euclidean, math.Sqrt(float64(n)*tau)
	}
	if m.Form == "constrained" {
		o.Tau, o.Representatives = tau, count
		job.Note("tau", tau)
	}
	defer job.Phase("solve")()
	if found, err = exemplars.DS3(job.Context(), d, n, o); err != nil {
		return nil, x, 0, err
	}
	if m.Form == "regularised" {
		job.Note("rho_max", found.RhoMax)
	}
	if !found.Converged && o.Tolerance > math.SmallestNonzeroFloat64 {
		job.Warn("ds3 reached %d iterations before its tolerance: the representatives are the best found", found.Iterations)
	}
	return found, x, medoidCost(d, n), nil
}

// medoidCost returns the cost of the best single representative of all samples, with the largest
// dissimilarity scaled to 1.
func medoidCost(d []float64, n int) float64 {
	least, top := math.Inf(1), 0.0
	for i := range n {
		var sum float64
		for _, v := range d[i*n : (i+1)*n] {
			sum += v
			top = max(top, v)
		}
		least = min(least, sum)
	}
	if top == 0 {
		return 0
	}
	return least / top
}

// Assignment is a clustering by exemplars.
type Assignment struct {
	Labels      []int64 // the exemplar of each sample, from 0
	First, Last float64 // the objective at the start and at the end
	Iterations  int
	Converged   bool

	Exemplars []int           // exemplar of each nonempty label
	Scaled    samples.Samples // the samples as they were compared
	Scaling   samples.Scaling
}

// Assign clusters the samples by the exemplars that represent them.
func (m DS3) Assign(job *run.Run, x samples.Samples, clusters int) (*Assignment, error) {
	scaling := x.ScalingOf(m.Scale)
	found, scaled, first, err := m.solve(job, x, clusters)
	if err != nil {
		return nil, err
	}
	job.Note("exemplars", found.Representatives)
	used := int64(0)
	for _, label := range found.Labels {
		used = max(used, label+1)
	}
	switch {
	case int(used) > clusters:
		return nil, wording.Errorf("%s: ‹form=regularised› leaves %d representatives for %d clusters; give a larger alpha, or ‹form=constrained›", job.Method(), used, clusters)
	case int(used) < clusters:
		job.Warn("only %d of %d clusters have samples: no other exemplar stands for any", used, clusters)
	}
	return &Assignment{Labels: found.Labels, First: first, Last: found.Objective, Iterations: found.Iterations, Converged: found.Converged,
		Exemplars: found.Exemplars, Scaled: scaled, Scaling: scaling}, nil
}
