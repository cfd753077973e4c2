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

// factorizers are all methods of Factorize that lower a loss of nonnegative factors,
// at few iterations, with what is worth running besides the defaults.
func factorizers(t testing.TB) map[string]Method {
	t.Helper()
	all := map[string]Method{}
	add := func(name string, settings ...string) {
		m, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(settings); i += 2 {
			if err := Set(m, settings[i], settings[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		all[strings.TrimSpace(name+" "+strings.Join(settings, " "))] = m
	}
	for _, e := range Methods() {
		if e.Name == "dsmf" {
			continue // components of any sign and length: TestDSMF
		}
		if slices.Contains(e.Tasks, "factorize") && !byLagrangian(e) {
			add(e.Name, "iterations", "40")
		}
	}
	for _, name := range []string{"nmf", "gnmf", "gs-gnmf", "npaf", "ndla"} {
		add(name, "solver", "hals", "init", "nndsvd")
	}
	add("nmf", "solver", "hals", "sweeps", "1", "init", "nndsvdar")
	add("npaf", "loss", "kl", "init", "nndsvda")
	add("cim-nmf", "iterations", "40", "sigma2", "0.05", "schedule", "refresh")
	add("cim-gnmf", "warm", "10", "freeze_sigma_after", "5", "iterations", "60", "lambda", "0.1")
	add("cim-gnmf", "kernel_constant", "true", "normalise", "each", "theta", "8")
	add("sp-rna", "combine", "ridge", "k1", "3", "k2", "4", "lambda", "0.5")
	return all
}

func factorized(t testing.TB, x mat.Matrix, m Method, o FactorizeOptions) *Factorization {
	t.Helper()
	if o.Rank == 0 {
		o.Rank = 3
	}
	r, err := Factorize(context.Background(), x, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return r
}

func sameEntries(a, b *mat.Dense) bool {
	return slices.Equal(a.RawMatrix().Data, b.RawMatrix().Data)
}

// Every method gives nonnegative factors that approximate the data, with the same
// bits on any number of threads and a finite trace, which does not rise where theory
// says so.
func TestFactorizeEveryMethod(t *testing.T) {
	x, labels := groups(90, 20)
	before := slices.Clone(x.RawMatrix().Data)
	for name, m := range factorizers(t) {
		o := FactorizeOptions{TraceEvery: 1, Options: Options{Labels: labels, Threads: 1}}
		r := factorized(t, x, m, o)
		o.Threads = 3
		if again := factorized(t, x, m, o); !sameEntries(r.W, again.W) || !sameEntries(r.H, again.H) || !slices.Equal(r.Trace, again.Trace) {
			t.Errorf("%s: threads change bits", name)
		}
		if mat.Min(r.W) < 0 || mat.Min(r.H) < 0 {
			t.Errorf("%s: a factor is negative", name)
		}
		var left mat.Dense
		left.Mul(r.W, r.H)
		left.Sub(x, &left)
		if got := mat.Norm(&left, 2) / mat.Norm(x, 2); math.Abs(got-r.RelativeError) > 1e-6 || !(got < 0.5) {
			t.Errorf("%s: the error is %g, and said to be %g", name, got, r.RelativeError)
		}
		for k := range 3 {
			if length := mat.Norm(r.H.RowView(k), 2); math.Abs(length-1) > 1e-12 {
				t.Errorf("%s: component %d has length %g", name, k, length)
			}
		}
		if r.Iterations != r.Params["iterations"] || r.Converged || len(r.Trace) != r.Iterations+1 || r.Duplicates != 1 || r.Params["labels"] != nil {
			t.Errorf("%s: %d iterations, converged %v, %d points, %d duplicates, %v", name, r.Iterations, r.Converged, len(r.Trace), r.Duplicates, r.Params)
		}
		falls := func(p nmf.Point) float64 { return p.Objective }
		steady := 0 // from where on it falls
		if r.Params["theta"] != nil {
			falls = func(p nmf.Point) float64 { return p.Surrogate }
			steady = r.Iterations + 1
			if r.Params["sigma2"] != "auto" {
				steady = 0
			} else if after := r.Params["freeze_sigma_after"].(int); after > 0 {
				steady = r.Params["warm"].(int) + after
			}
		}
		for i, p := range r.Trace {
			for _, v := range []float64{p.Objective, p.Surrogate, p.Sigma2, p.Residual, p.Regulariser} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: point %d is %+v", name, i, p)
				}
			}
			if i > steady && r.Params["normalise"] == "end" && falls(p) > falls(r.Trace[i-1])*(1+1e-9) {
				t.Errorf("%s: from %g to %g in iteration %d", name, falls(r.Trace[i-1]), falls(p), i)
				break
			}
		}
	}
	if !slices.Equal(before, x.RawMatrix().Data) {
		t.Error("the data were written to")
	}
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
	a, err := sparse.FromTriplets(n, m, entries)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Sparse data give what dense data give, and stay sparse where it is promised.
func TestFactorizeSparse(t *testing.T) {
	x, labels := groups(90, 20)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+2*j)%3 > 0 {
			return 0
		}
		return v
	}, x)
	a := compressedOf(t, x)
	for name, m := range factorizers(t) {
		if Values(m)["solver"] == "hals" {
			// The number of sweeps that pay depends on what a product costs.
			if err := Set(m, "sweeps", "2"); err != nil {
				t.Fatal(err)
			}
		}
		o := FactorizeOptions{Options: Options{Labels: labels}}
		want, got := factorized(t, x, m, o), factorized(t, a, m, o)
		promised := m.Name() == "nmf" || m.Name() == "nmf-kl" || m.Name() == "gnmf"
		if got.Sparse != promised || want.Sparse {
			t.Errorf("%s: sparse %v", name, got.Sparse)
		}
		// Products are summed in another order, which iterations let grow.
		if !mat.EqualApprox(got.W, want.W, 1e-6) || !mat.EqualApprox(got.H, want.H, 1e-6) {
			t.Errorf("%s: sparse data have other factors", name)
		}
		if got.Duplicates != want.Duplicates || got.Components != want.Components || !slices.Equal(got.Sizes, want.Sizes) {
			t.Errorf("%s: %d duplicates and components %v, dense %d and %v", name, got.Duplicates, got.Sizes, want.Duplicates, want.Sizes)
		}
	}
}

// The graph's components are reported, and λ = 0 needs no graph.
func TestFactorizeReportsComponents(t *testing.T) {
	x, labels := groups(90, 20)
	for _, m := range []Method{GNMF{Neighbors: 3}, CIMGNMF{Neighbors: 3}, NPAF{Neighbors: 3}} {
		r := factorized(t, x, m, FactorizeOptions{})
		if r.Components != 3 || !slices.Equal(r.Sizes, []int{30, 30, 30}) {
			t.Errorf("%s: components %v of three groups", m.Name(), r.Sizes)
		}
	}
	none := 0.0
	for _, m := range []Method{GNMF{Lambda: &none}, LPRNA{Lambda: &none}, SPRNA{Lambda: &none, Within: 1 << 20}} {
		if r := factorized(t, x, m, FactorizeOptions{Options: Options{Labels: labels}}); r.Components != 0 || r.Seconds["alignment"] != 0 {
			t.Errorf("%s: a graph was built for λ = 0", m.Name())
		}
	}
	plain := factorized(t, x, NMF{}, FactorizeOptions{})
	if r := factorized(t, x, GNMF{Lambda: &none}, FactorizeOptions{}); !sameEntries(r.W, plain.W) {
		t.Error("gnmf with λ = 0 is not nmf")
	}
}

// Rows and columns of zeros, one sample, one column, no data but zeros.
func TestFactorizeOddData(t *testing.T) {
	x, labels := groups(40, 12)
	clear(x.RawRowView(7))
	for i := range 40 {
		x.Set(i, 5, 0)
	}
	for name, m := range factorizers(t) {
		r := factorized(t, x, m, FactorizeOptions{Options: Options{Labels: labels}})
		for k := range 3 {
			// A graph draws the row to its neighbours. Coordinate descent keeps a floor of 1e-16 under its factors, which
			// normalisation multiplies.
			if _, graph := r.Params["lambda"]; r.W.At(7, k) > 1e-12 && !graph || r.H.At(k, 5) > 1e-12 {
				t.Errorf("%s: %g and %g for a row and a column of zeros", name, r.W.At(7, k), r.H.At(k, 5))
			}
		}
	}
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
		got := factorized(t, x, NMF{Updates: Updates{Shift: how}}, FactorizeOptions{Rank: 2})
		direct := factorized(t, mat.NewDense(3, 3, want), NMF{}, FactorizeOptions{Rank: 2})
		if !sameEntries(got.W, direct.W) || !sameEntries(got.H, direct.H) {
			t.Errorf("shift=%s does not factorise %v", how, want)
		}
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
	single := append(slices.Clone(labels[:29]), 7)
	for name, c := range map[string]struct {
		x    mat.Matrix
		m    Method
		o    FactorizeOptions
		want string
	}{
		"negative":          {with(4, 6, -0.5), NMF{}, FactorizeOptions{}, "nmf: row 5, column 7 (counting from 1) is -0.5; give entries ≥ 0, or shift the data: --set shift=columns"},
		"sparse negative":   {compressedOf(t, mat.DenseCopyOf(with(4, 6, -0.5))), GNMF{Updates: Updates{Shift: "global"}}, FactorizeOptions{}, "sparse data cannot be shifted"},
		"NaN":               {with(2, 0, math.NaN()), CIMNMF{}, FactorizeOptions{}, "row 3, column 1 (counting from 1) is NaN"},
		"infinite":          {compressedOf(t, mat.DenseCopyOf(with(2, 0, math.Inf(1)))), NMF{}, FactorizeOptions{}, "row 3, column 1 (counting from 1) is +Inf"},
		"huge":              {with(2, 0, 1e200), NMF{}, FactorizeOptions{}, "overflow"},
		"rank 0":            {x, NMF{}, FactorizeOptions{Rank: -1}, "rank -1; give a whole number ≥ 1"},
		"rank by SVD":       {x, NMF{Start: Start{Init: "nndsvda"}}, FactorizeOptions{Rank: 9}, "rank 9 with init=nndsvda for 30 × 8 data"},
		"zeros for mu":      {x, GNMF{Start: Start{Init: "nndsvd"}}, FactorizeOptions{}, "multiplicative updates keep"},
		"λ":                 {x, GNMF{Lambda: &minus}, FactorizeOptions{}, "gnmf: lambda is -1; give a number ≥ 0"},
		"neighbours":        {x, GNMF{Neighbors: 30}, FactorizeOptions{}, "30 neighbours asked of 30 samples"},
		"θ":                 {x, CIMNMF{Correntropy: Correntropy{Theta: -1}}, FactorizeOptions{}, "theta is -1"},
		"no labels":         {x, NDLA{}, FactorizeOptions{}, "ndla: this method learns from labels and there are none"},
		"few labels":        {x, SPRNA{}, FactorizeOptions{Options: Options{Labels: labels[:29]}}, "29 labels of 30 samples"},
		"one class":         {x, SPRNA{}, FactorizeOptions{Options: Options{Labels: make([]int64, 30)}}, "all samples are of one class"},
		"half a start":      {x, NMF{}, FactorizeOptions{InitW: mat.NewDense(30, 3, nil)}, "a start needs both W and H; H is missing"},
		"a negative start":  {x, NMF{}, FactorizeOptions{InitW: mat.NewDense(30, 3, nil), InitH: mat.NewDense(3, 8, slices.Repeat([]float64{-1}, 24))}, "row 1, column 1 (counting from 1) of the start H is -1"},
		"a large start":     {x, NMF{}, FactorizeOptions{InitW: mat.NewDense(30, 4, nil), InitH: mat.NewDense(3, 8, nil)}, "the start W is 30 × 4; give 30 × 3"},
		"memory":            {x, LPRNA{}, FactorizeOptions{Options: Options{Memory: 5000}}, "where the limit is"},
		"memory for Φ":      {x, NDLA{}, FactorizeOptions{Options: Options{Memory: 20000, Labels: labels}}, "where the limit is"},
		"memory for sparse": {compressedOf(t, x), CIMNMF{}, FactorizeOptions{Options: Options{Memory: 1000}}, "take nmf, nmf-kl or gnmf"},
		"task":              {x, PCA{}, FactorizeOptions{}, `pca does not factorize; it is a method of "orthant embed"`},
		"nothing":           {x, nil, FactorizeOptions{}, "no method given"},
	} {
		if c.o.Rank == 0 {
			c.o.Rank = 3
		}
		if c.o.Rank < 0 {
			c.o.Rank = -1
		}
		if _, err := Factorize(context.Background(), c.x, c.m, c.o); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		m    Method
		o    FactorizeOptions
		want string
	}{
		"rank":         {NMF{}, FactorizeOptions{Rank: 9}, "rank 9 exceeds the lesser side of the 30 × 8 data"},
		"a class of 1": {NDLA{}, FactorizeOptions{Options: Options{Labels: single}}, "1 of 4 classes have one sample only"},
		"sweeps":       {NMF{LeastSquares: LeastSquares{Sweeps: 3}}, FactorizeOptions{}, "sweeps is for solver=hals"},
	} {
		if r := factorized(t, x, c.m, c.o); !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, c.want) }) {
			t.Errorf("%s: warnings %q, want %q", name, r.Warnings, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, m := range factorizers(t) {
		if _, err := Factorize(ctx, x, m, FactorizeOptions{Rank: 2, Options: Options{Labels: labels}}); err != context.Canceled {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}
