package nmf

import (
	"slices"
	"testing"
)

// Weights of KL are exposures: x/s under the weights s has the likelihood of counts with the mean s·WH. With one
// exposure for each sample the factors are those of the counts, step by step, and the rows of W are divided by it.
func TestWeightsAreExposures(t *testing.T) {
	const n, m, r = 30, 14, 3
	d := counts(n, m, r, 6, []float64{0}, 3)
	w, h := uniformFactors(n, m, r, 8)
	rates, weights, own := slices.Clone(d.Dense), make([]float64, n*m), slices.Clone(w)
	for i := range n {
		s := 0.25 + float64(i%5)
		for j := range m {
			rates[i*m+j] /= s
			weights[i*m+j] = s
		}
		for k := range r {
			own[i*r+k] /= s
		}
	}
	o := Options{Rank: r, Loss: KL, Init: Given, W: w, H: h, Iterations: 20, TraceEvery: 1, Normalize: Never}
	want := factorize(t, d, o)
	exposed := Dense(n, m, rates)
	exposed.Weights.Dense, o.W = weights, own
	got := factorize(t, exposed, o)
	closeTo(t, "H", got.H, want.H, 1e-10)
	for i := range n {
		for k := range r {
			got.W[i*r+k] *= weights[i*m]
		}
	}
	closeTo(t, "W", got.W, want.W, 1e-10)
	for i, p := range want.Trace {
		closeTo(t, "the objective", []float64{got.Trace[i].Objective}, []float64{p.Objective}, 1e-10)
	}
}
