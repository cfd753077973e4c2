package cluster

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// byFactors factorises the samples with a rank of as many as there are to be clusters,
// and clusters the rows of W.
func (g Plan) byFactors(job *run.Run, x samples.Samples, clusters int) (*Partition, error) {
	n, exponent := x.N(), x.Exponent() // and not x from here on: it is let go, once it is scaled
	found, err := factor.Work{Run: job, X: x, Plan: *g.Factors, Rank: clusters}.Factorize()
	if err != nil {
		return nil, err
	}
	last := g.Factors.Solve.Units().Point(found.Trace[len(found.Trace)-1], exponent)
	job.Note("factor_iterations", found.Iterations)
	job.Note("factor_objective", last.Objective)
	job.Note("relative_error", found.RelativeError())
	w := samples.OfRows(n, clusters, found.W)
	if found.Codes != nil {
		w = samples.OfRows(n, clusters, found.Codes)
	}
	r := &Partition{}
	if g.Argmax {
		r = byArgmax(job, w)
	} else {
		if w, err = g.rows(job, w, found.H); err != nil {
			return nil, err
		}
		if r, err = g.amongRows(job.Holding(8*int64(len(found.W)+len(found.H))), w, clusters); err != nil {
			return nil, err
		}
	}
	r.Factors = &found.Judged
	r.Components, r.Selection = found.Components, found.Selection
	return r, nil
}

// byArgmax gives each sample the cluster of its largest coordinate, the first on ties.
func byArgmax(job *run.Run, w samples.Samples) *Partition {
	r := &Partition{Labels: make([]int64, w.N()), Cost: math.NaN(), FirstCost: math.NaN(), Next: math.NaN(), Converged: true}
	used := make([]bool, w.M())
	for i := range r.Labels {
		best := floats.MaxIdx(w.Row(i)) // the first of equal ones
		r.Labels[i], used[best] = int64(best), true
	}
	count := 0
	for _, u := range used {
		if u {
			count++
		}
	}
	if count < w.M() {
		job.Warn("only %d of %d clusters have samples: no sample has the largest coordinate in the others", count, w.M())
	}
	return r
}
