package sparse

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// spectrum returns the eigenvalues of A + shift·I, ascending.
func spectrum(t testing.TB, a *CSR, shift float64) []float64 {
	t.Helper()
	n := a.Rows
	full, w := a.Dense().RawMatrix().Data, make([]float64, n)
	for i := range n {
		full[i*n+i] += shift
	}
	must.Do(t, blas.MustSelect("").SymEig(n, full, n, w, new(blas.Work)))
	return w
}

// fromPairs is the symmetric matrix with the given entries on and below its diagonal.
func fromPairs(t testing.TB, n int, lower []Triplet) *CSR {
	t.Helper()
	entries := slices.Clone(lower)
	for _, e := range lower {
		if e.Row != e.Col {
			entries = append(entries, Triplet{e.Col, e.Row, e.Val})
		}
	}
	a := must.Get(FromTriplets(n, n, entries))(t)
	return a
}

// saddle is the matrix of a saddle point, [H Bᵀ; B 0] with H of order n and m ≤ n constraints.
func saddle(t testing.TB, n, m, perRow int, random *blas.Stream) *CSR {
	var lower []Triplet
	for i := range n {
		lower = append(lower, Triplet{i, i, 0.1 + random.Uniform()})
	}
	for c := range m {
		lower = append(lower, Triplet{n + c, c, 1 + random.Uniform()}) // full rank
		for range perRow {
			lower = append(lower, Triplet{n + c, random.Below(n), random.Uniform() - 0.5})
		}
	}
	return fromPairs(t, n+m, lower)
}

// adjacency is the adjacency matrix of a: a without its diagonal, with ones.
func adjacency(t testing.TB, a *CSR) *CSR {
	var lower []Triplet
	a.DoNonZero(func(i, j int, _ float64) {
		if j < i {
			lower = append(lower, Triplet{i, j, 1})
		}
	})
	return fromPairs(t, a.Rows, lower)
}

// rescaled is SAS with entries of S over 12 orders.
func rescaled(a *CSR) *CSR {
	b := *a
	b.Val = slices.Clone(a.Val)
	size := func(i int) float64 { return [...]float64{1e-6, 1, 1e3, 1e6}[i*7%4] }
	for i := range b.Rows {
		cols, vals := b.Row(i)
		for p, j := range cols {
			vals[p] *= size(i) * size(int(j))
		}
	}
	return &b
}

func mustLDLT(t testing.TB, a *CSR, shift float64, threads int) *LDLT {
	t.Helper()
	f := must.Get(NewLDLT(context.Background(), a, shift, CholeskyOptions{Threads: threads}))(t)
	return f
}

// Systems that no elimination without interchanges solves. The error is the error in the scaled
// system, and the residual with the matrix itself.
func TestLDLTSolves(t *testing.T) {
	random := blas.NewStream(5)
	points := saddle(t, 300, 180, 3, random)
	for name, c := range map[string]struct {
		a     *CSR
		shift float64
	}{
		"definite":         {grid(20, false), 1},
		"grid":             {grid(15, true), -3},
		"cliques":          {cliques(500, 2, 9, 13), -8},
		"wide panels":      {cliques(400, 6, 14, 13), -14},
		"full":             {star(333, 333), -150},
		"arrow":            {star(300, 2), -1},
		"saddle":           {points, 0},
		"scaled saddle":    {rescaled(points), 0},
		"scaled grid":      {rescaled(grid(20, true)), 0},
		"zero diagonal":    {fromPairs(t, 2, []Triplet{{1, 0, 1}}), 0},
		"adjacency":        {adjacency(t, grid(12, true)), 0},
		"shifted by zeros": {laplacian(grid(20, false)), -4.0001},
		"one":              {fromPairs(t, 1, []Triplet{{0, 0, -2}}), 0},
		"diagonal absent":  {adjacency(t, grid(9, false)), 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustLDLT(t, c.a, c.shift, 1)
			x := make([]float64, c.a.Rows*3)
			random.Normals(x)
			b := slices.Clone(x)
			backward, err := f.Solve(x, 3)
			if err != nil || !(backward < 1e-13) {
				t.Errorf("backward error %g, %v", backward, err)
			}
			r := make([]float64, len(x))
			c.a.MulBlock(1, 3, x, r)
			var worst, largest float64
			for i, v := range b {
				worst, largest = max(worst, math.Abs(v-r[i]-c.shift*x[i])), max(largest, math.Abs(x[i]))
			}
			if e := worst / ((c.a.RowSumNorm()+math.Abs(c.shift))*largest + 1); !(e < 1e-13) {
				t.Errorf("residual %g", e)
			}
		})
	}
}

// All bits are the same on one thread and on more, in strips and in parts.
func TestLDLTGivesTheSameBits(t *testing.T) {
	a := cliques(3000, 6, 14, 3)
	one, more := mustLDLT(t, a, -14, 1), mustLDLT(t, a, -14, 3)
	if one.symbolic.flops < parallelFlops || !one.numeric.factor.inParts {
		t.Fatal("the matrix is too small to show anything")
	}
	if !slices.Equal(one.numeric.factor.values.all(), more.numeric.factor.values.all()) || !slices.Equal(one.numeric.factor.pivots.order, more.numeric.factor.pivots.order) {
		t.Error("the factors differ")
	}
	x := make([]float64, a.Rows)
	blas.NewStream(1).Normals(x)
	y := slices.Clone(x)
	_, errOne := one.Solve(x, 1)
	_, errMore := more.Solve(y, 1)
	if errOne != nil || errMore != nil || !slices.Equal(x, y) {
		t.Error("the solutions differ", errOne, errMore)
	}
	if in, _ := one.Inertia(); in.Blocks == 0 || in.Negative == 0 {
		t.Errorf("%+v: no blocks of two pivots are among them", in)
	}
}

func TestLDLTTakesNewValues(t *testing.T) {
	random := blas.NewStream(8)
	a := saddle(t, 200, 90, 2, random)
	f := mustLDLT(t, a, 0, 1)
	b := rescaled(a)
	must.Do(t, f.UpdateValues(context.Background(), b, 0))
	x := make([]float64, a.Rows)
	random.Normals(x)
	if backward, err := f.Solve(x, 1); err != nil || !(backward < 1e-13) {
		t.Errorf("backward error %g, %v", backward, err)
	}
	if in, _ := f.Inertia(); in.Positive != 200 || in.Negative != 90 || in.Zero != 0 {
		t.Errorf("%v; a saddle point has as many of each sign as variables and constraints", in)
	}
	if !raceDetector {
		if n := testing.AllocsPerRun(5, func() { _ = f.UpdateValues(context.Background(), b, 0) }); n > 0 {
			t.Errorf("an update allocates %g times", n)
		}
	}
	if err := f.UpdateValues(context.Background(), adjacency(t, grid(17, false)), 0); err == nil {
		t.Error("another pattern is taken")
	}
}

func TestLDLTDeterminant(t *testing.T) {
	for name, c := range map[string]struct {
		a     *CSR
		shift float64
	}{"grid": {grid(9, true), -3}, "scaled": {rescaled(saddle(t, 40, 21, 2, blas.NewStream(3))), 0}} {
		f := mustLDLT(t, c.a, c.shift, 1)
		sign, logarithm, err := f.LogDet()
		full := c.a.Dense()
		for i := range c.a.Rows {
			full.Set(i, i, full.At(i, i)+c.shift)
		}
		wantLog, wantSign := logDetOf(full.RawMatrix().Data, c.a.Rows)
		if err != nil || sign != wantSign || math.Abs(logarithm-wantLog) > 1e-9*(1+math.Abs(wantLog)) {
			t.Errorf("%s: %g and %.15g, want %g and %.15g (%v)", name, sign, logarithm, wantSign, wantLog, err)
		}
	}
	singular := laplacian(grid(9, true))
	f := mustLDLT(t, singular, 0, 1)
	if in, _ := f.Inertia(); in.Zero != 1 || in.Negative != 0 {
		t.Errorf("a connected graph: %v", in)
	}
	if sign, logarithm, _ := f.LogDet(); sign != 0 || !math.IsInf(logarithm, -1) {
		t.Errorf("of a singular matrix: %g, %g", sign, logarithm)
	}
}

// logDetOf eliminates with interchanges of rows.
func logDetOf(a []float64, n int) (logarithm, sign float64) {
	sign = 1
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[p*n+k]) {
				p = i
			}
		}
		if p != k {
			sign = -sign
			for j := range n {
				a[k*n+j], a[p*n+j] = a[p*n+j], a[k*n+j]
			}
		}
		logarithm, sign = logarithm+math.Log(math.Abs(a[k*n+k])), sign*math.Copysign(1, a[k*n+k])
		for i := k + 1; i < n; i++ {
			f := a[i*n+k] / a[k*n+k]
			for j := k; j < n; j++ {
				a[i*n+j] -= f * a[k*n+j]
			}
		}
	}
	return logarithm, sign
}

func TestLDLTRefuses(t *testing.T) {
	a := grid(6, false)
	lopsided, infinite := *a, *a
	lopsided.Val, infinite.Val = slices.Clone(a.Val), slices.Clone(a.Val)
	lopsided.Val[1], infinite.Val[1] = 7, math.NaN()
	for says, call := range map[string]func() error{
		"is not symmetric":    func() error { _, err := NewLDLT(t.Context(), &lopsided, 0, CholeskyOptions{}); return err },
		"is NaN":              func() error { _, err := NewLDLT(t.Context(), &infinite, 0, CholeskyOptions{}); return err },
		"the shift is NaN":    func() error { _, err := NewLDLT(t.Context(), a, math.NaN(), CholeskyOptions{}); return err },
		"the LDLᵀ factor":     func() error { _, err := NewLDLT(t.Context(), a, 0, CholeskyOptions{Memory: 100}); return err },
		"5 numbers for 1":     func() error { _, err := mustLDLT(t, a, 0, 1).Solve(make([]float64, 5), 1); return err },
		"row 0 (counting fro": func() error { return mustLDLT(t, a, 0, 1).UpdateValues(t.Context(), grid(6, true), 0) },
	} {
		must.Refuse(t, says)(call())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewLDLT(ctx, a, 0, CholeskyOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Partners are each other's, joined by an entry; every row without a diagonal entry has one
// where a matching gives it one, and no search walks in a circle.
func TestPartnersAreMatched(t *testing.T) {
	random := blas.NewStream(4)
	for round := range 200 {
		n := 20 + random.Below(60)
		var lower []Triplet
		for i := range n {
			size := [...]float64{0, 1e-3, 1}[random.Below(3)]
			lower = append(lower, Triplet{i, i, size})
			for range 1 + random.Below(3) {
				if j := random.Below(n); j < i {
					lower = append(lower, Triplet{i, j, 0.5 + random.Uniform()})
				}
			}
		}
		a := fromPairs(t, n, lower)
		for i, j := range partners(a, 0, slices.Repeat([]float64{1}, n)) {
			if j != none && (int(partners(a, 0, slices.Repeat([]float64{1}, n))[j]) != i || a.At(i, int(j)) == 0) {
				t.Fatalf("round %d: row %d has partner %d", round, i, j)
			}
		}
	}
	a := saddle(t, 120, 110, 2, random)
	for i, j := range partners(a, 0, slices.Repeat([]float64{1}, a.Rows)) {
		if i >= 120 && j == none {
			t.Errorf("constraint %d has no partner", i-120)
		}
	}
}
