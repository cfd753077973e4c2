package nmf

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// encodings are the ways to encode.
func encodings() map[string]Options {
	return map[string]Options{"mu": {}, "hals": {Solver: HALS}, "kl": {Loss: KL}, "l21": {Loss: L21}, "correntropy": {Loss: Correntropy},
		"fixed": {Loss: Correntropy, Sigma: Sigma{Fixed: 0.05}}}
}

func encoderOf(t *testing.T, components []float64, m int, o Options) *Encoder {
	t.Helper()
	e, err := NewEncoder(components, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func encoded(t *testing.T, e *Encoder, d Data) []float64 {
	t.Helper()
	w, err := e.Encode(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A sample is encoded as by Encode where it is the only one, with the same bits
// whatever comes with it and on any number of threads.
func TestEncoderTakesSamplesAlone(t *testing.T) {
	const n, m, r = 233, 37, 5
	d := lowRankData(n, m, r, 3)
	components := make([]float64, r*m)
	blas.NewStream(8).Uniforms(components)
	for name, o := range encodings() {
		o.Iterations = 60
		e := encoderOf(t, components, m, o)
		whole := encoded(t, e, d)
		for _, piece := range []int{1, 13, 14, 100} {
			var parts []float64
			for lo := 0; lo < n; lo += piece {
				hi := min(lo+piece, n)
				parts = append(parts, encoded(t, e, Dense(hi-lo, m, d.Dense[lo*m:hi*m]))...)
			}
			if !slices.Equal(parts, whole) {
				t.Errorf("%s: pieces of %d give other bits", name, piece)
			}
		}
		o.Threads = 1
		if !slices.Equal(encoded(t, encoderOf(t, components, m, o), d), whole) {
			t.Errorf("%s: one thread gives other bits", name)
		}
		var alone []float64
		for i := range n {
			w, err := Encode(context.Background(), Dense(1, m, d.Dense[i*m:(i+1)*m]), components, o)
			if err != nil {
				t.Fatal(err)
			}
			alone = append(alone, w...)
		}
		// Correntropy is not convex: rounding grows where two ways are about as good.
		tolerance := 1e-9
		if o.Loss.Scaled() {
			tolerance = 1e-6
		}
		closeTo(t, name+", alone", whole, alone, tolerance)
		// A power of two commutes with every rounding but those against fixed numbers.
		if o.Sigma.Fixed == 0 {
			scaled := Dense(n, m, slices.Clone(d.Dense))
			blas.Scale(4, scaled.Dense)
			got := encoded(t, e, scaled)
			blas.Scale(0.25, got)
			closeTo(t, name+", scaled", got, whole, 1e-9)
		}
		if o.Loss.Encoding().TakesSparse() {
			closeTo(t, name+", sparse", encoded(t, e, Sparse(compressed(t, n, m, d.Dense))), whole, 1e-10)
		}
	}
}

// A sample of zeros has the coordinates zero, or the floor of coordinate descent.
func TestEncoderOfZeros(t *testing.T) {
	components := []float64{1, 2, 0, 0, 0, 3}
	for name, o := range encodings() {
		for _, v := range encoded(t, encoderOf(t, components, 3, o), Dense(2, 3, []float64{0, 0, 0, 1, 2, 0}))[:2] {
			if !(v >= 0 && v <= denominator) {
				t.Errorf("%s: %v", name, v)
			}
		}
	}
}

// Entries that no combination of the components explains hardly move the
// coordinates under correntropy (multiplicative steps take long to the last digits).
func TestEncoderForgivesOutliers(t *testing.T) {
	const m, r = 60, 3
	components := make([]float64, r*m)
	blas.NewStream(4).Uniforms(components)
	want := []float64{0.2, 1, 0.6}
	row := make([]float64, m)
	for j := range row {
		for k, v := range want {
			row[j] += v * components[k*m+j]
		}
	}
	for j := 0; j < m; j += 10 {
		row[j] = 20
	}
	off := func(o Options) (most float64) {
		o.Iterations = 2000
		for k, v := range encoded(t, encoderOf(t, components, m, o), Dense(1, m, row)) {
			most = max(most, math.Abs(v-want[k]))
		}
		return most
	}
	if robust, plain := off(Options{Loss: Correntropy}), off(Options{}); robust > 1e-3 || plain < 0.5 {
		t.Errorf("off by %g with correntropy and %g without", robust, plain)
	}
}

func TestEncoderRefuses(t *testing.T) {
	for name, c := range map[string][]float64{"zero": make([]float64, 12), "none": nil, "odd": make([]float64, 13),
		"negative": {-1, 1, 1, 1, 1, 1}, "infinite": {math.Inf(1), 1, 1, 1, 1, 1}} {
		if _, err := NewEncoder(c, 6, Options{}); err == nil {
			t.Errorf("%s components were taken", name)
		}
	}
	e := encoderOf(t, []float64{1, 2, 3}, 3, Options{})
	for name, d := range map[string]Data{"columns": Dense(1, 2, []float64{1, 2}), "negative": Dense(1, 3, []float64{1, 2, -1}), "NaN": Dense(1, 3, []float64{1, math.NaN(), 1})} {
		if w, err := e.Encode(context.Background(), d); err == nil {
			t.Errorf("%s: %v", name, w)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Encode(ctx, Dense(1, 3, []float64{1, 2, 3})); err != context.Canceled {
		t.Errorf("after a cancellation: %v", err)
	}
}
