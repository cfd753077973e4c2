package align

import (
	"context"
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/sparse"
)

func BenchmarkGeodesics(b *testing.B) {
	for _, n := range []int{1000, 5000, 20000} {
		roll, err := datasets.Generate("swiss-roll", n, 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		in := inputOf(b.Context(), roll.X, nil, run.Settings{Threads: 1})
		found, err := neighborhood.Nearest(12).Find(in.Run, in.X)
		if err != nil {
			b.Fatal(err)
		}
		graph := UnionGraph(found.Graph)
		b.Run(fmt.Sprintf("n=%d/searches=1000", n), func(b *testing.B) {
			for b.Loop() {
				paths, err := sparse.NewPaths(context.Background(), graph, 1000)
				if err != nil {
					b.Fatal(err)
				}
				err = paths.Search(context.Background(), 1, 1000, nil, setOut(func(q int) int { return q }), func(int, int, int, []float64) {})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
