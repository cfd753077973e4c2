package nmf

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// Encoding by HALS ends at the nonnegative least squares solution: the gradient
// vanishes where a coordinate is positive and is not negative elsewhere.
func TestEncodeSolvesLeastSquares(t *testing.T) {
	const n, m, r = 90, 30, 6
	d := lowRankData(n, m, r, 3)
	components := make([]float64, r*m)
	blas.NewStream(8).Uniforms(components)
	w, err := Encode(context.Background(), d, components, Options{Solver: HALS, Iterations: 5000})
	if err != nil {
		t.Fatal(err)
	}
	zeros := 0
	for i := range n {
		for k := range r {
			var gradient float64
			for j := range m {
				e := -d.Dense[i*m+j]
				for l := range r {
					e += w[i*r+l] * components[l*m+j]
				}
				gradient += e * components[k*m+j]
			}
			if w[i*r+k] <= denominator {
				zeros++
				gradient = min(gradient, 0)
			}
			if math.Abs(gradient) > 1e-9 {
				t.Fatalf("sample %d, coordinate %d = %v has gradient %v", i, k, w[i*r+k], gradient)
			}
		}
	}
	if zeros == 0 {
		t.Error("no constraint was active: the test shows little")
	}
}

// Sparse samples are encoded as dense ones, samples one by one as together
// (with σ² given), on any number of threads; the training data have about the
// coordinates they were left with.
func TestEncodeConsistently(t *testing.T) {
	const n, m, r = 150, 40, 4
	d := lowRankData(n, m, r, 5)
	for _, o := range []Options{{}, {Solver: HALS}, {Loss: KL}, {Loss: Correntropy, Sigma: Sigma{Fixed: 0.5}}} {
		fit := o
		fit.Rank, fit.Iterations = r, 300
		model := factorize(t, d, fit)
		want, err := Encode(context.Background(), d, model.H, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Threads = 1
		if o.Loss.TakesSparse() {
			got, err := Encode(context.Background(), Sparse(compressed(t, n, m, d.Dense)), model.H, o)
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, o.Loss.String()+" sparse", got, want, 1e-10)
		}
		var single []float64
		for i := range n {
			one, err := Encode(context.Background(), Dense(1, m, d.Dense[i*m:(i+1)*m]), model.H, o)
			if err != nil {
				t.Fatal(err)
			}
			single = append(single, one...)
		}
		// The start is the mean of the samples given, hence not equality.
		closeTo(t, o.Loss.String()+" one by one", single, want, 0.05)
		if o.Loss.Scaled() {
			continue // not convex in W: from another start it may end elsewhere
		}
		closeTo(t, o.Loss.String()+" "+o.Solver+" training data", want, model.W, 0.2)
	}
}

func TestEncodeRefuses(t *testing.T) {
	d := lowRankData(10, 6, 2, 5)
	for name, c := range map[string][]float64{
		"zero": make([]float64, 12), "short": make([]float64, 5), "odd": make([]float64, 13), "negative": {-1, 1, 1, 1, 1, 1},
	} {
		if w, err := Encode(context.Background(), d, c, Options{}); err == nil {
			t.Errorf("%s components gave %v", name, w)
		}
	}
}
