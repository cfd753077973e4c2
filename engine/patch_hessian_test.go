package engine

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// lowerPatch computes one patch and unpacks it.
func lowerPatch(t *testing.T, p *problem, rule patchRule, i int) *mat.SymDense {
	t.Helper()
	worker, err := rule.begin(p)
	if err != nil {
		t.Fatal(err)
	}
	ptr, _ := rule.sets(p.graph)
	n := ptr[i+1] - ptr[i]
	lower := make([]float64, n*(n+1)/2)
	worker()(i, lower)
	s := mat.NewSymDense(n, nil)
	at := 0
	for a := range n {
		for b := range a + 1 {
			s.SetSym(a, b, lower[at])
			at++
		}
	}
	return s
}

// annihilates tells how far a patch is from sending a vector to zero.
func annihilates(l *mat.SymDense, v []float64) float64 {
	var out mat.VecDense
	out.MulVec(l, mat.NewVecDense(len(v), v))
	return mat.Norm(&out, math.Inf(1))
}

func patchProblem(t *testing.T, x *mat.Dense, k int) *problem {
	t.Helper()
	g, err := neighbors.Exact(context.Background(), pointsOf(x), k, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return testProblem(x, g)
}

// On flat data in two dimensions the patch sends every affine function to zero
// and is the identity on what quadratic ones add to them.
func TestHessianPatch(t *testing.T) {
	const n, k = 60, 9
	x := mat.NewDense(n, 2, nil)
	blas.NewStream(3).Normals(x.RawMatrix().Data)
	p := patchProblem(t, x, k)
	for i := range n {
		l := lowerPatch(t, p, hessian(2), i)
		affine := func(f func(u, v float64) float64) []float64 {
			values := make([]float64, k)
			for a, j := range p.graph.Of(i) {
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
			t.Fatalf("patch %d is no projector on three dimensions: trace %g", i, mat.Trace(l))
		}
		// A quadratic function is affine plus its part in the range.
		q := affine(func(u, v float64) float64 { return u*u - 2*u*v })
		var part mat.VecDense
		part.MulVec(l, mat.NewVecDense(k, q))
		fit := mat.NewDense(k, 3, nil)
		for a, j := range p.graph.Of(i) {
			fit.SetRow(a, []float64{1, x.At(int(j), 0), x.At(int(j), 1)})
			q[a] -= part.AtVec(a)
		}
		var c mat.Dense
		if err := c.Solve(fit, mat.NewDense(k, 1, q)); err != nil {
			t.Fatal(err)
		}
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
	p := patchProblem(t, x, 4)
	l := lowerPatch(t, p, hessian(2), 12)
	if trace := mat.Trace(l); math.Abs(trace-1) > 1e-12 {
		t.Errorf("trace %g, want 1", trace)
	}
	for _, m := range []Method{HLLE{Neighbors: 8}, HLLE{Neighbors: 6}} {
		r, err := Embed(context.Background(), x, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Y.RawMatrix().Data {
			if math.IsNaN(v) {
				t.Fatal("a coordinate is NaN")
			}
		}
	}
}

// The factors of the patches are factors: MᵀM = L.
func TestPatchFactors(t *testing.T) {
	p := patchProblem(t, generate(t, "swiss-roll", 120, 1).X, 8)
	for _, rule := range []factoredRule{hessian(2), curved{tangent{2, false}, 1e-2}, curved{tangent{2, true}, 1e-2}, tangent{2, false}} {
		t.Run(fmt.Sprintf("%T", rule), func(t *testing.T) {
			rows, worker, err := rule.beginFactor(p)
			if err != nil {
				t.Fatal(err)
			}
			factor := worker()
			for i := range p.x.N {
				l := lowerPatch(t, p, rule, i)
				n := l.SymmetricDim()
				m := mat.NewDense(rows(i), n, nil)
				factor(i, m.RawMatrix().Data)
				var product mat.Dense
				product.Mul(m.T(), m)
				product.Sub(&product, l)
				if far := mat.Norm(&product, 2); far > 1e-13*float64(n) {
					t.Fatalf("%T: factor of patch %d is off by %g", rule, i, far)
				}
			}
		})
	}
}

// The curvature patch sends constants and tangent coordinates to zero, has D of
// mean square 1, and is LTSA's where the weights are even.
func TestCurvedPatch(t *testing.T) {
	p := patchProblem(t, generate(t, "swiss-roll", 120, 1).X, 8)
	rule := curved{tangent{2, false}, 1e-2}
	bases, err := rule.tangentBases(p)
	if err != nil {
		t.Fatal(err)
	}
	c := rule.newCalculator(p, bases)
	for i := range p.x.N {
		l := lowerPatch(t, p, rule, i)
		n := c.of(i)
		if square := blas.Dot(c.weight[:n], c.weight[:n]) / float64(n); math.Abs(square-1) > 1e-13 {
			t.Fatalf("mean square weight %g", square)
		}
		ones := make([]float64, n)
		for a := range ones {
			ones[a] = 1
		}
		for _, v := range [][]float64{ones, c.spectrum.vectors[:n], c.spectrum.vectors[n : 2*n]} {
			if far := annihilates(l, v); far > 1e-12 {
				t.Fatalf("patch %d leaves %g of a tangent coordinate", i, far)
			}
		}
		plain, even := lowerPatch(t, p, tangent{2, false}, i), lowerPatch(t, p, curved{tangent{2, false}, 1e9}, i)
		var difference mat.Dense
		difference.Sub(even, plain)
		if far := mat.Norm(&difference, 2); far > 1e-8 {
			t.Fatalf("δ = 1e9: patch %d is %g from LTSA's", i, far)
		}
	}
}

func TestPrincipalAngle(t *testing.T) {
	s := angleSolver{m: 4, rest: make([]float64, 8), gram: make([]float64, 4), values: make([]float64, 2), work: make([]float64, 4)}
	for _, angle := range []float64{0, 1e-9, 0.3, 1.2, math.Pi / 2} {
		p := []float64{1, 0, 0, 0, 0, 1, 0, 0}
		q := []float64{math.Cos(angle / 2), 0, math.Sin(angle / 2), 0, 0, math.Cos(angle), 0, math.Sin(angle)}
		for _, got := range []float64{s.between(p, q), s.between(q, p)} {
			if math.Abs(got-angle) > 1e-12+1e-7*angle*angle*angle { // arcsine near 90° keeps half the digits
				t.Errorf("angle %g, want %g", got, angle)
			}
		}
		if got := s.between(p[:4], q); math.Abs(got-angle/2) > 1e-12 {
			t.Errorf("angle of a line and a plane %g, want %g", got, angle/2)
		}
		if got := s.between(p, nil); got != 0 {
			t.Errorf("angle to nothing is %g", got)
		}
	}
}

// The triple peak, which bends sharply at its ridges: with weights for the
// curvature LTSA loses more than half of its error (Zhang, Wang and Zha 2012).
func TestCurvatureOnTheTriplePeak(t *testing.T) {
	s := generate(t, "triple-peak", 0, 1)
	plain := deviation(t, s, LTSA{Neighbors: 15})
	for delta, want := range map[float64]float64{1e-3: 0.086, 1e-2: 0.068, 0.1: 0.117} {
		if dev := deviation(t, s, LTSACurvature{Neighbors: 15, Delta: delta}); math.Abs(dev-want) > 1e-3 || dev > 0.8*plain {
			t.Errorf("δ = %g: dev %g, want %g; of plain LTSA %g", delta, dev, want, plain)
		}
	}
}
