package nmf

import (
	"math"
	"strings"
	"testing"
)

// σ² follows its rule: θ·mean(E²) of the factors that the iteration begins with,
// floored, fixed, or frozen; not set at all while warming up.
func TestSigmaRule(t *testing.T) {
	d, o := sample(60, 20, 3, 43)
	o.Loss, o.Iterations = Correntropy, 8
	entries := float64(d.Rows * d.Cols)
	f, err := d.inspect()
	if err != nil {
		t.Fatal(err)
	}
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
	for i, p := range trace[1:] {
		switch before := trace[i].Sigma2; {
		case p.Iteration <= 3 && p.Sigma2 != 0:
			t.Errorf("σ² = %v in warm iteration %d", p.Sigma2, p.Iteration)
		case (p.Iteration == 4 || p.Iteration == 5) && p.Sigma2 == before:
			t.Errorf("σ² froze at iteration %d", p.Iteration)
		case p.Iteration > 5 && p.Sigma2 != before:
			t.Errorf("σ² moved from %v to %v after it was frozen", before, p.Sigma2)
		}
	}
}

// Warm iterations are those of the squared error.
func TestWarmIsFrobenius(t *testing.T) {
	d, o := sample(60, 20, 3, 47)
	o.Iterations, o.Lambda = 5, 0.3
	plain := factorize(t, d, o)
	o.Loss, o.Warm = Correntropy, 5
	warm := factorize(t, d, o)
	closeTo(t, "coordinates", warm.W, plain.W, 1e-13) // blocks, hence sums, differ
	if warm.Trace[5].Sigma2 != 0 {
		t.Errorf("σ² = %v", warm.Trace[5].Sigma2)
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
			t.Errorf("point %d is %+v beside %+v", i, b, a)
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
	if r := factorize(t, d, o); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "zeros would be about as near") {
		t.Errorf("the residual is %v, warnings %q", r.Trace[len(r.Trace)-1].Residual, r.Warnings)
	}
	filled := float64(d.Sparse.NNZ()) / float64(d.Rows*d.Cols)
	o.Sigma.Theta = 0.5 / filled
	if r := factorize(t, d, o); len(r.Warnings) > 0 {
		t.Errorf("the residual is %v, warnings %q", r.Trace[len(r.Trace)-1].Residual, r.Warnings)
	}
}
