package nmf

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// Under the weights of an iteration its steps never raise the weighted squares with the
// graph term, while σ² moves; and to measure them changes no bit of the factors.
func TestHeldWeightsNeverRise(t *testing.T) {
	for _, constant := range []bool{false, true} {
		for _, lambda := range []float64{0, 0.1, 10, 1000} {
			d, o := sample(130, 47, 5, 11)
			o.Loss, o.Lambda, o.Iterations, o.Sigma.KernelConstant = Correntropy, lambda, 60, constant
			r := factorize(t, d, o)
			for _, p := range r.Trace[1:] {
				if !(p.HeldBefore > 0) || p.Held > p.HeldBefore*(1+1e-13) {
					t.Errorf("λ = %v, constant %v: iteration %d goes from %v to %v", lambda, constant, p.Iteration, p.HeldBefore, p.Held)
				}
			}
			if r.Trace[0].Held != 0 || r.Trace[0].HeldBefore != 0 {
				t.Errorf("the start has %+v", r.Trace[0])
			}
			o.TraceEvery = 1000
			rare := factorize(t, d, o)
			for i, v := range r.W {
				if rare.W[i] != v {
					t.Fatalf("coordinate %d is %v where the iteration is watched, %v where it is not", i, v, rare.W[i])
				}
			}
		}
	}
	d, o := sample(130, 47, 5, 11)
	o.Loss, o.Schedule = Correntropy, Refresh
	if p := factorize(t, d, o).Trace[5]; p.Held != 0 || p.HeldBefore != 0 {
		t.Errorf("refreshed weights are not held: %+v", p)
	}
}

// They are what whole matrices give.
func TestHeldWeightsArePlainSums(t *testing.T) {
	d, o := sample(100, 30, 4, 17)
	n, m, r := 100, 30, 4
	o.Loss, o.Lambda, o.Iterations, o.Init = Correntropy, 0.3, 1, Given
	o.W, o.H = make([]float64, n*r), make([]float64, r*m)
	blas.NewStream(1).Uniforms(o.W)
	blas.NewStream(2).Uniforms(o.H)
	found := factorize(t, d, o)
	residuals := func(w, h []float64) []float64 {
		e := append([]float64(nil), d.Dense...)
		blas.MustSelect("").Gemm(false, false, n, m, r, -1, w, r, h, m, 1, e, m)
		return e
	}
	term := func(w []float64) (sum float64) {
		for i := range n {
			for j := range n {
				sum += o.Lambda * o.Graph.Dense[i*n+j] * blas.Dot(w[i*r:(i+1)*r], w[j*r:(j+1)*r])
			}
		}
		return sum
	}
	first, last := residuals(o.W, o.H), residuals(found.W, found.H)
	before, after := term(o.W), term(found.W)
	var squares float64
	for _, e := range first {
		squares += e * e
	}
	for i, e := range first {
		p := math.Exp(-e * e * float64(n*m) / squares)
		before, after = before+p*e*e, after+p*last[i]*last[i]
	}
	p := found.Trace[1]
	if math.Abs(p.HeldBefore-before) > 1e-10*before || math.Abs(p.Held-after) > 1e-10*after {
		t.Errorf("from %v to %v, want from %v to %v", p.HeldBefore, p.Held, before, after)
	}
}
