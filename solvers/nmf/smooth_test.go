package nmf

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// plainSmooth is the term by its definition, of the components from kept on.
func plainSmooth(d Data, o Options, kept int, w, h []float64) (sum float64) {
	for k := kept; k < o.Rank; k++ {
		var square, rough float64
		for i := range d.Rows {
			square += w[i*o.Rank+k] * w[i*o.Rank+k]
		}
		for j := 1; j < d.Cols; j++ {
			rough += (h[k*d.Cols+j] - h[k*d.Cols+j-1]) * (h[k*d.Cols+j] - h[k*d.Cols+j-1])
		}
		sum += o.Smooth / 2 * square * rough
	}
	if o.Loss == KL {
		sum /= total(d.Dense) / float64(len(d.Dense))
	}
	return sum
}

// plainSmoothStep is a step of H and one of W by definition: every entry goes to the minimum of the loss, or of the function above it in a
// multiplicative step, with the term, H forth and back.
func plainSmoothStep(d Data, o Options, w, h []float64) {
	n, m, r := d.Rows, d.Cols, o.Rank
	unit := o.Smooth
	if o.Loss == KL {
		unit /= total(d.Dense) / float64(n*m)
	}
	y, before := plainProduct(n, m, r, w, h), slices.Clone(h)
	for k := range r {
		var square, sum float64
		for i := range n {
			square, sum = square+w[i*r+k]*w[i*r+k], sum+w[i*r+k]
		}
		c := unit * square
		move := func(j int) {
			var near, many, num, den, quotients float64
			for _, q := range []int{j - 1, j + 1} {
				if q >= 0 && q < m {
					near, many = near+h[k*m+q], many+1
				}
			}
			old := before[k*m+j]
			for i := range n {
				num += w[i*r+k] * d.Dense[i*m+j]
				den += w[i*r+k] * y[i*m+j]
				quotients += w[i*r+k] * d.Dense[i*m+j] / y[i*m+j]
			}
			switch {
			case o.Loss == KL: // the root of many·c·z² + (sum − c·near)z − old·quotients
				b := sum - c*near
				h[k*m+j] = (math.Sqrt(b*b+4*many*c*old*quotients) - b) / (2 * many * c)
			case o.Solver == HALS: // the slope and the curvature of the objective
				slope := many*c*h[k*m+j] - c*near
				for i := range n {
					e := -d.Dense[i*m+j]
					for l := range r {
						e += w[i*r+l] * h[l*m+j]
					}
					slope += w[i*r+k] * e
				}
				h[k*m+j] = max(denominator, h[k*m+j]-slope/(square+many*c))
			default:
				h[k*m+j] = (num + c*near) / (den/old + many*c)
			}
		}
		for j := range m {
			move(j)
		}
		for j := m - 2; j >= 0; j-- {
			move(j)
		}
	}
	y = plainProduct(n, m, r, w, h)
	for i := range n {
		row := slices.Clone(w[i*r : (i+1)*r])
		for k, old := range row {
			var rough, num, den, now, square, sum, quotients float64
			for j := range m {
				v := h[k*m+j]
				if j > 0 {
					rough += (v - h[k*m+j-1]) * (v - h[k*m+j-1])
				}
				num, den, square, sum = num+d.Dense[i*m+j]*v, den+y[i*m+j]*v, square+v*v, sum+v
				quotients += d.Dense[i*m+j] / y[i*m+j] * v
				for l := range r {
					now += w[i*r+l] * h[l*m+j] * v
				}
			}
			q := unit * rough
			switch {
			case o.Loss == KL:
				w[i*r+k] = (math.Sqrt(sum*sum+4*q*old*quotients) - sum) / (2 * q)
			case o.Solver == HALS:
				w[i*r+k] = max(denominator, old+(num-now-q*old)/(square+q))
			default:
				w[i*r+k] = old * num / (den + q*old)
			}
		}
	}
}

// Five iterations are those of the definition.
func TestSmoothIsItsDefinition(t *testing.T) {
	const n, m, r = 12, 9, 3
	d, _, _ := mixtures(n, m, r, 0.3)
	for _, o := range []Options{{Solver: HALS}, {Solver: Multiplicative}, {Loss: KL}} {
		o.Rank, o.Smooth, o.Iterations, o.Sweeps, o.Normalize, o.Init = r, 0.7, 5, 1, Never, Given
		o.W, o.H = make([]float64, n*r), make([]float64, r*m)
		random := blas.NewStream(4)
		random.Uniforms(o.W)
		random.Uniforms(o.H)
		w, h := slices.Clone(o.W), slices.Clone(o.H)
		for range o.Iterations {
			plainSmoothStep(d, o, w, h)
		}
		got := factorize(t, d, o)
		what := fmt.Sprint(o.Loss.orDefault(), " ", o.Solver)
		closeTo(t, what+": W", got.W, w, 1e-10)
		closeTo(t, what+": H", got.H, h, 1e-10)
	}
}

// The objective has the term of its definition and never rises, beside every other part of the model; given components stay; threads, sparse
// data and the scale of the data change nothing.
func TestSmoothFalls(t *testing.T) {
	const n, m, r = 83, 131, 4
	d, w, truth := mixtures(n, m, r, 0.1)
	small := slices.Clone(d.Dense)
	blas.Scale(0x1p-6, small)
	for name, o := range map[string]Options{
		"hals": {Solver: HALS}, "mu": {}, "kl": {Loss: KL}, "weak": {Solver: HALS, Smooth: 1e-3}, "strong": {Solver: HALS, Smooth: 1e3, Sweeps: 3}, "strong mu": {Smooth: 1e3}, "strong kl": {Loss: KL, Smooth: 1e3},
		"sum": {Solver: HALS, SumToOne: true}, "sum kl": {Loss: KL, SumToOne: true}, "volume": {Solver: HALS, SumToOne: true, Volume: 1e-3},
		"penalised": {Solver: HALS, Penalties: Penalties{W: 0.01, H: 0.01, L1Ratio: 0.5}}, "penalised mu": {Penalties: Penalties{W: 0.01, H: 0.01, L1Ratio: 0.5}}, "penalised kl": {Loss: KL, Penalties: Penalties{W: 0.01, H: 0.01, L1Ratio: 0.5}},
		"w": {Solver: HALS, Fixed: WFixed}, "w mu": {Fixed: WFixed}, "w kl": {Loss: KL, Fixed: WFixed},
		"h": {Solver: HALS, Fixed: HFixed}, "h mu": {Fixed: HFixed}, "h kl": {Loss: KL, Fixed: HFixed}, "h sum kl": {Loss: KL, SumToOne: true, Fixed: HFixed},
	} {
		kept := 0
		switch o.Fixed {
		case WFixed:
			o.Init, o.W = Given, w
		case HFixed:
			kept, o.Init, o.H = 2, Given, truth[:2*m]
		}
		if o.Smooth == 0 {
			o.Smooth = 2
		}
		o.Rank, o.Iterations, o.TraceEvery, o.Seed, o.Threads, o.Normalize = r, 12, 1, 3, 1, Never
		got := factorize(t, d, o)
		half := 2.0
		if o.Loss == KL {
			half = 1
		}
		want := plainKept(d, o, kept, got.W, got.H) + half*plainSmooth(d, o, kept, got.W, got.H)
		if o.Fixed == WFixed {
			want = plainObjective(d, o.Loss, Penalties{}, r, got.W, got.H) + half*plainSmooth(d, o, 0, got.W, got.H)
		}
		if o.Volume > 0 {
			want = got.Trace[len(got.Trace)-1].Objective // TestVolume has its value
		}
		falls(t, name, got, want)
		if !slices.Equal(got.H[:kept*m], truth[:kept*m]) {
			t.Errorf("%s: a given component moved", name)
		}
		o.Threads = 3
		sameBits(t, name+", threads", factorize(t, d, o), got)
		sparse := factorize(t, Sparse(compressed(t, n, m, d.Dense)), o)
		closeTo(t, name+", W of sparse data", sparse.W, got.W, 1e-8)
		closeTo(t, name+", H of sparse data", sparse.H, got.H, 1e-8)
		if o.Fixed == HFixed || o.Penalties.Present() || o.SumToOne {
			continue // which have a unit, or a start that has one
		}
		scaled := factorize(t, Dense(n, m, small), o)
		a, b := plainProduct(n, m, r, scaled.W, scaled.H), plainProduct(n, m, r, got.W, got.H)
		blas.Scale(0x1p6, a)
		closeTo(t, name+", WH in another unit", a, b, 1e-8)
	}
}

// Runs one after the other are those of single factorisations, also of rows of W that sum to one.
func TestSmoothRuns(t *testing.T) {
	d, _, _ := mixtures(30, 20, 2, 0.1)
	for _, o := range []Options{{Solver: HALS, Smooth: 1}, {Solver: HALS, SumToOne: true}} {
		o.Iterations = 5
		err := FactorizeRuns(t.Context(), d, []Run{{2, 5}, {3, 6}}, o, func(run int, got *Result) error {
			o := o
			o.Rank, o.Seed = run+2, uint64(run+5)
			sameBits(t, "a run", got, factorize(t, d, o))
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// The minimum over the simplex with ridges: no move from one entry to another lowers it.
func TestDivergenceOnSimplexWithRidges(t *testing.T) {
	random := blas.NewStream(9)
	for range 300 {
		r := 1 + random.Below(6)
		a, b, q := make([]float64, r), make([]float64, r), make([]float64, r)
		for k := range r {
			a[k], b[k], q[k] = 10*random.Uniform(), math.Pow(10, 6*random.Uniform()-3), math.Pow(10, 6*random.Uniform()-3)
			if random.Below(4) == 0 {
				q[k] = 0
			} else if random.Below(4) == 0 {
				b[k] = 0
			}
		}
		if total(b) == 0 {
			continue
		}
		w := slices.Clone(b)
		divergenceOnSimplex(a, w, q)
		var low, high float64 = math.Inf(1), math.Inf(-1) // of the slopes of entries that are not zero, which are equal
		for k, v := range w {
			slope := a[k] + q[k]*v
			if b[k] > 0 {
				slope -= b[k] / v
			}
			if v > 0 {
				high = max(high, slope)
			}
			low = min(low, slope)
		}
		if math.Abs(total(w)-1) > 1e-12 || high-low > 1e-6*(math.Abs(low)+math.Abs(high)+total(b)+total(q)) {
			t.Errorf("a %v, b %v, q %v: %v has slopes from %v to %v", a, b, q, w, low, high)
		}
	}
}

// noisySpectra are 60 samples of four spectra of two peaks each over 120 columns, with normal noise of this share of the root mean square, or
// counts of this mean for a negative one, and the spectra.
func noisySpectra(noise float64, seed uint64) (d Data, h []float64) {
	const n, m, r = 60, 120, 4
	h = spectra(r, m)
	random := blas.NewStream(seed)
	w := make([]float64, n*r)
	for at := range w {
		if w[at] = -math.Log(random.Uniform()); random.Below(3) == 0 {
			w[at] = 0
		}
	}
	x := plainProduct(n, m, r, w, h)
	scale := noise * math.Sqrt(blas.Dot(x, x)/float64(n*m))
	if noise < 0 {
		blas.Scale(-noise*n*m/total(x), x)
	}
	draws := make([]float64, n*m)
	random.Normals(draws)
	for at, v := range x {
		if noise < 0 { // Poisson, by products of uniform numbers
			limit, k := math.Exp(-v), 0
			for p := random.Uniform(); p > limit; p *= random.Uniform() {
				k++
			}
			x[at] = float64(k)
		} else {
			x[at] = max(0, v+scale*draws[at])
		}
	}
	return Dense(n, m, x), h
}

// meanCosine is the mean over the spectra of the largest cosine with a component.
func meanCosine(h, got []float64, m int) float64 {
	all := bestCosines(h, got, m)
	return total(all) / float64(len(all))
}

// Of noisy samples the spectra are found better where they are to be smooth.
func TestSmoothFindsSpectra(t *testing.T) {
	for what, o := range map[string]Options{"hals": {Solver: HALS}, "mu": {}, "kl": {Loss: KL}} {
		noise := 2.0
		if o.Loss == KL {
			noise = -0.3
		}
		d, h := noisySpectra(noise, 1)
		o.Rank, o.Iterations, o.Seed = 4, 100, 1
		rough := meanCosine(h, factorize(t, d, o).H, d.Cols)
		o.Smooth = 1
		if smooth := meanCosine(h, factorize(t, d, o).H, d.Cols); !(smooth > rough+0.03 && smooth > 0.85) {
			t.Errorf("%s: a mean cosine of %v, without the term %v", what, smooth, rough)
		}
	}
}

// BenchmarkSmooth is the table of docs/factorisations.md: the mean cosine over five seeds.
func BenchmarkSmooth(b *testing.B) {
	for _, c := range []struct {
		name  string
		o     Options
		noise []float64
	}{{"hals", Options{Solver: HALS}, []float64{0.1, 0.3, 1, 2}}, {"kl", Options{Loss: KL}, []float64{-5, -1, -0.3}}} {
		for _, noise := range c.noise {
			for _, s := range []float64{0, 0.1, 0.3, 1, 3, 10, 100} {
				b.Run(fmt.Sprintf("%s/noise=%v/s=%v", c.name, noise, s), func(b *testing.B) {
					for b.Loop() {
						var sum, error float64
						for seed := uint64(1); seed <= 5; seed++ {
							d, h := noisySpectra(noise, seed)
							o := c.o
							o.Rank, o.Iterations, o.TraceEvery, o.Seed, o.Smooth = 4, 200, 200, seed, s
							got := factorize(b, d, o)
							sum += meanCosine(h, got.H, d.Cols)
							error += got.Trace[len(got.Trace)-1].Residual
						}
						b.ReportMetric(sum/5, "cosine")
						b.ReportMetric(error/5, "residual")
					}
				})
			}
		}
	}
}

func TestSmoothRefuses(t *testing.T) {
	d, graph := sample(10, 6, 2, 1)
	for says, o := range map[string]Options{
		"nmf: the weight of smooth components is -1; give a number from 0 to 1e+12":                        {Smooth: -1},
		"nmf: the weight of smooth components is +Inf; give a number from 0 to 1e+12":                      {Smooth: math.Inf(1)},
		"nmf: smooth components are for losses frobenius and kl with solver mu or hals; take these":        {Loss: Huber},
		"nmf: smooth components go with no graph term; leave out one of them":                              {Graph: graph.Graph, Lambda: 1},
		"nmf: smooth components go with no extrapolation; leave out one of them":                           {Solver: HALS, Extrapolate: true},
		"nmf: smooth components go with order basis-first; leave out the order":                            {Order: WFirst},
		"nmf: smooth components go with stop change or relative-decrease; take one of these":               {Solver: HALS, Stop: Violation, Tolerance: 1},
		"nmf: fixed components are as smooth as they are given; leave out the weight of smooth ones":       {Init: Given, H: make([]float64, 12), Fixed: HFixed},
		"nmf: datasets, and blocks that samples lack, go with no smooth components; leave out one of them": {Solver: HALS, Collection: &Collection{Datasets: make([]int32, 10)}},
	} {
		o.Rank = 2
		if o.Smooth == 0 {
			o.Smooth = 1
		}
		if _, err := Factorize(t.Context(), d, o); err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
	must.Refuse(t, "smooth components are for losses")(Factorize(t.Context(), d, Options{Rank: 2, Smooth: 1, Solver: MiniBatch}))
	weighed := d
	weighed.Weights.Dense = slices.Repeat([]float64{1}, 60)
	must.Refuse(t, "weights of the entries go with no smooth components")(Factorize(t.Context(), weighed, Options{Rank: 2, Smooth: 1}))
}
