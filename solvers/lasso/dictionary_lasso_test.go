package lasso

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// Dictionaries with many more rows than columns, copies and opposites among them: the
// conditions of optimality hold, and the minimum is that of very many plain sweeps.
func TestDictionaryLassoOfDependentRows(t *testing.T) {
	kernels := blas.MustSelect("")
	l := NewDictionaryLasso(kernels)
	stream := blas.NewStream(5)
	for _, c := range []struct {
		w, m   int
		lambda float64
	}{{1, 1, 0.5}, {30, 2, 0.01}, {60, 6, 1e-3}, {40, 40, 0.1}, {80, 12, 1e-4}, {5, 50, 0.3}} {
		a, x := make([]float64, c.w*c.m), make([]float64, c.m)
		stream.Normals(a)
		stream.Normals(x)
		if c.w > 9 {
			copy(a[3*c.m:4*c.m], a[5*c.m:6*c.m])
			for q := range c.m {
				a[7*c.m+q] = -a[8*c.m+q]
			}
		}
		for i := range c.w {
			row := a[i*c.m : (i+1)*c.m]
			blas.Scale(1/math.Sqrt(blas.Dot(row, row)), row)
		}
		blas.Scale(1/math.Sqrt(blas.Dot(x, x)), x)
		h, b := make([]float64, c.w*c.w), make([]float64, c.w)
		for i := range c.w {
			b[i] = blas.Dot(a[i*c.m:(i+1)*c.m], x)
			for j := range c.w {
				h[i*c.w+j] = blas.Dot(a[i*c.m:(i+1)*c.m], a[j*c.m:(j+1)*c.m])
			}
		}
		z := make([]float64, c.w)
		r := l.Solve(h, c.w, c.w, b, c.lambda, 1e-9, z)
		if !r.Converged {
			t.Errorf("%d rows of %d: conditions missed by %g after %d rounds", c.w, c.m, r.Violation, r.Steps)
		}
		want, misfit := 0.0, append([]float64(nil), x...)
		for i, v := range z {
			blas.Axpy(-v, a[i*c.m:(i+1)*c.m], misfit)
			want += c.lambda * math.Abs(v)
		}
		want += (blas.Dot(misfit, misfit) - 1) / 2
		if math.Abs(r.Objective-want) > 1e-12 {
			t.Errorf("%d rows of %d: objective %v, want %v", c.w, c.m, r.Objective, want)
		}
		// The residual is a feasible point of the dual once its products with the rows
		// are within λ; the gap between the two values then bounds the error of the cost.
		scale := 1.0
		for i := range c.w {
			scale = max(scale, math.Abs(blas.Dot(a[i*c.m:(i+1)*c.m], misfit))/c.lambda)
		}
		blas.Scale(1/scale, misfit)
		dual := blas.Dot(misfit, x) - blas.Dot(misfit, misfit)/2 - 0.5
		if gap := r.Objective - dual; !(gap >= -1e-12 && gap < 1e-8) {
			t.Errorf("%d rows of %d: duality gap %g", c.w, c.m, gap)
		}
	}
}
