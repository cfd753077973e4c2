package sparse

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// Solutions and determinants agree with dense Cholesky, before and after new values.
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
			must.Do(t, c.Solve(x, 3))
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
		c := must.Get(NewCholesky(t.Context(), a, 0.1, CholeskyOptions{Threads: 1}))(t)
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
			must.Do(t, c.UpdateValues(ctx, a, 0.2))
		}); got != 0 {
			t.Errorf("%s: %g allocations", name, got)
		}
	}
}

// A second factorisation by UpdateValues has the bits of a first, and any number of threads gives
// the bits of one thread.
func TestUpdateValuesSameBits(t *testing.T) {
	a := star(1100, 1100)
	var want []float64
	for _, threads := range []int{1, 2, 5} {
		c := must.Get(NewCholesky(t.Context(), a, 3, CholeskyOptions{Threads: threads}))(t)
		if (c.threads > 1) != (threads > 1) {
			t.Fatalf("%d threads for a factor of %g flops", c.threads, c.symbolic.flops)
		}
		must.Do(t, c.UpdateValues(t.Context(), a, 0.1))
		fresh := must.Get(NewCholesky(t.Context(), a, 0.1, CholeskyOptions{Threads: threads}))(t)
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
		c := must.Get(NewCholesky(t.Context(), m, 0, CholeskyOptions{}))(t)
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
		must.Refuse(t, want)(NewCholesky(t.Context(), m, 0, CholeskyOptions{}))
	}
	must.Refuse(t, "the shift is NaN")(NewCholesky(t.Context(), good, math.NaN(), CholeskyOptions{}))
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

// A refused matrix leaves the factor; a pivot that fails destroys it, and a successful update makes
// a new one.
func TestUpdateValuesRefuses(t *testing.T) {
	a := grid(10, false)
	c := must.Get(NewCholesky(t.Context(), a, 0, CholeskyOptions{}))(t)
	want, _ := c.LogDet()
	lopsided := *a
	lopsided.Val = slices.Clone(a.Val)
	lopsided.Val[1] += 1
	for says, b := range map[string]*CSR{
		"order 121 for a factor of order 100":            grid(11, false),
		"row 0 (counting from 0) has entries at other":   cornersJoined(t, a),
		"the matrix is not symmetric: the entry in row ": &lopsided,
	} {
		must.Refuse(t, says)(c.UpdateValues(t.Context(), b, 0))
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
		must.Refuse(t, says)(call())
	}
}

// Several goroutines solve while another brings new values.
func TestCholeskyIsForManyGoroutines(t *testing.T) {
	a := grid(12, false)
	c := must.Get(NewCholesky(t.Context(), a, 1, CholeskyOptions{}))(t)
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

func factorize(t interface{ Fatalf(string, ...any) }, a *CSR, shift float64) *Factor {
	s, err := Analyze(context.Background(), a)
	if err != nil {
		t.Fatalf("%v", err)
	}
	f, err := s.Factor(context.Background(), blas.MustSelect("gonum"), 1, a, shift)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return f
}

// lower returns L as a dense matrix.
func (f *Factor) lower() []float64 {
	s := f.symbolic
	l := make([]float64, s.n*s.n)
	for p := range int32(len(s.rowLo)) {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		for k, i := range rows {
			for j := range min(k+1, width) {
				v := values[k*width+j]
				if k == j {
					v = 1 / v
				}
				l[int(i)*s.n+int(rows[j])] = v
			}
		}
	}
	return l
}

// checkFactor compares L with dense Cholesky of the same matrix, which has the
// same L: it is unique. a is diagonally dominant with eigenvalues from 0.1 up,
// so both are within a small multiple of ε·|A|·cond ≈ 1e-16 · 1e2 · 1e3 of it.
func checkFactor(t interface{ Fatalf(string, ...any) }, a *CSR, shift float64) {
	f := factorize(t, a, shift)
	n := a.Rows
	dense := make([]float64, n*n)
	for k, i := range f.symbolic.perm {
		cols, vals := a.Row(int(i))
		for p, c := range cols {
			dense[k*n+int(f.symbolic.place[c])] = vals[p]
		}
		dense[k*n+k] += shift
	}
	if !blas.MustSelect("gonum").Cholesky(n, dense, n) {
		t.Fatalf("the reference finds the matrix not positive definite")
	}
	l := f.lower()
	for i := range n {
		for j := range i + 1 {
			if d := l[i*n+j] - dense[i*n+j]; math.Abs(d) > 1e-11 || math.IsNaN(d) {
				t.Fatalf("L(%d, %d) = %g, dense Cholesky has %g", i, j, l[i*n+j], dense[i*n+j])
			}
		}
	}
}

func TestFactorIsThatOfDenseCholesky(t *testing.T) {
	random := blas.NewStream(23)
	for name, a := range map[string]*CSR{
		"grid":         grid(15, true),
		"cliques":      cliques(500, 2, 9, 13),
		"wide panels":  cliques(400, 6, 14, 13),
		"full":         star(333, 333),
		"arrow":        star(300, 2),
		"scattered":    scattered(300, 3, random),
		"disconnected": scattered(200, 1, random),
		"diagonal":     fromNeighbors(make([][]int32, 30), random),
		"one":          fromNeighbors(make([][]int32, 1), random),
		"empty":        fromNeighbors(nil, random),
	} {
		t.Run(name, func(t *testing.T) { checkFactor(t, a, 0.25) })
	}
}

func TestFactorOnDrawnPatterns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := symmetricPattern(t)
		shift := 0.0
		if len(a.Col) > 0 && a.At(0, 0) == 0 {
			shift = 2 * a.RowSumNorm() // no diagonal: the shift alone makes it definite
		}
		checkFactor(t, a, shift+0.5)
	})
}

func TestAnalysisServesNewValues(t *testing.T) {
	a := cliques(400, 2, 9, 3)
	s := must.Get(Analyze(context.Background(), a))(t)
	kernels := blas.MustSelect("gonum")
	random := blas.NewStream(77)
	for range 3 {
		f := must.Get(s.Factor(context.Background(), kernels, 1, a, 0))(t)
		b := make([]float64, a.Rows)
		random.Normals(b)
		x := slices.Clone(b)
		f.Solve(x, 1, nil)
		if got := residual(a, 0, x, b, 1); !(got < 1e-13) {
			t.Errorf("relative residual %g", got)
		}
		fillValues(a, random)
	}
}

func TestFactorGivesTheSameBits(t *testing.T) {
	a := cliques(1200, 5, 14, 3)
	first := factorize(t, a, 1e-3)
	for range 2 {
		again := factorize(t, a, 1e-3)
		if !slices.Equal(first.symbolic.perm, again.symbolic.perm) || !slices.Equal(first.values.all(), again.values.all()) {
			t.Fatal("a second factorisation differs from the first")
		}
	}
}

func TestFactorNamesTheColumnThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		value float64
		says  string
	}{
		"negative": {-5, "greater shift"},
		"NaN":      {math.NaN(), "not finite"},
		"infinite": {math.Inf(1), "not finite"},
	} {
		t.Run(name, func(t *testing.T) {
			// Apart from the last point, a diagonal matrix: only that column can fail.
			random := blas.NewStream(2)
			a := fromNeighbors(make([][]int32, 40), random)
			const bad = 23
			a.Val[bad] = c.value
			s, err := Analyze(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Factor(context.Background(), blas.MustSelect("gonum"), 1, a, 0)
			var failure *NotPositiveDefiniteError
			if !errors.As(err, &failure) || failure.Column != bad || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that names column %d and says %q", err, bad, c.says)
			}
		})
	}
	t.Run("indefinite", func(t *testing.T) {
		a := laplacian(cliques(500, 2, 9, 3))
		s, err := Analyze(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Factor(context.Background(), blas.MustSelect("gonum"), 1, a, -0.5)
		var failure *NotPositiveDefiniteError
		if !errors.As(err, &failure) || failure.Pivot > 0 {
			t.Errorf("error %v, want NotPositiveDefiniteError", err)
		}
	})
	t.Run("NaN below the diagonal", func(t *testing.T) {
		a := cliques(500, 2, 9, 3)
		i := 100
		cols, vals := a.Row(i)
		for p, j := range cols {
			if int(j) != i {
				vals[p] = math.NaN()
			}
		}
		s, err := Analyze(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Factor(context.Background(), blas.MustSelect("gonum"), 1, a, 0)
		var failure *NotPositiveDefiniteError
		if !errors.As(err, &failure) || !math.IsNaN(failure.Pivot) {
			t.Errorf("error %v, want a NaN pivot", err)
		}
	})
}

// cornersJoined has as many entries as the grid a, but the first and last
// points joined instead of points 0 and 1.
func cornersJoined(t *testing.T, a *CSR) *CSR {
	var entries []Triplet
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			if i+int(j) != 1 {
				entries = append(entries, Triplet{i, int(j), vals[p]})
			}
		}
	}
	n := a.Rows
	moved := must.Get(FromTriplets(n, n, append(entries, Triplet{0, n - 1, 0.1}, Triplet{n - 1, 0, 0.1})))(t)
	return moved
}

func TestFactorRefusesAnotherPattern(t *testing.T) {
	a := grid(10, false)
	s := must.Get(Analyze(context.Background(), a))(t)
	column, value, pointer := *a, *a, *a
	column.Col = slices.Clone(a.Col)
	column.Col[7] = 100
	value.Val = a.Val[1:]
	pointer.Ptr = slices.Clone(a.Ptr)
	pointer.Ptr[5] = 1 << 20
	for name, b := range map[string]*CSR{
		"column": &column, "value": &value, "pointer": &pointer,
		"order":   grid(11, false),
		"entries": grid(10, true),
		"place":   cornersJoined(t, a),
	} {
		if _, err := s.Factor(context.Background(), blas.MustSelect("gonum"), 1, b, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// countdown is a context that is cancelled at the n-th question.
type countdown struct {
	left int
}

func (c *countdown) Deadline() (time.Time, bool) { return time.Time{}, false }
func (c *countdown) Done() <-chan struct{}       { return nil }
func (c *countdown) Value(any) any               { return nil }
func (c *countdown) Err() error {
	c.left--
	if c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestFactorStopsWhenCancelled(t *testing.T) {
	a := cliques(500, 2, 9, 3)
	s := must.Get(Analyze(context.Background(), a))(t)
	for _, questions := range []int{0, 1, 10} {
		ctx := &countdown{left: questions}
		if _, err := s.Factor(ctx, blas.MustSelect("gonum"), 1, a, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at question %d: error %v", questions, err)
		}
		if ctx.left != -1 {
			t.Errorf("asked %d times more after it was cancelled", -1-ctx.left)
		}
	}
}

// Inside a panel the context is asked by the amount of work.
func TestUpdateStopsWhenCancelled(t *testing.T) {
	a := cliques(500, 2, 9, 3)
	f := factorize(t, a, 0)
	s := f.symbolic
	ctx, cancel := context.WithCancel(context.Background())
	kernels := blas.MustSelect("gonum")
	w := newNumeric(f, kernels, a, 0).worker(ctx)
	cancel()
	p := int32(len(s.rowLo) - 1)
	must.Do(t, w.assemble(p))
	rows, _ := s.panel(p)
	if err := w.update(p, w.local, 0, len(rows)); err != nil {
		t.Errorf("asked after %g flops", w.flops)
	}
	w.flops = flopsBetweenChecks
	if err := w.update(p, w.local, 0, len(rows)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestBytesIsTheMemoryOfTheFactor(t *testing.T) {
	a := cliques(2000, 2, 10, 3)
	f := factorize(t, a, 0)
	s := f.symbolic
	if got, least := s.Bytes(), 8*int64(f.values.size())+4*int64(len(s.rows)); got < least || got > least+64*int64(a.Rows) {
		t.Errorf("%d bytes, the values and rows alone take %d", got, least)
	}
}

// Indices, zeros and upper triangles of panels stay a small part of the factor.
// Grids are the worst: their columns are short and no two are equal.
func TestPanelsStoreFewZeros(t *testing.T) {
	for name, c := range map[string]struct {
		a    *CSR
		most float64
	}{
		"grid":        {grid(100, false), 1.65},
		"cliques":     {cliques(2000, 2, 10, 3), 1.45},
		"cliques, 8d": {cliques(1000, 8, 16, 3), 1.25},
	} {
		s := must.Get(Analyze(context.Background(), c.a))(t)
		if got := float64(s.Bytes()) / float64(8*s.Entries()); got > c.most {
			t.Errorf("%s: %.2f times the memory of the true entries", name, got)
		}
	}
}

// all are the values of a factor in one slice, as tests compare them.
func (v *values) all() []float64 { return slices.Concat(v.given, v.own) }

// size is their number.
func (v *values) size() int { return len(v.given) + len(v.own) }

// Panels follow each other, first in the storage given, and none is cut in two; before it is
// computed each is zero, whatever the storage held.
func TestValues(t *testing.T) {
	sizes := []int{3, 10, 1, 50, 7}
	s := &Analysis{rowLo: make([]int, len(sizes)), valueAt: make([]int, len(sizes)+1)}
	for p, n := range sizes {
		s.valueAt[p+1] = s.valueAt[p] + n
	}
	for given, want := range map[int]int32{0: 0, 2: 0, 3: 1, 12: 1, 13: 2, 14: 3, 63: 3, 64: 4, 71: 5, 500: 5} {
		f := &Factor{symbolic: s, values: newValues(s, slices.Repeat([]float64{7}, given))}
		if f.values.split != want || f.values.size() != 71 {
			t.Fatalf("of storage for %d: %d panels in it, %d values in all", given, f.values.split, f.values.size())
		}
		for p, n := range sizes {
			v := f.zeroValues(int32(p))
			if len(v) != n || slices.ContainsFunc(v, func(v float64) bool { return v != 0 }) {
				t.Fatalf("of storage for %d: panel %d has %d values, not %d, or not of zero", given, p, len(v), n)
			}
			for i := range v {
				v[i] = float64(s.valueAt[p] + i)
			}
		}
		for i, v := range f.values.all() {
			if v != float64(i) {
				t.Fatalf("of storage for %d: value %d is %v", given, i, v)
			}
		}
	}
}

// The estimate is a bound from below, and near the truth.
func TestInverseNorm(t *testing.T) {
	for name, a := range map[string]*CSR{"grid": grid(8, false), "cliques": cliques(120, 3, 8, 13), "one": fromNeighbors(make([][]int32, 1), blas.NewStream(2))} {
		for shift, b := range map[float64]*CSR{0.1: a, 1e-6: laplacian(a)} {
			f := factorize(t, b, shift)
			dense := b.Dense()
			for i := range b.Rows {
				dense.Set(i, i, dense.At(i, i)+shift)
			}
			var inverse mat.Dense
			must.Do(t, inverse.Inverse(dense))
			want := mat.Norm(&inverse, 1)
			if got := f.inverseNorm(1, new(SolveWork)); !(got <= want*(1+1e-6) && got >= want/3) {
				t.Errorf("%s + %g: %g where the norm is %g", name, shift, got, want)
			}
		}
	}
}

// Laplacians are singular, whatever rounding makes of their last pivot; nearly singular
// matrices have solutions.
func TestSingularIsNotDefinite(t *testing.T) {
	for _, side := range []int{2, 3, 5, 12, 13, 17, 40, 41, 77} {
		l := laplacian(grid(side, false))
		var failure *NotPositiveDefiniteError
		if _, err := NewCholesky(t.Context(), l, 0, CholeskyOptions{}); !errors.As(err, &failure) || math.Abs(failure.Pivot) > 1e-9 {
			t.Errorf("the Laplacian of %d²: %v", side, err)
		}
		for _, shift := range []float64{1e-3, 1e-9, 1e-12} {
			if _, err := NewCholesky(t.Context(), l, shift, CholeskyOptions{}); err != nil {
				t.Errorf("the Laplacian of %d² + %g: %v", side, shift, err)
			}
		}
	}
	nearly := &CSR{Rows: 2, Cols: 2, Ptr: []int{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: []float64{3, 1, 1, 1.0 / 3 * (1 + 0x1p-52)}}
	must.Refuse(t, "in row and column")(NewCholesky(t.Context(), nearly, 0, CholeskyOptions{}))
}
