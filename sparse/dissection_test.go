package sparse

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
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
			perm := must.Get(NestedDissection(context.Background(), a, 2))(t)
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
		perm := must.Get(NestedDissection(context.Background(), a, rapid.IntRange(1, 3).Draw(t, "threads")))(t)
		must.Do(t, isPermutation(perm, n))
	})
}

func TestDissectionDoesNotDependOnThreads(t *testing.T) {
	for name, a := range map[string]*CSR{"cliques": cliques(12000, 2, 8, 3), "clumps": clumps(20, 400)} {
		want := must.Get(NestedDissection(context.Background(), a, 1))(t)
		counts := []int{0, 1, 2, 3, 8}
		if testing.Short() { // under the race detector
			counts = []int{3}
		}
		for _, threads := range counts {
			got := must.Get(NestedDissection(context.Background(), a, threads))(t)
			if !slices.Equal(got, want) {
				t.Errorf("%s: another order with %d threads", name, threads)
			}
		}
	}
}

func dissectedFill(t *testing.T, a *CSR) (dissection, minimum *elimination) {
	t.Helper()
	perm := must.Get(NestedDissection(context.Background(), a, 1))(t)
	return eliminate(a, perm, ByDissection), eliminate(a, MinimumDegree(a), ByMinimumDegree)
}

// The 5-point grid of 150 × 150 points has 5.1e5 entries with this dissection,
// 5.3e5 with minimum degree. The bound leaves a tenth for other luck.
func TestDissectionOfAGrid(t *testing.T) {
	if d, _ := dissectedFill(t, grid(150, false)); d.entries > 560_000 {
		t.Errorf("%d entries of L", d.entries)
	}
}

// The purpose of dissection. The bounds on its flops, relative to the flops of minimum degree, are
// a tenth above the measured ratios; the advantage grows with size.
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

// lateContext is cancelled when it has been asked this many times.
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
		s := must.Get(AnalyzeOrdered(ctx, a, ordering, 1))(t)
		if s.Ordering() != name {
			t.Errorf("%v of few flops: %q, want %q", ordering, s.Ordering(), name)
		}
		f := must.Get(s.Factor(ctx, kernels, 1, a, 0))(t)
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
		best := must.Get(analyzeOrdered(ctx, a, Best, 1, 0))(t)
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

// inflate replaces point i of a pattern by copies[i] points with all entries
// among them, and renumbers all of them at random. of is the point from which each came.
func inflate(a *CSR, copies []int, random *blas.Stream) (big *CSR, of []int32) {
	var slots []int32
	for i, c := range copies {
		slots = append(slots, slices.Repeat([]int32{int32(i)}, c)...)
	}
	for k := len(slots) - 1; k > 0; k-- {
		j := random.Below(k + 1)
		slots[k], slots[j] = slots[j], slots[k]
	}
	members := make([][]int32, a.Rows)
	for k, i := range slots {
		members[i] = append(members[i], int32(k))
	}
	neighbors := make([][]int32, len(slots))
	for k, i := range slots {
		neighbors[k] = append(neighbors[k], members[i]...)
		cols, _ := a.Row(int(i))
		for _, j := range cols {
			neighbors[k] = append(neighbors[k], members[j]...)
		}
		slices.Sort(neighbors[k])
		neighbors[k] = slices.Compact(neighbors[k])
	}
	return fromNeighbors(neighbors, random), slots
}

// closed returns the columns of row i and i itself.
func closed(a *CSR, i int) []int32 {
	cols, _ := a.Row(i)
	all := append(slices.Clone(cols), int32(i))
	slices.Sort(all)
	return slices.Compact(all)
}

func TestCompressionJoinsTwinsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := symmetricPattern(t)
		copies := make([]int, a.Rows)
		for i := range copies {
			copies[i] = rapid.IntRange(1, 3).Draw(t, "copies")
		}
		big, _ := inflate(a, copies, blas.NewStream(rapid.Uint64().Draw(t, "seed")))
		if rapid.Bool().Draw(t, "no diagonal") {
			big = withoutDiagonal(big)
		}
		c := compress(big)
		weights := make([]int32, c.n)
		for i := range big.Rows {
			if c.vertex[i] == none {
				if len(closed(big, i))-1 <= denseRow(big.Rows) {
					t.Fatalf("row %d is not dense and has no vertex", i)
				}
				continue
			}
			weights[c.vertex[i]]++
			for j := range i {
				if c.vertex[j] == none {
					continue
				}
				twins := slices.Equal(closed(big, i), closed(big, j))
				if joined := c.vertex[i] == c.vertex[j]; joined != twins {
					t.Fatalf("rows %d and %d: twins %v, one vertex %v", i, j, twins, joined)
				}
			}
		}
		if !slices.Equal(weights, c.vw) {
			t.Fatalf("weights %v, want %v", c.vw, weights)
		}
		checkGraph(t, &c.graph)
		for v := range int32(c.n) { // the neighbours agree with the rows
			var want []int32
			for _, j := range closed(big, int(c.first[v])) {
				if u := c.vertex[j]; u != v && u != none {
					want = append(want, u)
				}
			}
			slices.Sort(want)
			got := slices.Sorted(slices.Values(c.neighbors(v)))
			if !slices.Equal(got, slices.Compact(want)) {
				t.Fatalf("vertex %d has neighbours %v, want %v", v, got, want)
			}
		}
	})
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// checkGraph wants lists without loops or repeats, each edge in both lists with
// one weight, and the right total.
func checkGraph(t fataler, g *graph) {
	t.Helper()
	weight := map[[2]int32]int32{}
	total := int32(0)
	for v := range int32(g.n) {
		total += g.vw[v]
		for p := g.ptr[v]; p < g.ptr[v+1]; p++ {
			u := g.adj[p]
			if u == v || weight[[2]int32{v, u}] != 0 {
				t.Fatalf("vertex %d has neighbour %d, itself or for the second time", v, u)
			}
			weight[[2]int32{v, u}] = g.ew[p]
		}
	}
	for e, x := range weight {
		if x <= 0 || weight[[2]int32{e[1], e[0]}] != x {
			t.Fatalf("edge %v has weights %d and %d", e, x, weight[[2]int32{e[1], e[0]}])
		}
	}
	if total != g.total || len(g.ptr) != g.n+1 || int(g.ptr[g.n]) != len(g.adj) || len(g.adj) != len(g.ew) {
		t.Fatalf("a graph of weight %d that says %d, lists of %d and %d", total, g.total, len(g.adj), len(g.ew))
	}
}

func TestCoarseningContractsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := blas.NewStream(rapid.Uint64().Draw(t, "seed"))
		n := rapid.IntRange(1, 150).Draw(t, "n")
		g := weighted(scattered(n, rapid.IntRange(0, 8).Draw(t, "per row"), random), 5, random)
		heaviest := rapid.Int32Range(1, 12).Draw(t, "heaviest")
		w := &workspace{ctx: context.Background()}
		coarse, into := w.coarsen(g, heaviest, random)
		checkGraph(t, coarse)
		count, weight := make([]int, coarse.n), make([]int32, coarse.n)
		for v, c := range into {
			count[c]++
			weight[c] += g.vw[v]
		}
		between := map[[2]int32]int32{}
		for v := range int32(g.n) {
			for p := g.ptr[v]; p < g.ptr[v+1]; p++ {
				if e := [2]int32{into[v], into[g.adj[p]]}; e[0] != e[1] {
					between[e] += g.ew[p]
				}
			}
		}
		for c := range int32(coarse.n) {
			if count[c] < 1 || count[c] > 2 || weight[c] != coarse.vw[c] || count[c] == 2 && weight[c] > heaviest {
				t.Fatalf("coarse vertex %d: %d vertices of weight %d, says %d", c, count[c], weight[c], coarse.vw[c])
			}
			for p := coarse.ptr[c]; p < coarse.ptr[c+1]; p++ {
				if want := between[[2]int32{c, coarse.adj[p]}]; coarse.ew[p] != want {
					t.Fatalf("coarse edge %d–%d of weight %d, want %d", c, coarse.adj[p], coarse.ew[p], want)
				}
			}
		}
		if len(between) != len(coarse.adj) {
			t.Fatalf("%d entries, want %d", len(coarse.adj), len(between))
		}
	})
}

// A matching along edges would shrink stars of 60 points by one in 60.
func TestStarsAndIsolatedPointsShrink(t *testing.T) {
	for name, a := range map[string]*CSR{"stars": sameStars(40, 60), "isolated": fromNeighbors(make([][]int32, 2400), blas.NewStream(1))} {
		g := &compress(a).graph
		w := &workspace{ctx: context.Background()}
		if coarse, _ := w.coarsen(g, 4, blas.NewStream(1)); coarse.n > 6*g.n/10 {
			t.Errorf("%s: %d vertices became %d", name, g.n, coarse.n)
		}
	}
}

// With one stage the order is the order of minimum degree; with several, each step
// eliminates a row of the earliest stage that is left, and along with it only
// rows that make no fill after it, whatever their stage.
func TestStagesAreKept(t *testing.T) {
	a := cliques(1500, 2, 9, 5)
	got := must.Get(stagedMinimumDegree(context.Background(), a, make([]int32, a.Rows)))(t)
	if !slices.Equal(got, MinimumDegree(a)) {
		t.Error("one stage gives another order than none")
	}
	rapid.Check(t, func(t *rapid.T) {
		random := blas.NewStream(rapid.Uint64().Draw(t, "seed"))
		n := rapid.IntRange(1, 150).Draw(t, "n")
		a := scattered(n, rapid.IntRange(0, 8).Draw(t, "per row"), random)
		stage := make([]int32, n)
		for i := range stage {
			stage[i] = int32(random.Below(min(n, 4)))
		}
		g := newQuotientGraph(a)
		g.impose(slices.Clone(stage))
		exact := newEliminationGraph(a)
		isolated := slices.Clone(g.pivots)
		for _, i := range isolated {
			exact.eliminate(i)
		}
		for g.left > 0 {
			me := g.nextPivot()
			first := me
			for i := range exact.rows { // the rows that were merged into me have its structure
				if g.standsFor(i) == me && stage[i] < stage[first] {
					first = i
				}
			}
			for i := range exact.rows {
				if stage[i] < stage[first] {
					t.Fatalf("row %d of stage %d before row %d of stage %d", first, stage[first], i, stage[i])
				}
			}
			exact.eliminate(first)
			g.eliminate(me)
			for i := range exact.rows {
				if g.elements[g.standsFor(i)] == isElement {
					if fill := exact.eliminate(i); fill > 0 {
						t.Fatalf("row %d, eliminated along with %d, makes %d entries of fill", i, first, fill)
					}
				}
			}
		}
		perm := g.order()
		must.Do(t, isPermutation(perm, n))
		if got := eliminate(a, perm, 0).entries; got > exact.entries {
			t.Fatalf("%d entries of L, %d step by step", got, exact.entries)
		}
	})
}

// eliminationGraph is the elimination graph to the letter: the neighbours of
// every row that is left, with all fill.
type eliminationGraph struct {
	rows    map[int32]map[int32]bool
	entries int64 // of L, the diagonal included
}

func newEliminationGraph(a *CSR) *eliminationGraph {
	g := &eliminationGraph{rows: map[int32]map[int32]bool{}}
	for i := range int32(a.Rows) {
		g.rows[i] = map[int32]bool{}
		cols, _ := a.Row(int(i))
		for _, j := range cols {
			if j != i {
				g.rows[i][j] = true
			}
		}
	}
	return g
}

// eliminate takes row i out and returns how many edges that adds.
func (g *eliminationGraph) eliminate(i int32) (fill int) {
	neighbors := g.rows[i]
	g.entries += 1 + int64(len(neighbors))
	delete(g.rows, i)
	for x := range neighbors {
		delete(g.rows[x], i)
		for y := range neighbors {
			if x < y && !g.rows[x][y] {
				g.rows[x][y], g.rows[y][x] = true, true
				fill++
			}
		}
	}
	return fill
}
