package nmf

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// encodings are the ways to encode.
func encodings() map[string]Options {
	return map[string]Options{"mu": {}, "hals": {Solver: HALS}, "kl": {Loss: KL}, "l21": {Loss: L21}, "correntropy": {Loss: Correntropy},
		"fixed": {Loss: Correntropy, Sigma: Sigma{Fixed: 0.05}}}
}

func encoderOf(t *testing.T, components []float64, m int, o Options) *Encoder {
	t.Helper()
	e := must.Get(NewEncoder(components, m, o))(t)
	return e
}

func encoded(t *testing.T, e *Encoder, d Data) []float64 {
	t.Helper()
	w := must.Get(e.Encode(context.Background(), d))(t)
	return w
}

// A sample is encoded as by Encode where it is the only one, with the same bits
// whatever comes with it and on any number of threads.
func TestEncoderTakesSamplesAlone(t *testing.T) {
	const n, m, r = 233, 37, 5
	d := lowRankData(n, m, r, 3)
	components := make([]float64, r*m)
	blas.NewStream(8).Uniforms(components)
	all := encodings()
	for name, o := range all {
		o.Iterations = 60
		all[name] = o
	}
	for name, o := range solved() {
		all[name+", to the end"] = o
	}
	for name, o := range all {
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
			w := must.Get(Encode(context.Background(), Dense(1, m, d.Dense[i*m:(i+1)*m]), components, o))(t)
			alone = append(alone, w...)
		}
		// Correntropy is not convex: rounding grows where two ways are about as good, and by another
		// way to the end it may be another minimum.
		switch {
		case !o.Loss.Scaled():
			closeTo(t, name+", alone", whole, alone, 1e-9)
		case o.Tolerance == 0:
			closeTo(t, name+", alone", whole, alone, 1e-6)
		}
		// A power of two commutes with every rounding but those against fixed numbers.
		if o.Sigma.Fixed == 0 {
			scaled := Dense(n, m, slices.Clone(d.Dense))
			blas.Scale(4, scaled.Dense)
			got := encoded(t, e, scaled)
			blas.Scale(0.25, got)
			closeTo(t, name+", scaled", got, whole, 1e-9)
		}
		if o.Loss.Encoding().TakesSparse() {
			closeTo(t, name+", sparse", encoded(t, e, Sparse(compressed(t, n, m, d.Dense))), whole, 1e-9)
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
		if w, err := Encode(context.Background(), lowRankData(10, 6, 2, 5), c, Options{}); err == nil {
			t.Errorf("%s components gave %v", name, w)
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

// A sample with weights is at the minimum over its weighted entries: the slope of every
// coordinate, entry by entry, is ≥ 0, and 0 where the coordinate is positive.
func TestEncodedUnderWeights(t *testing.T) {
	const n, m, r = 40, 25, 5
	d, v := weightedSample(n, m, r, 31)
	v = masked(v)
	v[1], v[80] = 0.5, 0.25
	for j := range m { // one sample that is known throughout
		v[7*m+j] = 1
	}
	h := make([]float64, r*m)
	blas.NewStream(5).Uniforms(h)
	for _, loss := range []*Loss{Frobenius, KL} {
		e := must.Get(NewEncoder(h, m, Options{Loss: loss, Tolerance: 1e-10, Iterations: 2000}))(t)
		alone := must.Get(e.Encode(context.Background(), Dense(1, m, d.Dense[7*m:8*m])))(t)
		forms := weightedForms(d, v)
		for _, form := range slices.Sorted(maps.Keys(forms)) {
			w, residual := must.Two(e.EncodeResidual(context.Background(), forms[form]))(t)
			if !(residual <= 1e-10) {
				t.Errorf("%s, %s: residual %v", loss, form, residual)
			}
			if form == "dense, dense weights" && !slices.Equal(w[7*r:8*r], alone) {
				t.Errorf("%s: a sample that is known throughout gets other coordinates among others", loss)
			}
			for i := range n {
				for k := range r {
					var slope, scale float64
					for j := range m {
						var y float64
						for l := range r {
							y += w[i*r+l] * h[l*m+j]
						}
						x, weight := d.Dense[i*m+j], v[i*m+j]
						g := weight * (y - x) * h[k*m+j]
						if loss == KL {
							g = weight * (1 - x/y) * h[k*m+j]
						}
						slope, scale = slope+g, scale+weight*h[k*m+j]*max(x, 1)
					}
					if slope < -1e-7*scale || w[i*r+k] > 1e-6 && slope > 1e-7*scale {
						t.Fatalf("%s, %s: sample %d, coordinate %d = %v has the slope %v of %v", loss, form, i, k, w[i*r+k], slope, scale)
					}
				}
			}
		}
	}
}

// What cannot be encoded is refused.
func TestEncodeRefusesWeights(t *testing.T) {
	d := Dense(1, 3, []float64{1, math.NaN(), 2})
	h := []float64{1, 2, 3, 2, 1, 1}
	for _, c := range []struct {
		options Options
		weights []float64
		says    string
	}{
		{Options{Loss: Correntropy, Tolerance: 1e-6}, []float64{1, 0, 1}, "nmf: loss correntropy encodes samples of which every entry is known; fill in the missing ones"},
		{Options{}, []float64{1, 0, 1}, "nmf: samples with weights are encoded to the end; give a tolerance"},
		{Options{Tolerance: 1e-6}, []float64{0, 0, 0}, "nmf: row 1 (counting from 1) has no entry that is known: all have weight 0; leave the row out"},
		{Options{Tolerance: 1e-6}, []float64{1, 1, 0}, "nmf: row 1, column 2 (counting from 1) of the data is NaN; give finite numbers ≥ 0, or shift the columns first"},
	} {
		e := must.Get(NewEncoder(h, 3, c.options))(t)
		d.Weights = Weights{Dense: c.weights}
		if _, err := e.Encode(context.Background(), d); err == nil || err.Error() != c.says {
			t.Errorf("got %v, want %s", err, c.says)
		}
	}
	// A column without an entry is no fault where samples are encoded.
	e := must.Get(NewEncoder(h, 3, Options{Tolerance: 1e-6}))(t)
	d.Weights = Weights{Dense: []float64{1, 0, 1}}
	w := must.Get(e.Encode(context.Background(), d))(t)
	if text := fmt.Sprintf("%.4f", w); text != "[0.6000 0.2000]" {
		t.Error(text)
	}
}
