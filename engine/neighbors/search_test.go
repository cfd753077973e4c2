package neighbors

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

func TestSearchEqualsBruteForce(t *testing.T) {
	for name, source := range sources {
		for _, c := range []struct{ n, queries, m, k int }{{1, 3, 2, 1}, {40, 7, 1, 40}, {300, 80, 3, 12}, {600, 300, 17, 10}, {520, 30, 40, 33}} {
			all := source(c.n+c.queries, c.m)
			reference := Points{N: c.n, M: c.m, Data: all.Data[:c.n*c.m]}
			queries := Points{N: c.queries, M: c.m, Data: all.Data[c.n*c.m:]}
			for _, how := range []method{tree, blocked} {
				for _, threads := range []int{1, 3} {
					g, err := Search(context.Background(), reference, queries, c.k, Options{Threads: threads, method: how})
					if err != nil {
						t.Fatal(err)
					}
					for i := range c.queries {
						order := make([]int32, c.n)
						square := make([]float64, c.n)
						for j := range order {
							order[j], square[j] = int32(j), blas.SquaredDistance(queries.Row(i), reference.Row(j))
						}
						slices.SortFunc(order, func(a, b int32) int {
							if before(square[a], a, square[b], b) {
								return -1
							}
							return 1
						})
						if !slices.Equal(g.Of(i), order[:c.k]) || g.Distances(i)[c.k-1] != math.Sqrt(square[order[c.k-1]]) {
							t.Fatalf("%s %+v method %d: query %d finds %v, want %v", name, c, how, i, g.Of(i), order[:c.k])
						}
					}
				}
			}
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	x := sources["normal"](10, 3)
	for _, c := range []struct {
		queries Points
		k       int
	}{{x, 0}, {x, 11}, {sources["normal"](4, 2), 3}, {Points{N: 1, M: 3, Data: []float64{1, 2, math.NaN()}}, 2}} {
		if _, err := Search(context.Background(), x, c.queries, c.k, Options{}); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
