package nmf

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// weightedVariants are all rules that take weights.
func weightedVariants() map[string]Options {
	return map[string]Options{
		"mu":              {},
		"hals":            {Solver: HALS},
		"kl":              {Loss: KL},
		"l21":             {Loss: L21},
		"mu, penalties":   {Penalties: Penalties{W: 0.02, H: 0.03, L1Ratio: 0.4}},
		"kl, penalties":   {Loss: KL, Penalties: Penalties{W: 0.02, H: 0.03, L1Ratio: 0.4}},
		"hals, penalties": {Solver: HALS, Penalties: Penalties{W: 0.02, H: 0.03, L1Ratio: 0.4}},
	}
}

// taking reports whether a loss takes data of a form.
func taking(o Options, d Data) bool { return d.Sparse == nil || o.Loss.TakesSparse() }

// givenStart is a start that is not a minimum.
func givenStart(n, m, r int, o Options) Options {
	o.Rank, o.Init = r, Given
	o.W, o.H = uniformFactors(n, m, r, 99)
	return o
}

// Every form of weights takes the steps that loops over single entries take.
func TestWeightedStepsAgainstPlain(t *testing.T) {
	const n, m, r, steps = 41, 30, 4, 5
	for name, o := range weightedVariants() {
		for _, unit := range []bool{false, true} {
			d, v := weightedSample(n, m, r, 3)
			if unit {
				v = masked(v)
				v[5], v[70] = 0.25, 0.5
			}
			o := givenStart(n, m, r, o)
			o.Iterations, o.Normalize, o.Sweeps, o.TraceEvery = steps, Never, 1, 1
			w, h := slices.Clone(o.W), slices.Clone(o.H)
			plain := o
			plain.Loss = o.Loss.orDefault()
			var objectives, squares []float64
			note := func() {
				a, b := plainWeighted(d, v, plain.Loss, o.Penalties, r, w, h)
				objectives, squares = append(objectives, a), append(squares, b)
			}
			note()
			for range steps {
				plainWeightedIteration(d, v, plain, w, h)
				note()
			}
			var size float64
			for at, x := range d.Dense {
				size += v[at] * x * x
			}
			for form, data := range weightedForms(d, v) {
				if !taking(o, data) {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, %v", name, form, unit), func(t *testing.T) {
					res := factorize(t, data, o)
					closeTo(t, "W", res.W, w, 1e-9)
					closeTo(t, "H", res.H, h, 1e-9)
					for at, p := range res.Trace {
						if math.Abs(p.Objective-objectives[at]) > 1e-9*objectives[at] || math.Abs(p.Residual-math.Sqrt(squares[at]/size)) > 1e-9 {
							t.Errorf("iteration %d: objective %v, residual %v; want %v, %v", at, p.Objective, p.Residual, objectives[at], math.Sqrt(squares[at]/size))
						}
					}
				})
			}
		}
	}
}

// No iteration raises the objective, also where components of unit length are asked for at the
// end, and several sweeps are taken.
func TestWeightedObjectiveFalls(t *testing.T) {
	const n, m, r = 120, 90, 6
	d, v := weightedSample(n, m, r, 5)
	for name, o := range weightedVariants() {
		for form, data := range weightedForms(d, masked(v)) {
			if !taking(o, data) {
				continue
			}
			o.Rank, o.Seed, o.Iterations, o.TraceEvery = r, 2, 60, 1
			res := factorize(t, data, o)
			last := math.Inf(1)
			for _, p := range res.Trace {
				if p.Objective > last*(1+1e-12) {
					t.Errorf("%s, %s: iteration %d raises the objective from %v to %v", name, form, p.Iteration, last, p.Objective)
				}
				last = p.Objective
			}
			if first := res.Trace[0].Objective; last > 0.8*first {
				t.Errorf("%s, %s: the objective falls from %v to %v alone", name, form, first, last)
			}
		}
	}
}

// With weights of 1 the updates are those without weights.
func TestWeightsOfOne(t *testing.T) {
	const n, m, r = 53, 31, 3
	d := lowRankData(n, m, r, 8)
	ones := make([]float64, n*m)
	for at := range ones {
		ones[at] = 1
	}
	for name, o := range weightedVariants() {
		o.Rank, o.Seed, o.Iterations, o.Sweeps, o.Normalize = r, 4, 12, 1, Never
		plain := factorize(t, d, o)
		for form, data := range weightedForms(d, ones) {
			if !taking(o, data) {
				continue
			}
			res := factorize(t, data, o)
			closeTo(t, name+", "+form+": W", res.W, plain.W, 1e-8)
			closeTo(t, name+", "+form+": H", res.H, plain.H, 1e-8)
		}
	}
}

// The value of an entry of weight 0 changes no bit.
func TestMissingEntriesCountForNothing(t *testing.T) {
	const n, m, r = 47, 26, 3
	d, v := weightedSample(n, m, r, 12)
	for name, o := range weightedVariants() {
		o.Rank, o.Seed, o.Iterations = r, 4, 15
		for _, form := range []Weights{{Dense: v}, {Sparse: storedWhere(n, m, v, notZero)}} {
			with := d
			with.Weights = form
			want := factorize(t, with, o)
			for _, there := range []float64{math.NaN(), math.Inf(1), -3, 1e300} {
				x := slices.Clone(d.Dense)
				for at, w := range v {
					if w == 0 {
						x[at] = there
					}
				}
				with.Dense = x
				before := slices.Clone(x)
				res := factorize(t, with, o)
				if !slices.Equal(res.W, want.W) || !slices.Equal(res.H, want.H) || res.Trace[len(res.Trace)-1] != want.Trace[len(want.Trace)-1] {
					t.Errorf("%s: %v in missing entries changes the factors", name, there)
				}
				for at := range x {
					if math.Float64bits(x[at]) != math.Float64bits(before[at]) {
						t.Fatalf("%s: the data were written to", name)
					}
				}
			}
		}
	}
}

// The unit of the weights changes nothing, be it far from 1.
func TestUnitOfWeights(t *testing.T) {
	const n, m, r = 40, 25, 3
	d, v := weightedSample(n, m, r, 21)
	for name, o := range weightedVariants() {
		if o.Penalties.Present() {
			continue
		}
		o.Rank, o.Seed, o.Iterations = r, 4, 15
		d.Weights = Weights{Dense: v}
		want := factorize(t, d, o)
		for _, e := range []int{-200, 7, 300} {
			scaled := slices.Clone(v)
			for at, w := range scaled {
				scaled[at] = math.Ldexp(w, e)
			}
			d.Weights = Weights{Dense: scaled}
			res := factorize(t, d, o)
			if !slices.Equal(res.W, want.W) || !slices.Equal(res.H, want.H) {
				t.Errorf("%s: weights times 2^%d change the factors", name, e)
			}
			times := math.Ldexp(1, e)
			if o.Loss == L21 {
				times = math.Sqrt(times)
			}
			a, b := res.Trace[len(res.Trace)-1].Objective, times*want.Trace[len(want.Trace)-1].Objective
			if math.Abs(a-b) > 1e-12*b {
				t.Errorf("%s: weights times 2^%d: objective %v, want %v", name, e, a, b)
			}
		}
	}
}

// Threads change no bit.
func TestWeightedThreads(t *testing.T) {
	const n, m, r = 300, 170, 5
	d, v := weightedSample(n, m, r, 9)
	for name, o := range weightedVariants() {
		for form, data := range weightedForms(d, masked(v)) {
			if !taking(o, data) {
				continue
			}
			o.Rank, o.Seed, o.Iterations, o.TraceEvery = r, 4, 6, 2
			o.Threads = 1
			one := factorize(t, data, o)
			for _, threads := range []int{2, 5} {
				o.Threads = threads
				many := factorize(t, data, o)
				if !slices.Equal(one.W, many.W) || !slices.Equal(one.H, many.H) || !slices.Equal(one.Trace, many.Trace) {
					t.Errorf("%s, %s: %d threads change the factors", name, form, threads)
				}
			}
		}
	}
}

// Entries can be taken out of data under weights of every form.
func TestWithoutEntries(t *testing.T) {
	const n, m = 17, 12
	d, v := weightedSample(n, m, 2, 4)
	v = masked(v)
	v[3], v[40] = 0.5, 0.25
	out := make([]float64, n*m)
	random := blas.NewStream(3)
	for at := range out {
		if random.Below(5) == 0 && at%m != (at/m)%m {
			out[at] = 7
		}
	}
	pattern := storedWhere(n, m, out, notZero)
	forms := weightedForms(d, v)
	forms["none"] = d
	forms["none, sparse"] = Sparse(storedWhere(n, m, d.Dense, notZero))
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		got := forms[form].Without(pattern).Weights
		want := slices.Clone(v)
		if strings.HasPrefix(form, "none") {
			for at := range want {
				want[at] = 1
			}
		}
		for at := range want {
			if out[at] > 0 {
				want[at] = 0
			}
		}
		have := got.Dense
		if a := got.stored(); a != nil {
			have = a.Dense().RawMatrix().Data
			if got.Less != nil {
				for at, c := range have {
					have[at] = 1 - c
				}
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: other entries are left", form)
		}
	}
}

// Bad weights and options are refused in one clear line.
func TestBadWeights(t *testing.T) {
	ones := func() []float64 { return slices.Repeat([]float64{1}, 12) }
	with := func(places ...int) []float64 {
		v := ones()
		for _, at := range places {
			v[at] = 0
		}
		return v
	}
	x := Dense(3, 4, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3})
	odd := func(at int, w float64) []float64 {
		v := ones()
		v[at] = w
		return v
	}
	other := storedWhere(2, 4, ones()[:8], notZero)
	negative := Dense(3, 4, []float64{1, 2, 3, 4, 5, 6, -7, 8, 9, 1, 2, math.NaN()})
	for _, c := range []struct {
		data    Data
		weights Weights
		options Options
		says    string
	}{
		{x, Weights{Dense: ones()[:8]}, Options{}, "nmf: 8 weights for 3 × 4 data; give one for each entry"},
		{x, Weights{Sparse: other}, Options{}, "nmf: the weights are 2 × 4 for 3 × 4 data; give one for each entry"},
		{x, Weights{Less: other}, Options{}, "nmf: the weights are 2 × 4 for 3 × 4 data; give one for each entry"},
		{x, Weights{Dense: ones(), Sparse: other}, Options{}, "nmf: the weights of the entries are given in 2 forms; give one"},
		{x, Weights{Dense: odd(6, -0.5)}, Options{}, "nmf: row 2, column 3 (counting from 1) of the weights is -0.5; give finite numbers ≥ 0"},
		{x, Weights{Dense: odd(6, math.NaN())}, Options{}, "nmf: row 2, column 3 (counting from 1) of the weights is NaN; give finite numbers ≥ 0"},
		{x, Weights{Sparse: storedWhere(3, 4, odd(0, math.Inf(1)), notZero)}, Options{}, "nmf: row 1, column 1 (counting from 1) of the weights is +Inf; give finite numbers ≥ 0"},
		{x, Weights{Less: storedWhere(3, 4, odd(0, 1.5), notZero)}, Options{}, "nmf: row 1, column 1 (counting from 1) of the weights is 1.5; give numbers from 0 to 1"},
		{x, Weights{Dense: with(4, 5, 6, 7)}, Options{}, "nmf: row 2 (counting from 1) has no entry that is known: all have weight 0; leave the row out"},
		{x, Weights{Dense: with(3, 7, 11)}, Options{}, "nmf: column 4 (counting from 1) has no entry that is known: all have weight 0; leave the column out"},
		{x, Weights{Sparse: storedWhere(3, 4, with(3, 7, 11), notZero)}, Options{}, "nmf: column 4 (counting from 1) has no entry that is known: all have weight 0; leave the column out"},
		{x, Weights{Less: storedWhere(3, 4, with(0, 1, 2, 3, 8, 9, 10, 11), notZero)}, Options{}, "nmf: row 2 (counting from 1) has no entry that is known: all have weight 0; leave the row out"},
		{negative, Weights{Dense: with(11)}, Options{}, "nmf: row 2, column 3 (counting from 1) of the data is -7; give finite numbers ≥ 0, or shift the columns first"},
		{negative, Weights{Dense: with(6)}, Options{}, "nmf: row 3, column 4 (counting from 1) of the data is NaN; give finite numbers ≥ 0, or shift the columns first"},
		{negative, Weights{}, Options{}, "nmf: row 2, column 3 (counting from 1) of the data is -7; give finite numbers ≥ 0, or shift the columns first"},
		{x, Weights{Dense: ones()}, Options{Loss: Correntropy}, "nmf: weights of the entries are for loss frobenius or kl or l21 or negative-binomial or huber; leave them out for correntropy"},
		{x, Weights{Dense: ones()}, Options{Graph: Graph{Dense: make([]float64, 9)}, Lambda: 1}, "nmf: weights of the entries go with no graph term; leave out one of them"},
		{x, Weights{Dense: ones()}, Options{Solver: HALS, Extrapolate: true}, "nmf: weights of the entries go with no extrapolation; leave out one of them"},
		{x, Weights{Dense: ones()}, Options{Order: CodesFirst}, "nmf: weights of the entries go with order basis-first; leave out the order"},
		{x, Weights{Dense: ones()}, Options{Solver: HALS, Stop: Violation, Tolerance: 1e-3}, "nmf: weights of the entries go with stop change or relative-decrease; take one of these"},
		{x, Weights{Dense: ones()}, Options{Solver: HALS, Init: NNDSVD}, "nmf: init nndsvd needs every entry of the data; take init random where some have weights"},
	} {
		d := c.data
		d.Weights = c.weights
		c.options.Rank = 2
		if _, err := Factorize(context.Background(), d, c.options); err == nil || err.Error() != c.says {
			t.Errorf("got %v, want %s", err, c.says)
		}
	}
}
