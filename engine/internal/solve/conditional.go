package solve

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Probabilistic is the solution of principal components as a model of the samples, x = mean + Wz + noise with z ~ N(0, I)
// (Tipping and Bishop 1999), which says what missing entries are expected to be.
type Probabilistic struct {
	*Projected
	Loadings *mat.Dense // W, m × d
	Noise    float64    // the variance of the noise, above 0
}

// Conditional maps points of which entries may be NaN, which are missing: each of these becomes its mean under the model,
// given the known entries of the point, and then the points are mapped by [Linear]. A point without NaN gets the bits that
// Linear gives it.
type Conditional struct {
	Linear
	Loadings *mat.Dense
	Noise    float64
}

// Apply maps block by block, so the bits of a row depend neither on threads nor on the other rows.
func (c Conditional) Apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	m, d := c.Loadings.Dims()
	whole := c.gram()
	y := dst.RawMatrix()
	workers := make([]*expectation, blas.Threads(c.Threads))
	return blas.For(ctx, c.Threads, points.N, linearRows, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = newExpectation(m, d)
		}
		e := workers[w]
		rows := e.rows[:(hi-lo)*m]
		for i := lo; i < hi; i++ {
			row := rows[(i-lo)*m : (i-lo+1)*m]
			lacking := e.lacking[:0]
			for j, v := range points.Row(i) {
				if row[j] = v; c.Mean != nil {
					row[j] -= c.Mean[j]
				}
				if v != v {
					lacking = append(lacking, int32(j))
					row[j] = 0
				}
			}
			if len(lacking) > 0 {
				c.Kernels.Gemv(true, m, d, 1, c.Loadings.RawMatrix().Data, d, row, 0, e.z)
				e.solve(c.Loadings.RawMatrix().Data, whole, c.Noise, lacking)
				for _, j := range lacking {
					row[j] = blas.Dot(c.Loadings.RawRowView(int(j)), e.z)
				}
			}
		}
		p := c.Projection.RawMatrix()
		c.Kernels.Gemm(false, false, hi-lo, p.Cols, m, 1, rows, m, p.Data, p.Stride, 0, y.Data[lo*y.Stride:], y.Stride)
	})
}

// gram returns WᵀW.
func (c Conditional) gram() []float64 {
	m, d := c.Loadings.Dims()
	g := make([]float64, d*d)
	c.Kernels.Gemm(true, false, d, d, m, 1, c.Loadings.RawMatrix().Data, d, c.Loadings.RawMatrix().Data, d, 0, g, d)
	return g
}

// expectation is scratch space for the distribution of z given the known entries of a sample.
type expectation struct {
	m, d    int
	rows    []float64 // of a block
	lacking []int32
	factor  []float64 // the Cholesky factor L of M = σ²I + Σ wwᵀ over the known entries, d × d
	spare   []float64 // d × d
	z       []float64 // M⁻¹ of what it was
}

func newExpectation(m, d int) *expectation {
	return &expectation{m: m, d: d, rows: make([]float64, linearRows*m), lacking: make([]int32, 0, m),
		factor: make([]float64, d*d), spare: make([]float64, d*d), z: make([]float64, d)}
}

// solve replaces z by M⁻¹z for the entries that are not lacking; whole is WᵀW.
func (e *expectation) solve(w, whole []float64, noise float64, lacking []int32) {
	d := e.d
	if 2*len(lacking) <= e.m {
		copy(e.factor, whole)
		for _, j := range lacking {
			addOuter(e.factor, w[int(j)*d:(int(j)+1)*d], -1)
		}
	} else {
		clear(e.factor)
		next := 0
		for j := range e.m {
			if next < len(lacking) && int(lacking[next]) == j {
				next++
				continue
			}
			addOuter(e.factor, w[j*d:(j+1)*d], 1)
		}
	}
	for k := range d {
		e.factor[k*d+k] += noise
	}
	factorize(e.factor, e.spare, d)
	blas.CholeskySolveSmall(d, e.factor, e.z)
}

// addOuter adds f·uuᵀ to the lower triangle of a.
func addOuter(a, u []float64, f float64) {
	d := len(u)
	for k, v := range u {
		blas.Axpy(f*v, u[:k+1], a[k*d:k*d+k+1])
	}
}

// factorize overwrites the lower triangle of a matrix of order d by its Cholesky factor, row-major. If rounding has left the matrix
// indefinite, its diagonal is first raised by a multiple of the rounding of its largest entry. spare has the size of the matrix.
func factorize(a, spare []float64, d int) {
	copy(spare, a)
	for share := 0x1p-52; !blas.CholeskySmall(d, a) && share < 1; share *= 4 {
		copy(a, spare)
		largest := math.SmallestNonzeroFloat64 / share
		for k := range d {
			largest = max(largest, a[k*d+k])
		}
		for k := range d {
			a[k*d+k] += share * largest
		}
	}
}
