package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// DeepOptions of [Deep]. Only Layers has no default.
type DeepOptions struct {
	// Layers are the ranks r₁ ≥ r₂ ≥ … ≥ r of the layers; the last is the rank of the result.
	Layers     []int
	Iterations int     // of each layer's training and of the fine-tuning, at most; 0: 500
	Tolerance  float64 // end where the error changes by no more than that times max(1, error); 0: 1e-5
	Never      bool    // take all iterations
	Seed       uint64  // of the search for singular vectors
	Progress   func(done float64)
	Threads    int           // 0: all cores
	Kernels    *blas.Kernels // nil: blas.Select("")
}

// DeepResult is what [Deep] found.
type DeepResult struct {
	Codes      []float64 // n × r: the coordinates of the samples scaled to unit length
	W          []float64 // n × r: Codes, each row times the length of its sample
	H          []float64 // r × m, of any sign
	Lengths    []float64 // of the samples
	Trained    []int     // iterations that the layers took, one by one
	Norm       float64   // ‖X′‖_F, X′ the scaled samples
	Start      float64   // ‖X′ − WH‖_F, W the codes, before the fine-tuning, with the best H
	Errors     []float64 // the same after each of its steps, with the H that led to the codes
	Iterations int       // of the fine-tuning
	Converged  bool
}

// deepEvery is the number of iterations of a layer's training between two looks at
// its error.
const deepEvery = 10

// Deep is deep semi-nonnegative factorisation (Trigeorgis, Bousmalis, Zafeiriou and
// Schuller 2014) of samples scaled to unit length: in the paper's orientation, samples
// in columns, X ≈ Z₁Z₂⋯Z_lH_l with H_l ≥ 0 and Zᵢ of any sign. Layer by layer, H_i−1 is
// factorised into Z_iH_i by semi-NMF; then all layers are tuned against X together.
//
// The fine-tuning of the paper sets, from the first layer to the last, Z_i to its
// optimum Ψᵢ⁺X(Z_i+1⋯H_l)⁺ with Ψᵢ = Z₁⋯Z_i−1. Where no layer is larger than the one
// before, and factors have full rank, the reverse-order law of pseudo-inverses makes
// the product of all of them Z₁⋯Z_l = XH_l⁺, whatever they were before; of the H_i only
// the last is ever read. A sweep is thus an iteration of semi-NMF of X itself with H_l, and is
// computed in this way: the layers only contribute the start. Increasing layers are refused,
// because the identity does not hold for them.
//
// The input may have any sign; sparse data stay sparse. 4nmr₁ flops an iteration of the first
// layer, 4nmr of the fine-tuning. Memory besides the data: their scaled copy and the
// factors of the largest layer.
func Deep(ctx context.Context, d Data, o DeepOptions) (*DeepResult, error) {
	unit, res, err := d.unitRows()
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(d); err != nil {
		return nil, err
	}
	// The progress is about proportional to the flops, if all reach their limit.
	total, done := 0.0, 0.0
	width := d.Cols
	for _, r := range o.Layers {
		total += float64(width) * float64(r)
		width = r
	}
	total += float64(d.Cols) * float64(width)
	settings := Options{Seed: o.Seed, Threads: o.Threads, Kernels: o.Kernels}
	run := func(u *semi, every int, report func(int, float64)) (bool, error) {
		part := float64(u.m) * float64(u.r) / total
		converged, err := u.iterate(ctx, o.Iterations, every, o.Tolerance, func(t int, e float64) {
			o.Progress(done + part*float64(t)/float64(o.Iterations))
			report(t, e)
		})
		done += part
		return converged, err
	}
	data, codes := unit, []float64(nil)
	for i, r := range o.Layers {
		settings.Rank = r
		u := newSemi(data, settings)
		if err := u.startFromSVD(ctx); err != nil {
			return nil, err
		}
		if err := u.prepare(ctx); err != nil {
			return nil, err
		}
		res.Trained = append(res.Trained, 0)
		if _, err := run(u, deepEvery, func(t int, _ float64) { res.Trained[i] = t }); err != nil {
			return nil, err
		}
		data, codes = Dense(d.Rows, r, u.w), u.w
	}
	u := newSemi(unit, settings)
	copy(u.w, codes)
	if err = u.prepare(ctx); err == nil {
		err = u.fitComponents()
	}
	if err != nil {
		return nil, err
	}
	res.Norm, res.Start = math.Sqrt(u.totals.squares), u.error()
	res.Converged, err = run(u, 1, func(t int, e float64) { res.Iterations, res.Errors = t, append(res.Errors, e) })
	if err == nil {
		err = u.fitComponents() // the best for the last codes
	}
	if err != nil {
		return nil, err
	}
	res.keep(u)
	o.Progress(1)
	return res, nil
}

// keep takes the factors, the coordinates in the scale of the samples.
func (res *DeepResult) keep(u *semi) {
	res.Codes, res.H = u.w, u.h
	res.W = slices.Clone(u.w)
	for i, s := range res.Lengths {
		blas.Scale(s, res.W[i*u.r:(i+1)*u.r])
	}
}

// unitRows scales the samples to unit length, in a copy; zeros stay.
func (d Data) unitRows() (Data, *DeepResult, error) {
	if d.Rows < 1 || d.Cols < 1 || d.Sparse == nil && len(d.Dense) != d.Rows*d.Cols {
		return d, nil, fmt.Errorf("nmf: %d numbers are no %d × %d matrix with at least one sample and column", len(d.Dense), d.Rows, d.Cols)
	}
	row := func(i int) ([]int32, []float64) { return nil, d.Dense[i*d.Cols : (i+1)*d.Cols] }
	if a := d.Sparse; a != nil {
		unit := *a
		unit.Val = slices.Clone(a.Val)
		d, row = Sparse(&unit), unit.Row
	} else {
		d.Dense = slices.Clone(d.Dense)
	}
	res := &DeepResult{Lengths: make([]float64, d.Rows)}
	for i := range d.Rows {
		cols, row := row(i)
		largest := 0.0
		for j, v := range row {
			if v-v != 0 {
				if cols != nil {
					j = int(cols[j])
				}
				return d, nil, fmt.Errorf("nmf: row %d, column %d (counting from 1) of the data is %v; give finite numbers", i+1, j+1, v)
			}
			largest = max(largest, math.Abs(v))
		}
		if largest == 0 {
			continue
		}
		// The largest entry first: squares neither overflow nor vanish.
		for j := range row {
			row[j] /= largest
		}
		length := math.Sqrt(blas.Dot(row, row))
		blas.Scale(1/length, row)
		if res.Lengths[i] = largest * length; math.IsInf(res.Lengths[i], 1) {
			return d, nil, fmt.Errorf("nmf: row %d (counting from 1) of the data is too long for a number; scale the data down", i+1)
		}
	}
	if d.Sparse != nil {
		d.transpose = transposeSparse(d.Sparse)
	}
	return d, res, nil
}

// withDefaults returns the options with their defaults, or an error.
func (o DeepOptions) withDefaults(d Data) (DeepOptions, error) {
	if len(o.Layers) == 0 {
		return o, fmt.Errorf("nmf: no layers; give the rank of at least one")
	}
	for i, r := range o.Layers {
		switch {
		case r < 1 || r > min(d.Rows, d.Cols):
			return o, fmt.Errorf("nmf: a layer of rank %d for %d × %d data; give ranks from 1 to %d", r, d.Rows, d.Cols, min(d.Rows, d.Cols))
		case i > 0 && r > o.Layers[i-1]:
			return o, fmt.Errorf("nmf: a layer of rank %d after one of rank %d; give layers that do not rise", r, o.Layers[i-1])
		}
	}
	if o.Iterations < 0 || !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 1) {
		return o, fmt.Errorf("nmf: %d iterations and the tolerance %v; give finite numbers ≥ 0", o.Iterations, o.Tolerance)
	}
	setPositive(&o.Iterations, 500)
	setPositive(&o.Tolerance, 1e-5)
	if o.Never {
		o.Tolerance = -1
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	if o.Kernels == nil {
		kernels, err := blas.Select("")
		if err != nil {
			return o, err
		}
		o.Kernels = kernels
	}
	return o, nil
}

// DeepBytes is what [Deep] takes besides the data, of which entries are stored (0: all,
// dense), for limits.
func DeepBytes(n, m, entries int, layers []int, threads int) int64 {
	widest := 1
	if len(layers) > 0 {
		widest = max(1, layers[0])
	}
	copied := int64(n) * int64(m)
	if entries > 0 {
		copied = int64(entries)
	}
	return 8*copied + 2*Bytes(n, m, entries, Options{Rank: widest, Threads: threads})
}

const (
	// semiFloor is the floor of the denominators of semi-NMF, and of its start.
	semiFloor = 1e-10
	// semiRankCut: eigenvalues of WᵀW, with columns of unit length, below this fraction
	// of the largest are rounding, and zero in its pseudo-inverse.
	semiRankCut = 1e-13
)

// semi is a semi-nonnegative factorisation, X ≈ WH with W ≥ 0 and H of any sign
// (Ding, Li and Jordan 2010): in turns H = W⁺X and
//
//	W ← W ∘ √((A⁺ + WB⁻)/(A⁻ + WB⁺)),  A = XHᵀ, B = HHᵀ,
//
// with the positive and negative parts of A and B. Neither step raises ‖X − WH‖.
// 4nmr flops an iteration.
type semi struct {
	*factorization
	plus, minus    []float64 // of B
	inverse, power []float64 // r × r
	values, scale  []float64
	work           blas.Work
}

func newSemi(d Data, o Options) *semi {
	entries := d.Dense
	if d.Sparse != nil {
		entries = d.Sparse.Val
	}
	f := newFactorization(d, o, dataSums{squares: blas.Dot(entries, entries)})
	r := f.r
	return &semi{factorization: f, plus: make([]float64, r*r), minus: make([]float64, r*r), inverse: make([]float64, r*r),
		power: make([]float64, r*r), values: make([]float64, r), scale: make([]float64, r)}
}

// startFromSVD fills W with the r − 1 leading left singular vectors of X, each with
// the sign by which its least entry is nearer to zero, and a column of zeros; the
// least entry of every row, where negative, is subtracted from the row.
func (u *semi) startFromSVD(ctx context.Context) error {
	if u.r > 1 {
		_, left, _, err := u.leadingTriplets(ctx, u.r)
		if err != nil {
			return err
		}
		for k, v := range left[:u.r-1] {
			sign := 1.0
			if slices.Min(v) < -slices.Max(v) {
				sign = -1
			}
			for i, x := range v {
				u.w[i*u.r+k] = sign * x
			}
		}
	}
	for i := range u.n {
		row := u.w[i*u.r : (i+1)*u.r]
		least := min(0, slices.Min(row))
		for k, v := range row {
			row[k] = max(semiFloor, v-least)
		}
	}
	return nil
}

// prepare sums WᵀX and WᵀW for the current W.
func (u *semi) prepare(ctx context.Context) error {
	if u.data.Sparse != nil {
		return u.sumSparse(ctx)
	}
	return u.pass(ctx, u.accumulate)
}

func (u *semi) accumulate(s *scratch, lo, hi int, sum *partialSums) {
	w := u.w[lo*u.r : hi*u.r]
	u.kernels.Gemm(true, false, u.r, u.m, hi-lo, 1, w, u.r, u.rows(s, lo, hi), u.m, sum.beta, sum.num, u.m)
	u.kernels.Gemm(true, false, u.r, u.r, hi-lo, 1, w, u.r, w, u.r, 1, sum.gram, u.r)
}

// fitComponents is H = W⁺X = (WᵀW)⁺WᵀX. Columns of W differ in scale by as much as the
// floor of the start, hence are scaled first.
func (u *semi) fitComponents() error {
	r := u.r
	for k := range r {
		u.scale[k] = 0
		if s := u.sums.gram[k*r+k]; s > 0 {
			u.scale[k] = 1 / math.Sqrt(s)
		}
	}
	for i, v := range u.sums.gram {
		u.power[i] = v * u.scale[i/r] * u.scale[i%r]
	}
	if err := u.kernels.SymEig(r, u.power, r, u.values, &u.work); err != nil {
		return err
	}
	clear(u.inverse)
	for k, value := range u.values {
		if value <= semiRankCut*u.values[r-1] {
			continue
		}
		v := u.power[k*r : (k+1)*r]
		for i, x := range v {
			blas.Axpy(x/value, v, u.inverse[i*r:(i+1)*r])
		}
	}
	for i := range u.inverse {
		u.inverse[i] *= u.scale[i/r] * u.scale[i%r]
	}
	u.kernels.GemmParallel(u.threads, false, false, r, u.m, r, 1, u.inverse, r, u.sums.num, u.m, 0, u.h, u.m)
	u.updateGram()
	for i, v := range u.gramH {
		u.plus[i], u.minus[i] = max(v, 0), max(-v, 0)
	}
	return nil
}

// step is one iteration: H for the present W, then W.
func (u *semi) step(ctx context.Context) error {
	if err := u.fitComponents(); err != nil {
		return err
	}
	if u.data.Sparse != nil {
		err := blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) { u.stepRows(&u.scratch[worker], lo, hi) })
		if err != nil {
			return err
		}
		return u.sumSparse(ctx)
	}
	return u.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		u.stepRows(s, lo, hi)
		u.accumulate(s, lo, hi, sum)
	})
}

func (u *semi) stepRows(s *scratch, lo, hi int) {
	r, rows := u.r, hi-lo
	num, den, w := s.num[:rows*r], s.den[:rows*r], u.w[lo*r:hi*r]
	u.dataProducts(s, lo, hi, num)
	for i, a := range num {
		num[i], den[i] = max(a, 0), max(-a, 0)
	}
	u.kernels.Gemm(false, false, rows, r, r, 1, w, r, u.minus, r, 1, num, r)
	u.kernels.Gemm(false, false, rows, r, r, 1, w, r, u.plus, r, 1, den, r)
	for i, a := range num {
		w[i] = flushTiny(w[i] * math.Sqrt(a/max(den[i], semiFloor)))
	}
}

// error is ‖X − WH‖_F for the current W and H.
func (u *semi) error() float64 { return math.Sqrt(u.gramResidual()) }

// iterate steps until, looked at every this many iterations, the error changes by no
// more than tolerance·max(1, error).
func (u *semi) iterate(ctx context.Context, iterations, every int, tolerance float64, report func(iteration int, e float64)) (converged bool, err error) {
	before := math.Inf(1)
	for t := 1; t <= iterations; t++ {
		if err := u.step(ctx); err != nil {
			return false, err
		}
		if t%every != 0 && t != iterations {
			continue
		}
		e := u.error()
		report(t, e)
		if t%every == 0 && math.Abs(before-e) <= tolerance*max(1, e) {
			return true, nil
		}
		before = e
	}
	return false, nil
}
