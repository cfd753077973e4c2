package alm

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// benchmarked returns a function that takes one pass, after a few, on blobs that overlap.
func benchmarked(b *testing.B, n, m, r int, graph func(x []float64, o Options) Graph, threads int) func() {
	b.Helper()
	x, ctx := blobs(n, m, r, 0.3, 1), context.Background()
	begin, err := Start(ctx, n, m, x, r, Options{})
	if err != nil {
		b.Fatal(err)
	}
	o, err := Options{Rank: r, Lambda: 0.01, Threads: threads, W: begin.W, H: begin.H}.filled(n, m)
	if err != nil {
		b.Fatal(err)
	}
	g, u := graph(x, o), newState(n, m, x, o)
	if err := u.begin(ctx, o.Mu); err != nil {
		b.Fatal(err)
	}
	pass := func() {
		if _, err := u.pass(ctx, g, Step{Pass: 1, Rank: r, Mu: u.mu, Next: u.mu * 1.1}); err != nil {
			b.Fatal(err)
		}
	}
	for range 5 {
		pass()
	}
	return pass
}

// neighbourly is a graph of k edges for each sample, whatever the data.
func graphOfDegree(b *testing.B, n, k int) Graph {
	b.Helper()
	random := blas.NewStream(7)
	var entries []sparse.Triplet
	for i := range n {
		for range k {
			j, v := random.Below(n), random.Uniform()
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v}, sparse.Triplet{Row: j, Col: i, Val: v})
		}
	}
	s, err := sparse.FromTriplets(n, n, entries)
	if err != nil {
		b.Fatal(err)
	}
	return Fixed(s)
}

// BenchmarkPass times one pass with ⌊√n⌋ neighbours, from the sixth on: with a fixed
// graph (rmnmf) and with a learned one (amrmf).
func BenchmarkPass(b *testing.B) {
	for _, s := range []struct {
		method  string
		n, m, c int
	}{{"rmnmf", 2000, 240, 10}, {"rmnmf", 5020, 1796, 20}, {"amrmf", 2000, 240, 10}} {
		k := int(math.Sqrt(float64(s.n)))
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%dx%d/c=%d/threads=%d", s.method, s.n, s.m, s.c, threads), func(b *testing.B) {
				pass := benchmarked(b, s.n, s.m, s.c, func(x []float64, o Options) Graph {
					if s.method == "rmnmf" {
						return graphOfDegree(b, s.n, k)
					}
					a, err := NewAdaptive(context.Background(), s.n, s.m, x, k, o)
					if err != nil {
						b.Fatal(err)
					}
					return a
				}, threads)
				for b.Loop() {
					pass()
				}
				b.ReportMetric(6*float64(s.n)*float64(s.m)*float64(s.c)/b.Elapsed().Seconds()*float64(b.N)/1e9, "Gflop/s")
			})
		}
	}
}
