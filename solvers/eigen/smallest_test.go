package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// laplacian builds D − W of a weighted graph from its edges.
func laplacian(t testing.TB, n int, edges [][2]int) *sparse.CSR {
	var entries []sparse.Triplet
	for _, e := range edges {
		entries = append(entries, sparse.Triplet{Row: e[0], Col: e[0], Val: 1}, sparse.Triplet{Row: e[1], Col: e[1], Val: 1},
			sparse.Triplet{Row: e[0], Col: e[1], Val: -1}, sparse.Triplet{Row: e[1], Col: e[0], Val: -1})
	}
	a := must.Get(sparse.FromTriplets(n, n, entries))(t)
	return a
}

// torus joins every point of a side^dims grid to its neighbours, around the
// edges: its Laplacian has eigenvalues Σ 2 − 2cos(2πjᵢ/side), each repeated.
func torus(t testing.TB, side, dims int) (*sparse.CSR, []float64) {
	n := 1
	for range dims {
		n *= side
	}
	var edges [][2]int
	values := make([]float64, n)
	for i := range n {
		step := 1
		for range dims {
			at := i / step % side
			edges = append(edges, [2]int{i, i - at*step + (at+1)%side*step})
			values[i] += 2 - 2*math.Cos(2*math.Pi*float64(at)/float64(side))
			step *= side
		}
	}
	slices.Sort(values)
	return laplacian(t, n, edges), values
}

func ones(n int) []float64 { return slices.Repeat([]float64{1 / math.Sqrt(float64(n))}, n) }

// checkPairs asserts what must hold of any result where the spectrum is known to rounding.
func checkPairs(t *testing.T, a *sparse.CSR, null [][]float64, e *Eigen, want []float64, next float64) {
	t.Helper()
	checkPencil(t, a, nil, null, e, want, next)
	norm := a.RowSumNorm()
	for j, v := range append(slices.Clone(want), next) {
		if got := append(slices.Clone(e.Values), e.Next)[j]; math.IsNaN(v) != math.IsNaN(got) || math.Abs(got-v) > 1e-12*norm && j < len(want) || math.Abs(got-v) > 1e-9*norm {
			t.Errorf("eigenvalue %d is %.16g, want %.16g", j, got, v)
		}
	}
}

func TestSmallestKnownSpectra(t *testing.T) {
	for _, c := range []struct{ side, dims, count int }{
		{12, 2, 4},   // dense: order 144
		{40, 2, 2},   // one pair of a fourfold eigenvalue's
		{40, 2, 4},   // exactly the four copies
		{40, 2, 9},   // through several clusters
		{9, 3, 6},    // sixfold, with a block of eight
		{5, 4, 8},    // eightfold: as many copies as the block holds
		{4, 5, 10},   // tenfold: more copies than the block holds
		{4, 5, 9},    // cutting that cluster
		{3, 6, 12},   // twelvefold
		{40, 1, 5},   // dense: order 40
		{300, 1, 5},  // pairs, small against |A|
		{15, 2, 60},  // dense: over a quarter of the spectrum
		{20, 2, 90},  // many pairs, still Lanczos
		{15, 2, 224}, // all that there are
	} {
		t.Run(fmt.Sprintf("side=%d/dims=%d/count=%d", c.side, c.dims, c.count), func(t *testing.T) {
			a, values := torus(t, c.side, c.dims)
			null := [][]float64{ones(a.Rows)}
			next := math.NaN()
			if c.count+1 < len(values) {
				next = values[c.count+1]
			}
			e := must.Get(Smallest(context.Background(), a, null, c.count, Options{Seed: 1}))(t)
			checkPairs(t, a, null, e, values[1:c.count+1], next)
		})
	}
}

// Products alone, on graphs whose wanted eigenvalues are not tiny: thick-restart
// Lanczos and, for many pairs, the filtered block.
func TestSmallestByProducts(t *testing.T) {
	for _, c := range []struct {
		side, dims, count int
		solver            string
	}{
		{30, 2, 2, "lanczos"}, {30, 2, 4, "lanczos"}, {9, 3, 6, "lanczos"}, {4, 5, 10, "lanczos"}, {3, 6, 12, "lanczos"}, {5, 4, 20, "lanczos"},
		{9, 3, 32, "chebyshev-filtered block"}, {20, 2, 60, "chebyshev-filtered block"},
	} {
		t.Run(fmt.Sprintf("side=%d/dims=%d/count=%d", c.side, c.dims, c.count), func(t *testing.T) {
			a, values := torus(t, c.side, c.dims)
			null := [][]float64{ones(a.Rows)}
			p := &problem{a: a, n: a.Rows, null: null, count: c.count, wanted: c.count + 1, norm: a.RowSumNorm()}
			p.Options = Options{Kernels: blas.MustSelect(""), Seed: 1, Progress: func(float64) {}, Planned: func(Plan) {}}
			p.plan.Solver, p.plan.Reason = "lanczos", "the test asks for it"
			e := must.Get(p.products(context.Background()))(t)
			p.finish(e)
			checkPairs(t, a, null, e, values[1:c.count+1], values[c.count+1])
			if e.Plan.Solver != c.solver || e.Products == 0 || e.Solves != 0 {
				t.Errorf("%s with %d products, %d solves", e.Plan.Solver, e.Products, e.Solves)
			}
		})
	}
}

// The choice of a solver: what the rules say, and that a probe which fails leaves
// the problem to a factorisation.
func TestSmallestChoosesASolver(t *testing.T) {
	ring, _ := torus(t, 3000, 1) // λ₂ is 1e-6 of the bound: hopeless for products
	cube, _ := torus(t, 3, 7)    // λ₂ is a quarter of it
	for _, c := range []struct {
		name   string
		a      *sparse.CSR
		o      Options
		solver string
	}{
		{"plain", cube, Options{}, "shift-invert lanczos"},
		{"an expander's Laplacian", cube, Options{Laplacian: true, Columns: 50}, "lanczos"},
		{"the Laplacian of a curve in many columns", ring, Options{Laplacian: true, Columns: 50}, "shift-invert lanczos"},
		{"a Laplacian beyond memory", cube, Options{Laplacian: true, Columns: 2, Memory: 3 << 20}, "block davidson"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plans := 0
			c.o.Planned = func(Plan) { plans++ }
			e := must.Get(Smallest(context.Background(), c.a, [][]float64{ones(c.a.Rows)}, 2, c.o))(t)
			if !e.Converged {
				t.Error("not converged")
			}
			if e.Plan.Solver != c.solver {
				t.Errorf("solved by %q, want %q", e.Plan.Solver, c.solver)
			}
			if plans == 0 {
				t.Error("the plan was not reported")
			}
			if e.Plan.Reason == "" {
				t.Errorf("no reason for %+v", e.Plan)
			}
			if !(e.Angle < 1e-6) && e.Next > e.Values[1]*(1+1e-6) {
				t.Errorf("estimated angle %g", e.Angle)
			}
		})
	}
}

// Two components and only the constant deflated: the other null vector is a
// result like any other, and orthogonal to the constant.
func TestSmallestFindsFurtherNullVectors(t *testing.T) {
	for _, half := range []int{60, 400} {
		var edges [][2]int
		for i := range 2*half - 1 {
			if i != half-1 {
				edges = append(edges, [2]int{i, i + 1})
			}
		}
		a := laplacian(t, 2*half, edges)
		null := [][]float64{ones(2 * half)}
		e := must.Get(Smallest(context.Background(), a, null, 3, Options{Seed: 1}))(t)
		path := func(j int) float64 { return 2 - 2*math.Cos(math.Pi*float64(j)/float64(half)) }
		checkPairs(t, a, null, e, []float64{0, path(1), path(1)}, path(2))
		for i, v := range e.Vectors[0] {
			if math.Abs(math.Abs(v)-null[0][0]) > 1e-9 {
				t.Fatalf("half=%d: entry %d of the null vector is %g", half, i, v)
			}
		}
	}
}

func TestSmallestRefuses(t *testing.T) {
	a, _ := torus(t, 20, 2)
	null := [][]float64{ones(400)}
	for _, count := range []int{0, -1, 400, 1000} {
		if _, err := Smallest(context.Background(), a, null, count, Options{}); err == nil {
			t.Errorf("count %d was accepted", count)
		}
	}
	var refusal *MemoryError
	if _, err := Smallest(context.Background(), a, null, 2, Options{Memory: 1000}); !errors.As(err, &refusal) || refusal.Need <= 1000 {
		t.Errorf("a limit of 1000 bytes gave %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Smallest(ctx, a, null, 2, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	a.Val[5] = math.NaN()
	if _, err := Smallest(context.Background(), a, null, 2, Options{}); err == nil {
		t.Error("a matrix with NaN was accepted")
	}
}

func TestSmallestLeavesNothingBehind(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 50
	}
	a, _ := torus(t, 18, 2)
	null := [][]float64{ones(a.Rows)}
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	solve := func(times int) {
		for range times {
			must.Get(Smallest(context.Background(), a, null, 2, Options{}))(t)
		}
	}
	solve(10) // fills the pools
	goroutines, before := runtime.NumGoroutine(), heap()
	solve(runs)
	// A busy machine may take its time before it runs a worker's last instructions.
	for limit := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatalf("%d goroutines before, %d after", goroutines, runtime.NumGoroutine())
		}
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d bytes before, %d after %d solves", before, after, runs)
	}
}

func BenchmarkSmallest(b *testing.B) {
	for _, side := range []int{50, 150} {
		a, _ := torus(b, side, 2)
		b.Run(fmt.Sprintf("torus/n=%d", a.Rows), func(b *testing.B) {
			for b.Loop() {
				if _, err := Smallest(context.Background(), a, [][]float64{ones(a.Rows)}, 2, Options{Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
