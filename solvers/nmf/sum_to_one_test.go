package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// mixtures are samples whose abundances sum to one, with noise, and the spectra that they mix.
func mixtures(n, m, r int, noise float64) (d Data, w, h []float64) {
	h = spectra(r, m)
	random := blas.NewStream(17)
	w = make([]float64, n*r)
	for i := 0; i < n*r; i += r {
		for k := range r { // an even draw from the simplex
			w[i+k] = -math.Log(random.Uniform())
		}
		toSimplex(w[i : i+r])
	}
	x := plainProduct(n, m, r, w, h)
	for at := range x {
		x[at] += noise * random.Uniform()
		if at%11 == 0 {
			x[at] = 0
		}
	}
	return Dense(n, m, x), w, h
}

var simplexCases = map[string]Options{
	"squares": {Solver: HALS}, "kl": {Loss: KL},
	"penalised": {Solver: HALS, Penalties: Penalties{H: 0.01, L1Ratio: 0.5}}, "penalised kl": {Loss: KL, Penalties: Penalties{H: 0.01, L1Ratio: 0.5}},
}

// Rows of W sum to one, the objective is that of the definition and never rises, and neither sparse data nor
// threads change the factors.
func TestSumToOne(t *testing.T) {
	const n, m, r = 83, 31, 4
	d, _, truth := mixtures(n, m, r, 0.1)
	for name, o := range simplexCases {
		for _, given := range []int{0, 2, 4} {
			t.Run(fmt.Sprint(name, ", given ", given), func(t *testing.T) {
				o.Rank, o.SumToOne, o.Iterations, o.TraceEvery, o.Seed, o.Threads = r, true, 20, 1, 3, 1
				if given > 0 {
					o.Init, o.H, o.Fixed = Given, truth[:given*m], HFixed
				}
				got := factorize(t, d, o)
				for i := 0; i < n*r; i += r {
					if sum := total(got.W[i : i+r]); math.Abs(sum-1) > 1e-12 || slices.Min(got.W[i:i+r]) < 0 {
						t.Fatalf("row %d of W, %v, sums to %v", i/r, got.W[i:i+r], sum)
					}
				}
				if !slices.Equal(got.H[:given*m], truth[:given*m]) {
					t.Error("a given component moved")
				}
				paid := o
				if given == r {
					paid.Penalties.H = 0
				}
				falls(t, name, got, plainKept(d, paid, min(given, r), got.W, got.H))
				threads, sparse := o, o
				threads.Threads = 3
				sameBits(t, "threads", factorize(t, d, threads), got)
				closeTo(t, "W of sparse data", factorize(t, Sparse(compressed(t, n, m, d.Dense)), sparse).W, got.W, 1e-8)
			})
		}
	}
}

// With given components the coordinates are those of the minimum over the simplex: along every edge the loss
// rises. An encoder finds the same, each sample by itself.
func TestSumToOneEncodes(t *testing.T) {
	const n, m, r = 40, 31, 4
	d, _, h := mixtures(n, m, r, 0.3)
	for _, o := range []Options{{Solver: HALS}, {Loss: KL}} {
		o.SumToOne, o.Tolerance, o.Iterations = true, 1e-6, 5000
		e := must.Get(NewEncoder(h, m, o))(t)
		codes, worst, err := e.EncodeResidual(context.Background(), d)
		must.Do(t, err)
		if worst > 1e-6 {
			t.Errorf("%s: the residual is %g", o.Loss, worst)
		}
		loss := func(i int, w []float64) float64 {
			return plainObjective(Dense(1, m, d.Dense[i*m:(i+1)*m]), o.Loss, Penalties{}, r, w, h)
		}
		for i := range n {
			w := codes[i*r : (i+1)*r]
			best := loss(i, w)
			for a := range r {
				for b := range r {
					other := slices.Clone(w)
					step := min(1e-3, other[a])
					other[a] -= step
					other[b] += step
					if v := loss(i, other); a != b && v < best-1e-6 {
						t.Errorf("%s: sample %d has %v, and %v with a part of component %d moved to %d", o.Loss, i, best, v, a, b)
					}
				}
			}
			one := must.Get(e.Encode(context.Background(), Dense(1, m, d.Dense[i*m:(i+1)*m])))(t)
			closeTo(t, "alone", one, w, 0)
		}
		fit := o
		fit.Rank, fit.Init, fit.H, fit.Fixed, fit.Tolerance, fit.Iterations = r, Given, h, HFixed, 0, 1000
		closeTo(t, "W of a fit", factorize(t, d, fit).W, codes, 1e-3)
	}
}

// The minimum over the simplex of a majorizer is the one that bisection finds.
func TestDivergenceOnSimplex(t *testing.T) {
	random := blas.NewStream(4)
	for range 200 {
		r := 1 + random.Below(6)
		a, b := make([]float64, r), make([]float64, r)
		for k := range r {
			a[k], b[k] = 10*random.Uniform(), math.Pow(10, 12*random.Uniform()-9)
			if random.Below(3) == 0 {
				b[k] = 0
			}
		}
		if total(b) == 0 {
			b[0] = 1
		}
		low, high := math.Inf(-1), 2*total(b)+100
		for k := range r {
			if b[k] > 0 {
				low = max(low, -a[k])
			}
		}
		for range 300 {
			middle, sum := low+(high-low)/2, 0.0
			for k, v := range b {
				if v > 0 {
					sum += v / (a[k] + middle)
				}
			}
			if sum > 1 {
				low = middle
			} else {
				high = middle
			}
		}
		want := make([]float64, r)
		for k, v := range b {
			if v > 0 {
				want[k] = v / (a[k] + high)
			}
		}
		divergenceOnSimplex(a, b, nil)
		closeTo(t, "w", b, want, 1e-5)
	}
	w := []float64{0, 0, 0}
	divergenceOnSimplex([]float64{3, 1, 2}, w, nil)
	if !slices.Equal(w, []float64{0, 1, 0}) {
		t.Errorf("a sample without entries has %v", w)
	}
}

// Abundances and the spectra that are not given come out as they were mixed.
func TestSumToOneUnmixes(t *testing.T) {
	const n, m, r, given = 120, 40, 4, 2
	h := spectra(r, m)
	_, w, _ := mixtures(n, m, r, 0)
	d := Dense(n, m, plainProduct(n, m, r, w, h))
	for i := range r { // a pure pixel of each
		copy(d.Dense[i*m:(i+1)*m], h[i*m:(i+1)*m])
		clear(w[i*r : (i+1)*r])
		w[i*r+i] = 1
	}
	for _, o := range []Options{{Solver: HALS}, {Loss: KL}} {
		o.Rank, o.SumToOne, o.Iterations, o.Init, o.H, o.Fixed = r, true, 400, Given, h[:given*m], HFixed
		got := factorize(t, d, o)
		if least := slices.Min(bestCosines(h[given*m:], got.H[given*m:], m)); least < 0.99 {
			t.Errorf("%s: a spectrum is found with a cosine of %v", o.Loss, least)
		}
		var off float64
		for i := 0; i < n*r; i += r {
			for k := range given {
				off = max(off, math.Abs(got.W[i+k]-w[i+k]))
			}
		}
		if off > 0.2 {
			t.Errorf("%s: the abundance of a given spectrum is off by %v", o.Loss, off)
		}
	}
}

func TestSumToOneRefuses(t *testing.T) {
	d, graph := sample(10, 6, 2, 1)
	for says, o := range map[string]Options{
		"nmf: rows of W that sum to one are for solver hals of loss frobenius; take that solver":                               {},
		"nmf: rows of W that sum to one are for loss frobenius with solver hals and loss kl with solver mu; take one of these": {Loss: Huber},
		"nmf: rows of W that sum to one are learned; leave out the fixed W":                                                    {Solver: HALS, Fixed: WFixed, Init: Given, W: make([]float64, 20)},
		"nmf: rows of W that sum to one go with no graph term; leave out one of them":                                          {Solver: HALS, Graph: graph.Graph, Lambda: 1},
		"nmf: rows of W that sum to one go with no penalty on W; leave out one of them":                                        {Solver: HALS, Penalties: Penalties{W: 1}},
		"nmf: rows of W that sum to one go with no extrapolation; leave out one of them":                                       {Solver: HALS, Extrapolate: true},
		"nmf: rows of W that sum to one go with order basis-first; leave out the order":                                        {Solver: HALS, Order: WFirst},
		"nmf: stop violation is about rows of W that are free; take stop change or relative-decrease where they sum to one":    {Solver: HALS, Stop: Violation, Tolerance: 1},
		"nmf: rows of W that sum to one set the scale of the components; take normalise none":                                  {Solver: HALS, Normalize: AtEnd},
	} {
		o.Rank, o.SumToOne = 2, true
		if _, err := Factorize(t.Context(), d, o); err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
	weighed := d
	weighed.Weights.Dense = slices.Repeat([]float64{1}, 60)
	must.Refuse(t, "weights of the entries go with no rows of W that sum to one")(Factorize(t.Context(), weighed, Options{Rank: 2, SumToOne: true, Loss: KL}))
}

// The objective has the volume of its definition and never rises; without a volume nothing changes. Of mixtures without pure
// samples it finds the spectra, which the factors without it miss.
func TestVolume(t *testing.T) {
	const n, m, r, v = 250, 40, 4, 2e-5
	_, w, h := mixtures(n, m, r, 0)
	for i := 0; i < n*r; i += r { // no share above 0.8, so that no sample is pure
		for most := slices.Max(w[i : i+r]); most > 0.8; most = slices.Max(w[i : i+r]) {
			for k := range r {
				w[i+k] = 0.8*w[i+k] + 0.2/r
			}
		}
	}
	for at := range h { // a background, so that no spectrum is held by zeros
		h[at] += 0.3
	}
	d := Dense(n, m, plainProduct(n, m, r, w, h))
	off := func(got []float64) (worst float64) { // the distance of a spectrum to the nearest one found
		for a := 0; a < r*m; a += m {
			nearest := math.Inf(1)
			for b := 0; b < r*m; b += m {
				nearest = min(nearest, math.Sqrt(blas.SquaredDistance(h[a:a+m], got[b:b+m])/blas.Dot(h[a:a+m], h[a:a+m])))
			}
			worst = max(worst, nearest)
		}
		return worst
	}
	o := Options{Rank: r, Solver: HALS, SumToOne: true, Iterations: 500, TraceEvery: 10, Volume: v, Seed: 1}
	got := factorize(t, d, o)
	squares := blas.Dot(d.Dense, d.Dense)
	a := make([]float64, r*r)
	for k := range r {
		for l := range r {
			a[k*r+l] = blas.Dot(got.H[k*m:(k+1)*m], got.H[l*m:(l+1)*m]) / (0.1 * squares / n)
		}
		a[k*r+k]++
	}
	logDet := 0.0
	for k := range r { // by elimination
		logDet += math.Log(a[k*r+k])
		for l := k + 1; l < r; l++ {
			f := a[l*r+k] / a[k*r+k]
			for q := k; q < r; q++ {
				a[l*r+q] -= f * a[k*r+q]
			}
		}
	}
	want := blas.SquaredDistance(d.Dense, plainProduct(n, m, r, got.W, got.H)) + v*squares*logDet
	last := got.Trace[len(got.Trace)-1]
	if math.Abs(last.Objective-want) > 1e-9*want {
		t.Errorf("the trace ends with %v, want %v", last.Objective, want)
	}
	for i, p := range got.Trace[1:] {
		if before := got.Trace[i].Objective; p.Objective > before*(1+1e-12) {
			t.Errorf("iteration %d rises from %v to %v", i+1, before, p.Objective)
		}
	}
	o.Volume = 0
	plain := factorize(t, d, o)
	if with, without := off(got.H), off(plain.H); !(with < 0.2 && with < 0.7*without) {
		t.Errorf("the spectra are off by %v, without the volume by %v", with, without)
	}
	for says, change := range map[string]func(o *Options){
		"nmf: the weight of the volume is -1; give a finite number ≥ 0":                                func(o *Options) { o.Volume = -1 },
		"nmf: the volume is for loss frobenius, solver hals and rows of W that sum to one; take these": func(o *Options) { o.SumToOne = false },
		"nmf: the volume of fixed components stays as it is; leave it out":                             func(o *Options) { o.Init, o.H, o.Fixed = Given, h, HFixed },
	} {
		o := o
		o.Volume = 1
		change(&o)
		if _, err := Factorize(t.Context(), d, o); err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
