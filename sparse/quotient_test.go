package sparse

import (
	"testing"

	"github.com/orthant-go/orthant/blas"
)

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

// In a blown-up grid every point stands for four with the same neighbours. Once
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
