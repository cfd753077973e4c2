package factor

import (
	"gonum.org/v1/gonum/floats"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/sparse"
)

// Starts are the clusterings from which indicators may start.
type Starts struct {
	Init string // spectral, kmeans or nndsvd

	// Spectral clusters by the Laplacian of a graph, KMeans the samples themselves. Labels
	// are from 0.
	Spectral func(job *run.Run, x samples.Samples, laplacian *sparse.CSR, clusters int) ([]int64, error)
	KMeans   func(job *run.Run, x samples.Samples, clusters int) ([]int64, error)

	// Own says that the graph of the spectral start is that of the method; where it has none,
	// or one that is learned or holds a part of the samples alone, Neighbors and Patch make it.
	Own       bool
	Neighbors neighborhood.Rule
	Patch     patch.Rule
}

// clusters are the labels of the start; nil: it is that of the singular vectors. own is
// the Laplacian of the method's graph, nil where there is none.
func (s Starts) clusters(w Work, own *sparse.CSR) ([]int64, error) {
	if s.Init == "nndsvd" {
		return nil, nil
	}
	if s.Init == "spectral" {
		labels, err := s.bySpectrum(w, own)
		if labels != nil || err != nil {
			return labels, err
		}
	}
	return s.KMeans(w.Within(), w.X, w.Rank)
}

// bySpectrum is the spectral start; nil: the graph leaves a sample alone.
func (s Starts) bySpectrum(w Work, own *sparse.CSR) ([]int64, error) {
	if own == nil || !s.Own {
		if w.X.N() < 3 {
			return nil, nil
		}
		found, err := s.Neighbors.Find(w.Run, w.X)
		if err != nil {
			return nil, err
		}
		a, err := align.GraphTerm(align.Input{Local: patch.Local{Run: w.Run, X: w.X, Graph: found.Graph}, Patch: s.Patch})
		if err != nil {
			return nil, err
		}
		own = a.Phi
	}
	for i := range own.Rows {
		if !(own.At(i, i) > 0) {
			w.Explain("start: sample %d (counting from 1) has no neighbour in the graph, so that k-means takes the place of spectral clustering", w.X.Number(i))
			return nil, nil
		}
	}
	return s.Spectral(w.Within(), w.X, own, w.Rank)
}

// soft tells whether the iteration starts from what was given, or from parts of singular
// vectors, as they are, and not from rays.
func (r ByALM) soft(o alm.Options) bool {
	return o.Harden == 0 && (o.W != nil || r.Starts.Init == "nndsvd")
}

// spectralNorm is the norm by which the samples are divided.
func (w Work) spectralNorm(x []float64, o alm.Options) (float64, error) {
	norm, err := alm.SpectralNorm(w.Context(), w.X.N(), w.X.M(), x, o)
	return norm, w.Solver(err)
}

// begin divides the samples by their spectral norm and completes the start.
func (r ByALM) begin(w Work, at *placed, soft bool, laplacian *sparse.CSR, o *alm.Options) error {
	defer w.Phase("start")()
	unit := w.X.Data()
	if soft && o.W == nil {
		begin, err := alm.Start(w.Context(), w.X.N(), w.X.M(), unit, o.Rank, *o)
		if err != nil {
			return w.Solver(err)
		}
		at.norm = begin.Norm
		w.Note("spectral_norm", at.norm)
		w.takeStart(begin, o)
		return nil
	}
	for i := range unit {
		unit[i] /= at.norm
	}
	w.Note("spectral_norm", at.norm)
	at.inside(o.H)
	if soft {
		return nil
	}
	return r.beginRays(w, unit, laplacian, o)
}

// takeStart takes the start that was found.
func (w Work) takeStart(begin *alm.InitialFactors, o *alm.Options) {
	o.W, o.H = begin.W, begin.H
	if begin.Filled > 0 {
		w.Warn("only %d of the %d components follow from the data, which have no more singular values above rounding; the others start from every %d-th sample",
			o.Rank-begin.Filled, o.Rank, begin.Filled)
	}
}

// beginRays completes the start: the rays of a clustering, of what was given, or of the
// singular vectors.
func (r ByALM) beginRays(w Work, unit []float64, laplacian *sparse.CSR, o *alm.Options) error {
	labels := make([]int, w.X.N())
	var directions []float64
	if o.W != nil { // given
		largestOfRows(labels, o.W, w.Rank)
		directions = o.H
	} else {
		found, err := r.Starts.clusters(w, laplacian)
		if err != nil {
			return err
		}
		if found == nil {
			begin, err := alm.Start(w.Context(), w.X.N(), len(unit)/w.X.N(), unit, o.Rank, *o)
			if err != nil {
				return w.Solver(err)
			}
			w.takeStart(begin, o)
			largestOfRows(labels, o.W, w.Rank)
		}
		for i, c := range found {
			labels[i] = int(c)
		}
	}
	var err error
	o.W, o.H, err = alm.Rays(w.Context(), w.X.N(), len(unit)/w.X.N(), unit, w.Rank, labels, directions, *o)
	return err
}

// largestOfRows are the places of the largest entries of rows, the first of equal ones.
func largestOfRows(labels []int, w []float64, rank int) {
	for i := range labels {
		labels[i] = floats.MaxIdx(w[i*rank : (i+1)*rank])
	}
}
