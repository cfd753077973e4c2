package nmf

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// solved are the losses with the tolerance of models.
func solved() map[string]Options {
	all := encodings()
	for name, o := range all {
		o.Tolerance, o.Iterations = 1e-6, 2000
		all[name] = o
	}
	return all
}

// kkt is the residual of coordinates by its definition, on its own.
func kkt(loss *Loss, sigma Sigma, x, w, components []float64) float64 {
	m, r := len(x), len(w)
	model, weights := make([]float64, m), make([]float64, m)
	var squares float64
	for j := range m {
		for k := range r {
			model[j] += w[k] * components[k*m+j]
		}
		squares += (x[j] - model[j]) * (x[j] - model[j])
		weights[j] = 1
	}
	if loss.Scaled() {
		sigma2 := sigma.Fixed
		if sigma2 == 0 {
			sigma2 = 0.5 * squares / float64(m)
		}
		for j := range m {
			weights[j] = math.Exp(-(x[j] - model[j]) * (x[j] - model[j]) / (2 * sigma2))
		}
	}
	var size, most float64
	for j := range m {
		if loss == KL {
			size += x[j]
		} else {
			size += weights[j] * x[j] * x[j]
		}
	}
	if loss != KL {
		size = math.Sqrt(size)
	}
	for k := range r {
		var gradient, length float64
		for j := range m {
			h := components[k*m+j]
			if loss == KL {
				length += h
				gradient += h
				if x[j] > 0 {
					gradient -= h * x[j] / model[j]
				}
			} else {
				length += weights[j] * h * h
				gradient += weights[j] * (model[j] - x[j]) * h
			}
		}
		if loss == KL {
			most = max(most, math.Abs(min(w[k]*length/size, gradient/length)))
		} else {
			length = math.Sqrt(length)
			most = max(most, math.Abs(min(w[k]*length/size, gradient/(length*size))))
		}
	}
	return most
}

// Every sample is encoded to the end, where the conditions of the minimum hold.
func TestEncoderSolves(t *testing.T) {
	const n, m, r = 120, 37, 9
	d := lowRankData(n, m, 5, 3)
	components := make([]float64, r*m)
	blas.NewStream(8).Uniforms(components)
	for k := range components { // some zeros, and very similar components
		if k%5 == 0 {
			components[k] = 0
		}
	}
	for j := range m {
		components[m+j] = components[j] + 1e-3*components[2*m+j]
	}
	for name, o := range solved() {
		t.Run(name, func(t *testing.T) {
			e := encoderOf(t, components, m, o)
			w, reported := must.Two(e.EncodeResidual(context.Background(), d))(t)
			var most float64
			for i := range n {
				most = max(most, kkt(o.Loss.Encoding(), o.Sigma, d.Dense[i*m:(i+1)*m], w[i*r:(i+1)*r], components))
			}
			if most > 1e-6*(1+1e-6) || math.Abs(most-reported) > 1e-9 {
				t.Errorf("the residual is %g, reported as %g", most, reported)
			}
			if slices.Max(w) == 0 {
				t.Error("all coordinates are zero")
			}
		})
	}
}

// Samples of zeros, components and columns of zeros.
func TestEncoderSolvesZeros(t *testing.T) {
	components := []float64{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0}
	samples := Dense(3, 4, []float64{0, 0, 0, 0, 1, 2, 0, 5, 0, 0, 7, 1})
	for name, o := range encodings() { // the floor of coordinate descent is next to zero
		if w := encoded(t, encoderOf(t, components, 4, o), samples); slices.Min(w) < 0 || slices.Max(w[:3]) > denominator {
			t.Errorf("%s in steps: %v", name, w)
		}
	}
	for name, o := range solved() {
		w, residual, err := encoderOf(t, components, 4, o).EncodeResidual(context.Background(), samples)
		if err != nil || residual > 1e-6 {
			t.Fatalf("%s: residual %v, %v", name, residual, err)
		}
		for k, v := range w[:3] {
			if v != 0 {
				t.Errorf("%s: coordinate %d of nothing is %v", name, k, v)
			}
		}
		for k, v := range w {
			if !(v >= 0) || k%3 == 1 && v != 0 {
				t.Errorf("%s: coordinates %v", name, w)
			}
		}
	}
}

// A row is encoded without memory of its own.
func TestEncoderSolvesWithoutAllocating(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector makes pools forget what they hold")
	}
	const n, m, r = 60, 37, 5
	d := lowRankData(n, m, r, 3)
	components := make([]float64, r*m)
	blas.NewStream(8).Uniforms(components)
	for name, o := range solved() {
		o.Threads = 1
		e := encoderOf(t, components, m, o)
		f := must.Get(e.prepare(d))(t)
		solve := f.loss.algorithms[o.Solver].solve
		if solve == nil {
			solve = f.loss.algorithms[Multiplicative].solve
		}
		if count := testing.AllocsPerRun(3, func() {
			e.start(f)
			solve(e, f, &f.scratch[0], 0, f.block)
		}); count > 0 {
			t.Errorf("%s: %v allocations for %d samples", name, count, f.block)
		}
	}
}
