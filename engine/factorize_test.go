package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// groups is nonnegative data of three kinds of rows, with labels, some zeros, a pair
// of equal rows and a constant column.
func groups(n, m int) (*mat.Dense, []int64) {
	s := blas.NewStream(11)
	parts := mat.NewDense(3, m, nil)
	s.Uniforms(parts.RawMatrix().Data)
	x, labels := mat.NewDense(n, m, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 3)
		row := x.RawRowView(i)
		for k := range 3 {
			w := 0.1 * s.Uniform()
			if k == i%3 {
				w += 1
			}
			blas.Axpy(w, parts.RawRowView(k), row)
		}
		for j := range row {
			if row[j] = max(0, row[j]+0.1*s.Uniform()-0.15); j == 2 {
				row[j] = 0.5
			}
		}
	}
	copy(x.RawRowView(4), x.RawRowView(1))
	return x, labels
}

func sameEntries(a, b *mat.Dense) bool {
	return slices.Equal(a.RawMatrix().Data, b.RawMatrix().Data)
}

// Every method gives nonnegative factors that approximate the data, with components
// of unit length.
func TestFactorizersApproximate(t *testing.T) {
	x, labels := groups(90, 20)
	each(t, factorizers(t), nil, func(t *testing.T, m Method) {
		r := factorized(t, x, m, FactorizeOptions{Options: Options{Labels: labels}})
		if least := mat.Min(r.W); least < 0 {
			t.Errorf("W has %g", least)
		}
		if least := mat.Min(r.H); least < 0 {
			t.Errorf("H has %g", least)
		}
		var left mat.Dense
		left.Mul(r.W, r.H)
		left.Sub(x, &left)
		got := mat.Norm(&left, 2) / mat.Norm(x, 2)
		if math.Abs(got-r.RelativeError) > 1e-6 {
			t.Errorf("the error is %g, and said to be %g", got, r.RelativeError)
		}
		if !(got < 0.5) {
			t.Errorf("the error is %g", got)
		}
		for k := range 3 {
			if length := mat.Norm(r.H.RowView(k), 2); math.Abs(length-1) > 1e-12 {
				t.Errorf("component %d has length %g", k, length)
			}
		}
	})
}

// The report of a run, with a trace that is finite and does not rise where
// theory says so.
func TestFactorizersReport(t *testing.T) {
	x, labels := groups(90, 20)
	each(t, factorizers(t), nil, func(t *testing.T, m Method) {
		r := factorized(t, x, m, FactorizeOptions{TraceEvery: 1, Options: Options{Labels: labels}})
		if r.Iterations != r.Params["iterations"] {
			t.Errorf("%d iterations, want %v", r.Iterations, r.Params["iterations"])
		}
		if r.Converged {
			t.Error("converged without a tolerance")
		}
		if warm, _ := r.Params["warm"].(int); warm == 0 && len(r.Trace) != r.Iterations+1 {
			t.Errorf("%d points of %d iterations", len(r.Trace), r.Iterations)
		}
		if r.Duplicates != 1 {
			t.Errorf("%d duplicates", r.Duplicates)
		}
		if r.Params["labels"] != nil {
			t.Errorf("labels=%v is reported of a factorisation", r.Params["labels"])
		}
		falls := func(p nmf.Point) float64 { return p.Objective }
		steady := 0 // from where on it falls
		if r.Params["theta"] != nil {
			falls = func(p nmf.Point) float64 { return p.Surrogate }
			steady = r.Iterations + 1
			if r.Params["sigma2"] != "auto" || r.Params["residual_scale"] == "median" && r.Params["warm"] == 0 && r.Params["kernel_constant"] != true {
				steady = 0
			} else if after := r.Params["freeze_sigma_after"].(int); after > 0 {
				steady = r.Params["warm"].(int) + after
			}
		}
		for i, p := range r.Trace {
			for _, v := range []float64{p.Objective, p.Surrogate, p.Sigma2, p.Residual, p.Regularizer} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("point %d is %+v", i, p)
				}
			}
			if i > steady && r.Params["normalise"] == "end" && falls(p) > falls(r.Trace[i-1])*(1+1e-9) {
				t.Errorf("from %g to %g in iteration %d", falls(r.Trace[i-1]), falls(p), i)
				break
			}
		}
	})
}

func compressedOf(t testing.TB, x *mat.Dense) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	n, m := x.Dims()
	for i := range n {
		for j := range m {
			if v := x.At(i, j); v != 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v})
			}
		}
	}
	a := must(sparse.FromTriplets(n, m, entries))(t)
	return a
}

// The graph's components are reported, and λ = 0 needs no graph.
func TestFactorizeReportsComponents(t *testing.T) {
	x, labels := groups(90, 20)
	for _, m := range []Method{GNMF{Neighbors: 3}, CIMGNMF{Neighbors: 3}, NPAF{Neighbors: 3}} {
		t.Run(m.Name(), func(t *testing.T) {
			r := factorized(t, x, m, FactorizeOptions{})
			if r.Components != 3 || !slices.Equal(r.Sizes, []int{30, 30, 30}) {
				t.Errorf("%s: components %v of three groups", m.Name(), r.Sizes)
			}
		})
	}
	none := 0.0
	for _, m := range []Method{GNMF{Lambda: &none}, LPRNA{Lambda: &none}, SPRNA{Lambda: &none, Within: 1 << 20}} {
		t.Run(m.Name()+" without λ", func(t *testing.T) {
			if r := factorized(t, x, m, FactorizeOptions{Options: Options{Labels: labels}}); r.Components != 0 || r.Seconds["alignment"] != 0 {
				t.Errorf("%s: a graph was built for λ = 0", m.Name())
			}
		})
	}
	plain := factorized(t, x, NMF{}, FactorizeOptions{})
	if r := factorized(t, x, GNMF{Lambda: &none}, FactorizeOptions{}); !sameEntries(r.W, plain.W) {
		t.Error("gnmf with λ = 0 is not nmf")
	}
}

// Rows and columns of zeros, one sample, one column, no data but zeros.
func TestFactorizersOfOddData(t *testing.T) {
	x, labels := groups(40, 12)
	clear(x.RawRowView(7))
	for i := range 40 {
		x.Set(i, 5, 0)
	}
	each(t, factorizers(t), nil, func(t *testing.T, m Method) {
		r := factorized(t, x, m, FactorizeOptions{Options: Options{Labels: labels}})
		for k := range 3 {
			// A graph draws the row to its neighbours. Coordinate descent keeps a floor of 1e-16 under its factors, which
			// normalisation multiplies.
			if _, graph := r.Params["lambda"]; r.W.At(7, k) > 1e-12 && !graph || r.H.At(k, 5) > 1e-12 {
				t.Errorf("%g and %g for a row and a column of zeros", r.W.At(7, k), r.H.At(k, 5))
			}
		}
	})
	zero := factorized(t, mat.NewDense(6, 4, nil), NMF{}, FactorizeOptions{Rank: 2})
	if mat.Max(zero.W) != 0 || zero.RelativeError != 0 || !slices.ContainsFunc(zero.Warnings, func(w string) bool { return strings.Contains(w, "zero throughout") }) {
		t.Errorf("zeros: %v, %v", zero.W, zero.Warnings)
	}
	if _, err := zero.Model(); err == nil || !strings.Contains(err.Error(), "all components are zero") {
		t.Errorf("a model of zeros: %v", err)
	}
	for _, m := range []Method{NMF{}, NMF{LeastSquares: LeastSquares{Solver: "hals"}}, NMFKL{}, L21NMF{}, CIMNMF{Updates: Updates{Iterations: 20}}} {
		for _, size := range [][2]int{{1, 5}, {5, 1}, {1, 1}} {
			one := mat.NewDense(size[0], size[1], slices.Repeat([]float64{2}, size[0]*size[1]))
			if r := factorized(t, one, m, FactorizeOptions{Rank: 1}); !(r.RelativeError < 0.3) {
				t.Errorf("%s: %d × %d constant data to %g", m.Name(), size[0], size[1], r.RelativeError)
			}
		}
	}
	if _, err := Factorize(context.Background(), mat.NewDense(1, 3, []float64{1, 2, 3}), GNMF{}, FactorizeOptions{Rank: 1}); err == nil || !strings.Contains(err.Error(), "one sample has no neighbours") {
		t.Errorf("a graph of one sample: %v", err)
	}
}

func TestFactorizeShift(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{1, -2, 3, 4, 5, -1, 2, 0, 6})
	for how, want := range map[string][]float64{
		"columns": {1, 0, 4, 4, 7, 0, 2, 2, 7},
		"global":  {3, 0, 5, 6, 7, 1, 4, 2, 8},
	} {
		t.Run(how, func(t *testing.T) {
			got := factorized(t, x, NMF{Updates: Updates{Shift: how}}, FactorizeOptions{Rank: 2})
			direct := factorized(t, mat.NewDense(3, 3, want), NMF{}, FactorizeOptions{Rank: 2})
			if !sameEntries(got.W, direct.W) || !sameEntries(got.H, direct.H) {
				t.Errorf("shift=%s does not factorise %v", how, want)
			}
		})
	}
	positive := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	if a, b := factorized(t, positive, NMF{Updates: Updates{Shift: "columns"}}, FactorizeOptions{Rank: 1}), factorized(t, positive, NMF{}, FactorizeOptions{Rank: 1}); !sameEntries(a.W, b.W) {
		t.Error("data without negative entries were shifted")
	}
}

func TestFactorizeRefuses(t *testing.T) {
	x, labels := groups(30, 8)
	with := func(i, j int, v float64) mat.Matrix {
		y := mat.DenseCopyOf(x)
		y.Set(i, j, v)
		return y
	}
	minus := -1.0
	r := refusing(t)
	r.factorize("negative", with(4, 6, -0.5), NMF{}, FactorizeOptions{})
	r.factorize("any sign", with(4, 6, -0.5), LPRNA{}, FactorizeOptions{})
	r.factorize("sparse negative", compressedOf(t, mat.DenseCopyOf(with(4, 6, -0.5))), GNMF{Updates: Updates{Shift: "global"}}, FactorizeOptions{})
	r.factorize("NaN", with(2, 0, math.NaN()), CIMNMF{}, FactorizeOptions{})
	r.factorize("infinite", compressedOf(t, mat.DenseCopyOf(with(2, 0, math.Inf(1)))), NMF{}, FactorizeOptions{})
	r.factorize("huge", with(2, 0, 1e200), NMF{}, FactorizeOptions{})
	r.factorize("rank 0", x, NMF{}, FactorizeOptions{Rank: -1})
	r.factorize("rank by SVD", x, NMF{Start: Start{Init: "nndsvda"}}, FactorizeOptions{Rank: 9})
	r.factorize("zeros for mu", x, GNMF{LeastSquares: LeastSquares{Solver: "mu"}, Start: Start{Init: "nndsvd"}}, FactorizeOptions{})
	r.factorize("λ", x, GNMF{Lambda: &minus}, FactorizeOptions{})
	r.factorize("neighbours", x, GNMF{Neighbors: 30}, FactorizeOptions{})
	r.factorize("θ", x, CIMNMF{Correntropy: Correntropy{Theta: -1}}, FactorizeOptions{})
	r.factorize("no labels", x, NDLA{}, FactorizeOptions{})
	r.factorize("few labels", x, SPRNA{}, FactorizeOptions{Options: Options{Labels: labels[:29]}})
	r.factorize("one class", x, SPRNA{}, FactorizeOptions{Options: Options{Labels: make([]int64, 30)}})
	r.factorize("half a start", x, RMNMF{}, FactorizeOptions{InitW: mat.NewDense(30, 3, nil)})
	r.factorize("a negative start", x, NMF{}, FactorizeOptions{InitW: mat.NewDense(30, 3, nil), InitH: mat.NewDense(3, 8, slices.Repeat([]float64{-1}, 24))})
	r.factorize("a large start", x, NMF{}, FactorizeOptions{InitW: mat.NewDense(30, 4, nil), InitH: mat.NewDense(3, 8, nil)})
	r.factorize("memory", x, LPRNA{}, FactorizeOptions{Options: Options{Memory: 5000}})
	r.factorize("memory for Φ", x, NDLA{}, FactorizeOptions{Options: Options{Memory: 20000, Labels: labels}})
	r.factorize("memory for sparse", compressedOf(t, x), RMNMF{}, FactorizeOptions{Options: Options{Memory: 1000}})
	r.factorize("task", x, PCA{}, FactorizeOptions{})
	r.factorize("nothing", x, nil, FactorizeOptions{})
}

func TestFactorizeWarns(t *testing.T) {
	x, labels := groups(30, 8)
	single := append(slices.Clone(labels[:29]), 7)
	for name, c := range map[string]struct {
		m    Method
		o    FactorizeOptions
		want string
	}{
		"rank":         {NMF{}, FactorizeOptions{Rank: 9}, "rank 9 exceeds the smaller side of the 30 × 8 data"},
		"a class of 1": {NDLA{}, FactorizeOptions{Options: Options{Labels: single}}, "1 of 4 classes have one sample only"},
		"sweeps":       {NMF{LeastSquares: LeastSquares{Solver: "mu", Sweeps: 3}}, FactorizeOptions{}, "Sweeps is for Solver: \"hals\""},
	} {
		t.Run(name, func(t *testing.T) {
			if r := factorized(t, x, c.m, c.o); !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, c.want) }) {
				t.Errorf("warnings %q, want %q", r.Warnings, c.want)
			}
		})
	}
}
