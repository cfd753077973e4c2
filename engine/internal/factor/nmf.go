package factor

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// ByNMF minimises a loss over nonnegative factors.
type ByNMF struct {
	nmf.Options        // loss, solver, λ, start, limits
	Indefinite  bool   // Φ may be indefinite
	Shift       string // for data with negative entries: none, columns or global

	Missing, Unstored bool // NaN, or an entry that sparse data do not store, means a missing entry
}

// Factorize minimises the loss. Samples with negative entries are shifted.
func (r ByNMF) Factorize(w Work) (*Found, error) {
	o, err := r.options(w)
	if err != nil {
		return nil, err
	}
	x, shift, err := w.nonnegative(r.Shift)
	if err != nil {
		return nil, err
	}
	if shift != nil {
		w.Run = w.Holding(8 * int64(x.N()) * int64(x.M()))
	}
	if err := w.roomForFactors(o); err != nil {
		return nil, err
	}
	phi, components, err := w.graph(x, o.Lambda)
	if err != nil {
		return nil, err
	}
	if phi != nil {
		o.Graph = nmf.Graph{Sparse: phi.Sparse, Dense: phi.Dense, AllowIndefinite: r.Indefinite}
		if o.Balanced {
			if o.Lambda = balance(o, phi, x); math.IsInf(o.Lambda, 1) {
				return nil, wording.Errorf("%s: ‹lambda=%v› is beyond the range of numbers where it is divided by the mean degree of the graph; lower it", w.Method(), r.Options.Lambda)
			}
			run.Measure(w.Run, "weight", run.Unit(r.Units().Weight), o.Lambda)
		}
		w.Run = w.Holding(phi.Bytes())
		if err := w.roomForFactors(o); err != nil {
			return nil, err
		}
	}
	defer w.Phase("solve")()
	progress, objective := w.Iterating("solve", o.Iterations)
	o.Progress, o.Watch = progress, func(p nmf.Point) bool { objective(p.Objective); return false }
	d, err := w.data(x, o, w.factorBytes(o))
	if err != nil {
		return nil, err
	}
	found, err := nmf.Factorize(w.Context(), d, o)
	if err != nil {
		return nil, w.refused(err, shift != nil)
	}
	for _, text := range found.Warnings {
		w.Warn("%s", text)
	}
	if found.Sigma2 > 0 {
		run.Measure(w.Run, "sigma2", run.Square, found.Sigma2)
	}
	if found.Dispersion != nil {
		run.MeasureAll(w.Run, "dispersion", run.NoUnit, found.Dispersion)
	}
	if found.Threshold > 0 {
		run.Measure(w.Run, "threshold", run.Length, found.Threshold)
	}
	f := &Found{W: found.W, H: found.H, Offset: shift, Trace: found.Trace,
		Iterations: found.Iterations, Converged: found.Converged, Plan: found.Plan, Components: components}
	f.Extension, f.Reason = r.extension(mat.NewDense(w.Rank, x.M(), found.H), shift, found)
	if w.Collection == nil {
		return f, nil
	}
	f.Own = found.Own
	f.withOwnParts(w)
	f.CollectionErrors, err = w.collectionErrors(d, found)
	return f, err
}

// data returns the samples with the weights of their entries. Dense samples most of which are zero become
// sparse where products are faster without the zeros. bytes is the memory of the factorisation of the dense ones.
func (w Work) data(x samples.Samples, o nmf.Options, bytes int64) (nmf.Data, error) {
	d := DataOf(x)
	d.Weights = w.Weights
	if w.Weights.Present() || w.HeldOut > 0 || o.Collection != nil || !o.SkipsZeros() {
		return d, nil
	}
	entries, few := d.FewEntries()
	if !few {
		return d, nil
	}
	if err := w.Fit(bytes+nmf.WithoutZerosBytes(entries), "the samples without their zeros, and their factorisation, need", "give sparse samples, or raise the limit"); err != nil {
		return nmf.Data{}, err
	}
	return d.WithoutZeros(entries), nil
}

// DataOf returns the samples in the type of the solver.
func DataOf(x samples.Samples) nmf.Data {
	if x.Compressed() != nil {
		return nmf.Sparse(x.Compressed())
	}
	if x.Single() != nil {
		return nmf.Single(x.N(), x.M(), x.Single())
	}
	return nmf.Dense(x.N(), x.M(), x.Data())
}

// options returns the options of the solver, or an error if options are incompatible.
func (r ByNMF) options(w Work) (nmf.Options, error) {
	o, n, m := r.Options, w.X.N(), w.X.M()
	o.Rank, o.TraceEvery = w.Rank, w.TraceEvery
	o.Kernels, o.Threads, o.Progress = w.Kernels(), w.Threads(), w.Fraction("solve")
	// A separate stream, as for the starts of embeddings.
	o.Seed = blas.NewStream(w.Seed()).Uint64()
	var err error
	if o.W, o.H, err = r.start(w); err != nil {
		return o, err
	}
	if o.W != nil || o.H != nil {
		o.Init = nmf.Given
	}
	if o.Loss == nmf.NegativeBinomial && w.X.Exponent() != 0 {
		return o, wording.Errorf("%s: the largest entry is below 2⁻²⁰ or above 2¹⁰⁰, and ‹loss=negative-binomial› is for counts; give counts, or choose ‹loss=beta›", w.Method())
	}
	if c := w.Collection; c != nil && (c.Datasets != nil || c.Patterns != nil) {
		o.Collection = c
		if err := r.checkDatasets(w); err != nil {
			return o, err
		}
	}
	weighted := w.Weights.Present() || w.HeldOut > 0 || o.Collection != nil && o.Collection.Patterns != nil
	if err := r.checkFixed(w); err != nil {
		return o, err
	}
	if err := r.checkSumToOne(w, weighted); err != nil {
		return o, err
	}
	if err := r.checkSmooth(w, weighted); err != nil {
		return o, err
	}
	fromData := o.Init != nmf.RandomStart && o.Init != nmf.Given
	fromSamples := o.Init == nmf.Centres || o.Init == nmf.Extremes
	switch bySVD := fromData && !fromSamples && o.Init != nmf.Rows; {
	case fromSamples && w.Rank > n:
		return o, wording.Errorf("%s: rank %d with ‹init=%s›, whose components come from the samples, and there are %d; give at most that rank, or ‹init=random›", w.Method(), w.Rank, o.Init, n)
	case bySVD && w.Rank > min(n, m):
		return o, wording.Errorf("%s: rank %d with ‹init=%s› for %d × %d data, which have %d singular vectors; give at most that rank, or ‹init=random›", w.Method(), w.Rank, o.Init, n, m, min(n, m))
	case o.Init == nmf.NNDSVD && o.Solver != nmf.HALS && o.Solver != nmf.MiniBatch:
		return o, wording.Errorf("%s: ‹init=nndsvd› has zeros, which multiplicative updates keep; choose ‹init=nndsvda› or nndsvdar, or ‹solver=hals›", w.Method())
	case o.Extrapolate && o.Solver != nmf.HALS:
		return o, wording.Errorf("%s: ‹extrapolate› is for ‹solver=hals›", w.Method())
	case o.Extrapolate && o.Normalize == nmf.EachIteration:
		return o, wording.Errorf("%s: ‹extrapolate› follows the scale of the components; choose ‹normalise=end› or none with it", w.Method())
	case o.Stop == nmf.Violation && o.Solver != nmf.HALS:
		return o, wording.Errorf("%s: ‹stop=violation› is for ‹solver=hals›; choose ‹stop=change› or relative-decrease with ‹solver=mu›", w.Method())
	case o.Stop == nmf.Violation && o.Extrapolate:
		return o, wording.Errorf("%s: ‹stop=violation› goes with no extrapolation; choose ‹stop=change› or relative-decrease, or leave out ‹extrapolate›", w.Method())
	case o.Penalties.Present() && o.Extrapolate:
		return o, wording.Errorf("%s: ‹extrapolate› goes with no penalty; leave it out, or ‹alpha_w› and ‹alpha_h›", w.Method())
	case o.Penalties.Present() && o.Order == nmf.CodesFirst:
		return o, wording.Errorf("%s: ‹order=codes-first› starts from components of unit length, whose length a penalty would choose; choose ‹order=basis-first› with ‹alpha_w› and ‹alpha_h›", w.Method())
	case o.Penalties.Present() && o.Normalize == nmf.EachIteration:
		return o, wording.Errorf("%s: ‹normalise=each› leaves a penalty no length to choose; choose ‹normalise=none› or end with ‹alpha_w› and ‹alpha_h›", w.Method())
	case weighted && o.Extrapolate:
		return o, wording.Errorf("%s: ‹extrapolate› goes with no weights of the entries, nor with missing or held-out ones; leave out ‹extrapolate›", w.Method())
	case weighted && (o.Order == nmf.CodesFirst || o.Order == nmf.WFirst):
		return o, wording.Errorf("%s: ‹order=%s› goes with no weights of the entries, nor with missing or held-out ones; choose ‹order=basis-first›", w.Method(), o.Order)
	case weighted && o.Fixed != "" && o.Fixed != nmf.NoneFixed:
		return o, wording.Errorf("%s: ‹fixed=%s› goes with no weights of the entries, nor with missing or held-out ones; leave out ‹fixed›", w.Method(), o.Fixed)
	case weighted && o.Stop == nmf.Violation && o.Tolerance > 0:
		return o, wording.Errorf("%s: ‹stop=violation› goes with no weights of the entries, nor with missing or held-out ones; choose ‹stop=change› or relative-decrease", w.Method())
	case weighted && fromData:
		return o, wording.Errorf("%s: ‹init=%s› needs data that are known throughout; choose ‹init=random› where entries are missing, held out or have weights", w.Method(), o.Init)
	case o.Order == nmf.WFirst && o.Extrapolate:
		return o, wording.Errorf("%s: ‹order=w-first› goes with no extrapolation; leave out ‹extrapolate›, or choose ‹order=basis-first›", w.Method())
	case o.Order == nmf.WFirst && o.Normalize == nmf.EachIteration:
		return o, wording.Errorf("%s: ‹order=w-first› leaves the scale of the factors alone; choose ‹normalise=none› or end with it", w.Method())
	case o.Stop != "" && o.Stop != nmf.Change && o.Tolerance == 0:
		w.Warn("‹stop=%s› does nothing without a tolerance", o.Stop)
	case o.Sweeps > 0 && o.Solver != nmf.HALS:
		w.Warn("‹sweeps› is for ‹solver=hals›: it does nothing")
	case o.Warm >= o.Iterations:
		w.Warn("all %d iterations are warm ones, with the squared error", o.Iterations)
	}
	return o, r.checkMiniBatch(w, o)
}

// roomForFactors returns an error if the factorisation, without the graph, exceeds the memory limit.
func (w Work) roomForFactors(o nmf.Options) error {
	return w.FitBeforeSolve(w.X.N(), w.X.M(), w.factorBytes(o), "take a smaller rank, fewer samples, or raise the limit")
}

// factorBytes returns the memory of the factorisation, without the graph.
func (w Work) factorBytes(o nmf.Options) int64 {
	bytes := nmf.WeightedBytes(w.X.N(), w.X.M(), storedEntries(w.X), w.Weights, o)
	if w.Collection != nil {
		bytes += w.collectionBytes()
	}
	return bytes
}

// storedEntries returns the number of entries of compressed samples; 0: they are dense.
func storedEntries(x samples.Samples) int {
	if x.Compressed() == nil {
		return 0
	}
	return x.Compressed().NNZ()
}

// WithoutExtension returns "".
func (ByNMF) WithoutExtension() string { return "" }

// extension returns the rule for new samples with the components h, or the reason for having none. The
// numbers that a fit learned in addition are in found.
func (r ByNMF) extension(h *mat.Dense, shift []float64, found *nmf.Result) (*extend.Extension, string) {
	if vector.IsZero(h.RawMatrix().Data) {
		return nil, ", as all components are zero"
	}
	m := extend.FactorsMap{Components: h, Shift: shift, Loss: r.Loss.Encoding(), Descends: r.Solver == nmf.HALS,
		Iterations: extend.EncodeIterations, Tolerance: extend.EncodeTolerance,
		Sigma: nmf.Sigma{Theta: 0.5, Fixed: r.Sigma.Fixed, Share: found.Share}, Missing: r.Missing, Unstored: r.Unstored, SumToOne: r.SumToOne}
	switch r.Loss {
	case nmf.Beta:
		m.Beta = r.Beta
	case nmf.NegativeBinomial:
		m.Dispersion = found.Dispersion
	case nmf.Huber:
		m.Threshold = found.Threshold
	}
	if r.Loss.Scaled() {
		m.Sigma.Theta = r.Sigma.Theta
	}
	if r.Penalties.W > 0 {
		m.Penalties = nmf.Penalties{W: r.Penalties.W, L1Ratio: r.Penalties.L1Ratio}
	}
	return &extend.Extension{Map: m}, ""
}

// start checks and copies the given factors; if only one is given, the solver makes the
// other. nil: not given.
func (r ByNMF) start(w Work) (coordinates, components []float64, err error) {
	if coordinates, err = w.givenOr("W", r.Fixed == nmf.WFixed); err != nil {
		return nil, nil, err
	}
	components, err = w.givenOr("H", r.Fixed == nmf.HFixed)
	return coordinates, components, err
}

// givenOr checks and copies a given factor, which must be nonnegative, or returns nil. A fixed
// factor must be given.
func (w Work) givenOr(name string, fixed bool) ([]float64, error) {
	a, rows, cols, flag := w.InitW, w.X.N(), w.Rank, "w"
	if name == "H" {
		a, rows, cols, flag = w.InitH, w.Rank, w.X.M(), "h"
	}
	role := "start"
	if fixed {
		role = "fixed"
		if name == "H" && a != nil {
			given, _ := a.Dims()
			rows = min(given, rows) // the first components; those after them are learned
		}
	}
	switch {
	case a == nil && fixed:
		return nil, wording.Errorf("%s: ‹fixed=%s› needs %s, the factor that stays (‹init_%s›); give it, or choose ‹fixed=none›", w.Method(), flag, name, flag)
	case a == nil:
		return nil, nil
	}
	return w.givenFactor(role, name, a, rows, cols, false)
}

// checkFixed returns an error for options that are incompatible with a fixed factor.
func (r ByNMF) checkFixed(w Work) error {
	if r.Fixed == "" || r.Fixed == nmf.NoneFixed {
		return nil
	}
	switch {
	case r.Extrapolate:
		return wording.Errorf("%s: ‹fixed=%s› goes with no extrapolation; leave out ‹extrapolate›", w.Method(), r.Fixed)
	case r.Order == nmf.CodesFirst:
		return wording.Errorf("%s: ‹order=codes-first› scales the start, and ‹fixed=%s› keeps a factor as it is; choose ‹order=basis-first› or w-first", w.Method(), r.Fixed)
	case r.Normalize != nmf.Never:
		return wording.Errorf("%s: ‹fixed=%s› keeps a factor as it is; choose ‹normalise=none› or auto", w.Method(), r.Fixed)
	}
	return nil
}

// checkSumToOne returns an error for options that are incompatible with rows of W that sum to one.
func (r ByNMF) checkSumToOne(w Work, weighted bool) error {
	if !r.SumToOne && r.Volume > 0 {
		return wording.Errorf("%s: ‹volume› is for ‹sum_to_one=true›; choose that, or leave it out", w.Method())
	}
	if !r.SumToOne {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return wording.Errorf("%s: ‹sum_to_one› "+format, append([]any{w.Method()}, args...)...)
	}
	switch squares := r.Loss == nil || r.Loss == nmf.Frobenius; {
	case r.Solver == nmf.MiniBatch:
		return refuse("goes with no ‹solver=minibatch›; leave one of the two out")
	case squares && r.Solver != nmf.HALS:
		return refuse("is for ‹solver=hals›; choose that")
	case r.Fixed == nmf.WFixed:
		return refuse("is about rows of W that are learned; leave out ‹fixed=w›")
	case r.Extrapolate:
		return refuse("goes with no extrapolation; leave out ‹extrapolate›")
	case r.Order != "" && r.Order != nmf.BasisFirst:
		return refuse("goes with no ‹order=%s›; choose ‹order=basis-first›", r.Order)
	case r.Penalties.W > 0:
		return refuse("goes with no penalty on W; leave out ‹alpha_w›, and give ‹alpha_h› by itself")
	case r.Normalize != nmf.Never:
		return refuse("sets the scale of the components; choose ‹normalise=none› or auto")
	case r.Stop == nmf.Violation && r.Tolerance > 0:
		return refuse("goes with no ‹stop=violation›; choose ‹stop=change› or relative-decrease")
	case weighted:
		return refuse("goes with no weights of the entries, nor with missing or held-out ones; leave out ‹sum_to_one›")
	}
	return nil
}

// checkSmooth returns an error for options that are incompatible with smooth components.
func (r ByNMF) checkSmooth(w Work, weighted bool) error {
	if r.Smooth == 0 {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return wording.Errorf("%s: ‹smooth_h› "+format, append([]any{w.Method()}, args...)...)
	}
	switch {
	case r.Smooth > nmf.MostSmooth:
		return refuse("is %v; give a number from 0 to %v, most often near 1", r.Smooth, nmf.MostSmooth)
	case r.Solver == nmf.MiniBatch:
		return refuse("goes with no ‹solver=minibatch›; leave one of the two out")
	case r.Extrapolate:
		return refuse("goes with no extrapolation; leave out ‹extrapolate›")
	case r.Order != "" && r.Order != nmf.BasisFirst:
		return refuse("goes with no ‹order=%s›; choose ‹order=basis-first›", r.Order)
	case r.Stop == nmf.Violation && r.Tolerance > 0:
		return refuse("goes with no ‹stop=violation›; choose ‹stop=change› or relative-decrease")
	case r.Fixed == nmf.HFixed && w.InitH != nil && w.InitH.RawMatrix().Rows >= w.Rank:
		return refuse("is about components that are learned; leave it out where all are given")
	case weighted:
		return refuse("goes with no weights of the entries, nor with missing or held-out ones; leave out ‹smooth_h›")
	}
	return nil
}

// balance returns the weight of a balanced graph term for a dimensionless λ: λ divided by the mean
// degree of the graph, and also by the mean of the data if the loss has their unit
// instead of its square, which the term has.
func balance(o nmf.Options, phi *align.Phi, x samples.Samples) float64 {
	lambda := o.Lambda
	if degree := phi.Degree(); degree > 0 {
		lambda /= degree
	}
	if o.Loss == nmf.KL {
		var mean float64
		for _, v := range x.Mean() {
			mean += v / float64(x.M())
		}
		if mean > 0 {
			lambda /= mean
		}
	}
	return lambda
}

// nonnegative returns the samples, shifted if they have negative entries and the method allows it,
// and what was subtracted from each column (nil: nothing). Otherwise the first
// negative entry is an error.
func (w Work) nonnegative(how string) (x samples.Samples, shift []float64, err error) {
	row, col, value := w.X.FirstNegative()
	switch {
	case row < 0:
		return w.X, nil, nil
	case how == "none":
		return x, nil, wording.Errorf("%s: row %d, column %d (counting from 1) is %v; give entries ≥ 0, shift the data (‹shift=columns› takes the least entry of a column off it where that is negative, ‹shift=global› the least of all), or take a method whose components have any sign: rmnmf, dsmf",
			w.Method(), row+1, col+1, value)
	case w.X.Compressed() != nil:
		return x, nil, fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; sparse data cannot be shifted, as that would fill them: give entries ≥ 0, or dense data, or take a method whose components have any sign: rmnmf, dsmf", w.Method(), row+1, col+1, value)
	}
	x, shift = w.X.Shifted(how)
	return x, shift, nil
}

// refused rewords an error of the solver; for zeros it names the parameters.
func (w Work) refused(err error, shifted bool) error {
	var zero *nmf.ZeroError
	if !errors.As(err, &zero) {
		return w.WrapSolverError(err)
	}
	after := ""
	if shifted {
		after = " once the data are shifted"
	}
	return wording.Errorf("%s: row %d, column %d (counting from 1) is 0%s, where the divergence with ‹beta=%v› is infinite; choose a ‹beta› above 0, or add a small number to all entries",
		w.Method(), zero.Row+1, zero.Col+1, after, zero.Beta)
}
