package sparse

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Solutions and determinants are those of dense Cholesky, before and after new values.
func TestCholeskyAgainstDense(t *testing.T) {
	for name, a := range map[string]*CSR{
		"grid": grid(9, false), "cliques": cliques(150, 3, 8, 13), "diagonal": fromNeighbors(make([][]int32, 12), blas.NewStream(2)),
	} {
		n, random := a.Rows, blas.NewStream(5)
		c, err := NewCholesky(t.Context(), a, 0.5, CholeskyOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, shift := range []float64{0.5, 0, 2} {
			var dense mat.Cholesky
			sym := mat.NewSymDense(n, a.Dense().RawMatrix().Data)
			for i := range n {
				sym.SetSym(i, i, sym.At(i, i)+shift)
			}
			if !dense.Factorize(sym) {
				t.Fatalf("%s: the reference is not definite", name)
			}
			logDet, err := c.LogDet()
			if err != nil || math.Abs(logDet-dense.LogDet()) > 1e-10*(1+math.Abs(logDet)) {
				t.Errorf("%s: log det %v, want %v (%v)", name, logDet, dense.LogDet(), err)
			}
			b := make([]float64, 3*n)
			random.Normals(b)
			x := slices.Clone(b)
			if err := c.Solve(x, 3); err != nil {
				t.Fatal(err)
			}
			if got := residual(a, shift, x, b, 3); !(got < 1e-13) {
				t.Errorf("%s: relative residual %g", name, got)
			}
			fillValues(a, random)
			if shift = map[float64]float64{0.5: 0, 0: 2}[shift]; c.UpdateValues(t.Context(), a, shift) != nil {
				t.Errorf("%s: the update failed", name)
			}
		}
	}
}

// New values take no memory on one thread, with strips and without; neither does a
// solution once there was one.
func TestUpdateValuesDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("allocations cannot be counted under the race detector")
	}
	for name, a := range map[string]*CSR{"grid": grid(30, false), "full": star(1100, 1100)} {
		c, err := NewCholesky(t.Context(), a, 0.1, CholeskyOptions{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		strips := false
		for p := range int32(len(c.symbolic.rowLo)) {
			rows, _ := c.symbolic.panel(p)
			strips = strips || int(c.numeric.strip[p]) < len(rows)
		}
		if strips != (name == "full") {
			t.Errorf("%s: panels in strips: %v", name, strips)
		}
		ctx := context.Background()
		if nearly := laplacian(a); c.UpdateValues(ctx, nearly, 1e-9) != nil || testing.AllocsPerRun(3, func() {
			if err := c.UpdateValues(ctx, nearly, 1e-9); err != nil { // whose condition is estimated
				t.Fatal(err)
			}
		}) != 0 {
			t.Errorf("%s: allocations where the condition is estimated", name)
		}
		if got := testing.AllocsPerRun(3, func() {
			if err := c.UpdateValues(ctx, a, 0.2); err != nil {
				t.Fatal(err)
			}
		}); got != 0 {
			t.Errorf("%s: %g allocations", name, got)
		}
	}
}

// A second factorisation by UpdateValues has the bits of a first, and any number of
// threads has those of one.
func TestUpdateValuesSameBits(t *testing.T) {
	a := star(1100, 1100)
	var want []float64
	for _, threads := range []int{1, 2, 5} {
		c, err := NewCholesky(t.Context(), a, 3, CholeskyOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if (c.threads > 1) != (threads > 1) {
			t.Fatalf("%d threads for a factor of %g flops", c.threads, c.symbolic.flops)
		}
		if err := c.UpdateValues(t.Context(), a, 0.1); err != nil {
			t.Fatal(err)
		}
		fresh, err := NewCholesky(t.Context(), a, 0.1, CholeskyOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 2*a.Rows)
		blas.NewStream(3).Normals(x)
		y := slices.Clone(x)
		if c.Solve(x, 2) != nil || fresh.Solve(y, 2) != nil || !slices.Equal(x, y) {
			t.Errorf("%d threads: an update has other bits than a first factorisation", threads)
		}
		if want == nil {
			want = x
		}
		if !slices.Equal(x, want) {
			t.Errorf("%d threads: other bits than with one", threads)
		}
	}
}

// A matrix with mirror entries left out that are zeros is completed; all sparse types do.
func TestCholeskyOfAnyStorage(t *testing.T) {
	coo := storage.NewCOO(2, 2, []int{0, 1, 0}, []int{0, 1, 1}, []float64{4, 9, 0})
	for _, m := range []mat.Matrix{coo, coo.ToCSC(), coo.ToCSR(), &CSR{Rows: 2, Cols: 2, Ptr: []int{0, 2, 3}, Col: []int32{0, 1, 1}, Val: []float64{4, 0, 9}}} {
		c, err := NewCholesky(t.Context(), m, 0, CholeskyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := c.LogDet(); err != nil || math.Abs(d-math.Log(36)) > 1e-15 || c.Order() != 2 {
			t.Error(d, err)
		}
		if err := c.UpdateValues(t.Context(), m, 1); err != nil {
			t.Error(err)
		}
		if d, _ := c.LogDet(); math.Abs(d-math.Log(50)) > 1e-15 {
			t.Error(d)
		}
	}
}

func TestCholeskyRefuses(t *testing.T) {
	good := grid(6, false)
	changed := func(change func(a *CSR)) *CSR {
		a := *good
		a.Ptr, a.Col, a.Val = slices.Clone(a.Ptr), slices.Clone(a.Col), slices.Clone(a.Val)
		change(&a)
		return &a
	}
	at := func(i, j int) int {
		p, _ := slices.BinarySearch(good.Col[good.Ptr[i]:good.Ptr[i+1]], int32(j))
		return good.Ptr[i] + p
	}
	indefinite := changed(func(a *CSR) { a.Val[at(8, 8)] = -1 })
	for want, m := range map[string]mat.Matrix{
		"the matrix is not sparse":                                                   mat.NewDense(2, 2, nil),
		"the matrix is 6 × 36; give a symmetric one":                                 good.RowRange(0, 6),
		"the matrix is not symmetric: the entry in row 7, column 8":                  changed(func(a *CSR) { a.Val[at(8, 7)] = 5 }),
		"the entry in row 3, column 4 (counting from 0) is NaN":                      changed(func(a *CSR) { a.Val[at(3, 4)] = math.NaN() }),
		"in row and column 8 (counting from 0): the matrix is not positive definite": indefinite,
		"row 0 (counting from 0) has column 0 behind column 1":                       changed(func(a *CSR) { a.Col[0], a.Col[1] = 1, 0 }),
		"pivot 0 in row and column 1 (counting from 0): the matrix is ":              &CSR{Rows: 2, Cols: 2, Ptr: []int{0, 1, 1}, Col: []int32{0}, Val: []float64{1}},
	} {
		if _, err := NewCholesky(t.Context(), m, 0, CholeskyOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := NewCholesky(t.Context(), good, math.NaN(), CholeskyOptions{}); err == nil || !strings.Contains(err.Error(), "the shift is NaN") {
		t.Error(err)
	}
	var memory *MemoryError
	if _, err := NewCholesky(t.Context(), good, 0, CholeskyOptions{Memory: 1000}); !errors.As(err, &memory) || memory.Need < 1000 {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewCholesky(canceled, good, 0, CholeskyOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What is refused leaves the factor; a pivot that fails takes it, and an update that does
// not brings one back.
func TestUpdateValuesRefuses(t *testing.T) {
	a := grid(10, false)
	c, err := NewCholesky(t.Context(), a, 0, CholeskyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := c.LogDet()
	lopsided := *a
	lopsided.Val = slices.Clone(a.Val)
	lopsided.Val[1] += 1
	for says, b := range map[string]*CSR{
		"order 121 for a factor of order 100":            grid(11, false),
		"row 0 (counting from 0) has entries at other":   cornersJoined(t, a),
		"the matrix is not symmetric: the entry in row ": &lopsided,
	} {
		if err := c.UpdateValues(t.Context(), b, 0); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
		if got, err := c.LogDet(); got != want || err != nil {
			t.Errorf("%s: the factor is gone", says)
		}
	}
	x := make([]float64, a.Rows)
	var failure *NotPositiveDefiniteError
	if err := c.UpdateValues(t.Context(), a, -100); !errors.As(err, &failure) {
		t.Error(err)
	}
	if err := c.Solve(x, 1); !errors.As(err, &failure) {
		t.Error("a factor that failed solves:", err)
	}
	if v, err := c.LogDet(); err == nil || !math.IsNaN(v) {
		t.Error("a factor that failed has a determinant")
	}
	if err := c.UpdateValues(t.Context(), a, 0); err != nil {
		t.Error(err)
	}
	if got, err := c.LogDet(); got != want || err != nil {
		t.Error("there is another factor than before", err)
	}
	x[7] = math.Inf(1)
	for says, call := range map[string]func() error{
		"+Inf in row 3, column 1": func() error {
			return c.Solve(append(make([]float64, 0, 200), append(x, make([]float64, 100)...)...), 2)
		},
		"99 numbers for 1":  func() error { return c.Solve(x[1:], 1) },
		"100 numbers for 0": func() error { return c.Solve(x, 0) },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
}

// Several goroutines solve while another brings new values.
func TestCholeskyIsForManyGoroutines(t *testing.T) {
	a := grid(12, false)
	c, err := NewCholesky(t.Context(), a, 1, CholeskyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				x := slices.Repeat([]float64{1}, a.Rows)
				b := slices.Clone(x)
				if err := c.Solve(x, 1); err != nil || !(min(residual(a, 1, x, b, 1), residual(a, 2, x, b, 1)) < 1e-13) {
					t.Error("a solution of neither matrix", err)
				}
			}
		})
	}
	for i := range 20 {
		if err := c.UpdateValues(t.Context(), a, float64(1+i%2)); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}
