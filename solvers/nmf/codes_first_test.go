package nmf

import (
	"math"
	"slices"
	"testing"
)

// One iteration of codes-first, entry by entry from the formulas.
func TestCodesFirstByHand(t *testing.T) {
	const n, m, r, lambda = 17, 6, 3, 0.7
	d, o := sample(n, m, r, 3)
	start := lowRankData(n, r, 2, 5).Dense
	basis := lowRankData(r, m, 2, 6).Dense
	for i := range start { // zeros would stay
		start[i] += 0.1
	}
	for i := range basis {
		basis[i] += 0.1
	}
	o.Order, o.Init, o.W, o.H, o.Lambda, o.Iterations = CodesFirst, Given, start, basis, lambda, 1
	got := factorize(t, d, o)

	w, h := slices.Clone(start), slices.Clone(basis)
	for k := range r {
		s := 0.0
		for _, v := range h[k*m : (k+1)*m] {
			s += v * v
		}
		for j := range m {
			h[k*m+j] /= math.Sqrt(s)
		}
		for i := range n {
			w[i*r+k] *= math.Sqrt(s)
		}
	}
	next := make([]float64, n*r)
	for i := range n {
		for k := range r {
			var num, den float64
			for j := range m {
				num += d.Dense[i*m+j] * h[k*m+j]
				var model float64
				for l := range r {
					model += w[i*r+l] * h[l*m+j]
				}
				den += model * h[k*m+j]
			}
			for j := range n {
				if phi := lambda * o.Graph.Dense[i*n+j]; phi < 0 {
					num -= phi * w[j*r+k]
				} else {
					den += phi * w[j*r+k]
				}
			}
			next[i*r+k] = w[i*r+k] * num / math.Max(den, codesDenominator)
		}
	}
	closeTo(t, "W", got.W, next, 1e-12)
	want := make([]float64, r*m)
	for k := range r {
		for j := range m {
			var num, den float64
			for i := range n {
				num += next[i*r+k] * d.Dense[i*m+j]
				var model float64
				for l := range r {
					model += next[i*r+l] * h[l*m+j]
				}
				den += next[i*r+k] * model
			}
			want[k*m+j] = h[k*m+j] * num / math.Max(den, codesDenominator)
		}
	}
	closeTo(t, "H", got.H, want, 1e-12)
}

// Settle ends the iteration at the first step that changes the objective by no more
// than its share, and at no earlier one.
func TestSettle(t *testing.T) {
	for _, order := range []string{BasisFirst, CodesFirst} {
		d, o := sample(90, 20, 4, 2)
		o.Order, o.Lambda, o.Iterations, o.TraceEvery = order, 0.5, 400, 1
		whole := factorize(t, d, o)
		o.Settle, o.TraceEvery = 1e-3, 7
		short := factorize(t, d, o)
		if !short.Converged || short.Iterations >= 400 || short.Trace[len(short.Trace)-1].Iteration != short.Iterations {
			t.Fatalf("%s: %d iterations, converged %v", order, short.Iterations, short.Converged)
		}
		for i := 1; i <= short.Iterations; i++ {
			a, b := whole.Trace[i-1].Objective, whole.Trace[i].Objective
			if small := a-b <= o.Settle*a; small != (i == short.Iterations) {
				t.Errorf("%s: step %d from %v to %v of %d steps", order, i, a, b, short.Iterations)
			}
		}
	}
}

func TestCodesFirstRefuses(t *testing.T) {
	d, o := sample(10, 6, 2, 1)
	for _, set := range []func(*Options){func(o *Options) { o.Solver = HALS }, func(o *Options) { o.Loss = KL }, func(o *Options) { o.Loss = L21 }} {
		one := o
		one.Order = CodesFirst
		set(&one)
		if _, err := Factorize(t.Context(), d, one); err == nil {
			t.Errorf("%s with %s was taken", one.Solver, one.Loss)
		}
	}
}
