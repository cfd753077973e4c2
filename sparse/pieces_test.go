package sparse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// Rows inside one piece have no entries inside another, and every row is in one piece.
func TestPiecesAreSeparated(t *testing.T) {
	cut := 0
	for name, a := range dissectedPatterns() {
		t.Run(name, func(t *testing.T) {
			p := cutUp(context.Background(), a, 2, 120)
			if p.count == 1 {
				return
			}
			cut++
			met := make([]bool, a.Rows)
			for k := range p.count {
				for _, i := range p.byRow[p.start[k]:p.start[k+1]] {
					if met[i] || p.of[i] != int32(k) {
						t.Fatalf("row %d is in piece %d twice, or not at all", i, k)
					}
					met[i] = true
				}
			}
			if slices.Contains(met, false) {
				t.Fatal("a row is in no piece")
			}
			for i := range a.Rows {
				for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
					if p.within[i] == none && p.within[j] == none && p.of[i] != p.of[j] {
						t.Fatalf("entry (%d, %d) is between pieces %d and %d", i, j, p.of[i], p.of[j])
					}
				}
			}
		})
	}
	if cut < 5 {
		t.Errorf("%d patterns were cut", cut)
	}
}

func TestPiecewiseOrderIsAPermutation(t *testing.T) {
	for name, a := range dissectedPatterns() {
		t.Run(name, func(t *testing.T) {
			first := must.Get(minimumDegreeInPieces(context.Background(), a, 1, 120))(t)
			if first == nil {
				return // one piece alone
			}
			must.Do(t, isPermutation(first, a.Rows))
			for _, threads := range []int{2, 5} {
				if again, _ := minimumDegreeInPieces(context.Background(), a, threads, 120); !slices.Equal(again, first) {
					t.Errorf("another order on %d threads", threads)
				}
			}
		})
	}
}

// A square grid is cut along lines: a separator has little more than a side of it, and less
// is left to do than by minimum degree.
func TestPiecesOfAGrid(t *testing.T) {
	const side = 300
	a := grid(side, true)
	p := cutUp(context.Background(), a, 2, pieceRows)
	root := int32(len(p.cuts) - 1)
	size := 0
	for _, k := range p.within {
		if k == root {
			size++
		}
	}
	if size < side || size > 3*side/2 {
		t.Errorf("the separator of a %d × %d grid has %d rows", side, side, size)
	}
	analyze := func(a *CSR, o Ordering) *Analysis {
		s := must.Get(AnalyzeOrdered(context.Background(), a, o, 2))(t)
		return s
	}
	pieces, whole := analyze(a, ByPieces), analyze(a, ByMinimumDegree)
	if pieces.Flops() > 0.9*whole.Flops() {
		t.Errorf("%.3g flops in pieces, %.3g by minimum degree", pieces.Flops(), whole.Flops())
	}
	// The best is in pieces where the pattern is large and its rows are long.
	for _, c := range []struct {
		a    *CSR
		best Ordering
	}{
		{cliques(piecesFrom, 2, 10, 5), ByPieces}, {cliques(piecesFrom/2, 2, 10, 5), ByMinimumDegree}, {grid(260, false), ByMinimumDegree},
	} {
		if best := analyze(c.a, Best); best.Ordering() != c.best.String() {
			t.Errorf("the best ordering of %d rows with %d entries is %s", c.a.Rows, c.a.NNZ(), best.Ordering())
		}
	}
}

func TestCutUpStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if perm, err := minimumDegreeInPieces(ctx, grid(100, true), 2, 500); perm != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled ordering returned %d rows, %v", len(perm), err)
	}
}

// A cover touches every edge, and no smaller set does.
func TestCoverIsSmallest(t *testing.T) {
	b := new(bipartite) // used again and again
	rapid.Check(t, func(t *rapid.T) {
		lefts, rights := rapid.IntRange(0, 7).Draw(t, "lefts"), rapid.IntRange(1, 7).Draw(t, "rights")
		b.clear()
		b.right = rights
		var edges [][2]int
		for l := range lefts {
			for r := range rights {
				if rapid.IntRange(0, 2).Draw(t, fmt.Sprint(l, r)) == 0 {
					b.to = append(b.to, int32(r))
					edges = append(edges, [2]int{l, r})
				}
			}
			b.ptr = append(b.ptr, int32(len(b.to)))
		}
		depth, reached := b.cover()
		size := 0
		inLeft, inRight := make([]bool, lefts), make([]bool, rights)
		for l := range inLeft {
			if inLeft[l] = depth[l] == none; inLeft[l] {
				size++
			}
		}
		for r := range inRight {
			if inRight[r] = reached[r]; inRight[r] {
				size++
			}
		}
		for _, e := range edges {
			if !inLeft[e[0]] && !inRight[e[1]] {
				t.Fatalf("edge %v is not covered", e)
			}
		}
		// Of all sets of left vertices the right ones that they leave follow.
		least := lefts + rights
		for set := range 1 << lefts {
			need, count := 0, 0
			for l := range lefts {
				count += set >> l & 1
			}
			for _, e := range edges {
				if set>>e[0]&1 == 0 {
					need |= 1 << e[1]
				}
			}
			for r := range rights {
				count += need >> r & 1
			}
			least = min(least, count)
		}
		if size != least {
			t.Fatalf("a cover of %d where %d are enough; edges %v", size, least, edges)
		}
	})
}

func BenchmarkMinimumDegreeInPieces(b *testing.B) {
	a := cliques(100000, 2, 10, 5)
	for name, order := range map[string]func() ([]int32, error){
		"whole":  func() ([]int32, error) { return minimumDegree(context.Background(), a) },
		"pieces": func() ([]int32, error) { return minimumDegreeInPieces(context.Background(), a, 0, pieceRows) },
	} {
		b.Run(name, func(b *testing.B) {
			var flops float64
			for b.Loop() {
				perm, err := order()
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				flops = eliminate(a, perm, ByPieces).flops
				b.StartTimer()
			}
			b.ReportMetric(flops, "flops")
			b.ReportMetric(float64(blas.Threads(0)), "threads")
		})
	}
}
