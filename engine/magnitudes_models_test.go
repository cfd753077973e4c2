package engine

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Samples of another size than those of the fit: of a linear rule, and of factors, each
// sample by itself.
func TestSmallNewSamples(t *testing.T) {
	x, _ := ordinaryData()
	for _, m := range []Method{NMF{}, NMFKL{}, CIMNMF{}, L21NMF{}} {
		f := factorized(t, x, m, FactorizeOptions{Rank: 2})
		model := must(f.Model())(t)
		want := transformed(t, model, x, Options{})
		for _, e := range []int{-1000, -500, 400} {
			some := timesPower(e, x)
			some.SetRow(3, x.RawRowView(3))
			got := transformed(t, model, some, Options{})
			expectScaled(t, m.Name(), e, 1, got.RawRowView(2), want.RawRowView(2))
			expectScaled(t, m.Name(), e, 0, got.RawRowView(3), want.RawRowView(3))
		}
	}
}

// What is wrong with a new sample is said in its own numbers.
func TestNewSamplesOfDividedModels(t *testing.T) {
	x, _ := ordinaryData()
	small := timesPower(-600, x)
	f := factorized(t, small, NMFKL{}, FactorizeOptions{Rank: 2})
	model := must(f.Model())(t)
	for value, want := range map[float64]string{
		-0x1p-600: "nmf-kl: row 5 (counting from 1) has -2.409919865102884e-181 in column 2; the model takes entries ≥ 0",
		1:         "nmf-kl: row 5 (counting from 1) has 1 in column 2; remove or fill in what is not finite, and rescale what is not below 2.41e-31",
	} {
		y := mat.DenseCopyOf(small)
		y.Set(4, 1, value)
		if _, err := model.Transform(context.Background(), y, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := Factorize(context.Background(), timesPower(-600, mat.NewDense(2, 2, []float64{1, 2, -0.5, 3})), NMFKL{}, FactorizeOptions{Rank: 1}); err == nil || !strings.Contains(err.Error(), "row 2, column 1 (counting from 1) is -1.204959932551442e-181; give entries ≥ 0") {
		t.Errorf("got %v", err)
	}
}
