package nonnegative

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// mixed is a symmetric matrix with entries of both signs.
func mixed(n int, seed uint64) []float64 {
	m := make([]float64, n*n)
	blas.NewStream(seed).Normals(m)
	for i := range n {
		for j := range i {
			m[i*n+j] = m[j*n+i]
		}
	}
	return m
}

// gramian is a positive semidefinite one.
func gramian(n int, seed uint64) []float64 {
	x, m := make([]float64, n*n), make([]float64, n*n)
	blas.NewStream(seed).Normals(x)
	blas.MustSelect("").Gemm(false, true, n, n, n, 1/float64(n), x, n, x, n, 0, m, n)
	return m
}

func uniform(n int, seed uint64) []float64 {
	u := make([]float64, n)
	blas.NewStream(seed).Uniforms(u)
	for i := range u {
		u[i] = 0.1 + 0.9*u[i]
	}
	return u
}

func signedDense(t testing.TB, n int, m []float64, negated bool, sigma float64) Signed {
	t.Helper()
	c := must.Get(SignedDense(n, slices.Clone(m), negated, sigma))(t)
	return c
}

func maximize(t testing.TB, c Signed, p int, u []float64, o Multiplicative) *Nonnegative {
	t.Helper()
	r := must.Get(Maximize(context.Background(), c, p, u, o))(t)
	return r
}

// form is tr(UᵀMU); with m nil, UᵀU in full.
func form(n, p int, m, u []float64) float64 {
	var t float64
	for i := range n {
		for j := range n {
			for q := range p {
				t += u[i*p+q] * m[i*n+j] * u[j*p+q]
			}
		}
	}
	return t
}

func gramOf(p int, u []float64) []float64 {
	g := make([]float64, p*p)
	for at := 0; at < len(u); at += p {
		for q := range p {
			blas.Axpy(u[at+q], u[at:at+p], g[q*p:q*p+p])
		}
	}
	return g
}

func checkNonnegative(t *testing.T, r *Nonnegative) {
	t.Helper()
	for i, v := range r.U {
		if !(v >= blas.PanelFloor) || math.IsInf(v, 0) {
			t.Fatalf("entry %d is %v", i, v)
		}
	}
	for i, v := range r.Objective {
		if v-v != 0 || r.Orthogonality[i]-r.Orthogonality[i] != 0 {
			t.Fatalf("objective %v, orthogonality %v after %d iterations", v, r.Orthogonality[i], i)
		}
	}
}

// With the multipliers Λ = UᵀCU frozen at the old U, a step of the paper's rule
// never increases −tr(UᵀCU) + tr(ΛUᵀU).
func TestPaperStepWithFrozenMultipliers(t *testing.T) {
	for seed := range uint64(60) {
		n, p := 6+int(seed%9), 1+int(seed%4)
		m := mixed(n, seed)
		u := uniform(n*p, seed+100)
		for range 10 {
			lambda := make([]float64, p*p)
			for i := range n {
				for j := range n {
					for q := range p {
						for r := range p {
							lambda[q*p+r] += u[i*p+q] * m[i*n+j] * u[j*p+r]
						}
					}
				}
			}
			value := func(u []float64) float64 {
				g, v := gramOf(p, u), -form(n, p, m, u)
				for i := range lambda {
					v += lambda[i] * g[i]
				}
				return v
			}
			r := maximize(t, signedDense(t, n, m, false, 0), p, u, Multiplicative{Iterations: 1})
			checkNonnegative(t, r)
			// Rounding in the terms of the value, which are larger than it.
			slack := 1e-11 * (1 + math.Abs(form(n, p, m, u)) + math.Abs(form(n, p, m, r.U)))
			if before, after := value(u), value(r.U); after > before+slack {
				t.Fatalf("seed %d: the value rises from %g to %g", seed, before, after)
			}
			u = r.U
		}
	}
}

func TestPenaltyNeverIncreases(t *testing.T) {
	const alpha = 2.5
	for seed := range uint64(30) {
		n, p := 6+int(seed%9), 1+int(seed%5)
		r := maximize(t, signedDense(t, n, mixed(n, seed), seed%2 == 0, 1), p, uniform(n*p, seed), Multiplicative{Update: UpdatePenalty, Alpha: alpha, Iterations: 60})
		checkNonnegative(t, r)
		// The objective is of M alone: that of C = σI ± M has the shift besides.
		c := signedDense(t, n, mixed(n, seed), seed%2 == 0, 1)
		last := math.Inf(1)
		u := uniform(n*p, seed)
		for i := range 60 {
			one := maximize(t, c, p, u, Multiplicative{Update: UpdatePenalty, Alpha: alpha, Iterations: 1})
			sign, sigma := c.terms()
			var norm float64
			for _, v := range u {
				norm += v * v
			}
			g := -(sign*one.Objective[0] + sigma*norm) + alpha/2*one.Orthogonality[0]*one.Orthogonality[0]
			if g > last+1e-11*(1+math.Abs(last)) {
				t.Fatalf("seed %d: the penalised objective rises from %g to %g in step %d", seed, last, g, i)
			}
			last, u = g, one.U
		}
	}
}

func TestFitNMMSNeverIncreases(t *testing.T) {
	const alpha = 0.3
	for seed := range uint64(20) {
		n, p := 8+int(seed%5), 1+int(seed%4)
		k := mixed(n, seed)
		square := blas.Dot(k, k)
		r := must.Get(FitNMMS(context.Background(), signedDense(t, n, k, false, 0), square, p, uniform(n*p, seed), uniform(p, seed+1),
			Multiplicative{Update: UpdatePenalty, Alpha: alpha, Iterations: 80}))(t)
		checkNonnegative(t, r)
		penalized := func(i int) float64 { return r.Objective[i] + alpha/2*r.Orthogonality[i]*r.Orthogonality[i] }
		for i := range r.Iterations {
			if penalized(i+1) > penalized(i)*(1+1e-11) {
				t.Fatalf("seed %d: rises from %g to %g in step %d", seed, penalized(i), penalized(i+1), i+1)
			}
		}
		// The last value against ‖K − HSHᵀ‖² in full.
		var full float64
		for i := range n {
			for j := range n {
				d := k[i*n+j]
				for q, s := range r.S {
					d -= s * r.U[i*p+q] * r.U[j*p+q]
				}
				full += d * d
			}
		}
		if got := r.Objective[r.Iterations]; math.Abs(got-full) > 1e-10*square {
			t.Errorf("seed %d: objective %g, in full %g", seed, got, full)
		}
	}
}

// The step of s alone, whatever H.
func TestWeightStepNeverIncreases(t *testing.T) {
	for seed := range uint64(50) {
		n, p := 8, 1+int(seed%4)
		k := mixed(n, seed)
		square := blas.Dot(k, k)
		it := must.Get(newIteration(signedDense(t, n, k, false, 0), p, uniform(n*p, seed), Multiplicative{}))(t)
		it.objective = func() float64 { return it.misfit(square) }
		r := &Nonnegative{}
		must.Do(t, it.evaluate(r, true))
		for range 10 {
			before := it.misfit(square)
			it.stepWeights()
			if after := it.misfit(square); after > before*(1+1e-12) {
				t.Fatalf("seed %d: rises from %g to %g", seed, before, after)
			}
		}
		it.pool.close()
	}
}

func TestMultiplicativeInvariances(t *testing.T) {
	const n, p = 40, 3
	m, u := gramian(n, 1), uniform(n*p, 2)
	o := Multiplicative{Iterations: 40}
	want := maximize(t, signedDense(t, n, m, false, 0), p, u, o)
	// A power of two scales without rounding.
	scaled := slices.Clone(m)
	blas.Scale(4, scaled)
	if got := maximize(t, signedDense(t, n, scaled, false, 0), p, u, o); !slices.Equal(got.U, want.U) {
		t.Error("the scale of C changes the iterates")
	}
	// Columns of the start.
	order := []int{2, 0, 1}
	turned := make([]float64, n*p)
	for i := range n {
		for q, from := range order {
			turned[i*p+q] = u[i*p+from]
		}
	}
	got := maximize(t, signedDense(t, n, m, false, 0), p, turned, o)
	for i := range n {
		for q, from := range order {
			if math.Abs(got.U[i*p+q]-want.U[i*p+from]) > 1e-11 {
				t.Fatalf("permuting the columns of the start changes entry (%d, %d)", i, from)
			}
		}
	}
	// Rows and columns of C with the rows of the start.
	mirrored, flipped := make([]float64, n*n), make([]float64, n*p)
	for i := range n {
		copy(flipped[(n-1-i)*p:], u[i*p:i*p+p])
		for j := range n {
			mirrored[(n-1-i)*n+n-1-j] = m[i*n+j]
		}
	}
	got = maximize(t, signedDense(t, n, mirrored, false, 0), p, flipped, o)
	for i := range n {
		for q := range p {
			if math.Abs(got.U[(n-1-i)*p+q]-want.U[i*p+q]) > 1e-10 {
				t.Fatalf("permuting the samples changes entry (%d, %d)", i, q)
			}
		}
	}
}

func TestStoppingRules(t *testing.T) {
	const n, p = 30, 2
	m := gramian(n, 1)
	o := Multiplicative{Iterations: 5000, Tolerance: 1e-8}
	r := maximize(t, signedDense(t, n, m, false, 5), p, uniform(n*p, 1), o)
	if !r.Converged || r.Iterations == 5000 || len(r.Objective) != r.Iterations+1 {
		t.Errorf("converged %v after %d iterations, %d values", r.Converged, r.Iterations, len(r.Objective))
	}
	o.Tolerance = 0
	o.Iterations = r.Iterations + 10
	if r := maximize(t, signedDense(t, n, m, false, 5), p, uniform(n*p, 1), o); r.Converged || r.Iterations != o.Iterations {
		t.Errorf("without a tolerance: converged %v after %d iterations", r.Converged, r.Iterations)
	}
	// Continuation: a seventh of the iterations each, the tolerance ends a stage.
	o = Multiplicative{Update: UpdatePenalty, Norm: 4, Iterations: 73}
	if r := maximize(t, signedDense(t, n, m, false, 0), p, uniform(n*p, 1), o); r.Iterations != 73 {
		t.Errorf("%d iterations, want 73", r.Iterations)
	}
	o.Iterations, o.Tolerance = 70_000, 1e-6
	r = maximize(t, signedDense(t, n, m, false, 0), p, uniform(n*p, 1), o)
	if !r.Converged || r.Iterations >= 70_000 || r.Orthogonality[r.Iterations] > 0.05 {
		t.Errorf("continuation: converged %v after %d, orthogonality %g", r.Converged, r.Iterations, r.Orthogonality[r.Iterations])
	}
	o.Iterations = 0
	if r := maximize(t, signedDense(t, n, m, false, 0), p, uniform(n*p, 1), o); r.Converged || len(r.Objective) != 1 || r.U[0] != uniform(n*p, 1)[0] {
		t.Errorf("no iterations: converged %v, %d values", r.Converged, len(r.Objective))
	}
}

func TestNormalizeKeepsUnitColumns(t *testing.T) {
	const n, p = 30, 3
	r := maximize(t, signedDense(t, n, gramian(n, 1), true, 0), p, uniform(n*p, 1), Multiplicative{Iterations: 400, Normalize: true})
	g := gramOf(p, r.U)
	for q := range p {
		if math.Abs(g[q*p+q]-1) > 1e-12 {
			t.Errorf("column %d has squared length %g", q, g[q*p+q])
		}
	}
}

func TestMultiplicativeRefuses(t *testing.T) {
	const n, p = 12, 2
	good := func() Signed { return signedDense(t, n, gramian(n, 1), false, 0) }
	negative, infinite := uniform(n*p, 1), uniform(n*p, 1)
	negative[3], infinite[4] = -1, math.Inf(1)
	for _, c := range []struct {
		p    int
		u    []float64
		o    Multiplicative
		want string
	}{
		{0, nil, Multiplicative{}, "0 columns requested of a matrix of order 12"},
		{13, nil, Multiplicative{}, "13 columns requested of a matrix of order 12; give a number from 1 to 12"},
		{p, uniform(5, 1), Multiplicative{}, "a start of 5 numbers for 12 × 2"},
		{p, negative, Multiplicative{}, "row 2, column 2 (counting from 1) of the start is -1"},
		{p, infinite, Multiplicative{}, "row 3, column 1 (counting from 1) of the start is +Inf"},
		{p, uniform(n*p, 1), Multiplicative{Update: "papyrus"}, `update "papyrus"`},
		{p, uniform(n*p, 1), Multiplicative{Update: UpdatePenalty}, "wants a positive weight"},
	} {
		must.Refuse(t, c.want)(Maximize(context.Background(), good(), c.p, c.u, c.o))
	}
	nan := gramian(n, 1)
	nan[7] = math.NaN()
	if _, err := SignedDense(n, nan, false, 0); err == nil {
		t.Error("a matrix with NaN was accepted")
	}
	must.Refuse(t, "weight 2")(FitNMMS(context.Background(), good(), 1, p, uniform(n*p, 1), []float64{1, -1}, Multiplicative{}))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Maximize(ctx, good(), p, uniform(n*p, 1), Multiplicative{Iterations: 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The rule for a minimum as printed runs away from orthogonality; that is an
// error, never a NaN.
func TestPrintedRuleDiverges(t *testing.T) {
	const n, p = 20, 3
	// A semidefinite matrix of both signs whose null space holds no positive vector.
	m := gramian(n, 3)
	_, err := Maximize(context.Background(), signedDense(t, n, m, true, 0), p, uniform(n*p, 1), Multiplicative{Iterations: 100_000})
	if err == nil || !strings.Contains(err.Error(), "diverged after") {
		t.Errorf("got %v", err)
	}
}

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
		r := must.Get(FitNMMS(context.Background(), signedDense(t, n, m, false, 0), blas.Dot(m, m), p, h, s, Multiplicative{Update: update, Alpha: 0.7, Norm: 4}))(t)
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
