package sparse

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
)

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
	s, err := Analyze(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	kernels := blas.MustSelect("gonum")
	random := blas.NewStream(77)
	for range 3 {
		f, err := s.Factor(context.Background(), kernels, 1, a, 0)
		if err != nil {
			t.Fatal(err)
		}
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
	moved, err := FromTriplets(n, n, append(entries, Triplet{0, n - 1, 0.1}, Triplet{n - 1, 0, 0.1}))
	if err != nil {
		t.Fatal(err)
	}
	return moved
}

func TestFactorRefusesAnotherPattern(t *testing.T) {
	a := grid(10, false)
	s, err := Analyze(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
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
	s, err := Analyze(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := w.assemble(p); err != nil {
		t.Fatal(err)
	}
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
// Grids are the worst: their columns are short and no two are alike.
func TestPanelsStoreFewZeros(t *testing.T) {
	for name, c := range map[string]struct {
		a    *CSR
		most float64
	}{
		"grid":        {grid(100, false), 1.65},
		"cliques":     {cliques(2000, 2, 10, 3), 1.45},
		"cliques, 8d": {cliques(1000, 8, 16, 3), 1.25},
	} {
		s, err := Analyze(context.Background(), c.a)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(s.Bytes()) / float64(8*s.Entries()); got > c.most {
			t.Errorf("%s: %.2f times the memory of the true entries", name, got)
		}
	}
}
