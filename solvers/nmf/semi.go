package nmf

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

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
// least entry of every row, where negative, is taken off it.
func (u *semi) startFromSVD(ctx context.Context) error {
	if u.r > 1 {
		_, left, _, err := u.leadingTriplets(ctx)
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

// prepare sums WᵀX and WᵀW for W as it stands.
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

// error is ‖X − WH‖_F for W and H as they stand.
func (u *semi) error() float64 { return math.Sqrt(u.gramResidual()) }

// iterate steps until, looked at every so many iterations, the error changes by no
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
