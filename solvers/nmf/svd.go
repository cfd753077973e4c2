package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// fullSide is the smaller side of the data up to which all triplets are computed.
	fullSide = 200
	// tripletTolerance bounds the residuals ‖Xᵀu − sv‖/s₁ of Lanczos.
	tripletTolerance = 1e-12
)

// leadingTriplets returns the r largest singular values of X, descending, with
// their left and right vectors. Small data are decomposed in full; the rest goes
// through Golub–Kahan–Lanczos bidiagonalisation with full orthogonalisation.
func (f *factorization) leadingTriplets(ctx context.Context) (s []float64, u, v [][]float64, err error) {
	if min(f.n, f.m) <= fullSide && f.data.Dense != nil {
		return f.fullTriplets()
	}
	return f.lanczosTriplets(ctx)
}

func (f *factorization) fullTriplets() (s []float64, u, v [][]float64, err error) {
	p := min(f.n, f.m)
	a := append([]float64(nil), f.data.Dense...)
	s = make([]float64, p)
	left, right := make([]float64, f.n*p), make([]float64, p*f.m)
	if err := f.kernels.SVD(f.n, f.m, a, f.m, s, left, p, right, f.m, &blas.Work{}); err != nil {
		return nil, nil, nil, err
	}
	for k := range f.r {
		column := make([]float64, f.n)
		for i := range column {
			column[i] = left[i*p+k]
		}
		u, v = append(u, column), append(v, right[k*f.m:(k+1)*f.m])
	}
	return s[:f.r], u, v, nil
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
	alpha, beta []float64 // the diagonal and what is above it
}

func (f *factorization) lanczosTriplets(ctx context.Context) (s []float64, u, v [][]float64, err error) {
	most := min(f.n, f.m)
	random := blas.NewStream(f.seed)
	b := &bidiagonal{}
	next := make([]float64, f.m)
	random.Normals(next)
	unit(next)
	for check := min(2*f.r+10, most); ; check = min(check+f.r+10, most) {
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
			for j := range f.r {
				// ‖Xᵀuⱼ − sⱼvⱼ‖ is β times the last entry of the projected left vector.
				settled = settled && b.beta[k-1]*math.Abs(left[(k-1)*k+j]) <= tripletTolerance*s[0]
			}
		}
		if settled {
			return s[:f.r], combine(b.u, left, k, 1, f.r), combine(b.v, right, 1, k, f.r), nil
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
