package cluster

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
)

// byFactors factorises the samples with one component for each cluster,
// and clusters the rows of W.
func (g Plan) byFactors(job *run.Run, x samples.Samples, clusters int) (*Partition, error) {
	n, exponent := x.N(), x.Exponent() // x must not be used below: it is released once it is scaled
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
		best := floats.MaxIdx(w.Row(i)) // the first on ties
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

// The rows of a factorisation X ≈ WH that may be clustered.
const (
	Codes     = "codes"      // rows of W
	Unit      = "unit"       // rows of W, scaled to unit length
	Model     = "model"      // rows of WH
	UnitModel = "unit-model" // rows of WH, scaled to unit length
)

// rows returns the rows to cluster: those of W, or rows of the same length with
// the same distances as the rows of WH.
func (g Plan) rows(job *run.Run, w samples.Samples, h []float64) (samples.Samples, error) {
	switch g.Rows {
	case "", Codes:
		return w, nil
	case Unit:
		return w.Unit(job.Context(), job.Threads())
	}
	root, err := rootOfGram(job, w.M(), h)
	if err != nil {
		return w, err
	}
	y := make([]float64, w.N()*w.M())
	job.Kernels().GemmParallel(job.Threads(), false, false, w.N(), w.M(), w.M(), 1, w.Data(), w.M(), root, w.M(), 0, y, w.M())
	model := samples.OfRows(w.N(), w.M(), y)
	if g.Rows == UnitModel {
		return model.Unit(job.Context(), job.Threads())
	}
	return model, nil
}

// amongRows clusters the rows of a factorisation. The eigenvalues and components of their graph are
// dropped, because those in a clustering's result belong to the graph of the samples.
func (g Plan) amongRows(job *run.Run, rows samples.Samples, clusters int) (*Partition, error) {
	if g.Among == nil {
		r, _, err := g.byMeans(job, rows, clusters)
		return r, err
	}
	among, err := g.Among(rows.N()).bySpectrum(run.Euclidean(job), rows, clusters)
	if err != nil {
		return nil, err
	}
	return &Partition{Labels: among.Labels, FirstCost: among.FirstCost, Cost: among.Cost, Iterations: among.Iterations,
		Converged: among.Converged, Next: math.NaN()}, nil
}

// rootOfGram returns the symmetric square root of HHᵀ, r × r: the product of W and it has rows with
// the same distances as those of WH. O(r²m + r³).
func rootOfGram(job *run.Run, r int, h []float64) ([]float64, error) {
	m := len(h) / r
	gram := make([]float64, r*r)
	job.Kernels().GemmParallel(job.Threads(), false, true, r, r, m, 1, h, m, h, m, 0, gram, r)
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(r, gram), true) {
		return nil, wording.Errorf("%s: the eigenvalues of HHᵀ did not converge; choose ‹rows=codes›", job.Method())
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	root := make([]float64, r*r)
	for at, value := range e.Values(nil) {
		for i := range r {
			for j := range r {
				root[i*r+j] += math.Sqrt(max(value, 0)) * vectors.At(i, at) * vectors.At(j, at)
			}
		}
	}
	return root, nil
}
