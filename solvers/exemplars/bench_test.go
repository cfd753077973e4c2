package exemplars

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// Ten iterations of the start of SMRMF.
func BenchmarkA2DM2(b *testing.B) {
	ctx := context.Background()
	const m = 50
	for _, n := range []int{500, 2000, 5020} {
		r, err := Kernel(ctx, n, m, cloud(1, n, m), KernelOptions{Neighbors: int(math.Sqrt(float64(n)))})
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Split(ctx, r.D, SplitOptions{Radius: float64(n) / 10, Delta: 1e-3, Accelerated: true, Iterations: 10, Threads: threads}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	ctx := context.Background()
	const m = 200
	for _, n := range []int{500, 2000, 5020} {
		x := cloud(1, n, m)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				for b.Loop() {
					if _, err := Kernel(ctx, n, m, x, KernelOptions{Neighbors: int(math.Sqrt(float64(n))), Threads: threads}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkDS3(b *testing.B) {
	ctx := context.Background()
	const n, m = 500, 10
	d := distances(n, m, cloud(1, n, m))
	for _, tau := range []float64{0, 10} {
		b.Run(fmt.Sprintf("tau=%v", tau), func(b *testing.B) {
			for b.Loop() {
				if _, err := DS3(ctx, d, n, DS3Options{Tau: tau, Iterations: 100}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
