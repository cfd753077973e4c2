package nmf

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// separableData have components of which three samples each are multiples, and mixtures of these.
func separableData(n, m, r int, seed uint64) (d Data, h []float64) {
	random := blas.NewStream(seed)
	w := make([]float64, n*r)
	h = make([]float64, r*m)
	random.Uniforms(h)
	for i := range h {
		if h[i] < 0.5 {
			h[i] = 0
		}
	}
	random.Uniforms(w)
	for i := range 3 * r {
		row := w[i*r : (i+1)*r]
		clear(row)
		row[i%r] = 1 + float64(i)
	}
	x := make([]float64, n*m)
	blas.MustSelect("").Gemm(false, false, n, m, r, 1, w, r, h, m, 0, x, m)
	return Dense(n, m, x), h
}

// Successive projections find the components of separable data, each once, dense or sparse.
func TestExtremesOfSeparableData(t *testing.T) {
	const n, m, r = 90, 40, 6
	d, h := separableData(n, m, r, 5)
	for name, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
		f := newFactorization(data, must.Get(Options{Rank: r}.withDefaults(data))(t), must.Get(data.inspect())(t))
		must.Do(t, f.startFromRows(t.Context(), Options{Init: Extremes}, blas.NewStream(1)))
		found := map[int]bool{}
		for k := range r {
			for l := range r {
				a, b := f.h[k*m:(k+1)*m], h[l*m:(l+1)*m]
				if cosine := blas.Dot(a, b) / math.Sqrt(blas.Dot(a, a)*blas.Dot(b, b)); cosine > 1-1e-9 {
					found[l] = true
				}
			}
		}
		if len(found) != r {
			t.Errorf("%s: %d of %d components are found", name, len(found), r)
		}
	}
}

// The centres of groups that lie apart are the means of the groups.
func TestCentresOfGroups(t *testing.T) {
	const n, m = 60, 12
	random := blas.NewStream(3)
	x, means := make([]float64, n*m), make([]float64, 3*m)
	random.Uniforms(x)
	for i := range n {
		for j := range m {
			if j%3 == i%3 {
				x[i*m+j] += 20
			}
			means[i%3*m+j] += x[i*m+j] / (n / 3)
		}
	}
	d := Dense(n, m, x)
	f := newFactorization(d, must.Get(Options{Rank: 3}.withDefaults(d))(t), must.Get(d.inspect())(t))
	must.Do(t, f.startFromRows(t.Context(), Options{Init: Centres}, blas.NewStream(1)))
	for k := range 3 {
		best := math.Inf(1)
		for l := range 3 {
			var far float64
			for j := range m {
				far = max(far, math.Abs(f.h[k*m+j]-means[l*m+j]))
			}
			best = min(best, far)
		}
		if best > 1e-10 {
			t.Errorf("centre %d is %v from the mean of every group", k, best)
		}
	}
}

var startsOfData = []string{LowRankSVD, Rows, Centres, Extremes}

// Starts from the data fit better than random numbers, depend on no threads, and are of dense and
// sparse data the same but for rounding. Multiplicative updates get no zeros.
func TestStartsFromData(t *testing.T) {
	const n, m, r = 130, 50, 5
	d := lowRankData(n, m, 5, 23)
	sparse := Sparse(compressed(t, n, m, d.Dense))
	for _, loss := range []*Loss{Frobenius, KL, L21} {
		random := factorize(t, d, Options{Rank: r, Loss: loss, Iterations: 1, Seed: 4}).Trace[0].Objective
		for _, init := range startsOfData {
			o := Options{Rank: r, Loss: loss, Init: init, Iterations: 6, Seed: 4, Threads: 1}
			one := factorize(t, d, o)
			if first := one.Trace[0].Objective; !(first < random) {
				t.Errorf("%s, %s: the start has the objective %v, a random one %v", loss, init, first, random)
			}
			if slices.Contains(one.W, 0) || slices.Contains(one.H, 0) {
				t.Errorf("%s, %s: there are zeros", loss, init)
			}
			o.Threads = 3
			if many := factorize(t, d, o); !slices.Equal(one.W, many.W) || !slices.Equal(one.H, many.H) {
				t.Errorf("%s, %s: three threads change the factors", loss, init)
			}
			compressed := factorize(t, sparse, o)
			for i, p := range one.Trace {
				if q := compressed.Trace[i]; math.Abs(p.Objective-q.Objective) > 1e-8*p.Objective {
					t.Errorf("%s, %s, iteration %d: dense %v, sparse %v", loss, init, p.Iteration, p.Objective, q.Objective)
				}
			}
		}
	}
}

// The correction of the start by singular vectors lowers its error below that of NNDSVD, with half as
// many triplets.
func TestLowRankStart(t *testing.T) {
	const n, m = 150, 80
	d := lowRankData(n, m, 8, 7)
	for _, r := range []int{1, 2, 5, 8} {
		corrected := factorize(t, d, Options{Rank: r, Init: LowRankSVD, Solver: HALS, Iterations: 1}).Trace[0].Residual
		plain := factorize(t, d, Options{Rank: r, Init: NNDSVD, Solver: HALS, Iterations: 1}).Trace[0].Residual
		if !(corrected <= plain*(1+1e-12)) {
			t.Errorf("rank %d: %v after the correction, NNDSVD %v", r, corrected, plain)
		}
	}
}

// Samples of zeros, equal samples and ranks beyond what the data have leave finite factors.
func TestStartsOfPoorData(t *testing.T) {
	const n, m = 9, 7
	x := make([]float64, n*m)
	for i := range n {
		if i%3 == 0 {
			continue
		}
		for j := range m {
			x[i*m+j] = float64(j % 2)
		}
	}
	for _, init := range startsOfData {
		r := factorize(t, Dense(n, m, x), Options{Rank: 5, Init: init, Solver: HALS, Iterations: 30})
		if last := r.Trace[len(r.Trace)-1]; !(last.Residual < 1e-6) {
			t.Errorf("%s: the error is %v", init, last.Residual)
		}
	}
	for _, init := range []string{Centres, Extremes} {
		must.Refuse(t, "9 are fewer than the rank 10; give at most 9, or init random")(Factorize(t.Context(), Dense(n, m, x), Options{Rank: 10, Init: init}))
	}
}
