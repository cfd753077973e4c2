package sparse

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// isPermutation reports whether perm holds every index below n once.
func isPermutation(perm []int32, n int) error {
	if len(perm) != n {
		return fmt.Errorf("%d indices for order %d", len(perm), n)
	}
	seen := make([]bool, n)
	for _, i := range perm {
		if i < 0 || int(i) >= n || seen[i] {
			return fmt.Errorf("index %d is outside or repeated", i)
		}
		seen[i] = true
	}
	return nil
}

// withoutDiagonal drops the diagonal entries from a pattern.
func withoutDiagonal(a *CSR) *CSR {
	b := &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, a.Rows+1)}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			if int(j) != i {
				b.Col, b.Val = append(b.Col, j), append(b.Val, vals[p])
			}
		}
		b.Ptr[i+1] = len(b.Col)
	}
	return b
}

// star joins some hubs to every other point.
func star(n, hubs int) *CSR {
	neighbors := make([][]int32, n)
	for h := range min(hubs, n) {
		for i := range n {
			neighbors[h] = append(neighbors[h], int32(i))
			neighbors[i] = append(neighbors[i], int32(h))
		}
	}
	return fromNeighbors(neighbors, blas.NewStream(3))
}

func TestMinimumDegreeIsAPermutation(t *testing.T) {
	random := blas.NewStream(11)
	cases := map[string]*CSR{
		"empty":        fromNeighbors(nil, random),
		"one":          fromNeighbors(make([][]int32, 1), random),
		"diagonal":     fromNeighbors(make([][]int32, 50), random),
		"no entries":   withoutDiagonal(fromNeighbors(make([][]int32, 50), random)),
		"full":         star(40, 40),
		"full, dense":  star(400, 400), // every row counts as dense
		"arrow":        star(2000, 1),
		"three hubs":   star(3000, 3),
		"disconnected": scattered(3000, 1, random),
		"sparse":       scattered(2000, 4, random),
		"heavier":      scattered(500, 60, random),
		"grid":         grid(30, false),
		"no diagonal":  withoutDiagonal(grid(30, true)),
		"cliques":      cliques(1500, 2, 9, 5),
	}
	for name, a := range cases {
		t.Run(name, func(t *testing.T) {
			if err := isPermutation(MinimumDegree(a), a.Rows); err != nil {
				t.Error(err)
			}
		})
	}
}

// symmetricPattern draws a pattern of up to 40 points, where rows may be empty
// and diagonal entries absent.
func symmetricPattern(t *rapid.T) *CSR {
	n := rapid.IntRange(0, 40).Draw(t, "n")
	if n == 0 {
		return fromNeighbors(nil, blas.NewStream(0))
	}
	index := rapid.IntRange(0, n-1)
	edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
		return [2]int{index.Draw(t, "i"), index.Draw(t, "j")}
	}), 0, 4*n).Draw(t, "edges")
	neighbors := make([][]int32, n)
	for _, e := range edges {
		neighbors[e[0]] = append(neighbors[e[0]], int32(e[1]))
		neighbors[e[1]] = append(neighbors[e[1]], int32(e[0]))
	}
	a := fromNeighbors(neighbors, blas.NewStream(uint64(len(edges))))
	if rapid.Bool().Draw(t, "bare") {
		return withoutDiagonal(a)
	}
	return a
}

func TestMinimumDegreeOnDrawnPatterns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := symmetricPattern(t)
		must.Do(t, isPermutation(MinimumDegree(a), a.Rows))
	})
}

// exactMinimumDegree is the plain algorithm on the explicit elimination graph;
// it returns the fill of its order, diagonal included.
func exactMinimumDegree(a *CSR) int64 {
	n := a.Rows
	adjacent := make([]map[int32]bool, n)
	for i := range adjacent {
		adjacent[i] = map[int32]bool{}
		cols, _ := a.Row(i)
		for _, j := range cols {
			if int(j) != i {
				adjacent[i][j] = true
			}
		}
	}
	gone := make([]bool, n)
	var entries int64
	for range n {
		me := -1
		for i := range n {
			if !gone[i] && (me < 0 || len(adjacent[i]) < len(adjacent[me])) {
				me = i
			}
		}
		gone[me] = true
		entries += int64(len(adjacent[me])) + 1
		for i := range adjacent[me] {
			delete(adjacent[i], int32(me))
			for j := range adjacent[me] {
				if i != j {
					adjacent[i][j] = true
				}
			}
		}
	}
	return entries
}

func entriesOf(t *testing.T, a *CSR) int64 {
	t.Helper()
	s := must.Get(Analyze(context.Background(), a))(t)
	return s.Entries()
}

// Approximate degrees cost some fill against exact ones, or save some by the
// luck of ties: a few per cent either way. 15 % is far from either a broken
// degree update, which costs a factor, or a broken count.
func TestFillIsCloseToExactMinimumDegree(t *testing.T) {
	random := blas.NewStream(29)
	cases := map[string]*CSR{
		"grid":      grid(24, false),
		"grid 9":    grid(24, true),
		"cliques":   cliques(600, 2, 8, 7),
		"cliques 3": cliques(500, 3, 10, 7),
		"scattered": scattered(400, 4, random),
		"arrow":     star(300, 1),
	}
	for name, a := range cases {
		t.Run(name, func(t *testing.T) {
			got, exact := float64(entriesOf(t, a)), float64(exactMinimumDegree(a))
			if got > 1.15*exact {
				t.Errorf("%g entries of L, exact minimum degree has %g", got, exact)
			}
		})
	}
}

// Published orderings give about 2.2e5 entries on the 5-point grid of 100 × 100
// points, the natural order 1e6.
func TestFillOnGrids(t *testing.T) {
	if got := entriesOf(t, grid(100, false)); got > 250_000 {
		t.Errorf("5-point grid: %d entries of L", got)
	}
	if got := entriesOf(t, grid(100, true)); got > 400_000 {
		t.Errorf("9-point grid: %d entries of L", got)
	}
}

func TestArrowHasNoFill(t *testing.T) {
	a := star(5000, 1)
	if got, want := entriesOf(t, a), int64(2*5000-1); got != want {
		t.Errorf("%d entries of L, an arrow has %d without fill", got, want)
	}
}

func TestReserveClosesGaps(t *testing.T) {
	a := cliques(800, 2, 8, 3)
	want := MinimumDegree(a)
	g := newQuotientGraph(a)
	// The least room with which the algorithm can do: gaps are closed all the time.
	g.lists = g.lists[:g.free+a.Rows/2]
	for g.left > 0 {
		g.eliminate(g.nextPivot())
	}
	for k, i := range g.order() {
		if want[k] != i {
			t.Fatalf("pivot %d is %d with little room and %d with much", k, i, want[k])
		}
	}
}

func TestStampsStartAnew(t *testing.T) {
	a := cliques(800, 2, 8, 3)
	want := MinimumDegree(a)
	g := newQuotientGraph(a)
	for k := 0; g.left > 0; k++ {
		if k%7 == 0 {
			g.flag = 1<<31 - 1 - 2*int32(a.Rows) - 2
		}
		g.eliminate(g.nextPivot())
	}
	for k, i := range g.order() {
		if want[k] != i {
			t.Fatalf("pivot %d is %d after an overflow and %d without", k, i, want[k])
		}
	}
}

func TestAnalyzeRefusesBadPatterns(t *testing.T) {
	cases := map[string]*CSR{
		"not square":    {Rows: 2, Cols: 3, Ptr: []int{0, 0, 0}},
		"upper only":    {Rows: 2, Cols: 2, Ptr: []int{0, 2, 3}, Col: []int32{0, 1, 1}, Val: []float64{1, 1, 1}},
		"lower only":    {Rows: 2, Cols: 2, Ptr: []int{0, 1, 3}, Col: []int32{0, 0, 1}, Val: []float64{1, 1, 1}},
		"unsorted":      {Rows: 2, Cols: 2, Ptr: []int{0, 2, 4}, Col: []int32{1, 0, 0, 1}, Val: []float64{1, 1, 1, 1}},
		"outside":       {Rows: 2, Cols: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 2}, Val: []float64{1, 1}},
		"short":         {Rows: 2, Cols: 2, Ptr: []int{0, 1}, Col: []int32{0}, Val: []float64{1}},
		"decreasing":    {Rows: 2, Cols: 2, Ptr: []int{0, 3, 2}, Col: []int32{0, 1}, Val: []float64{1, 1}},
		"mirrored once": {Rows: 3, Cols: 3, Ptr: []int{0, 1, 2, 3}, Col: []int32{1, 2, 0}, Val: []float64{1, 1, 1}},
	}
	for name, a := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := Analyze(context.Background(), a); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestAnalyzeStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Analyze(ctx, grid(10, false)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// externalDegree counts by weight the variables that i can reach, without i.
func (g *quotientGraph) externalDegree(i int32) int32 {
	reached := map[int32]bool{i: true}
	var degree int32
	visit := func(j int32) {
		if g.weight[j] > 0 && g.elements[j] != isElement && !reached[j] {
			reached[j] = true
			degree += g.weight[j]
		}
	}
	for k, x := range g.list(i) {
		if k >= int(g.elements[i]) {
			visit(x)
			continue
		}
		for _, j := range g.list(x) {
			visit(j)
		}
	}
	return degree
}

// The degree of a variable just updated is never below the truth, and it is the
// truth where at most two elements are involved (Amestoy, Davis and Duff 1996,
// theorem 4.1). Every pivot has the least degree of all.
func TestDegreesBoundTheTruth(t *testing.T) {
	for name, a := range map[string]*CSR{
		"grid":      grid(16, false),
		"grid 9":    grid(12, true),
		"cliques":   cliques(300, 2, 8, 7),
		"cliques 3": cliques(250, 3, 10, 7),
		"scattered": scattered(250, 4, blas.NewStream(31)),
	} {
		t.Run(name, func(t *testing.T) {
			g := newQuotientGraph(a)
			exact := 0
			for g.left > 0 {
				me := g.nextPivot()
				for i := range int32(g.n) {
					if g.weight[i] > 0 && g.elements[i] != isElement && g.degree[i] < g.degree[me] {
						t.Fatalf("pivot %d has degree %d, variable %d has %d", me, g.degree[me], i, g.degree[i])
					}
				}
				g.eliminate(me)
				for _, i := range g.list(me) {
					truth := g.externalDegree(i)
					if g.degree[i] < truth {
						t.Fatalf("variable %d: degree bound %d, truth %d", i, g.degree[i], truth)
					}
					if g.elements[i] <= 2 {
						exact++
						if g.degree[i] != truth {
							t.Fatalf("variable %d touches %d elements: degree %d, truth %d", i, g.elements[i], g.degree[i], truth)
						}
					}
				}
			}
			if exact == 0 {
				t.Error("no variable touched two elements or fewer")
			}
		})
	}
}

// In a blown-up grid every point represents four points with the same neighbours. Once
// met they must go on as one variable, and be one pivot of weight four.
func TestTwinsAreMerged(t *testing.T) {
	small := grid(12, true)
	n := small.Rows
	neighbors := make([][]int32, 4*n)
	for i := range neighbors {
		cols, _ := small.Row(i / 4)
		for _, j := range cols {
			for c := range int32(4) {
				neighbors[i] = append(neighbors[i], 4*j+c)
			}
		}
	}
	g := newQuotientGraph(fromNeighbors(neighbors, blas.NewStream(1)))
	for g.left > 0 {
		g.eliminate(g.nextPivot())
	}
	fours := 0
	for _, i := range g.pivots {
		if g.weight[i]%4 == 0 {
			fours++
		}
	}
	if len(g.pivots) > n || fours < n/4 {
		t.Errorf("%d pivots for %d points in groups of four, %d of them whole groups", len(g.pivots), 4*n, fours)
	}
}
