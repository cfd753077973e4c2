package patch

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/internal/must"
)

// On flat data in two dimensions the patch annihilates every affine function,
// and is the identity on the additional part of quadratic functions.
func TestHessianPatch(t *testing.T) {
	const n, k = 60, 9
	x := mat.NewDense(n, 2, nil)
	blas.NewStream(3).Normals(x.RawMatrix().Data)
	in := nearestOf(t, samples.Of(x), k)
	for i := range n {
		l := lowerPatch(t, in, Hessian(2, true), i)
		affine := func(f func(u, v float64) float64) []float64 {
			values := make([]float64, k)
			for a, j := range in.Graph.Of(i) {
				values[a] = f(x.At(int(j), 0), x.At(int(j), 1))
			}
			return values
		}
		for _, f := range []func(u, v float64) float64{
			func(u, v float64) float64 { return 1 }, func(u, v float64) float64 { return u }, func(u, v float64) float64 { return 3*v - u },
		} {
			if far := annihilates(l, affine(f)); far > 1e-12 {
				t.Fatalf("patch %d leaves %g of an affine function", i, far)
			}
		}
		var square mat.Dense
		square.Mul(l, l)
		square.Sub(&square, l)
		if mat.Trace(l) < 3-1e-9 || mat.Trace(l) > 3+1e-9 || mat.Norm(&square, 2) > 1e-11 {
			t.Fatalf("patch %d is not a projector on three dimensions: trace %g", i, mat.Trace(l))
		}
		// A quadratic function is the sum of an affine function and its part in the range.
		q := affine(func(u, v float64) float64 { return u*u - 2*u*v })
		var part mat.VecDense
		part.MulVec(l, mat.NewVecDense(k, q))
		fit := mat.NewDense(k, 3, nil)
		for a, j := range in.Graph.Of(i) {
			fit.SetRow(a, []float64{1, x.At(int(j), 0), x.At(int(j), 1)})
			q[a] -= part.AtVec(a)
		}
		var c mat.Dense
		must.Do(t, c.Solve(fit, mat.NewDense(k, 1, q)))
		var rest mat.Dense
		rest.Mul(fit, &c)
		for a := range q {
			if math.Abs(rest.At(a, 0)-q[a]) > 1e-9 {
				t.Fatalf("patch %d does not hold the quadratic functions", i)
			}
		}
	}
}

// On a grid the four nearest of an inner sample are a cross, on which the
// product of the two coordinates vanishes and their squares depend on each other
// and on the constant: one column is left.
func TestHessianDropsDependentProducts(t *testing.T) {
	x := mat.NewDense(25, 2, nil)
	for i := range 25 {
		x.SetRow(i, []float64{float64(i / 5), float64(i % 5)})
	}
	in := nearestOf(t, samples.Of(x), 4)
	l := lowerPatch(t, in, Hessian(2, true), 12)
	if trace := mat.Trace(l); math.Abs(trace-1) > 1e-12 {
		t.Errorf("trace %g, want 1", trace)
	}
}
