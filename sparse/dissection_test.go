package sparse

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
)

// cube is the side × side × side grid with 6 neighbours a point.
func cube(side int) *CSR {
	neighbors := make([][]int32, side*side*side)
	for i := range neighbors {
		for _, step := range []int{1, side, side * side} {
			if i/step%side+1 < side {
				neighbors[i] = append(neighbors[i], int32(i+step))
				neighbors[i+step] = append(neighbors[i+step], int32(i))
			}
		}
	}
	return fromNeighbors(neighbors, blas.NewStream(1))
}

// path is the path of n points.
func path(n int) *CSR {
	neighbors := make([][]int32, n)
	for i := 1; i < n; i++ {
		neighbors[i] = append(neighbors[i], int32(i-1))
		neighbors[i-1] = append(neighbors[i-1], int32(i))
	}
	return fromNeighbors(neighbors, blas.NewStream(1))
}

// clumps is count sets of size points, random and well connected within, with
// one entry between each set and the next.
func clumps(count, size int) *CSR {
	random := blas.NewStream(5)
	neighbors := make([][]int32, count*size)
	join := func(i, j int) {
		neighbors[i] = append(neighbors[i], int32(j))
		neighbors[j] = append(neighbors[j], int32(i))
	}
	for c := range count {
		for range 5 * size {
			join(c*size+random.Below(size), c*size+random.Below(size))
		}
		if c > 0 {
			join(c*size, c*size-1)
		}
	}
	return fromNeighbors(neighbors, random)
}

// sameStars is count stars of size points each: no star is a dense row, and no
// matching makes them much smaller.
func sameStars(count, size int) *CSR {
	neighbors := make([][]int32, count*size)
	for i := range neighbors {
		if hub := i - i%size; hub != i {
			neighbors[i] = append(neighbors[i], int32(hub))
			neighbors[hub] = append(neighbors[hub], int32(i))
		}
	}
	return fromNeighbors(neighbors, blas.NewStream(1))
}

// dissectedPatterns are regular, degenerate and random patterns, most of them
// large enough to be divided.
func dissectedPatterns() map[string]*CSR {
	random := blas.NewStream(11)
	return map[string]*CSR{
		"empty":        fromNeighbors(nil, random),
		"one":          fromNeighbors(make([][]int32, 1), random),
		"two":          path(2),
		"diagonal":     fromNeighbors(make([][]int32, 3000), random),
		"no entries":   withoutDiagonal(fromNeighbors(make([][]int32, 500), random)),
		"full":         star(400, 400),
		"arrow":        star(2000, 1),
		"three hubs":   star(3000, 3),
		"many hubs":    star(1000, 200),
		"stars":        sameStars(40, 60),
		"path":         path(5000),
		"disconnected": scattered(3000, 1, random),
		"sparse":       scattered(2000, 4, random),
		"heavier":      scattered(700, 60, random),
		"clumps":       clumps(7, 150),
		"grid":         grid(50, false),
		"cube":         cube(12),
		"no diagonal":  withoutDiagonal(grid(40, true)),
		"cliques":      cliques(2500, 2, 9, 5),
		"cliques 6":    cliques(1200, 6, 12, 5),
	}
}

func TestDissectionIsAPermutation(t *testing.T) {
	for name, a := range dissectedPatterns() {
		t.Run(name, func(t *testing.T) {
			perm, err := NestedDissection(context.Background(), a, 2)
			if err != nil {
				t.Fatal(err)
			}
			if err := isPermutation(perm, a.Rows); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDissectionOnDrawnPatterns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, seed := rapid.IntRange(0, 1200).Draw(t, "n"), rapid.Uint64().Draw(t, "seed")
		a := scattered(n, rapid.IntRange(0, 12).Draw(t, "per row"), blas.NewStream(seed))
		if n == 0 {
			a = fromNeighbors(nil, blas.NewStream(seed))
		}
		perm, err := NestedDissection(context.Background(), a, rapid.IntRange(1, 3).Draw(t, "threads"))
		if err != nil {
			t.Fatal(err)
		}
		if err := isPermutation(perm, n); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDissectionDoesNotDependOnThreads(t *testing.T) {
	for name, a := range map[string]*CSR{"cliques": cliques(12000, 2, 8, 3), "clumps": clumps(20, 400)} {
		want, err := NestedDissection(context.Background(), a, 1)
		if err != nil {
			t.Fatal(err)
		}
		counts := []int{0, 1, 2, 3, 8}
		if testing.Short() { // under the race detector
			counts = []int{3}
		}
		for _, threads := range counts {
			got, err := NestedDissection(context.Background(), a, threads)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: another order with %d threads", name, threads)
			}
		}
	}
}

func dissectedFill(t *testing.T, a *CSR) (dissection, minimum *elimination) {
	t.Helper()
	perm, err := NestedDissection(context.Background(), a, 1)
	if err != nil {
		t.Fatal(err)
	}
	return eliminate(a, perm, ByDissection), eliminate(a, MinimumDegree(a), ByMinimumDegree)
}

// The 5-point grid of 150 × 150 points has 5.1e5 entries with this dissection,
// 5.3e5 with minimum degree. The bound leaves a tenth for other luck.
func TestDissectionOfAGrid(t *testing.T) {
	if d, _ := dissectedFill(t, grid(150, false)); d.entries > 560_000 {
		t.Errorf("%d entries of L", d.entries)
	}
}

// What dissection is for. The bounds on its flops, as a share of those of minimum
// degree, are a tenth above what was measured; the advantage grows with size.
func TestDissectionSavesFlops(t *testing.T) {
	cases := map[string]struct {
		a     *CSR
		ratio float64
	}{
		"cube":      {cube(20), 0.95},
		"cliques 3": {cliques(6000, 3, 12, 5), 0.75},
		"cliques 6": {cliques(3000, 6, 12, 5), 0.95},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d, m := dissectedFill(t, c.a)
			t.Logf("%.3g flops, minimum degree %.3g", d.flops, m.flops)
			if d.flops > c.ratio*m.flops {
				t.Errorf("%.3g flops, minimum degree has %.3g; want at most %.2f of that", d.flops, m.flops, c.ratio)
			}
		})
	}
}

// Without separators there would be no fill in these. On the path every pivot has
// at most two rows after it, whatever the order; the rest stay near trees.
func TestDissectionWithHardlyAnyFill(t *testing.T) {
	cases := map[string]struct {
		a    *CSR
		most int64
	}{
		"arrow":    {star(5000, 1), 2*5000 - 1},
		"stars":    {sameStars(50, 60), 2 * 3000},
		"diagonal": {fromNeighbors(make([][]int32, 900), blas.NewStream(1)), 900},
		"path":     {path(5000), 3 * 5000},
	}
	for name, c := range cases {
		if d, _ := dissectedFill(t, c.a); d.entries > c.most {
			t.Errorf("%s: %d entries of L, want at most %d", name, d.entries, c.most)
		}
	}
}

// lateContext is cancelled when it has been asked so many times.
type lateContext struct {
	context.Context
	left atomic.Int64
}

func (c *lateContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestDissectionStopsWhenCancelled(t *testing.T) {
	a := cliques(3000, 2, 8, 3)
	for asked := range 60 {
		if testing.Short() && asked%6 > 0 {
			continue
		}
		ctx := &lateContext{Context: context.Background()}
		ctx.left.Store(int64(asked))
		if _, err := NestedDissection(ctx, a, 1+asked%3); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want %v, when cancelled after being asked %d times", err, context.Canceled, asked)
		}
	}
}

func TestDissectionRefusesBadPatterns(t *testing.T) {
	a := &CSR{Rows: 2, Cols: 2, Ptr: []int{0, 2, 3}, Col: []int32{0, 1, 1}, Val: []float64{1, 1, 1}}
	if _, err := NestedDissection(context.Background(), a, 1); err == nil {
		t.Error("no error for an upper triangle")
	}
}

func TestAnalyzeOrdered(t *testing.T) {
	ctx, kernels := context.Background(), blas.MustSelect("gonum")
	a := cube(14)
	for ordering, name := range map[Ordering]string{ByMinimumDegree: "minimum degree", ByDissection: "nested dissection", Best: "minimum degree"} {
		s, err := AnalyzeOrdered(ctx, a, ordering, 1)
		if err != nil {
			t.Fatal(err)
		}
		if s.Ordering() != name {
			t.Errorf("%v of few flops: %q, want %q", ordering, s.Ordering(), name)
		}
		f, err := s.Factor(ctx, kernels, 1, a, 0)
		if err != nil {
			t.Fatal(err)
		}
		x, b := make([]float64, a.Rows), make([]float64, a.Rows)
		blas.NewStream(4).Normals(x)
		for i := range a.Rows {
			cols, vals := a.Row(i)
			for p, j := range cols {
				b[i] += vals[p] * x[j]
			}
		}
		f.Solve(b, 1, nil)
		for i := range x { // the diagonal dominates: condition numbers are in the tens
			if d := b[i] - x[i]; d > 1e-11 || d < -1e-11 {
				t.Fatalf("%v: entry %d of the solution is off by %g", ordering, i, d)
			}
		}
	}
	if _, err := AnalyzeOrdered(ctx, a, Best+1, 1); err == nil {
		t.Error("no error for an ordering that does not exist")
	}
}

func TestBestHasFewestFlops(t *testing.T) {
	ctx := context.Background()
	for name, a := range map[string]*CSR{"cube": cube(14), "grid": grid(20, false), "arrow": star(600, 1), "clumps": clumps(4, 200)} {
		best, err := analyzeOrdered(ctx, a, Best, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, m := dissectedFill(t, a)
		if want := min(d.flops, m.flops); best.Flops() != want {
			t.Errorf("%s: %g flops, want %g", name, best.Flops(), want)
		}
		if byDissection := best.Ordering() == "nested dissection"; byDissection != (d.flops < m.flops) {
			t.Errorf("%s: %s is called best with %g flops of dissection and %g of minimum degree", name, best.Ordering(), d.flops, m.flops)
		}
	}
}

func BenchmarkNestedDissection(b *testing.B) {
	for _, c := range benchPatterns {
		b.Run(c.name, func(b *testing.B) {
			a := c.make()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NestedDissection(context.Background(), a, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
