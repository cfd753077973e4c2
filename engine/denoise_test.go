package engine

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/measures"
)

// With neighbors=auto all local methods unroll noisy samples that the default fails on.
func TestAutoUnrollsNoise(t *testing.T) {
	s := generate(t, "swiss-roll", 5000, 1, "noise=0.3", "params=isometric")
	for _, m := range []Method{NEML{Neighbors: Auto}, LTSA{Neighbors: Auto}, MLLE{Neighbors: Auto}, HLLE{Neighbors: Auto}} {
		plain := embed(t, s.X, param.WithCount(m, param.Neighbors, 0), Options{})
		r := embed(t, s.X, m, Options{})
		before, after := residual(t, s.Params, plain.Y), residual(t, s.Params, r.Y)
		if after > 0.035 || before < 0.1 {
			t.Errorf("%s: dev %.4f with auto, %.4f without", m.Name(), after, before)
		}
		if r.Details["denoised"] != true || r.Params["denoise"] != "auto" || r.Params["neighbors"] != 12 {
			t.Errorf("%s: details %v, params %v", m.Name(), r.Details, r.Params)
		}
		if noise := r.Details["noise"].(float64); math.Abs(noise-0.3/math.Sqrt(3)) > 0.02 {
			t.Errorf("%s: noise %g", m.Name(), noise)
		}
	}
}

// A given number is used unchanged, and nothing is moved without a request.
func TestExplicitNeighborsStay(t *testing.T) {
	s := generate(t, "swiss-roll", 2000, 1, "noise=0.1", "params=isometric")
	r := embed(t, s.X, LTSA{Neighbors: 15}, Options{})
	if r.Params["neighbors"] != 15 || r.Params["denoise"] != "off" || r.Details["denoised"] != nil {
		t.Errorf("params %v, details %v", r.Params, r.Details)
	}
	same := embed(t, s.X, LTSA{Neighbors: Auto}, Options{Denoise: "off"})
	want := embed(t, s.X, LTSA{Neighbors: same.Params["neighbors"].(int)}, Options{})
	if !slices.Equal(same.Y.RawMatrix().Data, want.Y.RawMatrix().Data) {
		t.Error("Denoise: \"off\" moves samples")
	}
}

// For few samples without noise, the largest number of neighbours that stay on their sheet is used.
func TestAutoStaysOnTheSheet(t *testing.T) {
	s := generate(t, "swiss-roll", 700, 2, "noise=0", "params=isometric")
	r := embed(t, s.X, NEML{Neighbors: Auto}, Options{})
	if dev := residual(t, s.Params, r.Y); dev > 0.1 || r.Details["denoised"] != false {
		t.Errorf("dev %g with k = %v, details %v", dev, r.Params["neighbors"], r.Details)
	}
	if dev := residual(t, s.Params, embed(t, s.X, NEML{}, Options{}).Y); dev < 0.3 {
		t.Errorf("the default has dev %g: the test shows nothing", dev)
	}
}

// New samples are moved like the training samples: a model that was saved and loaded maps noisy
// ones to their parameters.
func TestModelSmoothsNewSamples(t *testing.T) {
	for _, scale := range []float64{1, 1e200} {
		s, other := generate(t, "swiss-roll", 5000, 1, "noise=0.3", "params=isometric"), generate(t, "swiss-roll", 500, 2, "noise=0.3", "params=isometric")
		s.X.Scale(scale, s.X)
		other.X.Scale(scale, other.X)
		r := embed(t, s.X, LTSA{Neighbors: Auto}, Options{Model: true})
		m := must(r.Model())(t)
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		if version := file.Bytes()[8]; version != 4 {
			t.Errorf("version %d of the format", version)
		}
		m = must(LoadModel(&file))(t)
		y := transformed(t, m, other.X, Options{})
		if dev := residual(t, other.Params, y); dev > 0.04 {
			t.Errorf("scale %g: new samples have dev %g", scale, dev)
		}
		again := transformed(t, m, s.X, Options{})
		var apart mat.Dense
		apart.Sub(again, r.Y)
		if mat.Norm(&apart, 2) > 1e-2*mat.Norm(r.Y, 2) {
			t.Errorf("scale %g: the samples of the fit come %g away", scale, mat.Norm(&apart, 2))
		}
	}
}

// Neighbours within a radius are correct, with a minimum and a maximum number.
func TestRadius(t *testing.T) {
	s := generate(t, "swiss-roll", 1200, 3, "noise=0", "params=isometric")
	r := embed(t, s.X, LTSA{}, Options{Radius: "auto"})
	if dev := residual(t, s.Params, r.Y); dev > 0.1 {
		t.Errorf("dev %g at a radius of %v", dev, r.Details["radius_found"])
	}
	var radii []float64 // directly: the median of the 12th smallest distances
	for i := range 1200 {
		var squares []float64
		for j := range 1200 {
			squares = append(squares, blas.SquaredDistance(s.X.RawRowView(i), s.X.RawRowView(j)))
		}
		radii = append(radii, math.Sqrt(slices.Sorted(slices.Values(squares))[12]))
	}
	if want := slices.Sorted(slices.Values(radii))[599]; r.Details["radius_found"] != want {
		t.Errorf("the radius is %v, want %v", r.Details["radius_found"], want)
	}
	wide := embed(t, s.X, LE{}, Options{Radius: "8"})
	if !strings.Contains(fmt.Sprint(wide.Warnings), "have more than 64 neighbours within the radius") {
		t.Errorf("warnings %q", wide.Warnings)
	}
	refused := refusing(t)
	refused.embed("", s.X, LTSA{}, Options{Radius: "-1"})
	refused.embed("", s.X, LNP{}, Options{Radius: "1"})
	refused.embed("", s.X, LTSA{}, Options{Denoise: "maybe"})
	refused.embed("", s.X, LTSA{}, Options{Denoise: "2"})
	refused.embed("", s.X, LTSA{Dim: 3}, Options{Denoise: "20"})
	refused.embed("", s.X, LTSA{Neighbors: -2}, Options{})
}

// Denoise works for samples of any magnitude, does not change the given samples, and
// returns them if there is no noise.
func TestDenoise(t *testing.T) {
	s := generate(t, "swiss-roll", 3000, 4, "noise=0.3", "params=isometric")
	given := mat.DenseCopyOf(s.X)
	d, err := Denoise(t.Context(), s.X, 2, Options{})
	if err != nil || !d.Moved || d.Reason != "" || len(d.Levels) < 8 || !mat.Equal(s.X, given) {
		t.Fatalf("%+v, %v", d, err)
	}
	large := mat.DenseCopyOf(s.X)
	large.Scale(0x1p700, large)
	b := must(Denoise(t.Context(), large, 2, Options{}))(t)
	b.X.Scale(0x1p-700, b.X)
	if !mat.Equal(b.X, d.X) || b.Noise != d.Noise*0x1p700 {
		t.Errorf("noise %g of samples of size 2^700, %g else", b.Noise, d.Noise)
	}
	clean := generate(t, "swiss-roll", 3000, 4, "noise=0", "params=isometric")
	if d, err := Denoise(t.Context(), clean.X, 2, Options{}); err != nil || d.Moved || d.Reason == "" || !mat.Equal(d.X, clean.X) {
		t.Errorf("moved %t: %s, %v", d.Moved, d.Reason, err)
	}
	r := refusing(t)
	r.of("", failed(Denoise(t.Context(), s.X, 0, Options{})))
	r.of("", failed(Denoise(t.Context(), s.X, 2, Options{Denoise: "off"})))
	r.of("", failed(Denoise(t.Context(), s.X, 2, Options{Denoise: "3"})))
	r.of("", failed(Denoise(t.Context(), s.X, 2, Options{Denoise: "50", Memory: 1 << 20})))
}

// Strong noise needs two passes, many neighbours are thinned, and outliers
// are moved as well: all results are finite.
func TestDenoiseOfStrongNoise(t *testing.T) {
	x := generate(t, "swiss-roll", 3000, 4, "noise=1.5").X
	x.SetRow(7, []float64{400, 30, -300})
	x.SetRow(8, []float64{401, 29, -302})
	for _, k := range []string{"12", "40", "200"} {
		d := must(Denoise(t.Context(), x, 2, Options{Denoise: k}))(t)
		if bad := slices.ContainsFunc(d.X.RawMatrix().Data, func(v float64) bool { return v-v != 0 }); !d.Moved || bad {
			t.Errorf("%s neighbours: moved %v, not finite %v", k, d.Moved, bad)
		}
	}
	// As a remedy that is tried, for columns of very different spreads.
	if r := embed(t, unequal(2500), LLE{Neighbors: 8}, Options{}); r.Quality.Verdict == Sound && len(r.Quality.Remedies) > 0 {
		t.Errorf("sound, with the remedies %v", r.Quality.Remedies)
	}
}

// residual returns the relative residual of the best affine map to the parameters.
func residual(t testing.TB, truth mat.Matrix, y *mat.Dense) float64 {
	t.Helper()
	_, rest, err := measures.Deviation(truth, y)
	if err != nil {
		t.Fatal(err)
	}
	return rest
}
