package nmf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// σ² follows its rule: θ·mean(E²) of the factors that the iteration begins with,
// floored, fixed, or frozen.
func TestSigmaRule(t *testing.T) {
	d, o := sample(60, 20, 3, 43)
	o.Loss, o.Iterations = Correntropy, 8
	entries := float64(d.Rows * d.Cols)
	f := must.Get(d.inspect())(t)
	for _, theta := range []float64{0, 2} {
		o.Sigma = Sigma{Theta: theta}
		trace := factorize(t, d, o).Trace
		if theta == 0 {
			theta = 0.5
		}
		for i, p := range trace[1:] {
			want := theta * trace[i].Residual * trace[i].Residual * f.squares / entries
			if math.Abs(p.Sigma2-want) > 1e-12*want {
				t.Errorf("θ = %v, iteration %d: σ² = %v, want %v", theta, p.Iteration, p.Sigma2, want)
			}
		}
	}
	o.Sigma = Sigma{Floor: 5}
	if p := factorize(t, d, o).Trace[3]; math.Abs(p.Sigma2-5*f.squares/entries) > 1e-12 {
		t.Errorf("floored, σ² = %v", p.Sigma2)
	}
	o.Sigma, o.Warm = Sigma{FreezeAfter: 2}, 3
	trace := factorize(t, d, o).Trace
	if trace[1].Iteration != 3 {
		t.Errorf("the point after 3 warm iterations is that of iteration %d", trace[1].Iteration)
	}
	for i, p := range trace[1:] {
		switch before := trace[i].Sigma2; {
		case p.Iteration == 5 && p.Sigma2 == before:
			t.Errorf("σ² froze at iteration %d", p.Iteration)
		case p.Iteration > 5 && p.Sigma2 != before:
			t.Errorf("σ² moved from %v to %v after it was frozen", before, p.Sigma2)
		}
	}
}

// Warm iterations are coordinate descent for the squared error from the same start, and those
// after them begin at its factors.
func TestWarmIsCoordinateDescent(t *testing.T) {
	for _, loss := range []*Loss{L21, Correntropy} {
		d, o := sample(60, 20, 3, 47)
		o.Iterations, o.Lambda, o.Solver = 5, 0.3, HALS
		plain := factorize(t, d, o)
		o.Loss, o.Warm, o.Solver = loss, 5, ""
		warm := factorize(t, d, o)
		closeTo(t, "coordinates", warm.W, plain.W, 1e-13) // blocks, hence sums, differ
		closeTo(t, "components", warm.H, plain.H, 1e-13)
		if len(warm.Trace) != 2 || warm.Trace[1].Iteration != 5 {
			t.Errorf("the trace is %+v", warm.Trace)
		}
	}
}

// MedianScale is the weighted median of the residuals, the same of sparse data, and in
// proportion to the data.
func TestMedianScale(t *testing.T) {
	d := randomSparse(90, 40, 4, 9)
	dense := madeDense(d)
	const r = 3
	random := blas.NewStream(5)
	w, h := make([]float64, d.Rows*r), make([]float64, r*d.Cols)
	random.Uniforms(w)
	random.Uniforms(h)
	scale := func(d Data, times float64) float64 {
		f := newFactorization(d, Options{Rank: r, Loss: Correntropy, Kernels: blas.MustSelect("")}, dataSums{})
		for i, v := range w {
			f.w[i] = times * v
		}
		copy(f.h, h)
		f.updateGram()
		return newCorrentropy(f, nil, Options{}).scaleOfData()
	}
	got := scale(dense, 1)
	type entry struct{ e, x float64 }
	var entries []entry
	whole := 0.0
	for i, e := range plainProduct(d.Rows, d.Cols, r, w, h) {
		x := dense.Dense[i]
		entries, whole = append(entries, entry{math.Abs(x - e), x}), whole+x
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.e, b.e) })
	want, sum := 0.0, 0.0
	for _, v := range entries {
		if sum += v.x; sum >= whole/2 {
			want = medianScale * v.e
			break
		}
	}
	if math.Abs(got-want) > 1e-12*want {
		t.Errorf("the scale is %v, want %v", got, want)
	}
	if s := scale(d, 1); math.Abs(s-got) > 1e-12*got {
		t.Errorf("the scale of sparse data is %v, dense %v", s, got)
	}
	larger := Dense(d.Rows, d.Cols, append([]float64(nil), dense.Dense...))
	blas.Scale(5, larger.Dense)
	if s := scale(larger, 5); math.Abs(s-5*got) > 1e-12*s {
		t.Errorf("the scale of 5 times the data is %v, of the data %v", s, got)
	}
}

// No iteration of the methods with robust losses raises its objective, and no rule of MedianScale
// raises σ², on data of many kinds.
func TestRobustLossesNeverRise(t *testing.T) {
	counts, images := randomSparse(120, 60, 20, 13), lowRankData(120, 64, 4, 17)
	for i := range 24 { // squares of 4 × 4 in images of 8 × 8
		for p := range 16 {
			images.Dense[i*5*64+(i%4+p/4)*8+i%5+p%4] = 9
		}
	}
	for i, v := range counts.Sparse.Val {
		counts.Sparse.Val[i] = math.Exp(v) // a few are far above the others
	}
	noise := Dense(120, 60, make([]float64, 120*60))
	blas.NewStream(19).Uniforms(noise.Dense)
	_, with := sample(120, 1, 1, 5)
	for kind, d := range map[string]Data{"noise": noise, "counts": counts, "dense counts": madeDense(counts), "images": images, "sparse": randomSparse(120, 60, 8, 23)} {
		for rule, o := range map[string]Options{
			"l21": {Loss: L21}, "l21 warm": {Loss: L21, Warm: 20},
			"median": {Loss: Correntropy, Sigma: Sigma{Scale: MedianScale, Theta: 4.5}}, "narrow": {Loss: Correntropy, Sigma: Sigma{Scale: MedianScale, Theta: 0.3}},
			"refresh": {Loss: Correntropy, Schedule: Refresh, Sigma: Sigma{Scale: MedianScale, Theta: 4.5}},
			"warm":    {Loss: Correntropy, Warm: 10, Sigma: Sigma{Scale: MedianScale, Theta: 4.5, FreezeAfter: 15}},
			"fixed":   {Loss: Correntropy, Sigma: Sigma{Fixed: 0.2}},
		} {
			for _, lambda := range []float64{0, 0.3, 30} {
				o.Rank, o.Iterations, o.TraceEvery, o.Graph, o.Lambda, o.Balanced = 4, 60, 1, with.Graph, lambda, true
				trace := factorize(t, d, o).Trace
				for i, p := range trace[1:] {
					before := trace[i]
					if o.Warm > 0 && i == 0 {
						continue // the squared error is what fell
					}
					if p.Sigma2 > before.Sigma2 || p.Surrogate > before.Surrogate*(1+1e-11) {
						t.Errorf("%s, %s, λ = %v: iteration %d goes from %v to %v, σ² from %v to %v", kind, rule, lambda, p.Iteration, before.Surrogate, p.Surrogate, before.Sigma2, p.Sigma2)
						break
					}
				}
			}
		}
	}
}

// The constant of the kernel weights the graph term by √(2π)σ.
func TestKernelConstant(t *testing.T) {
	d, o := sample(60, 20, 3, 53)
	o.Loss, o.Lambda, o.Iterations, o.Sigma.Fixed = Correntropy, 0.3, 6, 0.2
	p := o
	p.Sigma.KernelConstant = true
	p.Lambda /= math.Sqrt(2 * math.Pi * 0.2)
	want, got := factorize(t, d, o), factorize(t, d, p)
	closeTo(t, "coordinates", got.W, want.W, 1e-12)
	closeTo(t, "components", got.H, want.H, 1e-12)
	for i, a := range want.Trace {
		if b := got.Trace[i]; math.Abs(b.Objective*math.Sqrt(2*math.Pi*0.2)-a.Objective) > 1e-10*a.Objective {
			t.Errorf("point %d is %+v, and %+v in the other", i, b, a)
		}
	}
}

// A tolerance ends KL between points of the trace; the last point is measured all
// the same.
func TestLastPointOfKL(t *testing.T) {
	d, o := sample(60, 20, 3, 59)
	o.Loss, o.Iterations, o.Tolerance, o.TraceEvery = KL, 3000, 1e-4, 1000
	r := factorize(t, d, o)
	o.Tolerance, o.Iterations, o.TraceEvery = 0, r.Iterations, 1
	want := factorize(t, d, o)
	if got := r.Trace[len(r.Trace)-1]; !r.Converged || got != want.Trace[r.Iterations] {
		t.Errorf("converged %v, last point %+v, want %+v", r.Converged, got, want.Trace[r.Iterations])
	}
}

// Bytes counts the largest pieces.
func TestBytes(t *testing.T) {
	o := Options{Rank: 20, Threads: 1}
	plain := Bytes(4000, 2000, 0, o)
	o.Loss = Correntropy
	if more := Bytes(4000, 2000, 0, o) - plain; more < 8*4000*2000 || more > 2*8*4000*2000 {
		t.Errorf("correntropy takes %d bytes more", more)
	}
	if plain > 8*4000*2000/4 {
		t.Errorf("%d bytes for plain updates", plain)
	}
}

// Factors that correntropy drives to zero are warned of: entries far from most are given up,
// as the few of sparse data are with σ² of all, and are not with one of their own size.
func TestCorrentropyWarnsOfZeros(t *testing.T) {
	d := randomSparse(1000, 500, 30, 3)
	o := Options{Rank: 4, Loss: Correntropy, Iterations: 20}
	if r := factorize(t, d, o); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "zeros would fit about as well") {
		t.Errorf("the residual is %v, warnings %q", r.Trace[len(r.Trace)-1].Residual, r.Warnings)
	}
	filled := float64(d.Sparse.NNZ()) / float64(d.Rows*d.Cols)
	o.Sigma.Theta = 0.5 / filled
	if r := factorize(t, d, o); len(r.Warnings) > 0 {
		t.Errorf("the residual is %v, warnings %q", r.Trace[len(r.Trace)-1].Residual, r.Warnings)
	}
}
