package selective

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/alm"
)

// clouds are n samples around c centres, in m columns, with their classes.
func clouds(n, m, c int) (x []float64, class []int) {
	stream := blas.NewStream(3)
	centers, x := make([]float64, c*m), make([]float64, n*m)
	stream.Normals(centers)
	stream.Normals(x)
	class = make([]int, n)
	for i := range n {
		class[i] = stream.Below(c)
		for k := range m {
			x[i*m+k] = 2*centers[class[i]*m+k] + 0.7*x[i*m+k]
		}
	}
	return x, class
}

// indicators are factors as they are on the way to clusters: orthonormal up to noise, and
// what is nonnegative of them.
func indicators(class []int, c int) (g, h []float64) {
	n := len(class)
	g, h = make([]float64, n*c), make([]float64, n*c)
	blas.NewStream(4).Normals(g)
	size := math.Sqrt(float64(c) / float64(n))
	for i, k := range class {
		for q := range c {
			g[i*c+q] *= 0.2 * size
		}
		g[i*c+k] += size
		for q := range c {
			h[i*c+q] = max(g[i*c+q], 0)
		}
	}
	return g, h
}

func BenchmarkPass(b *testing.B) {
	ctx := context.Background()
	const c, m = 20, 50
	for _, n := range []int{500, 2000, 5020} {
		x, class := clouds(n, m, c)
		g, h := indicators(class, c)
		for _, fast := range []bool{true, false} {
			for _, threads := range []int{1, 2} {
				name := "smrmf"
				if fast {
					name = "f-smrmf"
				}
				b.Run(fmt.Sprintf("%s/n=%d/threads=%d", name, n, threads), func(b *testing.B) {
					graph, err := New(ctx, n, m, x, Options{Neighbors: int(math.Sqrt(float64(n))), Lambda: 0.1, Fast: fast, Start: 5, Threads: threads})
					if err != nil {
						b.Fatal(err)
					}
					step := alm.Step{Rank: c, Mu: 0.01, Next: 0.011}
					for b.Loop() {
						if _, err := graph.Update(ctx, g, h, step); err != nil {
							b.Fatal(err)
						}
						step = alm.Step{Pass: step.Pass + 1, Rank: c, Mu: step.Next, Next: min(1e4, step.Next*1.1)}
					}
					b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/pass")
					var now runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&now)
					b.ReportMetric(float64(now.HeapAlloc)/1e6, "MB")
					b.ReportMetric(float64(graph.z.Entries())/float64(n), "entries/column")
					runtime.KeepAlive(graph)
				})
			}
		}
	}
}
