package sparse

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
)

// inflate replaces point i of a pattern by copies[i] points with all entries
// among them, and renumbers all of them at random. of tells the point that each
// came from.
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
		for v := range int32(c.n) { // the neighbours are those of the rows
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

// With one stage the order is that of minimum degree; with several, each step
// eliminates a row of the earliest stage that is left, and along with it only
// rows that make no fill after it, whatever their stage.
func TestStagesAreKept(t *testing.T) {
	a := cliques(1500, 2, 9, 5)
	got, err := stagedMinimumDegree(context.Background(), a, make([]int32, a.Rows))
	if err != nil {
		t.Fatal(err)
	}
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
		if err := isPermutation(perm, n); err != nil {
			t.Fatal(err)
		}
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
