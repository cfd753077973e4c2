package nmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// sample is a problem with noise and a graph, large enough for several blocks.
func sample(n, m, r int, seed uint64) (Data, Options) {
	d := lowRankData(n, m, r, seed)
	random := blas.NewStream(seed + 1)
	phi := make([]float64, n*n)
	for range 3 * n {
		i, j := random.Below(n), random.Below(n)
		if i != j && phi[i*n+j] == 0 {
			phi[i*n+j], phi[j*n+i] = -1, -1
			phi[i*n+i]++
			phi[j*n+j]++
		}
	}
	return d, Options{Rank: r, Seed: seed, Graph: Graph{Dense: phi}, Iterations: 30, TraceEvery: 1, Normalize: Never}
}

func lowRankData(n, m, r int, seed uint64) Data {
	random := blas.NewStream(seed)
	w, h, x := make([]float64, n*r), make([]float64, r*m), make([]float64, n*m)
	random.Uniforms(w)
	random.Uniforms(h)
	random.Uniforms(x)
	blas.MustSelect("").Gemm(false, false, n, m, r, 1, w, r, h, m, 0.3, x, m)
	for i := range x { // exact zeros, so that the sparse path has something to leave out
		if random.Below(3) == 0 {
			x[i] = 0
		}
	}
	return Dense(n, m, x)
}

// uniformFactors are a start that fits nothing.
func uniformFactors(n, m, r int, seed uint64) (w, h []float64) {
	random := blas.NewStream(seed)
	w, h = make([]float64, n*r), make([]float64, r*m)
	random.Uniforms(w)
	random.Uniforms(h)
	return w, h
}

func factorize(t testing.TB, d Data, o Options) *Result {
	t.Helper()
	r := must.Get(Factorize(context.Background(), d, o))(t)
	return r
}

// variants are all rules, with a graph where they take one.
func variants() map[string]func(*Options) {
	return map[string]func(*Options){
		"nmf":         func(*Options) {},
		"gnmf":        func(o *Options) { o.Lambda = 3 },
		"codes-first": func(o *Options) { o.Order, o.Lambda = CodesFirst, 3 },
		"kl":          func(o *Options) { o.Loss = KL },
		"npaf-kl":     func(o *Options) { o.Loss, o.Lambda = KL, 0.7 },
		"l21":         func(o *Options) { o.Loss = L21 },
		"l21-graph":   func(o *Options) { o.Loss, o.Lambda = L21, 0.2 },
		"cim-fixed":   func(o *Options) { o.Loss, o.Sigma.Fixed = Correntropy, 0.3 },
		"cim-graph":   func(o *Options) { o.Loss, o.Lambda, o.Sigma.Fixed = Correntropy, 2, 0.3 },
		"cim-refresh": func(o *Options) { o.Loss, o.Lambda, o.Sigma.Fixed, o.Schedule = Correntropy, 2, 0.3, Refresh },
		"cim-frozen":  func(o *Options) { o.Loss, o.Sigma.FreezeAfter, o.Warm, o.Sweeps = Correntropy, 2, 3, 2 },
		"cim-median":  func(o *Options) { o.Loss, o.Sigma.Scale, o.Sigma.Theta = Correntropy, MedianScale, 4.5 },
		"cim-median-graph": func(o *Options) {
			o.Loss, o.Lambda, o.Balanced, o.Sigma = Correntropy, 2, true, Sigma{Scale: MedianScale, Theta: 1, FreezeAfter: 20}
		},
		"l21-warm":       func(o *Options) { o.Loss, o.Warm, o.Sweeps = L21, 3, 2 },
		"balanced":       func(o *Options) { o.Balanced, o.Lambda = true, 3 },
		"balanced-codes": func(o *Options) { o.Balanced, o.Order, o.Lambda = true, CodesFirst, 3 },
		"balanced-kl":    func(o *Options) { o.Balanced, o.Loss, o.Lambda = true, KL, 0.7 },
		"balanced-l21":   func(o *Options) { o.Balanced, o.Loss, o.Lambda = true, L21, 0.2 },
		"balanced-cim":   func(o *Options) { o.Balanced, o.Loss, o.Lambda, o.Sigma.Fixed = true, Correntropy, 2, 0.3 },
		"balanced-hals":  func(o *Options) { o.Balanced, o.Solver, o.Lambda, o.Sweeps = true, HALS, 0.5, 2 },
		"hals":           func(o *Options) { o.Solver, o.Sweeps = HALS, 1 },
		"ahals":          func(o *Options) { o.Solver = HALS },
		"penalised":      func(o *Options) { o.Penalties = Penalties{0.02, 0.01, 0.5} },
		"penalised-kl":   func(o *Options) { o.Loss, o.Penalties = KL, Penalties{0.02, 0.01, 0.5} },
		"penalised-hals": func(o *Options) { o.Solver, o.Sweeps, o.Penalties = HALS, 1, Penalties{0.02, 0.01, 0.5} },
		"ghals":          func(o *Options) { o.Solver, o.Lambda, o.Sweeps = HALS, 0.5, 2 },
	}
}

// Where the theory promises it, no iteration raises the objective: spec sections 3
// and 4. Rounding may raise it by a few units of ‖X‖² at most.
func TestObjectiveNeverRises(t *testing.T) {
	for name, set := range variants() {
		t.Run(name, func(t *testing.T) {
			d, o := sample(130, 47, 5, 11)
			set(&o)
			r := factorize(t, d, o)
			if points := o.Iterations + 1 - max(0, o.Warm-1); len(r.Trace) != points {
				t.Fatalf("%d points for %d iterations, want %d", len(r.Trace), o.Iterations, points)
			}
			for i, p := range r.Trace[1:] {
				before := r.Trace[i]
				if before.Sigma2 != p.Sigma2 && o.Sigma.Scale != MedianScale {
					continue // another objective
				}
				if p.Surrogate > before.Surrogate*(1+1e-12) {
					t.Errorf("iteration %d raised the objective from %v to %v", p.Iteration, before.Surrogate, p.Surrogate)
				}
			}
			if last := r.Trace[len(r.Trace)-1]; !(last.Surrogate < r.Trace[8].Surrogate) {
				t.Errorf("the objective stands at %v since %v", last.Surrogate, r.Trace[8].Surrogate)
			}
			for _, x := range [][]float64{r.W, r.H} {
				for i, v := range x {
					if !(v >= 0) || v > 0 && v < vanished || math.IsInf(v, 0) {
						t.Fatalf("entry %d is %v", i, v)
					}
				}
			}
		})
	}
}

// The number of threads changes no bit.
func TestThreadsChangeNoBit(t *testing.T) {
	counts := []int{2, 5}
	if testing.Short() { // under the race detector
		counts = []int{3}
	}
	for name, set := range variants() {
		t.Run(name, func(t *testing.T) {
			d, o := sample(400, 70, 6, 3)
			set(&o)
			o.Iterations, o.Threads = 5, 1
			want := factorize(t, d, o)
			for _, threads := range counts {
				o.Threads = threads
				sameBits(t, fmt.Sprint(threads, " threads"), factorize(t, d, o), want)
			}
		})
	}
}

func sameBits(t *testing.T, what string, got, want *Result) {
	t.Helper()
	for i, v := range want.W {
		if math.Float64bits(got.W[i]) != math.Float64bits(v) {
			t.Fatalf("%s: coordinate %d is %v, not %v", what, i, got.W[i], v)
		}
	}
	for i, v := range want.H {
		if math.Float64bits(got.H[i]) != math.Float64bits(v) {
			t.Fatalf("%s: component entry %d is %v, not %v", what, i, got.H[i], v)
		}
	}
	for i, p := range want.Trace {
		if got.Trace[i] != p {
			t.Fatalf("%s: point %d is %+v, not %+v", what, i, got.Trace[i], p)
		}
	}
}

// close fails unless the factors agree relative to their largest entries.
func closeTo(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	var largest, off float64
	for i, v := range want {
		largest, off = max(largest, math.Abs(v)), max(off, math.Abs(got[i]-v))
	}
	if !(off <= tol*largest) {
		t.Errorf("%s: off by %.3g of the largest entry", what, off/largest)
	}
}

// Permuted samples, with a permuted start and graph, have permuted coordinates.
func TestPermutedSamples(t *testing.T) {
	for name, set := range variants() {
		if name == "ahals" {
			continue // blocks of samples stop sweeping on their own
		}
		t.Run(name, func(t *testing.T) {
			d, o := sample(130, 47, 5, 5)
			set(&o)
			o.Iterations = 10
			o.Init = Given
			o.W, o.H = uniformFactors(130, 47, 5, 9)
			want := factorize(t, d, o)
			n, order := d.Rows, make([]int, d.Rows)
			for i := range order {
				order[i] = (i*37 + 11) % n // 37 and 130 have no common factor
			}
			permuted := func(x []float64, w int) []float64 {
				y := make([]float64, 0, len(x))
				for _, i := range order {
					y = append(y, x[i*w:(i+1)*w]...)
				}
				return y
			}
			phi := make([]float64, 0, n*n)
			for _, i := range order {
				for _, j := range order {
					phi = append(phi, o.Graph.Dense[i*n+j])
				}
			}
			o.Graph.Dense, o.W = phi, permuted(o.W, 5)
			got := factorize(t, Dense(n, d.Cols, permuted(d.Dense, d.Cols)), o)
			closeTo(t, "coordinates", got.W, permuted(want.W, 5), 1e-10)
			closeTo(t, "components", got.H, want.H, 1e-10)
		})
	}
}

// Spec section 4: without a graph (W, H) → (W/c, cH) leaves WH unchanged along the
// run; X → cX, H → cH, λ → c²λ leaves W unchanged.
func TestScale(t *testing.T) {
	d, o := sample(130, 47, 5, 13)
	o.Iterations, o.Loss, o.Init = 20, Correntropy, Given
	o.W, o.H = make([]float64, 130*5), make([]float64, 5*47)
	blas.NewStream(1).Uniforms(o.W)
	blas.NewStream(2).Uniforms(o.H)
	const c = 3
	scaled := func(f float64, x []float64) []float64 {
		y := append([]float64(nil), x...)
		blas.Scale(f, y)
		return y
	}
	want := factorize(t, d, o)
	p := o
	p.W, p.H = scaled(1.0/c, o.W), scaled(c, o.H)
	got := factorize(t, d, p)
	closeTo(t, "scaled start: coordinates", got.W, scaled(1.0/c, want.W), 1e-12)
	closeTo(t, "scaled start: components", got.H, scaled(c, want.H), 1e-12)

	o.Lambda = 0.4
	want = factorize(t, d, o)
	p = o
	p.H, p.Lambda = scaled(c, o.H), c*c*o.Lambda
	// J's loss does not scale with λ, but the weights and steps do.
	got = factorize(t, Dense(d.Rows, d.Cols, scaled(c, d.Dense)), p)
	closeTo(t, "scaled data: coordinates", got.W, want.W, 1e-12)
	closeTo(t, "scaled data: components", got.H, scaled(c, want.H), 1e-12)
}

// plainCorrentropy is Algorithm 1 with whole matrices and simple loops.
func plainCorrentropy(d Data, w, h, phi []float64, lambda float64, r, iterations int) {
	n, m := d.Rows, d.Cols
	p := make([]float64, n*m)
	model := func(i, j int) float64 {
		var s float64
		for k := range r {
			s += w[i*r+k] * h[k*m+j]
		}
		return s
	}
	for range iterations {
		var squares float64
		for at := range p {
			e := d.Dense[at] - model(at/m, at%m)
			p[at] = e * e
			squares += p[at]
		}
		for at, e2 := range p {
			p[at] = math.Exp(-e2 * float64(n*m) / squares) // θ = 1/2
		}
		next := make([]float64, r*m)
		for k := range r {
			for j := range m {
				var num, den float64
				for i := range n {
					num += d.Dense[i*m+j] * p[i*m+j] * w[i*r+k]
					den += model(i, j) * p[i*m+j] * w[i*r+k]
				}
				next[k*m+j] = h[k*m+j] * num / den
			}
		}
		copy(h, next)
		next = make([]float64, n*r)
		for i := range n {
			for k := range r {
				var num, den float64
				for j := range m {
					num += d.Dense[i*m+j] * p[i*m+j] * h[k*m+j]
					den += model(i, j) * p[i*m+j] * h[k*m+j]
				}
				for j := range n {
					num += lambda * max(-phi[i*n+j], 0) * w[j*r+k]
					den += lambda * max(phi[i*n+j], 0) * w[j*r+k]
				}
				next[i*r+k] = w[i*r+k] * num / den
			}
		}
		copy(w, next)
	}
}

// The tiled correntropy iteration equals whole-matrix loops to rounding.
func TestTiledEqualsPlain(t *testing.T) {
	d, o := sample(100, 30, 4, 17)
	o.Loss, o.Lambda, o.Iterations, o.Init = Correntropy, 0.3, 3, Given
	o.W, o.H = make([]float64, 100*4), make([]float64, 4*30)
	blas.NewStream(1).Uniforms(o.W)
	blas.NewStream(2).Uniforms(o.H)
	got := factorize(t, d, o)
	plainCorrentropy(d, o.W, o.H, o.Graph.Dense, o.Lambda, 4, 3)
	closeTo(t, "coordinates", got.W, o.W, 1e-12)
	closeTo(t, "components", got.H, o.H, 1e-12)
}

// Sweeping more, and extrapolating, reach a lower error than plain HALS in as many
// iterations, and that is lower than multiplicative updates.
func TestAcceleration(t *testing.T) {
	d, o := sample(300, 80, 8, 23)
	o.Iterations = 40
	end := func(set func(*Options)) float64 {
		p := o
		set(&p)
		r := factorize(t, d, p)
		return r.Trace[len(r.Trace)-1].Objective
	}
	mu := end(func(*Options) {})
	plain := end(func(p *Options) { p.Solver, p.Sweeps = HALS, 1 })
	more := end(func(p *Options) { p.Solver = HALS })
	ahead := end(func(p *Options) { p.Solver, p.Extrapolate = HALS, true })
	if !(plain < mu && more < plain && ahead < plain) {
		t.Errorf("errors: mu %v, hals %v, accelerated %v, extrapolated %v", mu, plain, more, ahead)
	}
}

func TestNormalise(t *testing.T) {
	for _, way := range []string{AtEnd, EachIteration} {
		for name, set := range variants() {
			if name == "ahals" && way == EachIteration {
				continue // when it stops sweeping depends on the scale
			}
			d, o := sample(130, 47, 5, 29)
			set(&o)
			if o.Penalties.Present() && way == EachIteration {
				continue // which is refused
			}
			o.Normalize, o.Iterations = way, 6
			r := factorize(t, d, o)
			for k := range o.Rank {
				row := r.H[k*47 : (k+1)*47]
				if l := math.Sqrt(blas.Dot(row, row)); math.Abs(l-1) > 1e-14 {
					t.Errorf("%s, %s: component %d has length %v", name, way, k, l)
				}
			}
			// Without a graph, normalising leaves every product WH as it was.
			p := o
			p.Normalize, p.Lambda = Never, 0
			o.Lambda = 0
			one, other := factorize(t, d, o).Trace, factorize(t, d, p).Trace
			if a, b := one[len(one)-1].Objective, other[len(other)-1].Objective; math.Abs(a-b) > 1e-11*b {
				t.Errorf("%s, %s: objective %v, without normalising %v", name, way, a, b)
			}
		}
	}
}

func TestCancelAndWatch(t *testing.T) {
	d, o := sample(130, 47, 3, 31)
	ctx, cancel := context.WithCancel(context.Background())
	o.Watch = func(p Point) bool {
		if p.Iteration == 3 {
			cancel()
		}
		return false
	}
	if _, err := Factorize(ctx, d, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, but got %v", err)
	}
	o.Watch = func(p Point) bool { return p.Iteration == 4 }
	if r := factorize(t, d, o); r.Iterations != 4 {
		t.Errorf("ended after %d iterations", r.Iterations)
	}
}

// Bad input is refused with words that say what and where.
func TestBadInput(t *testing.T) {
	good := func() (Data, Options) { return sample(20, 9, 2, 37) }
	for want, spoil := range map[string]func(*Data, *Options){
		"row 2, column 3":            func(d *Data, _ *Options) { d.Dense[9+2] = -1 },
		"row 1, column 1":            func(d *Data, _ *Options) { d.Dense[0] = math.NaN() },
		"overflow":                   func(d *Data, _ *Options) { d.Dense[0] = 1e200 },
		"rank 0":                     func(_ *Data, o *Options) { o.Rank = 0 },
		"λ is -1":                    func(_ *Data, o *Options) { o.Lambda = -1 },
		"an SVD start of rank 12":    func(_ *Data, o *Options) { o.Rank, o.Init = 12, NNDSVDMean },
		"cannot leave the zeros":     func(_ *Data, o *Options) { o.Init = NNDSVD },
		"init given wants":           func(_ *Data, o *Options) { o.Init = Given },
		"not of order":               func(_ *Data, o *Options) { o.Lambda, o.Graph.Dense = 1, o.Graph.Dense[:4] },
		"not symmetric":              func(_ *Data, o *Options) { o.Lambda, o.Graph.Dense[1] = 1, 5 },
		"not positive semidefinite":  func(_ *Data, o *Options) { o.Lambda, o.Graph.Dense[0] = 1, -8 },
		"takes no graph":             func(_ *Data, o *Options) { o.Lambda, o.Solver, o.Extrapolate = 1, HALS, true },
		"hals is for loss frobenius": func(_ *Data, o *Options) { o.Loss, o.Solver = KL, HALS },
		"are no 20 × 8 matrix":       func(d *Data, _ *Options) { d.Cols = 8 },
		"which sparse data do not store": func(d *Data, o *Options) {
			*d = Sparse(compressed(t, 20, 9, d.Dense))
			o.Loss = &Loss{name: "of every entry", algorithms: L21.algorithms}
		},
		"give at least one":               func(d *Data, _ *Options) { *d = Dense(0, 4, nil) },
		"extrapolation is an option":      func(_ *Data, o *Options) { o.Extrapolate = true },
		"α_W is -1; give a finite number": func(_ *Data, o *Options) { o.Penalties.W = -1 },
		"α_H is +Inf":                     func(_ *Data, o *Options) { o.Penalties.H = math.Inf(1) },
		"the L1 ratio is 1.5":             func(_ *Data, o *Options) { o.Penalties.L1Ratio = 1.5 },
		"penalties are for loss":          func(_ *Data, o *Options) { o.Loss, o.Penalties.W = L21, 1 },
		"penalties go with no graph":      func(_ *Data, o *Options) { o.Lambda, o.Penalties.W = 1, 1 },
		"penalties go with no extrapol":   func(_ *Data, o *Options) { o.Solver, o.Extrapolate, o.Penalties.H = HALS, true, 1 },
		"which penalties choose":          func(_ *Data, o *Options) { o.Order, o.Penalties.H = CodesFirst, 1 },
		"no scale that penalties could":   func(_ *Data, o *Options) { o.Normalize, o.Penalties.H = EachIteration, 1 },
		"violation is for solver hals":    func(_ *Data, o *Options) { o.Stop = Violation },
		"violation goes with no graph":    func(_ *Data, o *Options) { o.Stop, o.Solver, o.Lambda = Violation, HALS, 1 },
		"violation goes with no extrapol": func(_ *Data, o *Options) { o.Stop, o.Solver, o.Extrapolate = Violation, HALS, true },
		"stop \"soon\"; give one of":      func(_ *Data, o *Options) { o.Stop = "soon" },
		"-3 warm iterations":              func(_ *Data, o *Options) { o.Warm = -3 },
		"σ² is NaN; give a finite number": func(_ *Data, o *Options) { o.Sigma.Fixed = math.NaN() },
	} {
		d, o := good()
		spoil(&d, &o)
		_, err := Factorize(context.Background(), d, o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	var negative *NegativeError
	d, o := good()
	d.Dense[9+2] = -1
	if _, err := Factorize(context.Background(), d, o); !errors.As(err, &negative) || negative.Row != 1 || negative.Col != 2 {
		t.Errorf("got %v", err)
	}
}

// Odd but allowed: samples and features of zeros, more components than either
// side, data that are zero throughout, one sample.
func TestOddInput(t *testing.T) {
	for name, set := range variants() {
		for what, spoil := range map[string]func(*Data, *Options){
			"zero row": func(d *Data, _ *Options) { clear(d.Dense[9:18]) },
			"zero column": func(d *Data, _ *Options) {
				for i := range 20 {
					d.Dense[9*i] = 0
				}
			},
			"zero data":   func(d *Data, _ *Options) { clear(d.Dense) },
			"large rank":  func(_ *Data, o *Options) { o.Rank = 25 },
			"one sample":  func(d *Data, o *Options) { *d = Dense(1, 9, d.Dense[:9]); o.Graph = Graph{} },
			"one feature": func(d *Data, _ *Options) { *d = Dense(20, 1, d.Dense[:20]) },
		} {
			d, o := sample(20, 9, 2, 41)
			set(&o)
			spoil(&d, &o)
			r := factorize(t, d, o)
			for _, x := range [][]float64{r.W, r.H} {
				for _, v := range x {
					if v-v != 0 || v < 0 {
						t.Fatalf("%s, %s: an entry is %v", name, what, v)
					}
				}
			}
			if (what == "zero data" || what == "large rank") && len(r.Warnings) == 0 {
				t.Errorf("%s, %s: no warning", name, what)
			}
		}
	}
}
