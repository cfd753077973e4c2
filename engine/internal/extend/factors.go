package extend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// factorsMap gives new samples coordinates w ≥ 0 with respect to fixed components H, by the
// loss of the fit without its graph term. Every sample is encoded independently
// ([nmf.Encoder]): with the penalty on W, from a constant start of its own, and for
// correntropy with its own σ², unless σ² was given to the fit.
type factorsMap struct {
	encoder *nmf.Encoder
	loss    *nmf.Loss
	m, r    int
	shift   []float64 // subtracted from the columns; nil: none

	scale  []float64 // of the columns; nil: 1
	padded int       // columns of zeros that follow those of a sample, for the penalty of V

	missing, unstored bool // entries that are NaN, or not stored in compressed rows, are missing

	fixed    bool // σ² or a penalty was given to the fit: coordinates are not proportional to the sample
	exponent int  // of the power of two that the samples were divided by, for messages
}

const (
	// EncodeIterations is the number of steps for a new sample in models without a tolerance
	// (You et al. 2015), which earlier versions wrote. No model has more.
	EncodeIterations = 200
	// EncodeTolerance is the residual to which a new sample is encoded, see [nmf.NewEncoder].
	EncodeTolerance = 1e-6
	// encodeRounds bounds the rounds until then.
	encodeRounds = 2000
)

// FactorsMap gives a sample coordinates w ≥ 0 with respect to fixed components.
type FactorsMap struct {
	Components *mat.Dense // R × m
	Shift      []float64  // subtracted from the columns; nil: none

	Loss       *nmf.Loss
	Descends   bool    // by coordinate descent, if the loss supports it
	Iterations int     // used without a tolerance
	Tolerance  float64 // 0: written by an earlier version without a tolerance
	Beta       float64
	Dispersion []float64 // of the negative binomial, for each column
	Threshold  float64   // of Huber's loss
	Sigma      nmf.Sigma
	Penalties  nmf.Penalties // on W only

	Missing, Unstored bool // entries that are NaN, or not stored in compressed rows, are missing
	SumToOne          bool // the coordinates of a sample sum to one

	Scale []float64 // that columns are multiplied by, for their weights; nil: 1
	// Own has V of each dataset of the fit, R rows each, and Datasets their labels, ascending. A sample of dataset d pays
	// OwnPenalty·‖wV‖², as those of the fit did. nil: there are none.
	Own        *mat.Dense
	Datasets   []int64
	OwnPenalty float64
}

// Kind returns "factors".
func (FactorsMap) Kind() string { return "factors" }

func (by FactorsMap) prepare(r Resources) (*Mapping, error) {
	f := &factorsMap{loss: by.Loss, shift: by.Shift, missing: by.Missing, unstored: by.Unstored, exponent: r.exponent}
	f.r, f.m = by.Components.Dims()
	f.scale = by.Scale
	components, err := by.of(r.Dataset)
	if err != nil {
		return nil, err
	}
	if components != by.Components {
		f.padded = f.m
		by.Penalties.W /= 2 // of twice the columns
	}
	if most := max(r.Samples, f.m); f.r > most {
		return nil, fmt.Errorf("model: %d components where a fit to %d × %d data makes at most %d", f.r, r.Samples, f.m, most)
	}
	rank, cols := float64(f.r), float64(f.m)
	if err := r.fit(rank*(rank+3*cols), r.workers()*(3*rank*rank+64*(rank+cols))); err != nil {
		return nil, err
	}
	o := nmf.Options{Threads: r.Threads, Kernels: r.Kernels, Loss: by.Loss, Beta: by.Beta, Dispersion: by.Dispersion, Threshold: by.Threshold, Sigma: by.Sigma, Penalties: by.Penalties, Iterations: by.Iterations, SumToOne: by.SumToOne}
	if by.Descends && o.Loss.SolvedBy(nmf.HALS) {
		o.Solver = nmf.HALS
	}
	if by.Tolerance != 0 {
		o.Tolerance, o.Iterations = by.Tolerance, encodeRounds
	}
	f.fixed = o.Loss.Scaled() && o.Sigma.Fixed > 0 || !proportional(o)
	if f.encoder, err = nmf.NewEncoder(components.RawMatrix().Data, f.m+f.padded, o); err != nil {
		return nil, fmt.Errorf("model: its components: %w", err)
	}
	m := &Mapping{Features: f.m, Dim: f.r, Missing: f.missing, RowBytes: 32 * int64(f.r), Apply: f.apply}
	// Zeros do not count, except with correntropy, which weighs them, and with a shift,
	// which fills them.
	if f.shift == nil && f.loss.TakesSparse() {
		m.ApplySparse = f.applySparse
	}
	return m, nil
}

// of returns the components of a dataset: H for nil, of which every dataset has a part, else [H + V √λV], whose codes of [x 0] are
// the minimum of ‖x − w(H + V)‖² + λ‖wV‖².
func (by FactorsMap) of(dataset *int64) (*mat.Dense, error) {
	if dataset == nil {
		return by.Components, nil
	}
	if by.Own == nil {
		return nil, wording.Errorf("model: it was fitted to no datasets; leave out ‹dataset›")
	}
	at := slices.Index(by.Datasets, *dataset)
	if at < 0 {
		return nil, wording.Errorf("model: no dataset %d was fitted, only %v; give one of these, or leave out ‹dataset› for a sample of another one", *dataset, by.Datasets)
	}
	r, m := by.Components.Dims()
	both, root := mat.NewDense(r, 2*m, nil), math.Sqrt(by.OwnPenalty)
	for k := range r {
		h, v, to := by.Components.RawRowView(k), by.Own.RawRowView(at*r+k), both.RawRowView(k)
		for j := range m {
			to[j], to[m+j] = h[j]+v[j], root*v[j]
		}
	}
	return both, nil
}

// widened are dense samples with the columns of zeros that follow.
func (f *factorsMap) widened(n int, data []float64) []float64 {
	if f.padded == 0 {
		return data
	}
	wide := make([]float64, n*(f.m+f.padded))
	for i := range n {
		copy(wide[i*(f.m+f.padded):], data[i*f.m:(i+1)*f.m])
	}
	return wide
}

func (f *factorsMap) apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	data := points.Data[:points.N*points.M]
	if f.scale != nil {
		data = slices.Clone(data)
		for at := range data {
			data[at] *= f.scale[at%f.m]
		}
	}
	if f.shift != nil {
		// Entries below the minimum of the fit are raised to the minimum, which is 0 after the shift.
		shifted := make([]float64, len(data))
		for at, v := range data {
			shifted[at] = max(0, v-f.shift[at%f.m])
		}
		data = shifted
	}
	for at, v := range data {
		if v < 0 {
			return f.negativeEntryAt(at/f.m, at%f.m, v)
		}
	}
	exponents := f.exponents(points.N, func(i int) []float64 { return data[i*f.m : (i+1)*f.m] })
	if exponents != nil {
		data = slices.Clone(data)
		for i, e := range exponents {
			magnitude.Scale(-e, data[i*f.m:(i+1)*f.m])
		}
	}
	d, err := f.known(nmf.Dense(points.N, f.m+f.padded, f.widened(points.N, data)))
	if err != nil {
		return err
	}
	return f.encode(ctx, d, exponents, dst)
}

func (f *factorsMap) applySparse(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, v := range vals {
			if v < 0 {
				return f.negativeEntryAt(i, int(cols[q]), v)
			}
		}
	}
	if f.scale != nil || f.padded > 0 {
		scaled := *a
		if scaled.Cols += f.padded; f.scale != nil {
			scaled.Val = slices.Clone(a.Val)
			for p, j := range a.Col {
				scaled.Val[p] *= f.scale[j]
			}
		}
		a = &scaled
	}
	exponents := f.exponents(a.Rows, func(i int) []float64 { _, vals := a.Row(i); return vals })
	if exponents != nil {
		scaled := *a
		scaled.Val = slices.Clone(a.Val)
		a = &scaled
		for i, e := range exponents {
			_, vals := a.Row(i)
			magnitude.Scale(-e, vals)
		}
	}
	d, err := f.known(nmf.Sparse(a))
	if err != nil {
		return err
	}
	return f.encode(ctx, d, exponents, dst)
}

// exponents returns those of the powers of two by which samples of unusual magnitude are divided:
// coordinates are proportional to their sample, unless σ² was given. nil: all are
// of ordinary magnitude.
func (f *factorsMap) exponents(n int, row func(i int) []float64) []int {
	if f.fixed {
		return nil
	}
	var list []int
	for i := range n {
		_, size := magnitude.Largest(row(i))
		if e := magnitude.Exponent(size); e != 0 {
			if list == nil {
				list = make([]int, n)
			}
			list[i] = e
		}
	}
	return list
}

func (f *factorsMap) negativeEntryAt(row, col int, v float64) error {
	v = magnitude.Times(v, f.exponent)
	return &RowError{row, fmt.Sprintf("has %v in column %d; the model takes entries ≥ 0 (fit it with ‹shift=columns› or global where there are others)", v, col+1)}
}

func (f *factorsMap) encode(ctx context.Context, d nmf.Data, exponents []int, dst *mat.Dense) error {
	y, err := f.encoder.Encode(ctx, d)
	if zero := (*nmf.ZeroError)(nil); errors.As(err, &zero) {
		return &RowError{zero.Row, fmt.Sprintf("has 0 in column %d, where the divergence with ‹beta=%v› is infinite; add a small number to all entries, or fit with ‹beta› above 0", zero.Col+1, zero.Beta)}
	}
	if err != nil {
		return err
	}
	for i := range d.Rows {
		copy(dst.RawRowView(i), y[i*f.r:(i+1)*f.r])
		if exponents != nil {
			magnitude.Scale(exponents[i], dst.RawRowView(i))
		}
	}
	return nil
}

// known gives missing entries of samples weight 0, if the fit did. A sample
// without any entry is an error.
func (f *factorsMap) known(d nmf.Data) (nmf.Data, error) {
	if !f.missing {
		return d, nil
	}
	places := &sparse.CSR{Rows: d.Rows, Cols: d.Cols, Ptr: make([]int, 1, d.Rows+1)}
	for i := range d.Rows {
		columns, values := entriesOf(d, i)
		stored := d.Cols
		if f.unstored && columns != nil {
			stored = len(values) + f.padded
		}
		missing := 0
		for p, v := range values {
			if math.IsNaN(v) {
				j := int32(p)
				if columns != nil {
					j = columns[p]
				}
				places.Col, places.Val = append(places.Col, j), append(places.Val, 1)
				missing++
			}
		}
		if missing == stored-f.padded {
			return d, &RowError{i, "has no entry that is known; leave it out"}
		}
		places.Ptr = append(places.Ptr, len(places.Col))
	}
	if f.unstored && d.Sparse != nil {
		d.Weights = d.Weights.Stored(d.Sparse)
	}
	if places.NNZ() > 0 {
		d = d.Without(places)
	}
	return d, nil
}

// entriesOf returns the entries of a sample and their columns; nil: all columns.
func entriesOf(d nmf.Data, i int) ([]int32, []float64) {
	if d.Sparse == nil {
		return nil, d.Dense[i*d.Cols : (i+1)*d.Cols]
	}
	columns, values := d.Sparse.Row(i)
	if columns == nil {
		columns = []int32{}
	}
	return columns, values
}

// proportional reports whether coordinates are proportional to the sample: without a penalty, or if
// the penalty scales like the loss.
func proportional(o nmf.Options) bool {
	switch p := o.Penalties; {
	case o.SumToOne || o.Loss == nmf.NegativeBinomial || o.Loss == nmf.Huber:
		return false
	case p.W == 0:
		return true
	case o.Loss == nmf.KL:
		return p.L1Ratio == 1
	default:
		return o.Loss == nmf.Frobenius && p.L1Ratio == 0
	}
}
