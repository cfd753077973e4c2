package projections

import (
	"context"
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

func BenchmarkProjections(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{500, 5020} {
		v, z := make([]float64, n), make([]float64, n)
		blas.NewStream(1).Uniforms(v)
		b.Run(fmt.Sprintf("simplex/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Simplex(z, v, 1)
			}
		})
		at, found := SimplexSparse(v, 1, nil, nil, nil)
		guess := append([]int32(nil), at...)
		b.Run(fmt.Sprintf("sparse/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				at, found = SimplexSparse(v, 1, guess, at[:0], found[:0])
			}
		})
	}
	for _, n := range []int{500, 2000} {
		a := make([]float64, n*n)
		blas.NewStream(2).Uniforms(a)
		for _, p := range []Norm{Max, Euclidean} {
			b.Run(fmt.Sprintf("ball/p=%d/n=%d", p, n), func(b *testing.B) {
				steps := 0
				for b.Loop() {
					g := &Groups{Norm: p}
					if _, err := g.Project(ctx, n, n, a, float64(n)/10); err != nil {
						b.Fatal(err)
					}
					steps = g.Steps
				}
				b.ReportMetric(float64(steps), "passes")
			})
		}
	}
}
