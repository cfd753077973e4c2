package factor

import (
	"fmt"
	"math"
	"runtime/debug"

	"gonum.org/v1/gonum/floats"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// ByALM finds orthonormal, nonnegative cluster indicators by an augmented Lagrangian.
type ByALM struct {
	alm.Options          // the penalty, limits
	Scale       string   // of the features: minmax, shift or none
	Centered    bool     // subtract the mean of the scaled features
	Lambda      *float64 // λ; nil: derived from the loss and the graph, see [ByALM.weight]
	Share       float64  // share of the graph term in that derivation
	Starts      Starts
	// Learn makes the graph of a method that learns its affinities, for the weight λ, and returns
	// the bytes that it holds; nil: the graph comes from the first three steps and is fixed. It gets
	// the samples as the factorisation uses them: scaled and, if Divided is set, divided by their spectral
	// norm. Afterwards they are divided in place.
	Learn   func(job *run.Run, x samples.Samples, lambda float64) (graph alm.Graph, holds int64, err error)
	Divided bool
}

// Factorize finds the indicators of the scaled samples.
func (r ByALM) Factorize(w Work) (*Found, error) {
	if err := w.checkIndicators(); err != nil {
		return nil, err
	}
	if err := w.roomForIndicators(); err != nil {
		return nil, err
	}
	o := w.indicatorOptions(r.Options)
	var err error
	if o.W, o.H, err = w.givenFactors(true); err != nil {
		return nil, err
	}
	at := w.preprocess(r.Scale, r.Centered) // continues with other samples; the originals are released
	w.collect()
	whole := w.Run
	w.Run = whole.Holding(w.X.Bytes())
	var graph alm.Graph
	var laplacian *sparse.CSR
	var components []int
	if r.Learn == nil {
		weight := 1.0 // only whether it is 0 matters here
		if r.Lambda != nil {
			weight = *r.Lambda
		}
		phi, sizes, err := w.graph(w.X, weight)
		if err != nil {
			return nil, err
		}
		if components = sizes; phi != nil {
			laplacian = phi.Sparse
			graph = alm.Fixed(affinities(laplacian))
			w.Run = whole.Holding(phi.Bytes())
			if err := w.roomForIndicators(); err != nil {
				return nil, err
			}
		}
	}
	unit := w.X.Data() // divided in place: the original samples are not needed any more
	soft := r.soft(o)
	if r.Lambda == nil || !soft {
		if at.norm, err = w.spectralNorm(unit, o); err != nil {
			return nil, err
		}
	}
	o.Lambda = r.weight(w, at.norm, laplacian)
	learn := func() error {
		var held int64
		var err error
		if graph, held, err = r.Learn(w.Run, w.X, o.Lambda); err != nil {
			return err
		}
		w.collect()
		w.Run = whole.Holding(held)
		return w.roomForIndicators()
	}
	if r.Learn != nil && !r.Divided {
		if err := learn(); err != nil {
			return nil, err
		}
	}
	if err := r.begin(w, at, soft, laplacian, &o); err != nil {
		return nil, err
	}
	if r.Learn != nil && r.Divided {
		if err := learn(); err != nil {
			return nil, err
		}
	}
	w.collect()
	found, err := w.indicators(unit, graph, o)
	if err != nil {
		return nil, err
	}
	found.Relative = at.errorOf(w.X.N(), w.Rank, unit, found.W, found.H)
	at.restore(found.H)
	found.Offset, found.Components = at.offset(), components
	return found, nil
}

// WithoutExtension returns the reason for having no rule for new samples.
func (ByALM) WithoutExtension() string { return ", as the clusters are found for all samples together" }

// checkIndicators returns an error if the numbers of samples and clusters allow no orthonormal
// indicators.
func (w Work) checkIndicators() error {
	n, rank := w.X.N(), w.Rank
	switch {
	case n < 2:
		return fmt.Errorf("%s: %d sample; give at least 2", w.Method(), n)
	case rank > n:
		return fmt.Errorf("%s: rank %d for %d samples; give at most %d", w.Method(), rank, n, n)
	}
	return samples.CheckClusters(w.Method(), n, w.X.CountCopies(), rank)
}

// indicatorBytes returns the memory of the passes without the graph: the samples, and two matrices of
// their size that split the problem.
func (w Work) indicatorBytes() int64 {
	n, m, c := int64(w.X.N()), int64(w.X.M()), int64(w.Rank)
	return 8 * (3*n*m + 8*n*c + 18*c*(m+c))
}

// roomForIndicators returns an error if the passes, without the graph, exceed the memory limit.
func (w Work) roomForIndicators() error {
	return w.FitBeforeSolve(w.X.N(), w.X.M(), w.indicatorBytes(), "take a smaller rank, fewer samples, or raise the limit")
}

// collect frees the garbage of earlier steps if there may be much of it. Otherwise the
// runtime would hold it together with the memory of the next step.
func (w Work) collect() {
	const much = 16 << 20
	if w.X.Bytes() > much {
		debug.FreeOSMemory()
	}
}

// indicatorOptions adds the options that are common to all runs.
func (w Work) indicatorOptions(o alm.Options) alm.Options {
	o.Rank, o.TraceEvery = w.Rank, w.TraceEvery
	o.Kernels, o.Threads = w.Kernels(), w.Threads()
	return o
}

// indicators runs the passes and returns their result.
func (w Work) indicators(unit []float64, graph alm.Graph, o alm.Options) (*Found, error) {
	defer w.Phase("solve")()
	n := w.X.N()
	m := len(unit) / n
	o.Progress, _ = w.Iterating("solve", o.Passes)
	found, err := alm.Factorize(w.Context(), n, m, unit, graph, o)
	if err != nil {
		return nil, w.WrapSolverError(err)
	}
	last := found.Trace[len(found.Trace)-1]
	w.Note("residual_data", last.Residuals[0])
	w.Note("residual_indicators", last.Residuals[1])
	w.Note("residual_graph", last.Residuals[2])
	w.Note("penalty", last.Mu)
	if o.Tolerance > 0 && !found.Converged && len(found.Partitions) == 0 { // a partition is feasible even so
		w.Warn("the splitting of the problem is closed to %.1e only where %.1e was asked for: more iterations or a larger rho close it further", last.Largest(), o.Tolerance)
	}
	f := &Found{W: found.W, H: found.H, Iterations: found.Passes, Converged: found.Converged, Split: found,
		Plan: "two sweeps over the samples in each pass, 6nmc flops, and the orthonormal factor of an n × c matrix"}
	if len(found.Partitions) > 0 {
		f.Trace = partitions(found)
		w.Note("start_returned", found.Best == 0)
		return f, nil
	}
	for _, at := range found.Trace {
		objective := at.Loss + at.Regularizer
		f.Trace = append(f.Trace, nmf.Point{Iteration: at.Pass, Objective: objective, Surrogate: objective, Residual: at.Relative, Regularizer: at.Regularizer})
	}
	return f, nil
}

// partitions returns the trace of the best partition so far, with its feasible factors.
func partitions(found *alm.Result) []nmf.Point {
	var trace []nmf.Point
	best := found.Partitions[0]
	add := func(pass int) {
		trace = append(trace, nmf.Point{Iteration: pass, Objective: best.Objective(), Surrogate: best.Objective(), Residual: best.Relative, Regularizer: best.Regularizer})
	}
	add(0)
	for _, p := range found.Partitions[1:] {
		if p.Objective() < best.Objective() {
			best = p
		}
		add(p.Pass)
	}
	if trace[len(trace)-1].Iteration < found.Passes {
		add(found.Passes)
	}
	return trace
}

// affinities returns S of a graph Laplacian Φ = diag(S1) − S.
func affinities(phi *sparse.CSR) *sparse.CSR {
	s := &sparse.CSR{Rows: phi.Rows, Cols: phi.Cols, Ptr: make([]int, 1, phi.Rows+1), Col: make([]int32, 0, phi.NNZ()), Val: make([]float64, 0, phi.NNZ())}
	for i := range phi.Rows {
		cols, vals := phi.Row(i)
		for q, j := range cols {
			if int(j) != i && vals[q] != 0 {
				s.Col, s.Val = append(s.Col, j), append(s.Val, -vals[q])
			}
		}
		s.Ptr = append(s.Ptr, len(s.Col))
	}
	return s
}

// Adaptive returns the solver with affinities to the k nearest samples that are learned together with
// the indicators. If memory is short, distances are recomputed in every pass.
func (r ByALM) Adaptive(near neighborhood.RootNearest) ByALM {
	o := r.Options
	r.Divided = true
	r.Learn = func(job *run.Run, x samples.Samples, lambda float64) (alm.Graph, int64, error) {
		if lambda == 0 {
			return nil, 0, nil // the affinities would have no effect
		}
		defer job.Phase("neighbors")()
		with, k := o, near.Number(x.N())
		with.Lambda = lambda
		with.Kernels, with.Threads = job.Kernels(), job.Threads()
		whole, lean := alm.AdaptiveBytes(x.N(), x.M(), k, job.Threads())
		if with.Lean = job.Exceeds(whole); with.Lean {
			whole = lean
		}
		if err := job.FitBeforeSolve(x.N(), x.M(), whole, "take fewer neighbours or samples, or raise the limit"); err != nil {
			return nil, 0, err
		}
		graph, err := alm.NewAdaptive(job.Context(), x.N(), x.M(), x.Data(), k, with)
		return graph, whole, err
	}
	return r
}

// Starts are the clusterings from which the indicators may start.
type Starts struct {
	Init string // spectral, kmeans or nndsvd

	// Spectral clusters by the Laplacian of a graph, KMeans clusters the samples. Labels count
	// from 0.
	Spectral func(job *run.Run, x samples.Samples, laplacian *sparse.CSR, clusters int) ([]int64, error)
	KMeans   func(job *run.Run, x samples.Samples, clusters int) ([]int64, error)

	// Own uses the method's graph for the spectral start. Neighbors and Patch make a graph if the
	// method has none, learns it, or has one of only a part of the samples.
	Own       bool
	Neighbors neighborhood.Rule
	Patch     patch.Rule
}

// clusters returns the labels of the start; nil: the start comes from the singular vectors. own is
// the Laplacian of the method's graph, or nil.
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

// bySpectrum returns the labels of the spectral start; nil: a sample has no edges.
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

// soft reports whether the iteration starts from given factors, or from parts of singular
// vectors, without making them rays first.
func (r ByALM) soft(o alm.Options) bool {
	return o.Harden == 0 && (o.W != nil || r.Starts.Init == "nndsvd")
}

// spectralNorm returns the norm by which the samples are divided.
func (w Work) spectralNorm(x []float64, o alm.Options) (float64, error) {
	norm, err := alm.SpectralNorm(w.Context(), w.X.N(), w.X.M(), x, o)
	return norm, w.WrapSolverError(err)
}

// begin divides the samples by their spectral norm and completes the start.
func (r ByALM) begin(w Work, at *preprocessing, soft bool, laplacian *sparse.CSR, o *alm.Options) error {
	defer w.Phase("start")()
	unit := w.X.Data()
	if soft && o.W == nil {
		begin, err := alm.Start(w.Context(), w.X.N(), w.X.M(), unit, o.Rank, *o)
		if err != nil {
			return w.WrapSolverError(err)
		}
		at.norm = begin.Norm
		r.noteNorm(w.Run, at.norm)
		w.takeStart(begin, o)
		return nil
	}
	for i := range unit {
		unit[i] /= at.norm
	}
	r.noteNorm(w.Run, at.norm)
	at.apply(o.H)
	if soft {
		return nil
	}
	return r.beginRays(w, unit, laplacian, o)
}

// takeStart copies the computed start into the options.
func (w Work) takeStart(begin *alm.InitialFactors, o *alm.Options) {
	o.W, o.H = begin.W, begin.H
	if begin.Filled > 0 {
		w.Warn("only %d of the %d components follow from the data, which have no more singular values above rounding; the others start from every %d-th sample",
			o.Rank-begin.Filled, o.Rank, begin.Filled)
	}
}

// beginRays completes the start with rays, which follow from a clustering, from given factors or from
// the singular vectors.
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
				return w.WrapSolverError(err)
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

// largestOfRows sets labels to the column of the largest entry of each row, the first of equal ones.
func largestOfRows(labels []int, w []float64, rank int) {
	for i := range labels {
		labels[i] = floats.MaxIdx(w[i*rank : (i+1)*rank])
	}
}

// weight returns λ for the samples divided by norm. If none was given, it makes the graph term
// of a partition that cuts every edge, C·mean degree, equal to Share times the loss
// without components, Σ‖xᵢ‖. The degrees of a learned graph, which has no
// Laplacian yet, count as 1, because the affinities of each sample sum to 1.
func (r ByALM) weight(w Work, norm float64, laplacian *sparse.CSR) float64 {
	if r.Lambda != nil {
		return *r.Lambda
	}
	var loss, degree float64
	for i := range w.X.N() {
		row := w.X.Row(i)
		loss += math.Sqrt(blas.Dot(row, row)) / norm
		if laplacian != nil {
			degree += laplacian.At(i, i) / float64(w.X.N())
		}
	}
	if laplacian == nil {
		degree = 1
	}
	if !(degree > 0) {
		return 0
	}
	lambda := r.Share * loss / (float64(w.Rank) * degree)
	w.Note("lambda", lambda)
	return lambda
}
