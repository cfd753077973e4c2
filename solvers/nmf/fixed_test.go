package nmf

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// fixable are the algorithms that leave a fixed factor alone, in all orders.
func fixable() map[string]Options {
	all := map[string]Options{}
	for name, o := range wFirstCases() {
		all[name] = o
		o.Order = WFirst
		all[name+", w-first"] = o
	}
	return all
}

// One factor stays to the bit, for sparse data and any number of threads too; the other takes
// the steps of the formulas; and the trace is the objective, which never rises.
func TestFixedFactor(t *testing.T) {
	const n, m, r = 61, 23, 3
	d := lowRankData(n, m, r, 5)
	w, h := uniformFactors(n, m, r, 8)
	h[4], w[7] = 0, 1e-18 // which no floor, and no rounding to zero, may touch
	for name, o := range fixable() {
		for _, fixed := range []string{WFixed, HFixed} {
			t.Run(name+", "+fixed, func(t *testing.T) {
				o.Rank, o.Init, o.W, o.H, o.Fixed, o.Iterations, o.TraceEvery, o.Sweeps = r, Given, w, h, fixed, 25, 1, 1
				wantW, wantH := slices.Clone(w), slices.Clone(h)
				w1, w2, h1, h2 := plainPenalties(o.Penalties, n, m)
				for range o.Iterations {
					switch {
					case fixed == HFixed && o.Order == WFirst:
						plainWStep(d, o, wantW, wantH, w1, w2)
					case fixed == HFixed:
						plainStep(d.Dense, n, m, r, wantW, wantH, w1, w2, o)
					default:
						ht, wt, dt := plainTransposed(r, m, wantH), plainTransposed(n, r, wantW), Dense(m, n, plainTransposed(n, m, d.Dense))
						if o.Order == WFirst {
							plainWStep(dt, o, ht, wt, h1, h2)
						} else {
							plainStep(dt.Dense, m, n, r, ht, wt, h1, h2, o)
						}
						wantH = plainTransposed(m, r, ht)
					}
				}
				for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
					for _, threads := range []int{1, 3} {
						o.Threads = threads
						got := factorize(t, data, o)
						if fixed == WFixed && !slices.Equal(got.W, w) || fixed == HFixed && !slices.Equal(got.H, h) {
							t.Errorf("%s: the fixed factor moved", what)
						}
						closeTo(t, what+" W", got.W, wantW, 1e-9)
						closeTo(t, what+" H", got.H, wantH, 1e-9)
						checkFall(t, what, d, o, got)
					}
				}
			})
		}
	}
}

// plainWStep updates W as scikit-learn does.
func plainWStep(d Data, o Options, w, h []float64, l1, l2 float64) {
	beta := 2.0
	if o.Loss == KL {
		beta = 1
	}
	if o.Solver == HALS {
		plainDescent(d.Dense, d.Rows, d.Cols, o.Rank, w, h, l1, l2)
	} else {
		plainRatios(d.Dense, d.Rows, d.Cols, o.Rank, w, h, l1, l2, beta)
	}
}

// checkFall sees that the trace ends with the objective and never rises.
func checkFall(t *testing.T, what string, d Data, o Options, got *Result) {
	t.Helper()
	last := got.Trace[len(got.Trace)-1].Objective
	switch o.Fixed { // for which nothing is paid
	case WFixed:
		o.Penalties.W = 0
	case HFixed:
		o.Penalties.H = 0
	}
	if want := plainObjective(d, o.Loss, o.Penalties, o.Rank, got.W, got.H); !(math.Abs(last-want) <= 1e-9*want) {
		t.Errorf("%s: the trace ends with %v, want %v", what, last, want)
	}
	for i, p := range got.Trace[1:] {
		if p.Objective > got.Trace[i].Objective*(1+1e-12) {
			t.Errorf("%s: iteration %d rises from %v to %v", what, i+1, got.Trace[i].Objective, p.Objective)
		}
	}
}

// With H fixed the problem is convex: descent ends in the nonnegative least squares of the
// samples, from any start of W.
func TestFixedComponentsEndInLeastSquares(t *testing.T) {
	const n, m, r = 50, 20, 4
	d := lowRankData(n, m, 6, 5)
	h := lowRankData(r, m, 3, 7).Dense
	want := must.Get(Encode(t.Context(), d, h, Options{Tolerance: 1e-12, Iterations: 2000}))(t)
	sweeps := must.Get(Encode(t.Context(), d, h, Options{Solver: HALS, Iterations: 5000}))(t)
	closeTo(t, "W of an encoder", sweeps, want, 1e-9)
	for _, o := range []Options{{Solver: HALS}, {Solver: HALS, Order: WFirst}} {
		o.Rank, o.Init, o.H, o.Fixed, o.Iterations = r, Given, h, HFixed, 3000
		closeTo(t, "W", factorize(t, d, o).W, want, 1e-9)
	}
}

// A start of one factor alone has the other at random, by the seed, with the mean of the data.
func TestStartOfOneFactor(t *testing.T) {
	const n, m, r = 200, 150, 4
	d := lowRankData(n, m, r, 5)
	scale := lowRankData(n, r, 2, 7).Dense
	for i := range scale {
		scale[i] = 1e3 * (scale[i] + 0.1)
	}
	o := Options{Rank: r, Init: Given, W: scale, Seed: 3}
	o.Watch = func(Point) bool { return true }
	begun := factorize(t, d, Options{Rank: r, Init: Given, W: scale, Seed: 3, Normalize: Never, Watch: o.Watch})
	if !slices.Equal(begun.W, scale) || slices.Contains(begun.H, 0) {
		t.Error("the given factor is another, or the other has zeros")
	}
	var data, model float64
	for at, y := range plainProduct(n, m, r, begun.W, begun.H) {
		data, model = data+d.Dense[at], model+y
	}
	if !(math.Abs(model/data-1) < 0.05) {
		t.Errorf("WH begins with %v times the mean of the data", model/data)
	}
	again := factorize(t, d, Options{Rank: r, Init: Given, W: scale, Seed: 3, Normalize: Never, Watch: o.Watch})
	other := factorize(t, d, Options{Rank: r, Init: Given, W: scale, Seed: 4, Normalize: Never, Watch: o.Watch})
	if !slices.Equal(again.H, begun.H) || slices.Equal(other.H, begun.H) {
		t.Error("the random factor is not that of the seed")
	}
}

func TestFixedRefuses(t *testing.T) {
	d, o := sample(10, 6, 2, 1)
	graph := o.Graph
	o.Graph, o.Normalize = Graph{}, ""
	o.Init, o.W, o.H, o.Fixed = Given, slices.Repeat([]float64{1}, 20), slices.Repeat([]float64{1}, 12), HFixed
	for says, set := range map[string]func(*Options){
		`nmf: fixed "x"; give one of [none w h]`:                                                                func(o *Options) { o.Fixed = "x" },
		"nmf: H is to be fixed and is not given; give it, with init given":                                      func(o *Options) { o.H = nil },
		"nmf: W is to be fixed and is not given; give it, with init given":                                      func(o *Options) { o.Fixed, o.W = WFixed, nil },
		"nmf: init given wants W or H, and neither is given":                                                    func(o *Options) { o.Fixed, o.W, o.H = "", nil, nil },
		"nmf: init given wants 2 × 6 components, not 11 numbers":                                                func(o *Options) { o.H = o.H[1:] },
		"nmf: a fixed factor goes with no graph term; leave out one of them":                                    func(o *Options) { o.Graph, o.Lambda = graph, 1 },
		"nmf: a fixed factor goes with no extrapolation; leave out one of them":                                 func(o *Options) { o.Solver, o.Extrapolate = HALS, true },
		"nmf: order codes-first scales the start, and a fixed factor stays as it is; take another order":        func(o *Options) { o.Order = CodesFirst },
		"nmf: a fixed factor stays as it is; take normalise none":                                               func(o *Options) { o.Normalize = AtEnd },
		"nmf: a fixed factor is for loss frobenius, kl, beta, negative-binomial or huber; leave it out for l21": func(o *Options) { o.Loss = L21 },
	} {
		one := o
		set(&one)
		if _, err := Factorize(t.Context(), d, one); err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
