package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// fullSide is the lesser side of the data up to which all triplets are computed.
	fullSide = 200
	// tripletTolerance bounds the residuals ‖Dᵀu − sv‖/s₁ of Lanczos.
	tripletTolerance = 1e-12
)

// leadingTriplets returns the r largest singular values of D, descending, with
// their left and right vectors. Small data are decomposed in full; the rest goes
// through Golub–Kahan–Lanczos bidiagonalisation with full orthogonalisation.
func (c *core) leadingTriplets(ctx context.Context) (s []float64, u, v [][]float64, err error) {
	if min(c.n, c.m) <= fullSide && c.data.Dense != nil {
		return c.fullTriplets()
	}
	return c.lanczosTriplets(ctx)
}

func (c *core) fullTriplets() (s []float64, u, v [][]float64, err error) {
	p := min(c.n, c.m)
	a := append([]float64(nil), c.data.Dense...)
	s = make([]float64, p)
	left, right := make([]float64, c.n*p), make([]float64, p*c.m)
	if err := c.kernels.SVD(c.n, c.m, a, c.m, s, left, p, right, c.m, &blas.Work{}); err != nil {
		return nil, nil, nil, err
	}
	for k := range c.r {
		column := make([]float64, c.n)
		for i := range column {
			column[i] = left[i*p+k]
		}
		u, v = append(u, column), append(v, right[k*c.m:(k+1)*c.m])
	}
	return s[:c.r], u, v, nil
}

// apply computes D·x, or Dᵀ·x, in parallel and in a fixed order.
func (c *core) apply(ctx context.Context, turned bool, x, y []float64) error {
	if c.data.Sparse != nil {
		a := c.data.Sparse
		if turned {
			a = c.data.transpose
		}
		a.MulVec(c.threads, x, y)
		return ctx.Err()
	}
	if !turned {
		return blas.For(ctx, c.threads, c.n, c.chunk, func(_, lo, hi int) {
			c.kernels.Gemv(false, hi-lo, c.m, 1, c.rows(lo, hi), c.m, x, 0, y[lo:hi])
		})
	}
	return blas.For(ctx, c.threads, c.m, c.columns, func(_, lo, hi int) {
		c.kernels.Gemv(true, c.n, hi-lo, 1, c.data.Dense[lo:], c.m, x, 0, y[lo:hi])
	})
}

// bidiagonal is a basis of both sides with UᵀDV upper bidiagonal.
type bidiagonal struct {
	u, v        [][]float64
	alpha, beta []float64 // the diagonal and what is above it
}

func (c *core) lanczosTriplets(ctx context.Context) (s []float64, u, v [][]float64, err error) {
	most := min(c.n, c.m)
	random := blas.NewStream(c.seed)
	b := &bidiagonal{}
	next := make([]float64, c.m)
	random.Normals(next)
	unit(next)
	for check := min(2*c.r+10, most); ; check = min(check+c.r+10, most) {
		for len(b.v) < check {
			if next, err = c.extend(ctx, b, next, random); err != nil {
				return nil, nil, nil, err
			}
		}
		k := len(b.v)
		s, left, right, err := b.decompose(c.kernels)
		if err != nil {
			return nil, nil, nil, err
		}
		settled := k == most
		if !settled {
			settled = true
			for j := range c.r {
				// ‖Dᵀuⱼ − sⱼvⱼ‖ is β times the last entry of the projected left vector.
				settled = settled && b.beta[k-1]*math.Abs(left[(k-1)*k+j]) <= tripletTolerance*s[0]
			}
		}
		if settled {
			return s[:c.r], combine(b.u, left, k, 1, c.r), combine(b.v, right, 1, k, c.r), nil
		}
	}
}

// extend adds a pair of vectors; next is orthogonal to all in v. Where the space is
// exhausted, a random direction goes on with β = 0.
func (c *core) extend(ctx context.Context, b *bidiagonal, next []float64, random *blas.Stream) ([]float64, error) {
	left := make([]float64, c.n)
	if err := c.apply(ctx, false, next, left); err != nil {
		return nil, err
	}
	b.v = append(b.v, next)
	alpha := orthogonalise(b.u, left, random)
	b.u, b.alpha = append(b.u, left), append(b.alpha, alpha)
	right := make([]float64, c.m)
	if err := c.apply(ctx, true, left, right); err != nil {
		return nil, err
	}
	if len(b.v) == c.m {
		b.beta = append(b.beta, 0)
		return right, nil
	}
	b.beta = append(b.beta, orthogonalise(b.v, right, random))
	return right, nil
}

// orthogonalise removes the basis from x, scales it to unit length and returns the
// length it had: 0 where nothing was left and x is a random direction.
func orthogonalise(basis [][]float64, x []float64, random *blas.Stream) float64 {
	before := math.Sqrt(blas.Dot(x, x))
	for pass := 0; ; pass++ {
		for range 2 {
			for _, q := range basis {
				blas.Axpy(-blas.Dot(q, x), q, x)
			}
		}
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
