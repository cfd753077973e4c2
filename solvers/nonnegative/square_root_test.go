package nonnegative

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// What docs/nonnegative.md proves of the square root in the paper's rule
//
//	U ← U ∘ ((C⁺U + U·UᵀC⁻U)/(C⁻U + U·UᵀC⁺U))^η,   η = ½,
//
// against a plain computation of it with any power.

// powerStep is a step of the rule with a power, for the n × n matrix c.
func powerStep(n, p int, c, u []float64, power float64) []float64 {
	plus, minus := make([]float64, n*p), make([]float64, n*p) // C⁺U and C⁻U
	for i := range n {
		for j := range n {
			for q := range p {
				plus[i*p+q] += max(c[i*n+j], 0) * u[j*p+q]
				minus[i*p+q] += max(-c[i*n+j], 0) * u[j*p+q]
			}
		}
	}
	next := make([]float64, n*p)
	for i := range n {
		for q := range p {
			num, den := plus[i*p+q], minus[i*p+q]
			for r := range p {
				for j := range n {
					num += u[i*p+r] * u[j*p+r] * minus[j*p+q]
					den += u[i*p+r] * u[j*p+r] * plus[j*p+q]
				}
			}
			next[i*p+q] = u[i*p+q] * math.Pow(num/den, power)
		}
	}
	return next
}

// frozen returns −tr(VᵀCV) + tr(ΛVᵀV) with Λ = UᵀCU, as a function of V.
func frozen(n, p int, c, u []float64) func(v []float64) float64 {
	lambda := make([]float64, p*p)
	for i := range n {
		for j := range n {
			for q := range p {
				for r := range p {
					lambda[q*p+r] += u[i*p+q] * c[i*n+j] * u[j*p+r]
				}
			}
		}
	}
	return func(v []float64) float64 {
		sum := -form(n, p, c, v)
		for at, g := range gramOf(p, v) {
			sum += lambda[at] * g
		}
		return sum
	}
}

// graphLike is a random matrix of weights, without negative entries and with a diagonal of zeros.
func graphLike(n int, seed uint64) []float64 {
	c := mixed(n, seed)
	for i := range c {
		c[i] = math.Abs(c[i])
	}
	for i := range n {
		c[i*n+i] = 0
	}
	return c
}

// uneven is a start whose entries are of sizes between 0.001 and 1, in columns of length 1.1.
func uneven(n, p int, seed uint64) []float64 {
	u, norms := make([]float64, n*p), make([]float64, p)
	blas.NewStream(seed).Uniforms(u)
	for i := range u {
		u[i] = math.Pow(10, -3*u[i])
		norms[i%p] += u[i] * u[i]
	}
	for i := range u {
		u[i] *= 1.1 / math.Sqrt(norms[i%p])
	}
	return u
}

// rises counts the random steps with a power after which the frozen objective is worse.
func rises(t *testing.T, power float64, matrix func(n int, seed uint64) []float64) (count int) {
	t.Helper()
	for seed := range uint64(1000) {
		n, p := 2+int(seed%9), 1+int(seed%4)
		c, u := matrix(n, seed), uneven(n, p, seed+1000)
		v := powerStep(n, p, c, u, power)
		value := frozen(n, p, c, u)
		slack := 1e-11 * (1 + math.Abs(form(n, p, c, u)) + math.Abs(form(n, p, c, v)))
		if value(v) > value(u)+slack {
			count++
		}
	}
	return count
}

// Every power up to ½ leads no step uphill; 1, the rule without its root, leads some, on
// graphs.
func TestPowersOfThePaperRule(t *testing.T) {
	for _, power := range []float64{0.1, 0.25, 0.4, 0.5} {
		if signs, graphs := rises(t, power, mixed), rises(t, power, graphLike); signs+graphs > 0 {
			t.Errorf("power %g: %d and %d of 1000 steps raise the frozen objective", power, signs, graphs)
		}
	}
	if rises(t, 1, graphLike) == 0 {
		t.Error("without the root no step on a graph raises the frozen objective")
	}
	// The plain computation is the engine's rule.
	n, p := 7, 3
	c, u := mixed(n, 5), uniform(n*p, 6)
	v := powerStep(n, p, c, u, 0.5)
	for at, got := range maximize(t, signedDense(t, n, c, false, 0), p, u, Multiplicative{Iterations: 1}).U {
		if math.Abs(got-v[at]) > 1e-12 {
			t.Fatalf("entry %d is %g, computed plainly %g", at, got, v[at])
		}
	}
}

// The example of the page: C = [0 1; 1 0] and one column. With the root one step from
// anywhere ends at the solution; without it a start and its mirror follow each other for ever.
func TestRuleWithoutItsRootOfTwoEntries(t *testing.T) {
	c, u := []float64{0, 1, 1, 0}, []float64{1, 0.1}
	for i, v := range powerStep(2, 1, c, u, 0.5) {
		if math.Abs(v-math.Sqrt(0.5)) > 1e-15 {
			t.Errorf("with the root entry %d is %g", i, v)
		}
	}
	v := powerStep(2, 1, c, u, 1)
	if math.Abs(v[0]-0.5) > 1e-15 || math.Abs(v[1]-5) > 1e-14 {
		t.Errorf("without it the step leads to %g", v)
	}
	value := frozen(2, 1, c, u)
	if before, after := value(u), value(v); math.Abs(before-0.002) > 1e-15 || math.Abs(after-0.05) > 1e-14 {
		t.Errorf("the frozen objective goes from %g to %g", before, after)
	}
	for i, w := range powerStep(2, 1, c, v, 1) {
		if math.Abs(w-u[i]) > 1e-14 {
			t.Errorf("two steps lead to %g in entry %d, not back to %g", w, i, u[i])
		}
	}
}

// At t times a solution of a nonnegative matrix a step turns t into t^(1−2η), and by the
// rule for a minimum, which is that of the matrix −M, into t^(1+2η).
func TestLengthsUnderPowersOfTheRule(t *testing.T) {
	m := []float64{2, 1, 0, 1, 2, 0, 0, 0, 3}
	solution := []float64{math.Sqrt(0.5), 0, math.Sqrt(0.5), 0, 0, 1} // eigenvectors without overlap
	opposite := make([]float64, len(m))
	for i, v := range m {
		opposite[i] = -v
	}
	for _, power := range []float64{0.25, 0.5, 1} {
		for _, length := range []float64{0.5, 2} {
			u := make([]float64, len(solution))
			for i, v := range solution {
				u[i] = length * v
			}
			for i, v := range powerStep(3, 2, m, u, power) {
				if want := math.Pow(length, 1-2*power) * solution[i]; solution[i] > 0 && math.Abs(v-want) > 1e-14 {
					t.Errorf("power %g, length %g: entry %d is %g, want %g", power, length, i, v, want)
				}
			}
			for i, v := range powerStep(3, 2, opposite, u, power) {
				if want := math.Pow(length, 1+2*power) * solution[i]; solution[i] > 0 && math.Abs(v-want) > 1e-13 {
					t.Errorf("for a minimum, power %g, length %g: entry %d is %g, want %g", power, length, i, v, want)
				}
			}
		}
	}
}

// The objective itself may fall, by what the lengths of the columns change at most; of one
// column that has unit length before each step its Rayleigh quotient never falls.
func TestObjectiveUnderThePaperRule(t *testing.T) {
	falls := 0
	for seed := range uint64(2000) {
		n := 2 + int(seed%9)
		c, u := mixed(n, seed), uniform(n, seed+1000)
		norm := math.Sqrt(gramOf(1, u)[0])
		v := powerStep(n, 1, c, u, 0.5)
		if form(n, 1, c, v) < form(n, 1, c, u)-1e-11 {
			falls++
		}
		for i := range u {
			u[i] /= norm
		}
		v = powerStep(n, 1, c, u, 0.5)
		before, after := form(n, 1, c, u), form(n, 1, c, v)/gramOf(1, v)[0]
		if after < before-1e-11 {
			t.Fatalf("seed %d: the quotient falls from %g to %g", seed, before, after)
		}
	}
	if falls == 0 {
		t.Error("the trace never fell, though columns longer than 1 shrink")
	}
}
