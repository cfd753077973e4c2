package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// start fills both factors.
func (f *factorization) start(ctx context.Context, o Options, res *Result) error {
	mean := f.totals.mean(f.data)
	if mean == 0 {
		res.Warnings = append(res.Warnings, "the data are zero throughout")
	}
	random := blas.NewStream(o.Seed)
	switch o.Init {
	case Given:
		return f.givenStart(o, mean, random, res)
	case RandomStart:
		if f.r > min(f.n, f.m) {
			res.Warnings = append(res.Warnings, fmt.Sprintf("rank %d exceeds the smaller side of the %d × %d data", f.r, f.n, f.m))
		}
		if f.codesFirst {
			random.Uniforms(f.w)
			random.Uniforms(f.h)
			f.unitStart()
			return nil
		}
		scale := 2 * math.Sqrt(mean/float64(f.r))
		for _, x := range [][]float64{f.w, f.h} {
			for i := range x {
				x[i] = scale * (0.001 + 0.999*random.Uniform())
			}
		}
		return nil
	}
	switch o.Init {
	case Centres, Extremes, Rows:
		if err := f.startFromRows(ctx, o, random); err != nil {
			return err
		}
		f.unitStart()
		return nil
	case LowRankSVD:
		if err := f.lowRankStart(ctx); err != nil {
			return err
		}
		f.leaveZero(o, random)
		f.unitStart()
		return nil
	}
	if _, err := f.nndsvd(ctx); err != nil {
		return err
	}
	for _, x := range [][]float64{f.w, f.h} {
		for i, v := range x {
			switch {
			case v != 0:
			case o.Init == NNDSVDMean:
				x[i] = mean
			case o.Init == NNDSVDRandom:
				x[i] = mean / 100 * random.Uniform()
			}
		}
	}
	f.unitStart()
	return nil
}

// unitStart scales the components of the start to unit length where the order asks
// for it, and the coordinates against them.
func (f *factorization) unitStart() {
	if !f.codesFirst {
		return
	}
	for k, s := range f.norms() {
		blas.Scale(1/s, f.h[k*f.m:(k+1)*f.m])
		for i := k; i < len(f.w); i += f.r {
			f.w[i] *= s
		}
	}
}

func givenFactor(name string, x []float64, rows, cols int) error {
	if len(x) != rows*cols {
		return fmt.Errorf("nmf: init %s wants %d × %d %s, not %d numbers", Given, rows, cols, name, len(x))
	}
	for i, v := range x {
		if !(v >= 0) || v-v != 0 {
			return fmt.Errorf("nmf: row %d, column %d (counting from 1) of the given %s is %v; give finite numbers ≥ 0", i/cols+1, i%cols+1, name, v)
		}
	}
	return nil
}

// givenStart takes the factors that are given. Of one that is not the entries are
// 2·mean(X)/(r·mean(A))·uniform(0.001, 1), where A is the other: WH has about the mean of the
// data.
func (f *factorization) givenStart(o Options, mean float64, random *blas.Stream, res *Result) error {
	if o.W == nil && o.H == nil {
		return fmt.Errorf("nmf: init %s wants W or H, and neither is given", Given)
	}
	rows := f.r
	if f.kept > 0 {
		rows = f.kept
	}
	for _, c := range []struct {
		name       string
		from, to   []float64
		rows, cols int
	}{{"coordinates", o.W, f.w, f.n, f.r}, {"components", o.H, f.h, rows, f.m}} {
		if c.from == nil {
			continue
		}
		if err := givenFactor(c.name, c.from, c.rows, c.cols); err != nil {
			return err
		}
		copy(c.to, c.from)
	}
	if f.kept > 0 {
		f.startComponents(mean, random)
	}
	switch {
	case o.W == nil:
		randomToMean(f.w, f.h, mean/float64(f.r), random)
	case o.H == nil:
		randomToMean(f.h, f.w, mean/float64(f.r), random)
	}
	f.unitStart()
	learned := func(a []float64, fixed string) bool { return o.Fixed != fixed && slices.Contains(a, 0) }
	if o.Solver == Multiplicative && (learned(f.w, WFixed) || learned(f.h, HFixed)) {
		res.Warnings = append(res.Warnings, "the given start has zeros, which multiplicative updates keep")
	}
	return nil
}

// startComponents fills the components that are learned beside given ones, with the mean of these; where they
// are zero, as a random start has it.
func (f *factorization) startComponents(mean float64, random *blas.Stream) {
	size := total(f.h[:f.kept*f.m]) / float64(f.kept*f.m)
	if size == 0 {
		size = math.Sqrt(mean / float64(f.r))
	}
	learned := f.learnedComponents()
	for i := range learned {
		learned[i] = 2 * size * (0.001 + 0.999*random.Uniform())
	}
}

// randomToMean fills a factor such that its products with entries of the other have the mean.
func randomToMean(a, other []float64, mean float64, random *blas.Stream) {
	if size := total(other) / float64(len(other)); size > 0 {
		mean /= size
	}
	for i := range a {
		a[i] = 2 * mean * (0.001 + 0.999*random.Uniform())
	}
}

// nndsvd fills both factors from the leading singular triplets: of each but the
// first, whichever of the positive and the negative parts has the larger product
// of lengths. It returns the singular values.
func (f *factorization) nndsvd(ctx context.Context) ([]float64, error) {
	if f.r > min(f.n, f.m) {
		return nil, fmt.Errorf("nmf: an SVD start of rank %d for %d × %d data; give at most %d, or init %s", f.r, f.n, f.m, min(f.n, f.m), RandomStart)
	}
	s, u, v, err := f.leadingTriplets(ctx, f.r)
	if err != nil {
		return nil, err
	}
	for k, value := range s {
		left, right := u[k], v[k]
		if k == 0 {
			for i, x := range left {
				f.w[i*f.r] = math.Sqrt(value) * math.Abs(x)
			}
			for j, x := range right {
				f.h[j] = math.Sqrt(value) * math.Abs(x)
			}
			continue
		}
		sign := 1.0
		ul, vl := partLength(left, 1), partLength(right, 1)
		if un, vn := partLength(left, -1), partLength(right, -1); un*vn > ul*vl {
			sign, ul, vl = -1, un, vn
		}
		if ul*vl == 0 { // a singular value of zero: no direction to take
			continue
		}
		scale := math.Sqrt(value * ul * vl)
		for i, x := range left {
			f.w[i*f.r+k] = scale * max(0, sign*x) / ul
		}
		for j, x := range right {
			f.h[k*f.m+j] = scale * max(0, sign*x) / vl
		}
	}
	return s, nil
}

// partLength is the length of the positive or negative part of x.
func partLength(x []float64, sign float64) float64 {
	var sum float64
	for _, v := range x {
		p := max(0, sign*v)
		sum += p * p
	}
	return math.Sqrt(sum)
}

// SVDStart returns the factors from which NNDSVD starts (Boutsidis and Gallopoulos
// 2008), zeros left as they are, and the leading singular values, descending: n × r
// coordinates and r × m components for r ≤ min(n, m). The data have to be finite; of
// data with negative entries the factors are nonnegative all the same, but no longer
// near. A component of a vanishing singular value is the rounding of zero.
//
// Kernels, Threads and Seed of the options are read; the seed is for Lanczos'
// first vector, whose influence is at the level of rounding. O(nmr) for large data.
func SVDStart(ctx context.Context, d Data, rank int, o Options) (w, h, values []float64, err error) {
	if d.Sparse != nil {
		d.transpose = transposeSparse(d.Sparse)
	}
	f := sized(d, Options{Rank: rank, Kernels: o.Kernels, Threads: o.Threads, Seed: o.Seed})
	f.cutRows()
	f.w, f.h = make([]float64, f.n*rank), make([]float64, rank*f.m)
	values, err = f.nndsvd(ctx)
	return f.w, f.h, values, err
}

const (
	// fullSide is the smaller side of the data up to which all triplets are computed.
	fullSide = 200
	// tripletTolerance bounds the residuals ‖Xᵀu − sv‖/s₁ of Lanczos.
	tripletTolerance = 1e-12
)

// leadingTriplets returns the count largest singular values of X, descending, with
// their left and right vectors. Small data are decomposed in full; the rest goes
// through Golub–Kahan–Lanczos bidiagonalisation with full orthogonalisation.
func (f *factorization) leadingTriplets(ctx context.Context, count int) (s []float64, u, v [][]float64, err error) {
	if min(f.n, f.m) <= fullSide && f.data.Dense != nil {
		return f.fullTriplets(count)
	}
	return f.lanczosTriplets(ctx, count)
}

func (f *factorization) fullTriplets(count int) (s []float64, u, v [][]float64, err error) {
	p := min(f.n, f.m)
	a := append([]float64(nil), f.data.Dense...)
	s = make([]float64, p)
	left, right := make([]float64, f.n*p), make([]float64, p*f.m)
	if err := f.kernels.SVD(f.n, f.m, a, f.m, s, left, p, right, f.m, &blas.Work{}); err != nil {
		return nil, nil, nil, err
	}
	for k := range count {
		column := make([]float64, f.n)
		for i := range column {
			column[i] = left[i*p+k]
		}
		u, v = append(u, column), append(v, right[k*f.m:(k+1)*f.m])
	}
	return s[:count], u, v, nil
}

// apply computes X·x, or Xᵀ·x, in parallel and in a fixed order.
func (f *factorization) apply(ctx context.Context, transpose bool, x, y []float64) error {
	if f.data.Sparse != nil {
		a := f.data.Sparse
		if transpose {
			a = f.data.transpose
		}
		a.MulVec(f.threads, x, y)
		return ctx.Err()
	}
	if !transpose {
		return blas.For(ctx, f.threads, f.n, f.chunk, func(_, lo, hi int) {
			f.kernels.Gemv(false, hi-lo, f.m, 1, f.rows(nil, lo, hi), f.m, x, 0, y[lo:hi])
		})
	}
	return blas.For(ctx, f.threads, f.m, f.columns, func(_, lo, hi int) {
		f.kernels.Gemv(true, f.n, hi-lo, 1, f.data.Dense[lo:], f.m, x, 0, y[lo:hi])
	})
}

// bidiagonal is a basis of both sides with UᵀDV upper bidiagonal.
type bidiagonal struct {
	u, v        [][]float64
	alpha, beta []float64 // the diagonal and the superdiagonal
}

func (f *factorization) lanczosTriplets(ctx context.Context, count int) (s []float64, u, v [][]float64, err error) {
	most := min(f.n, f.m)
	random := blas.NewStream(f.seed)
	b := &bidiagonal{}
	next := make([]float64, f.m)
	random.Normals(next)
	unit(next)
	for check := min(2*count+10, most); ; check = min(check+count+10, most) {
		for len(b.v) < check {
			if next, err = f.extend(ctx, b, next, random); err != nil {
				return nil, nil, nil, err
			}
		}
		k := len(b.v)
		s, left, right, err := b.decompose(f.kernels)
		if err != nil {
			return nil, nil, nil, err
		}
		settled := k == most
		if !settled {
			settled = true
			for j := range count {
				// ‖Xᵀuⱼ − sⱼvⱼ‖ is β times the last entry of the projected left vector.
				settled = settled && b.beta[k-1]*math.Abs(left[(k-1)*k+j]) <= tripletTolerance*s[0]
			}
		}
		if settled {
			return s[:count], combine(b.u, left, k, 1, count), combine(b.v, right, 1, k, count), nil
		}
	}
}

// extend adds a pair of vectors; next is orthogonal to all in v. Where the space is
// exhausted, a random direction goes on with β = 0.
func (f *factorization) extend(ctx context.Context, b *bidiagonal, next []float64, random *blas.Stream) ([]float64, error) {
	left := make([]float64, f.n)
	if err := f.apply(ctx, false, next, left); err != nil {
		return nil, err
	}
	b.v = append(b.v, next)
	alpha := orthogonalize(b.u, left, random)
	b.u, b.alpha = append(b.u, left), append(b.alpha, alpha)
	right := make([]float64, f.m)
	if err := f.apply(ctx, true, left, right); err != nil {
		return nil, err
	}
	if len(b.v) == f.m {
		b.beta = append(b.beta, 0)
		return right, nil
	}
	b.beta = append(b.beta, orthogonalize(b.v, right, random))
	return right, nil
}

// orthogonalize removes the basis from x, scales it to unit length and returns the
// length it had: 0 where nothing was left and x is a random direction.
func orthogonalize(basis [][]float64, x []float64, random *blas.Stream) float64 {
	before := math.Sqrt(blas.Dot(x, x))
	for pass := 0; ; pass++ {
		blas.Orthogonalize(basis, x)
		length := math.Sqrt(blas.Dot(x, x))
		if length > 1e-13*before && length > 0 {
			unit(x)
			if pass > 0 {
				return 0
			}
			return length
		}
		if pass == 3 {
			clear(x)
			return 0
		}
		random.Normals(x)
		before = math.Sqrt(blas.Dot(x, x))
	}
}

func unit(x []float64) { blas.Scale(1/math.Sqrt(blas.Dot(x, x)), x) }

// decompose is the SVD of the bidiagonal: left k × k with vectors in columns, right
// with vectors in rows.
func (b *bidiagonal) decompose(kernels *blas.Kernels) (s, left, right []float64, err error) {
	k := len(b.v)
	a := make([]float64, k*k)
	for i := range k {
		a[i*k+i] = b.alpha[i]
		if i+1 < k {
			a[i*k+i+1] = b.beta[i]
		}
	}
	s, left, right = make([]float64, k), make([]float64, k*k), make([]float64, k*k)
	err = kernels.SVD(k, k, a, k, s, left, k, right, k, &blas.Work{})
	return s, left, right, err
}

// combine forms count vectors Σᵢ xᵢ·basisᵢ; entry i of vector j of x is at
// i·step + j·stride.
func combine(basis [][]float64, x []float64, step, stride, count int) [][]float64 {
	out := make([][]float64, count)
	for j := range out {
		out[j] = make([]float64, len(basis[0]))
		for i, q := range basis {
			blas.Axpy(x[i*step+j*stride], q, out[j])
		}
	}
	return out
}
