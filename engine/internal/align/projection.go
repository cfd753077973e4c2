package align

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// Projection is a problem over the features in place of the samples: find the
// directions V, m × d, of small (or, as the method says, large) tr(VᵀQV) under
// VᵀBV = I. Coordinates are (X − mean)·V.
type Projection struct {
	Order int
	Q     []float64 // order × order, both triangles
	B     []float64 // the diagonal of B; nil: the identity
	Axes  []float64 // order × m, orthonormal: the axes of Q and B; nil: the features themselves
	Mean  []float64 // that the samples are centred by; nil: they are not
}

// Constraint says which B constrains a linear projection, VᵀBV = I, and with it what
// the problem is restricted to.
type Constraint int

const (
	UnitInFeatures Constraint = iota // B = I, over all features, null directions of the data included
	UnitInRange                      // B = I, in the range of the centred samples
	SampleGram                       // B = XᵀX, in its range
	DegreeGram                       // B = XᵀDX, in its range; D is the diagonal of Φ
)

// Whitened is B^−½QB^−½.
func (d *Projection) Whitened() []float64 {
	c := append([]float64(nil), d.Q...)
	if d.B == nil {
		return c
	}
	scale := make([]float64, d.Order)
	for i, b := range d.B {
		scale[i] = 1 / math.Sqrt(b)
	}
	for i := range d.Order {
		for j := range d.Order {
			// One product of both factors, so that (i, j) and (j, i) round alike.
			c[i*d.Order+j] *= scale[i] * scale[j]
		}
	}
	return c
}

// Unwhiten turns a vector of the whitened problem into one of the problem.
func (d *Projection) Unwhiten(v []float64) {
	for i, b := range d.B {
		v[i] /= math.Sqrt(b)
	}
}

// Lift turns count vectors of the problem, in rows, into the columns of an m × count
// matrix over the features.
func (d *Projection) Lift(kernels *blas.Kernels, vectors []float64, count, m int) *mat.Dense {
	full := vectors
	if d.Axes != nil {
		full = make([]float64, count*m)
		kernels.Gemm(false, false, count, m, d.Order, 1, vectors, d.Order, d.Axes, m, 0, full, m)
	}
	projection := mat.NewDense(m, count, nil)
	for j := range count {
		v := full[j*m : (j+1)*m]
		vector.FixSign(v)
		projection.SetCol(j, v)
	}
	return projection
}

// Value is aᵀQa.
func (d *Projection) Value(a []float64) float64 {
	var v float64
	for i, x := range a {
		v += x * blas.Dot(d.Q[i*d.Order:(i+1)*d.Order], a)
	}
	return v
}
