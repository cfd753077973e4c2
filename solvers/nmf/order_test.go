package nmf

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// plainWFirst takes iterations as scikit-learn's solvers write them: entry by entry, W and
// then H, by the whole matrices of the data and of WH.
func plainWFirst(d Data, o Options, w, h []float64) (newW, newH []float64) {
	n, m, r := d.Rows, d.Cols, o.Rank
	w, h = slices.Clone(w), slices.Clone(h)
	w1, w2, h1, h2 := plainPenalties(o.Penalties, n, m)
	beta := 2.0
	if o.Loss == KL {
		beta = 1
	}
	xt := plainTransposed(n, m, d.Dense)
	for range o.Iterations {
		if o.Solver == HALS {
			plainDescent(d.Dense, n, m, r, w, h, w1, w2)
		} else {
			plainRatios(d.Dense, n, m, r, w, h, w1, w2, beta)
		}
		ht, wt := plainTransposed(r, m, h), plainTransposed(n, r, w)
		if o.Solver == HALS {
			plainDescent(xt, m, n, r, ht, wt, h1, h2)
		} else {
			plainRatios(xt, m, n, r, ht, wt, h1, h2, beta)
			for i, v := range ht {
				if beta <= 1 && v < 0x1p-52 {
					ht[i] = 0
				}
			}
		}
		h = plainTransposed(m, r, ht)
	}
	return w, h
}

// plainRatios multiplies the entries of A, of X ≈ AB, by (N/D)^γ, where N = X∘Y^(β−2)·Bᵀ, D =
// Y^(β−1)·Bᵀ and Y = AB.
func plainRatios(x []float64, count, other, r int, a, b []float64, l1, l2, beta float64) {
	gamma := 1.0
	if beta < 1 {
		gamma = 1 / (2 - beta)
	} else if beta > 2 {
		gamma = 1 / (beta - 1)
	}
	y := plainProduct(count, other, r, a, b)
	for i := range count {
		for k := range r {
			var num, den float64
			for j := range other {
				model := y[i*other+j]
				if model == 0 && beta < 2 {
					model = 0x1p-23
				}
				num += x[i*other+j] * math.Pow(model, beta-2) * b[k*other+j]
				den += math.Pow(model, beta-1) * b[k*other+j]
			}
			if den += l1 + l2*a[i*r+k]; den == 0 {
				den = 0x1p-23
			}
			a[i*r+k] *= math.Pow(num/den, gamma)
		}
	}
}

// plainDescent minimizes over the columns of A, one after the other.
func plainDescent(x []float64, count, other, r int, a, b []float64, l1, l2 float64) {
	for k := range r {
		hess := l2
		for j := range other {
			hess += b[k*other+j] * b[k*other+j]
		}
		if hess == 0 {
			continue
		}
		y := plainProduct(count, other, r, a, b)
		for i := range count {
			grad := l1 + l2*a[i*r+k]
			for j := range other {
				grad += (y[i*other+j] - x[i*other+j]) * b[k*other+j]
			}
			a[i*r+k] = math.Max(a[i*r+k]-grad/hess, 0)
		}
	}
}

// wFirstCases are the algorithms that go as scikit-learn's do.
func wFirstCases() map[string]Options {
	some := Penalties{0.02, 0.05, 0.4}
	return map[string]Options{
		"mu": {}, "mu, penalties": {Penalties: some},
		"kl": {Loss: KL}, "kl, penalties": {Loss: KL, Penalties: some}, "kl, L2": {Loss: KL, Penalties: Penalties{0.03, 0.02, 0}},
		"hals": {Solver: HALS}, "hals, penalties": {Solver: HALS, Penalties: some}, "hals, L1": {Solver: HALS, Penalties: Penalties{0.05, 0.05, 1}},
	}
}

// withZeros are a start that has zeros: entries, a row of W, and with component a row of H.
func withZeros(n, m, r int, component bool) (w, h []float64) {
	w, h = uniformFactors(n, m, r, 8)
	w[4], h[5] = 0, 0
	clear(w[2*r : 3*r])
	if component {
		clear(h[m : 2*m])
	}
	return w, h
}

// With W first the factors agree with scikit-learn's formulas, from starts with zeros too, of
// dense and of sparse data, for any number of threads. A row of W that is zero makes WH zero
// where the data are not.
func TestWFirstFollowsTheFormulas(t *testing.T) {
	const n, m, r = 61, 23, 3
	d := lowRankData(n, m, r, 5)
	for at := 0; at < len(d.Dense); at += 7 {
		d.Dense[at] = 0
	}
	for name, o := range wFirstCases() {
		for _, component := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				o.Rank, o.Init, o.Iterations, o.Order = r, Given, 9, WFirst
				o.W, o.H = withZeros(n, m, r, component)
				wantW, wantH := plainWFirst(d, o, o.W, o.H)
				for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
					for _, threads := range []int{1, 3} {
						o.Threads = threads
						got := factorize(t, data, o)
						closeTo(t, what+" W", got.W, wantW, 1e-12)
						closeTo(t, what+" H", got.H, wantH, 1e-12)
					}
				}
			})
		}
	}
}

// The trace is the objective of the factors as they are, and it never rises.
func TestWFirstIsMonotone(t *testing.T) {
	const n, m, r = 61, 23, 3
	d := lowRankData(n, m, r, 5)
	for name, o := range wFirstCases() {
		t.Run(name, func(t *testing.T) {
			o.Rank, o.Order, o.Seed, o.TraceEvery = r, WFirst, 3, 1
			for _, data := range []Data{d, Sparse(compressed(t, n, m, d.Dense))} {
				for _, iterations := range []int{1, 40} {
					o.Iterations = iterations
					got := factorize(t, data, o)
					checkFall(t, name, d, o, got)
				}
			}
		})
	}
}

// The rules to stop see the factors of their iteration.
func TestWFirstStops(t *testing.T) {
	const n, m, r = 40, 17, 3
	d := lowRankData(n, m, r, 6)
	for name, o := range wFirstCases() {
		for _, rule := range []string{Change, RelativeDecrease, Violation} {
			if rule == Violation && (o.Solver != HALS || name == "hals, L1") {
				continue // L1 takes a component away: H of it stays, with its slope
			}
			o.Rank, o.Order, o.Seed, o.Iterations, o.Stop, o.Tolerance = r, WFirst, 3, 500, rule, 1e-3
			got := factorize(t, d, o)
			if !got.Converged || got.Iterations >= 500 || got.Iterations < 2 {
				t.Errorf("%s, %s: %d iterations, converged %v", name, rule, got.Iterations, got.Converged)
			}
			o.Iterations, o.Tolerance = got.Iterations, 0
			sameBits(t, name+", "+rule, got, factorize(t, d, o))
		}
	}
}

func TestWFirstRefuses(t *testing.T) {
	d, o := sample(10, 6, 2, 1)
	for says, set := range map[string]func(*Options){
		"nmf: order w-first is for loss frobenius, kl or beta; leave it out":                      func(o *Options) { o.Loss, o.Graph = L21, Graph{} },
		"nmf: order w-first goes with no graph term; leave out one of them":                       func(o *Options) { o.Lambda = 1 },
		"nmf: order w-first goes with no extrapolation; leave out one of them":                    func(o *Options) { o.Solver, o.Extrapolate, o.Graph = HALS, true, Graph{} },
		"nmf: order w-first leaves the scale of the factors alone; normalise at the end, or none": func(o *Options) { o.Normalize = EachIteration },
		`nmf: order "h-first"; give one of [basis-first codes-first w-first]`:                     func(o *Options) { o.Order = "h-first" },
	} {
		one := o
		one.Order = WFirst
		set(&one)
		must.Refuse(t, says)(Factorize(t.Context(), d, one))
	}
}
