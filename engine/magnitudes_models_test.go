package engine

import (
	"context"
	"fmt"
	"math"
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
		1:         "nmf-kl: row 5 (counting from 1) has 1 in column 2; remove or fill in non-finite entries, and rescale entries not below 2.41e-31",
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

// modelsOf are the models of all methods and tasks fitted to ordinary data times 2^e.
func modelsOf(t *testing.T, e int, each func(name string, m *Model)) {
	t.Helper()
	x, labels := ordinaryData()
	for _, c := range columns(t, everyMethod) {
		if c.form != "" {
			continue
		}
		p := problem{x: timesPower(e, x), Options: Options{Threads: 1, Components: "largest", Labels: labels}}
		if c.task == "factorize" {
			p.size = 2
		}
		s, err := solvedBy(t.Context(), c.task, named(t, c.Name), p)
		if err != nil {
			if e == 0 {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if model, err := s.model(); err == nil {
			each(fmt.Sprintf("%s of data times 2^%d", c.name, e), model)
		}
	}
}

// New samples of any size have finite coordinates, or an error that names the row.
func TestNewSamplesOfAnySize(t *testing.T) {
	for _, e := range []int{0, -600, 300} {
		modelsOf(t, e, func(name string, m *Model) {
			ready, err := m.Prepare(Options{Threads: 1})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, size := range []float64{1e-300, 1e-80, 1e77, 1e120, 1e149} {
				for _, row := range [][]float64{{size, 1, 1, 1, 1}, {size, size, size, size, size}, {size, 1e-9, 1, 1e9, 0}, {size, 0, 0, 0, -1 / size}} {
					rows := mat.NewDense(2, len(row), append([]float64{0.5, 0.5, 0.5, 0.5, 0.5}, row...))
					y, err := ready.Apply(context.Background(), timesPower(e, rows))
					if err != nil {
						if !strings.Contains(err.Error(), "row 2 (counting from 1)") && !strings.Contains(err.Error(), "row 1 (counting from 1)") {
							t.Errorf("%s, %g: %v", name, row, err)
						}
						if strings.Contains(err.Error(), "not finite by") {
							t.Logf("%s, %g: %v", name, row, err)
						}
						continue
					}
					for _, v := range y.RawMatrix().Data {
						if v-v != 0 {
							t.Errorf("%s, %g: %v", name, row, mat.Formatted(y))
							break
						}
					}
				}
			}
		})
	}
}

// Barycentric weights of a sample far away are those of its direction, however far.
func TestFarNewSamples(t *testing.T) {
	modelsOf(t, 0, func(name string, m *Model) {
		if m.Kind() != "barycentric" {
			return
		}
		far := func(size float64) *mat.Dense {
			return mat.NewDense(1, 5, []float64{size, -2 * size, 0.5 * size, size, 3 * size})
		}
		want := transformed(t, m, far(1e30), Options{Threads: 1})
		for _, size := range []float64{1e60, 1e77, 1e110, 1e149} {
			got := transformed(t, m, far(size), Options{Threads: 1})
			for j, v := range want.RawRowView(0) {
				if math.Abs(got.At(0, j)-v) > 1e-9 {
					t.Errorf("%s: %v at %g, %v at 1e30", name, got.RawRowView(0), size, want.RawRowView(0))
					break
				}
			}
		}
	})
}
