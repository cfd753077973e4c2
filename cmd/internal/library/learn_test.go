package library

import (
	"slices"
	"testing"
)

// float32 samples have the factors of the same float64, without a copy where they have no gaps.
func TestFactorizeSingle(t *testing.T) {
	const n, m = 40, 6
	single, double := make([]float32, n*m), make([]float64, n*m)
	for i := range single {
		single[i] = float32(i*31%17) / 16
		double[i] = float64(single[i])
	}
	for _, method := range []string{"nmf", "nmf-kl", "l21-nmf"} {
		a := do(t, "factorize", given{method: method, count: 3, x: viewing(single, n, m, m, typeFloat32)})
		b := do(t, "factorize", given{method: method, count: 3, x: viewing(double, n, m, m, typeFloat64)})
		if !slices.Equal(a.arrays["w"].numbers, b.arrays["w"].numbers) || !slices.Equal(a.arrays["h"].numbers, b.arrays["h"].numbers) {
			t.Errorf("%s: other factors", method)
		}
	}
}

// The learnt state goes into the next call.
func TestLearn(t *testing.T) {
	const n, m = 60, 6
	x := make([]float64, n*m)
	for i := range x {
		x[i] = float64(i*31%17) / 16
	}
	parameters := []byte(`{"solver": "minibatch", "batch": 10, "model": true}`)
	whole := do(t, "learn", given{method: "nmf", count: 3, parameters: parameters, x: viewing(x, n, m, m, typeFloat64)})
	first := do(t, "learn", given{method: "nmf", count: 3, parameters: parameters, x: viewing(x, n/2, m, m, typeFloat64)})
	known := first.arrays["learned"].numbers
	start := viewing(known, len(known), 1, 1, typeFloat64)
	second := do(t, "learn", given{method: "nmf", count: 3, parameters: parameters, x: viewing(x[n/2*m:], n/2, m, m, typeFloat64), start: &start})
	if !slices.Equal(second.arrays["learned"].numbers, whole.arrays["learned"].numbers) {
		t.Error("two halves teach something else than the whole")
	}
	if second.model == nil || second.numbers["iterations"] != 1 {
		t.Errorf("%v, without a model: %s", second.numbers, second.noModel)
	}
}
