package solvers

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// halfGradient is MU·(±1) + αU(UᵀU − I), by the definition.
func halfGradient(n, p int, m, u []float64, sign, alpha float64) []float64 {
	g, h := gramOf(p, u), make([]float64, n*p)
	for q := range p {
		g[q*p+q]--
	}
	for i := range n {
		for q := range p {
			for j := range n {
				h[i*p+q] += sign * m[i*n+j] * u[j*p+q]
			}
			for r := range p {
				h[i*p+q] += alpha * u[i*p+r] * g[r*p+q]
			}
		}
	}
	return h
}

func residualOf(n, p int, m, u []float64, sign, alpha, norm float64) float64 {
	product := halfGradient(n, p, m, u, sign, 0)
	term := max(math.Sqrt(blas.Dot(product, product)), 1e-3*norm*math.Sqrt(blas.Dot(u, u)))
	weight := term / math.Sqrt(blas.Dot(u, u))
	var t float64
	for i, h := range halfGradient(n, p, m, u, sign, alpha) {
		e := min(weight*u[i], h)
		t += e * e
	}
	return math.Sqrt(t) / term
}

// The residual is its formula, for every rule, and at points where it is known.
func TestResidualByTheFormula(t *testing.T) {
	const n, p, alpha = 9, 3, 2.5
	for seed := range uint64(4) {
		m, u := mixed(n, seed), uniform(n*p, seed+9)
		for _, negated := range []bool{false, true} {
			sign := -1.0
			if negated {
				sign = 1
			}
			want := residualOf(n, p, m, u, sign, alpha, 3)
			for _, update := range []string{UpdateGradient, UpdatePenalty} {
				r := maximize(t, signedDense(t, n, m, negated, 0), p, u, Multiplicative{Update: update, Alpha: alpha, Norm: 3})
				if math.Abs(r.KKT-want) > 1e-12*want {
					t.Errorf("%s, seed %d: %g, want %g", update, seed, r.KKT, want)
				}
			}
		}
	}
	// C = diag(3, 2, 1) and one column: the minimum is (√(1 + 3/α), 0, 0), and at
	// (1, 0, 0) half the gradient is −3, as large as what it is measured against.
	m := []float64{3, 0, 0, 0, 2, 0, 0, 0, 1}
	c := signedDense(t, 3, m, false, 0)
	for _, k := range []struct{ first, want float64 }{{math.Sqrt(1 + 3/alpha), 0}, {1, 1}} {
		r := maximize(t, c, 1, []float64{k.first, 0, 0}, Multiplicative{Update: UpdateGradient, Alpha: alpha, Norm: 3})
		if math.Abs(r.KKT-k.want) > 1e-14 {
			t.Errorf("at %g the residual is %g, want %g", k.first, r.KKT, k.want)
		}
	}
	// The eigenvectors of blocks are fixed points of the paper's rule, whatever the shift.
	half := math.Sqrt(0.5)
	blocks := []float64{2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 3, 1, 0, 0, 1, 3}
	fixed := []float64{half, 0, half, 0, 0, half, 0, half}
	for _, sigma := range []float64{0, 5} {
		if r := maximize(t, signedDense(t, 4, blocks, false, sigma), 2, fixed, Multiplicative{Norm: 4}); r.KKT > 1e-14 {
			t.Errorf("σ = %g: the residual of a fixed point is %g", sigma, r.KKT)
		}
	}
}

// In multidimensional scaling too, where the two rules meet at the best weights.
func TestResidualOfScaling(t *testing.T) {
	const n, p = 8, 2
	m := gramian(n, 1)
	h := uniform(n*p, 2)
	fit := func(update string, s []float64) *Nonnegative {
		t.Helper()
		r, err := FitNMMS(context.Background(), signedDense(t, n, m, false, 0), blas.Dot(m, m), p, h, s, Multiplicative{Update: update, Alpha: 0.7, Norm: 4})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a := fit(UpdateGradient, []float64{1, 1})
	// The weights are the best where half of their slope vanishes, or would make them negative.
	g := gramOf(p, h)
	for q, s := range a.S {
		column := make([]float64, n)
		for i := range n {
			column[i] = h[i*p+q]
		}
		slope := -form(n, 1, m, column)
		for r, other := range a.S {
			slope += g[q*p+r] * g[q*p+r] * other
		}
		if e := min(s, slope); math.Abs(e) > 1e-10 {
			t.Errorf("weight %d is %g with the slope %g", q, s, slope)
		}
	}
	if b := fit(UpdatePenalty, a.S); math.Abs(a.KKT-b.KKT) > 1e-6*a.KKT {
		t.Errorf("residuals %g and %g at one point", a.KKT, b.KKT)
	}
}
