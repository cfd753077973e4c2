package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// counts are n × m draws of a negative binomial distribution around low-rank means, by inversion. φ of
// column j is phi[j % len(phi)].
func counts(n, m, r int, size float64, phi []float64, seed uint64) Data {
	w, h := uniformFactors(n, m, r, seed)
	mean := plainProduct(n, m, r, w, h)
	random := blas.NewStream(seed + 1)
	x := make([]float64, n*m)
	for at, y := range mean {
		y *= size
		u, p := random.Uniform(), phi[at%m%len(phi)]
		for k := 0.0; k < 1e4; k++ {
			if u -= math.Exp(-plainNegativeBinomial(k, y, p) - plainSaturated(k)); u <= 0 {
				x[at] = k
				break
			}
		}
	}
	return Dense(n, m, x)
}

// plainSaturated is −log of the Poisson probability of a count at its own mean.
func plainSaturated(x float64) float64 {
	if x == 0 {
		return 0
	}
	g, _ := math.Lgamma(x + 1)
	return g - x*math.Log(x) + x
}

// plainNegativeBinomial is −log of the probability of x as textbooks write it, less plainSaturated.
func plainNegativeBinomial(x, y, phi float64) float64 {
	factorial, _ := math.Lgamma(x + 1)
	if phi == 0 {
		return factorial - x*math.Log(y) + y - plainSaturated(x)
	}
	r := 1 / phi
	above, _ := math.Lgamma(x + r)
	below, _ := math.Lgamma(r)
	log := above - below - factorial + r*math.Log(r/(r+y))
	if x > 0 {
		log += x * math.Log(y/(r+y))
	}
	return -log - plainSaturated(x)
}

// plainHuber is Huber's loss of an entry.
func plainHuber(x, y, delta float64) float64 {
	if e := math.Abs(x - y); e > delta {
		return delta*e - delta*delta/2
	} else {
		return e * e / 2
	}
}

// separableCase is a loss with its entries and the two parts of its slope, written without the package.
type separableCase struct {
	options    Options
	of         func(j int, x, y float64) float64
	pull, push func(j int, x, y float64) float64
	squares    bool // its step is that of least squares, not that of KL
}

func separableCases(m int) map[string]separableCase {
	phi := make([]float64, m)
	for j := range phi {
		phi[j] = float64(j%4) * 0.3
	}
	negative := func(phi func(j int) float64, o Options) separableCase {
		o.Loss = NegativeBinomial
		return separableCase{options: o,
			of:   func(j int, x, y float64) float64 { return plainNegativeBinomial(x, y, phi(j)) },
			pull: func(_ int, x, y float64) float64 { return x / y },
			push: func(j int, x, y float64) float64 { return (1 + phi(j)*x) / (1 + phi(j)*y) }}
	}
	weight := func(x, y, delta float64) float64 { return min(1, delta/math.Abs(x-y)) }
	huber := func(delta float64) separableCase {
		return separableCase{options: Options{Loss: Huber, Threshold: delta}, squares: true,
			of:   func(_ int, x, y float64) float64 { return plainHuber(x, y, delta) },
			pull: func(_ int, x, y float64) float64 { return x * weight(x, y, delta) },
			push: func(_ int, x, y float64) float64 { return y * weight(x, y, delta) }}
	}
	return map[string]separableCase{
		"negative binomial":             negative(func(int) float64 { return 0.4 }, Options{Dispersion: []float64{0.4}}),
		"negative binomial, by columns": negative(func(j int) float64 { return phi[j] }, Options{Dispersion: phi}),
		"huber":                         huber(0.9),
	}
}

// plainSeparable is the penalised loss of the factors.
func (c separableCase) plain(d Data, p Penalties, r int, w, h []float64) float64 {
	w1, w2, h1, h2 := plainPenalties(p, d.Rows, d.Cols)
	var sum float64
	for at, y := range plainProduct(d.Rows, d.Cols, r, w, h) {
		sum += c.of(at%d.Cols, d.Dense[at], y)
	}
	for _, v := range w {
		sum += w1*v + w2*v*v/2
	}
	for _, v := range h {
		sum += h1*v + h2*v*v/2
	}
	return sum
}

// step is one step of W for H, entry by entry from the formulas, or of H for W.
func (c separableCase) step(d Data, r int, w, h []float64, ofW bool) {
	n, m := d.Rows, d.Cols
	num, den := make([]float64, len(h)), make([]float64, len(h))
	if ofW {
		num, den = make([]float64, len(w)), make([]float64, len(w))
	}
	for at, y := range plainProduct(n, m, r, w, h) {
		i, j, x := at/m, at%m, d.Dense[at]
		for k := range r {
			to, other := k*m+j, w[i*r+k]
			if ofW {
				to, other = i*r+k, h[k*m+j]
			}
			num[to] += c.pull(j, x, y) * other
			den[to] += c.push(j, x, y) * other
		}
	}
	a := h
	if ofW {
		a = w
	}
	for at := range a {
		a[at] *= num[at] / den[at]
	}
}

// The steps are those of the formulas, of dense and sparse data and on any number of threads.
func TestSeparableFollowsTheFormulas(t *testing.T) {
	const n, m, r, iterations = 31, 17, 3, 7
	d := counts(n, m, r, 4, []float64{0.5}, 3)
	w, h := uniformFactors(n, m, r, 8)
	for name, c := range separableCases(m) {
		t.Run(name, func(t *testing.T) {
			wantW, wantH := slices.Clone(w), slices.Clone(h)
			for range iterations {
				c.step(d, r, wantW, wantH, false)
				c.step(d, r, wantW, wantH, true)
			}
			o := c.options
			o.Rank, o.Init, o.W, o.H, o.Iterations, o.Normalize = r, Given, w, h, iterations, Never
			for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
				for _, o.Threads = range []int{1, 3} {
					got := factorize(t, data, o)
					closeTo(t, what+" W", got.W, wantW, 1e-11)
					closeTo(t, what+" H", got.H, wantH, 1e-11)
				}
			}
		})
	}
}

// No iteration raises the loss, whatever is penalised and fixed, and the trace is the loss by its definition.
func TestSeparableIsMonotone(t *testing.T) {
	const n, m, r = 47, 23, 3
	d := counts(n, m, r, 5, []float64{0.5}, 4)
	for name, c := range separableCases(m) {
		for _, p := range betaPenalties {
			for _, fixed := range []string{NoneFixed, WFixed, HFixed} {
				t.Run(fmt.Sprintf("%s %v %s", name, p, fixed), func(t *testing.T) {
					o := c.options
					o.Rank, o.Seed, o.Iterations, o.TraceEvery, o.Normalize, o.Penalties = r, 3, 40, 1, Never, p
					if fixed != NoneFixed {
						o.Init, o.Fixed = Given, fixed
						o.W, o.H = uniformFactors(n, m, r, 8)
					}
					for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
						got := factorize(t, data, o)
						paid := p
						if fixed == WFixed {
							paid.W = 0
						} else if fixed == HFixed {
							paid.H = 0
						}
						falls(t, what, got, c.plain(d, paid, r, got.W, got.H))
					}
				})
			}
		}
	}
}

// falls sees that a trace never rises, falls, and ends with a number.
func falls(t *testing.T, what string, got *Result, want float64) {
	t.Helper()
	last := got.Trace[len(got.Trace)-1].Objective
	size := math.Abs(got.Trace[0].Objective) + math.Abs(want)
	if !(math.Abs(last-want) <= 1e-10*size) {
		t.Errorf("%s: the trace ends with %v, want %v", what, last, want)
	}
	for i, q := range got.Trace[1:] {
		if before := got.Trace[i].Objective; !(q.Objective <= before+1e-13*size) {
			t.Errorf("%s: iteration %d rises from %v to %v", what, i+1, before, q.Objective)
		}
	}
	if first := got.Trace[0].Objective; !(last < first-0.01*math.Abs(first)) {
		t.Errorf("%s: the loss falls from %v to %v only", what, first, last)
	}
}

// Weights count entries as often as they say; an entry of weight 0 may hold anything, and threads change no bit.
func TestSeparableWeights(t *testing.T) {
	const n, m, r = 40, 15, 2
	d := counts(n, m, r, 5, []float64{0.5}, 4)
	random := blas.NewStream(5)
	v := make([]float64, n*m)
	for at := range v {
		v[at] = float64(random.Below(4))
	}
	weighed := Dense(n, m, slices.Clone(d.Dense))
	for at, w := range v {
		if w == 0 {
			weighed.Dense[at] = math.NaN()
		}
	}
	weighed.Weights.Dense = v
	for name, c := range separableCases(m) {
		c.options.Rank, c.options.Iterations, c.options.TraceEvery, c.options.Normalize = r, 30, 1, Never
		got := factorize(t, weighed, c.options)
		var want float64
		for at, y := range plainProduct(n, m, r, got.W, got.H) {
			want += v[at] * c.of(at%m, d.Dense[at], y)
		}
		falls(t, name, got, want)
	}
	for _, loss := range []*Loss{NegativeBinomial, Huber} {
		for _, data := range []Data{d, weighed, Sparse(compressed(t, n, m, d.Dense))} {
			o := Options{Loss: loss, Rank: r, Iterations: 25, TraceEvery: 1, Threads: 1}
			want := factorize(t, data, o)
			falls(t, loss.String(), want, want.Trace[len(want.Trace)-1].Objective)
			o.Threads = 3
			sameBits(t, loss.String(), factorize(t, data, o), want)
		}
	}
}

// With φ = 0 the loss is KL's, step by step.
func TestNegativeBinomialWithoutDispersion(t *testing.T) {
	d := counts(40, 20, 3, 5, []float64{0.5}, 4)
	for _, p := range betaPenalties {
		o := Options{Rank: 3, Iterations: 30, TraceEvery: 1, Seed: 2, Loss: KL, Penalties: p}
		want := factorize(t, d, o)
		o.Loss, o.Dispersion = NegativeBinomial, []float64{0}
		got := factorize(t, d, o)
		closeTo(t, "W", got.W, want.W, 1e-10)
		closeTo(t, "H", got.H, want.H, 1e-10)
		for i, q := range want.Trace {
			if v := got.Trace[i].Objective; !(math.Abs(v-q.Objective) <= 1e-10*q.Objective) {
				t.Errorf("point %d is %v, want %v", i, v, q.Objective)
			}
		}
	}
}

// Dispersions are found: near the truth, no worse than their neighbours by the plain likelihood, and the
// objective is that likelihood.
func TestDispersionsAreEstimated(t *testing.T) {
	const n, m, r = 150, 45, 2
	truth := []float64{0.1, 0.5, 2}
	d := counts(n, m, r, 20, truth, 6)
	o := Options{Loss: NegativeBinomial, Rank: r, Iterations: 400, TraceEvery: 5, Seed: 1}
	for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
		got := factorize(t, data, o)
		plain := func(j int, phi float64) (sum float64) {
			for i := range n {
				var y float64
				for k := range r {
					y += got.W[i*r+k] * got.H[k*m+j]
				}
				sum += plainNegativeBinomial(d.Dense[i*m+j], y, phi)
			}
			return sum
		}
		var want float64
		means := make([]float64, len(truth))
		for j, phi := range got.Dispersion {
			want += plain(j, phi)
			if here := plain(j, phi); here > plain(j, phi*1.06) || here > plain(j, phi/1.06) {
				t.Errorf("%s: φ of column %d is %v, and a neighbour is more likely", what, j, phi)
			}
			means[j%len(truth)] += phi * float64(len(truth)) / m
		}
		for at, phi := range means { // the factors take up some of what varies
			if !(phi > 0.65*truth[at] && phi < 1.15*truth[at]) {
				t.Errorf("%s: φ is %v, want about %v", what, phi, truth[at])
			}
		}
		falls(t, what, got, want)
	}
	poisson := counts(n, m, r, 20, []float64{0}, 6)
	if phi := total(factorize(t, poisson, o).Dispersion) / m; phi > 0.01 {
		t.Errorf("φ of Poisson counts is %v", phi)
	}
}

// log Γ differences agree with sums of logarithms, for small and large 1/φ.
func TestRisingLogs(t *testing.T) {
	for _, phi := range []float64{1e-300, 1e-12, 1e-5, 0.01, 1 / 15.9, 1 / 16.1, 0.3, 2, 1e4, 1e8} {
		for _, x := range []float64{0, 1, 2, 7, 150} {
			var want float64
			for s := 0.0; s < x; s++ {
				want += math.Log1p(phi * s)
			}
			if got := risingLogs(x, phi); !(math.Abs(got-want) <= 1e-12*(1+x)*max(1, math.Abs(math.Log(phi)))) && !(math.Abs(got-want) <= 1e-13*(1+x)) {
				t.Errorf("S(%v, %v) is %v, want %v", x, phi, got, want)
			}
		}
	}
}

// One entry that is far off moves least squares, not Huber's loss; with a large δ the two agree.
func TestHuberForgivesOutliers(t *testing.T) {
	const n, m, r = 60, 20, 2
	w, h := uniformFactors(n, m, r, 2)
	clean := plainProduct(n, m, r, w, h)
	d := Dense(n, m, slices.Clone(clean))
	random := blas.NewStream(3)
	for at := range d.Dense {
		d.Dense[at] += 0.01 * random.Uniform()
		if random.Below(50) == 0 {
			d.Dense[at] += 20
		}
	}
	off := func(o Options) float64 {
		o.Rank, o.Iterations, o.Seed = r, 400, 1
		got := factorize(t, d, o)
		return math.Sqrt(blas.SquaredDistance(plainProduct(n, m, r, got.W, got.H), clean) / blas.Dot(clean, clean))
	}
	squares, robust := off(Options{}), off(Options{Loss: Huber})
	if !(robust < 0.05) || !(squares > 5*robust) {
		t.Errorf("off by %v with squares and by %v with Huber's loss", squares, robust)
	}
	if large := off(Options{Loss: Huber, Threshold: 1e6}); math.Abs(large-squares) > 1e-9*squares {
		t.Errorf("with a large δ off by %v, want %v", large, squares)
	}
}

// A new sample is encoded to a minimum, whatever the solver of the fit and whoever is encoded with it.
func TestSeparableEncodes(t *testing.T) {
	const n, m, r = 30, 40, 3
	d := counts(n, m, r, 5, []float64{0.5}, 9)
	_, h := uniformFactors(n, m, r, 5)
	for name, c := range separableCases(m) {
		o := c.options
		o.Tolerance, o.Iterations = 1e-9, 2000
		e := must.Get(NewEncoder(h, m, o))(t)
		codes, worst, err := e.EncodeResidual(context.Background(), d)
		must.Do(t, err)
		sparse := must.Get(e.Encode(context.Background(), Sparse(compressed(t, n, m, d.Dense))))(t)
		closeTo(t, name+": of sparse samples", sparse, codes, 1e-12)
		if worst > 1e-9 {
			t.Errorf("%s: the residual is %g", name, worst)
		}
		for i := range n {
			one := Dense(1, m, d.Dense[i*m:(i+1)*m])
			w := codes[i*r : (i+1)*r]
			closeTo(t, name+": alone", must.Get(e.Encode(context.Background(), one))(t), w, 0)
			best := c.plain(one, Penalties{}, r, w, h)
			for k := range r { // any move along a coordinate makes it worse
				for _, move := range []float64{-1e-3, 1e-3} {
					other := slices.Clone(w)
					if other[k] += move; other[k] < 0 {
						continue
					}
					if v := c.plain(one, Penalties{}, r, other, h); v < best-1e-9 {
						t.Errorf("%s: sample %d has %v, and %v with coordinate %d moved", name, i, best, v, k)
					}
				}
			}
		}
		o.Tolerance, o.Iterations = 0, 4000
		steps := must.Get(Encode(context.Background(), d, h, o))(t)
		closeTo(t, name+": by steps", steps, codes, 1e-3)
	}
}

func TestSeparableRefuses(t *testing.T) {
	d := counts(10, 6, 2, 4, []float64{0.5}, 1)
	_, graph := sample(10, 6, 2, 1)
	for says, o := range map[string]Options{
		"nmf: 5 dispersions for 6 columns; give one for each, or one for all":                                                    {Loss: NegativeBinomial, Dispersion: make([]float64, 5)},
		"nmf: dispersion 1 (counting from 1) is -1; give finite numbers ≥ 0":                                                     {Loss: NegativeBinomial, Dispersion: []float64{-1}},
		"nmf: loss negative-binomial goes with no graph term; leave out one of them":                                             {Loss: NegativeBinomial, Graph: graph.Graph, Lambda: 1},
		"nmf: stop relative-decrease takes the root of the loss, and loss negative-binomial may be below zero; take stop change": {Loss: NegativeBinomial, Stop: RelativeDecrease, Tolerance: 1},
		"nmf: order w-first is for loss frobenius, kl or beta; leave it out":                                                     {Loss: NegativeBinomial, Order: WFirst},
		"nmf: δ of loss huber is -1; give a finite number ≥ 0":                                                                   {Loss: Huber, Threshold: -1},
		"nmf: loss huber goes with no graph term; leave out one of them":                                                         {Loss: Huber, Graph: graph.Graph, Lambda: 1},
		"nmf: solver hals is for loss frobenius; take solver mu for huber":                                                       {Loss: Huber, Solver: HALS},
	} {
		o.Rank = 2
		if _, err := Factorize(t.Context(), d, o); err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
	for _, loss := range []*Loss{NegativeBinomial, Huber} {
		if _, err := NewEncoder([]float64{1, 1}, 2, Options{Loss: loss}); err == nil || !strings.Contains(err.Error(), "of a fit; give") {
			t.Errorf("%s encodes without its numbers: %v", loss, err)
		}
	}
}
