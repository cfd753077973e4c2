package nmf

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

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
		e, err := NewEncoder(h, m, Options{Loss: loss, Tolerance: 1e-10, Iterations: 2000})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := e.Encode(context.Background(), Dense(1, m, d.Dense[7*m:8*m]))
		if err != nil {
			t.Fatal(err)
		}
		forms := weightedForms(d, v)
		for _, form := range slices.Sorted(maps.Keys(forms)) {
			w, residual, err := e.EncodeResidual(context.Background(), forms[form])
			if err != nil {
				t.Fatal(err)
			}
			if !(residual <= 1e-10) {
				t.Errorf("%s, %s: residual %v", loss, form, residual)
			}
			if form == "dense, dense weights" && !slices.Equal(w[7*r:8*r], alone) {
				t.Errorf("%s: a sample that is known throughout gets other coordinates beside others", loss)
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
		e, err := NewEncoder(h, 3, c.options)
		if err != nil {
			t.Fatal(err)
		}
		d.Weights = Weights{Dense: c.weights}
		if _, err := e.Encode(context.Background(), d); err == nil || err.Error() != c.says {
			t.Errorf("got %v, want %s", err, c.says)
		}
	}
	// A column without an entry is no fault where samples are encoded.
	e, err := NewEncoder(h, 3, Options{Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	d.Weights = Weights{Dense: []float64{1, 0, 1}}
	w, err := e.Encode(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%.4f", w); text != "[0.6000 0.2000]" {
		t.Error(text)
	}
}
