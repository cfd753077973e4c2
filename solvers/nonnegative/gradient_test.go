package nonnegative

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// bruteForce is projected gradient with a small fixed step.
func bruteForce(n, p int, m, u []float64, sign, alpha, step float64) []float64 {
	u = slices.Clone(u)
	for range 200_000 {
		for i, h := range halfGradient(n, p, m, u, sign, alpha) {
			u[i] = max(u[i]-step*h, 0)
		}
	}
	return u
}

// Where a slow descent by the definition ends, the residual vanishes, and the
// update ends in a minimum that a slow descent does not leave.
func TestGradientAgainstBruteForce(t *testing.T) {
	const n, p, alpha = 7, 2, 6.0
	for seed := range uint64(3) {
		for _, negated := range []bool{false, true} {
			m, sign := gramian(n, seed), -1.0
			if negated {
				sign = 1
			}
			c := signedDense(t, n, m, negated, 0)
			start := uniform(n*p, seed+50)
			o := Multiplicative{Update: UpdateGradient, Alpha: alpha, Norm: 4, Iterations: 5000, Tolerance: 1e-7}
			slow := bruteForce(n, p, m, start, sign, alpha, 0.01)
			o.Iterations = 0
			if r := maximize(t, c, p, slow, o); r.KKT > 1e-9 {
				t.Errorf("seed %d: the residual of a minimum is %g", seed, r.KKT)
			}
			o.Iterations = 5000
			r := maximize(t, c, p, start, o)
			if !r.Converged || r.KKT > 1e-7 {
				t.Errorf("seed %d: converged %v with the residual %g after %d iterations", seed, r.Converged, r.KKT, r.Iterations)
			}
			stays := bruteForce(n, p, m, r.U, sign, alpha, 0.01)
			for i, v := range stays {
				if math.Abs(v-r.U[i]) > 1e-5 {
					t.Fatalf("seed %d: entry %d is %g, a minimum near it %g", seed, i, r.U[i], v)
				}
			}
		}
	}
}

// M → cM with α → cα is the same problem.
func TestGradientIsInvariantToScale(t *testing.T) {
	const n, p, by = 12, 3, 1024.0
	m, u := gramian(n, 3), uniform(n*p, 4)
	scaled := slices.Clone(m)
	blas.Scale(by, scaled)
	for _, negated := range []bool{false, true} {
		o := Multiplicative{Update: UpdateGradient, Norm: 4, Iterations: 60, Tolerance: 1e-3}
		a := maximize(t, signedDense(t, n, m, negated, 0), p, u, o)
		o.Norm *= by
		b := maximize(t, signedDense(t, n, scaled, negated, 0), p, u, o)
		if !slices.Equal(a.U, b.U) || a.KKT != b.KKT || a.Iterations != b.Iterations {
			t.Errorf("negated %v: residuals %g and %g after %d and %d iterations", negated, a.KKT, b.KKT, a.Iterations, b.Iterations)
		}
	}
}

func TestGradientNeverIncreases(t *testing.T) {
	check := func(seed uint64, r *Nonnegative) {
		t.Helper()
		for i, v := range r.U {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Fatalf("seed %d: entry %d is %v", seed, i, v)
			}
		}
		for i, v := range r.Penalized[r.Stage : len(r.Penalized)-1] {
			if next := r.Penalized[r.Stage+i+1]; next > v+1e-12*(1+math.Abs(v)) {
				t.Fatalf("seed %d: from %v to %v in iteration %d", seed, v, next, r.Stage+i+1)
			}
		}
		if len(r.Objective) != r.Iterations+1 || len(r.Penalized) != len(r.Objective) {
			t.Fatalf("%d objectives of %d iterations", len(r.Objective), r.Iterations)
		}
	}
	for seed := range uint64(20) {
		n, p := 6+int(seed%9), 1+int(seed%5)
		m := mixed(n, seed)
		for _, o := range []Multiplicative{{Alpha: 2.5}, {Rivals: []float64{1}}} {
			o.Update, o.Norm, o.Iterations, o.Tolerance = UpdateGradient, 8, 300, 1e-6
			check(seed, maximize(t, signedDense(t, n, m, seed%2 == 0, 0), p, uniform(n*p, seed), o))
		}
		o := Multiplicative{Update: UpdateGradient, Alpha: 0.3, Norm: 8, Iterations: 200, Tolerance: 1e-6}
		r := must.Get(FitNMMS(context.Background(), signedDense(t, n, m, false, 0), blas.Dot(m, m), p, uniform(n*p, seed), slices.Repeat([]float64{1}, p), o))(t)
		check(seed, r)
		// What is recorded is ‖K − HSHᵀ‖².
		var misfit float64
		for i := range n {
			for j := range n {
				e := m[i*n+j]
				for q, s := range r.S {
					e -= r.U[i*p+q] * s * r.U[j*p+q]
				}
				misfit += e * e
			}
		}
		if last := r.Objective[r.Iterations]; math.Abs(last-misfit) > 1e-10*misfit {
			t.Errorf("seed %d: misfit %g, recorded %g", seed, misfit, last)
		}
	}
}

// A rival that ends lower is kept.
func TestRivals(t *testing.T) {
	better := 0
	for seed := range uint64(30) {
		const n, p = 20, 3
		m := gramian(n, seed)
		o := Multiplicative{Update: UpdateGradient, Norm: 4, Iterations: 2000, Tolerance: 1e-5}
		alone := maximize(t, signedDense(t, n, m, true, 0), p, uniform(n*p, seed), o)
		o.Rivals = []float64{1, 8}
		r := maximize(t, signedDense(t, n, m, true, 0), p, uniform(n*p, seed), o)
		first, last := alone.Penalized[alone.Iterations], r.Penalized[r.Iterations]
		if last > first || r.Alpha != alone.Alpha {
			t.Errorf("seed %d: %g at α = %g, alone %g at %g", seed, last, r.Alpha, first, alone.Alpha)
		}
		if last < first {
			better++
		}
	}
	if better == 0 {
		t.Error("no rival was ever better")
	}
}

func TestLeastOfQuartic(t *testing.T) {
	c := make([]float64, 4)
	stream := blas.NewStream(5)
	for range 500 {
		stream.Normals(c)
		value := func(t float64) float64 { return t * (c[0] + t*(c[1]+t*(c[2]+t*c[3]))) }
		least := 0.0
		for i := range 10_001 {
			least = min(least, value(float64(i)/10_000))
		}
		if got := value(minOfQuartic([4]float64(c))); got > least+1e-12 {
			t.Fatalf("%g: found %g, there is %g", c, got, least)
		}
	}
}

// Products by the factor are those of the matrix.
func TestPlainGram(t *testing.T) {
	const n, features, p = 700, 5, 3
	x := make([]float64, n*features)
	blas.NewStream(2).Normals(x)
	kernels := blas.MustSelect("")
	plain := must.Get(PlainGram(kernels, n, features, x))(t)
	rows := must.Get(SignedGram(kernels, n, features, x))(t)
	o := Multiplicative{Update: UpdateGradient, Alpha: 900, Norm: 900, Iterations: 20}
	a, b := maximize(t, plain, p, uniform(n*p, 1), o), maximize(t, rows, p, uniform(n*p, 1), o)
	for i, v := range a.U {
		if math.Abs(v-b.U[i]) > 1e-9 {
			t.Fatalf("entry %d is %g by the factor, %g by the matrix", i, v, b.U[i])
		}
	}
	if _, err := PlainGram(kernels, n, features+1, x); err == nil {
		t.Error("a matrix that is too short is taken")
	}
}
