package nmf

import (
	"math"
	"testing"
)

// stoppingCases are solvers with and without penalties.
func stoppingCases() map[string]Options {
	some := Penalties{0.02, 0.01, 0.5}
	return map[string]Options{
		"mu": {}, "mu, penalties": {Penalties: some}, "kl": {Loss: KL}, "kl, penalties": {Loss: KL, Penalties: some},
		"hals": {Solver: HALS, Sweeps: 1}, "hals, penalties": {Solver: HALS, Sweeps: 1, Penalties: some},
	}
}

// The rule of the relative decrease ends a fit where the errors, entry by entry, of fits of
// 10, 20, … iterations say so.
func TestRelativeDecrease(t *testing.T) {
	const n, m, r = 40, 17, 3
	d := lowRankData(n, m, r, 6)
	for name, o := range stoppingCases() {
		t.Run(name, func(t *testing.T) {
			o.Rank, o.Seed, o.TraceEvery, o.Normalize = r, 2, 7, Never
			fall := func(tolerance float64) (iterations int) {
				first := factorize(t, d, asStarted(o))
				root := func(r *Result) float64 {
					return math.Sqrt(plainObjective(d, o.Loss, Penalties{}, o.Rank, r.W, r.H))
				}
				last := root(first)
				start := last
				for k := 10; k <= 500; k += 10 {
					p := o
					p.Iterations = k
					now := root(factorize(t, d, p))
					if (last-now)/start < tolerance {
						return k
					}
					last = now
				}
				return 0
			}
			for _, tolerance := range []float64{3e-2, 1e-3} {
				want := fall(tolerance)
				p := o
				p.Stop, p.Tolerance, p.Iterations = RelativeDecrease, tolerance, 600
				got := factorize(t, d, p)
				if want == 0 || got.Iterations != want || !got.Converged {
					t.Errorf("tolerance %v: %d iterations (converged %v), want %d", tolerance, got.Iterations, got.Converged, want)
				}
				if p := got.Trace[len(got.Trace)-1]; p.Iteration != want {
					t.Errorf("tolerance %v: the trace ends at %d", tolerance, p.Iteration)
				}
			}
		})
	}
}

// asStarted are options of a fit that ends before its first iteration.
func asStarted(o Options) Options {
	o.Watch = func(Point) bool { return true }
	return o
}

// The rule of the violation ends a fit where slopes that are computed entry by entry say so.
func TestViolation(t *testing.T) {
	const n, m, r = 61, 150, 3
	d := lowRankData(n, m, r, 6)
	w, h := uniformFactors(n, m, r, 8)
	for _, p := range []Penalties{{}, {0.02, 0.03, 0.5}, {0.2, 0.2, 1}} {
		o := Options{Rank: r, Init: Given, W: w, H: h, Solver: HALS, Sweeps: 1, Penalties: p, Stop: Violation, Iterations: 400, Normalize: Never}
		wantW, wantH := append([]float64(nil), w...), append([]float64(nil), h...)
		w1, w2, h1, h2 := plainPenalties(p, n, m)
		var violations []float64
		for range 120 {
			ht := plainTransposed(r, m, wantH)
			v := plainStep(plainTransposed(n, m, d.Dense), m, n, r, ht, plainTransposed(n, r, wantW), h1, h2, o)
			wantH = plainTransposed(m, r, ht)
			v += plainStep(d.Dense, n, m, r, wantW, wantH, w1, w2, o)
			violations = append(violations, v)
		}
		for _, tolerance := range []float64{0.1, 2e-2} {
			want := 0
			for i, v := range violations {
				if v/violations[0] <= tolerance {
					want = i + 1
					break
				}
			}
			for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
				for _, threads := range []int{1, 3} {
					o.Tolerance, o.Threads = tolerance, threads
					if got := factorize(t, data, o); want == 0 || got.Iterations != want || !got.Converged {
						t.Errorf("%+v, %s, tolerance %v: %d iterations (converged %v), want %d", p, what, tolerance, got.Iterations, got.Converged, want)
					}
				}
			}
		}
	}
}

// Without a tolerance no rule ends a fit, and the rules change no bit of the result.
func TestRulesToStopOnlyStop(t *testing.T) {
	d := lowRankData(40, 17, 3, 6)
	for name, o := range stoppingCases() {
		o.Rank, o.Iterations = 3, 23
		want := factorize(t, d, o)
		for _, rule := range []string{RelativeDecrease, Violation} {
			if rule == Violation && o.Solver != HALS {
				continue
			}
			for _, tolerance := range []float64{0, 1e-300} {
				o.Stop, o.Tolerance = rule, tolerance
				got := factorize(t, d, o)
				if got.Iterations != 23 {
					t.Errorf("%s, %s: %d iterations", name, rule, got.Iterations)
				}
				sameBits(t, name+", "+rule, got, want)
			}
		}
	}
}
