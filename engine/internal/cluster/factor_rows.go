package cluster

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
)

// Rows of a factorisation X ≈ WH that may be clustered.
const (
	Codes     = "codes"      // those of W
	Unit      = "unit"       // those of W, of unit length
	Model     = "model"      // those of WH
	UnitModel = "unit-model" // those of WH, of unit length
)

// rows are the rows that are clustered: those of W, or others of as many columns that
// have the same distances as the rows of WH.
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

// amongRows clusters the rows of a factorisation. What is known of their graph stays with
// them: eigenvalues and components that a clustering reports are those of the samples'.
func (g Plan) amongRows(job *run.Run, rows samples.Samples, clusters int) (*Partition, error) {
	if g.Among == nil {
		r, _, err := g.byMeans(job, rows, clusters)
		return r, err
	}
	among, err := g.Among(rows.N()).bySpectrum(job, rows, clusters)
	if err != nil {
		return nil, err
	}
	return &Partition{Labels: among.Labels, FirstCost: among.FirstCost, Cost: among.Cost, Iterations: among.Iterations,
		Converged: among.Converged, Next: math.NaN()}, nil
}

// rootOfGram is the symmetric root of HHᵀ, r × r: the rows of W times it have the
// distances of the rows of WH. O(r²m + r³).
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
