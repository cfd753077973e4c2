package sparse

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
)

// checkDivision reports an edge between the sides, or weights that are not the
// sums they should be.
func checkDivision(g *graph, side []int8) error {
	for v := range int32(g.n) {
		if side[v] < left || side[v] > middle {
			return fmt.Errorf("vertex %d is on side %d", v, side[v])
		}
		for _, u := range g.neighbors(v) {
			if side[v] != middle && side[u] == 1-side[v] {
				return fmt.Errorf("the edge from %d to %d crosses the separator", v, u)
			}
		}
	}
	return nil
}

// checkState compares the quantities that a separator keeps up to date with the same computed from
// scratch.
func checkState(s *separator) error {
	if err := checkDivision(s.graph, s.side); err != nil {
		return err
	}
	fresh := &separator{}
	fresh.reserve(s.n)
	fresh.load(s.graph, slices.Clone(s.side))
	if fresh.weight != s.weight {
		return fmt.Errorf("weights %v, the sides have %v", s.weight, fresh.weight)
	}
	if len(s.list) != len(fresh.list) {
		return fmt.Errorf("%d vertices are listed, the separator has %d", len(s.list), len(fresh.list))
	}
	for at, v := range s.list {
		if s.side[v] != middle || int(s.at[v]) != at {
			return fmt.Errorf("vertex %d on side %d is listed at %d, noted at %d", v, s.side[v], at, s.at[v])
		}
		for x := range 2 {
			if s.beside[x][v] != fresh.beside[x][v] {
				return fmt.Errorf("vertex %d has %d beside it on side %d, noted %d", v, fresh.beside[x][v], x, s.beside[x][v])
			}
		}
	}
	if !s.queue[left].empty() || !s.queue[right].empty() {
		return fmt.Errorf("a queue is not empty")
	}
	return nil
}

// weighted gives the vertices of a compressed graph random weights.
func weighted(a *CSR, most int, random *blas.Stream) *graph {
	g := &compress(a).graph
	g.total = 0
	for v := range g.vw {
		g.vw[v] = int32(1 + random.Below(most))
		g.total += g.vw[v]
	}
	return g
}

func TestRefinementKeepsTheBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := blas.NewStream(rapid.Uint64().Draw(t, "seed"))
		n := rapid.IntRange(1, 120).Draw(t, "n")
		g := weighted(scattered(n, rapid.IntRange(0, 8).Draw(t, "per row"), random), rapid.IntRange(1, 9).Draw(t, "weights"), random)
		if g.n == 0 {
			return // all rows were dense
		}
		side := make([]int8, g.n)
		setAll(side, right)
		s := &separator{}
		s.reserve(g.n)
		s.load(g, side)
		heaviest := int32(maxShare * float64(g.total))
		s.grow(heaviest, random)
		if err := checkState(s); err != nil {
			t.Fatalf("grown: %v", err)
		}
		before, balanced := s.cost(), max(s.weight[left], s.weight[right]) <= heaviest
		s.refine(heaviest)
		if err := checkState(s); err != nil {
			t.Fatalf("refined: %v", err)
		}
		if s.cost() > before {
			t.Fatalf("refinement raised the cost from %g to %g", before, s.cost())
		}
		if balanced && max(s.weight[left], s.weight[right]) > heaviest {
			t.Fatalf("sides of %v, at most %d allowed", s.weight, heaviest)
		}
	})
}

func TestUndoTakesBackEverything(t *testing.T) {
	g := weighted(grid(15, true), 4, blas.NewStream(9))
	side := make([]int8, g.n)
	for v := range side { // the middle column divides it
		side[v] = []int8{left, middle, right}[1+max(-1, min(1, v%15-7))]
	}
	s := &separator{}
	s.reserve(g.n)
	s.load(g, side)
	before := slices.Clone(side)
	s.begin()
	for k := range 25 {
		to := int8(k % 2)
		s.shift(s.list[(7*k)%len(s.list)], to)
	}
	if slices.Equal(side, before) {
		t.Fatal("the moves changed nothing")
	}
	s.undo(0)
	if !slices.Equal(side, before) {
		t.Error("the sides are not what they were")
	}
	if err := checkState(s); err != nil {
		t.Error(err)
	}
}

func bisected(a *CSR, seed uint64) (*graph, []int8, [3]int32) {
	g := &compress(a).graph
	w := &workspace{ctx: context.Background()}
	side := make([]int8, g.n)
	w.bisect(g, side, blas.NewStream(seed))
	w.load(g, side)
	return g, side, w.weight
}

func TestSeparatorsSeparate(t *testing.T) {
	for name, a := range dissectedPatterns() {
		if a.Rows == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g, side, weight := bisected(a, 3)
			if err := checkDivision(g, side); err != nil {
				t.Error(err)
			}
			if sum := weight[left] + weight[middle] + weight[right]; sum != g.total {
				t.Errorf("weights %v of %d in all", weight, g.total)
			}
		})
	}
}

// The best separators are known here: a line of the grid, a plane of the cube, a
// point of the path, nothing between clumps but the end of an entry. A sixth more
// is let pass where sides may be uneven, oblique or both. Balance within 2/3 is
// what bisect promises.
func TestSeparatorsAreLight(t *testing.T) {
	cases := map[string]struct {
		a    *CSR
		most int32
	}{
		"grid":   {grid(60, false), 70},
		"9-grid": {grid(60, true), 70},
		"cube":   {cube(14), 14 * 14 * 7 / 6},
		"path":   {path(4000), 1},
		"clumps": {clumps(6, 300), 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				g, _, weight := bisected(c.a, seed)
				if weight[middle] > c.most {
					t.Errorf("a separator of %d, want at most %d", weight[middle], c.most)
				}
				if heavy := max(weight[left], weight[right]); float64(heavy) > maxShare*float64(g.total) {
					t.Errorf("sides of %v", weight)
				}
			}
		})
	}
}

// A queue must do what sorting all its vertices by gain, and then by time, does.
func TestGainsComeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 12
		q := &gains{place: slices.Repeat([]int32{none}, n)}
		gain, when := make([]int32, n), make([]int, n) // when: 0 for one that is not in the queue
		for step := 1; step <= rapid.IntRange(1, 200).Draw(t, "steps"); step++ {
			v, g := rapid.Int32Range(0, n-1).Draw(t, "v"), rapid.Int32Range(-5, 5).Draw(t, "gain")
			switch {
			case rapid.IntRange(0, 3).Draw(t, "act") == 0 && !q.empty():
				v = q.pop()
				for u := range int32(n) {
					if when[u] > 0 && (gain[u] > gain[v] || gain[u] == gain[v] && when[u] > when[v]) {
						t.Fatalf("vertex %d came out before %d", v, u)
					}
				}
				when[v] = 0
			case !q.has(v):
				q.push(v, g)
				gain[v], when[v] = g, step
			case g == 5:
				q.remove(v)
				when[v] = 0
			default:
				q.change(v, g)
				gain[v], when[v] = g, step
			}
			for u := range int32(n) {
				if q.has(u) != (when[u] > 0) {
					t.Fatalf("vertex %d: in the queue is %v", u, q.has(u))
				}
			}
			if !q.empty() && q.best() != gain[q.top()] {
				t.Fatalf("gain %d of vertex %d, want %d", q.best(), q.top(), gain[q.top()])
			}
		}
	})
}
