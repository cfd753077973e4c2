package alm

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkPass times one pass, the sixth on, with a fixed graph of ⌊√n⌋ neighbours
// (rmnmf), and with a learned one (amrmf).
func BenchmarkPass(b *testing.B) {
	for _, s := range []struct {
		method   string
		n, m, c  int
		adaptive bool
	}{{"rmnmf", 2000, 240, 10, false}, {"rmnmf", 5020, 1796, 20, false}, {"amrmf", 2000, 240, 10, true}} {
		x, ctx := blobs(s.n, s.m, s.c, 0.3, 1), context.Background()
		begin, err := Start(ctx, s.n, s.m, x, s.c, Options{})
		if err != nil {
			b.Fatal(err)
		}
		k := 1
		for (k+1)*(k+1) <= s.n {
			k++
		}
		for _, threads := range []int{1, 2} {
			o, err := Options{Rank: s.c, Lambda: 0.1, Threads: threads, Indicators: begin.Indicators, Components: begin.Components}.filled(s.n, s.m)
			if err != nil {
				b.Fatal(err)
			}
			a, err := NewAdaptive(ctx, s.n, s.m, x, k, o)
			if err != nil {
				b.Fatal(err)
			}
			graph := Fixed(a.Affinity())
			if s.adaptive {
				graph = a
			}
			b.Run(fmt.Sprintf("%s/%dx%d/c=%d/threads=%d", s.method, s.n, s.m, s.c, threads), func(b *testing.B) {
				u := newState(s.n, s.m, x, o)
				if err := u.begin(ctx, o.Mu); err != nil {
					b.Fatal(err)
				}
				pass := func() {
					if _, err := u.pass(ctx, graph, Step{Pass: 1, Rank: s.c, Mu: u.mu, Next: u.mu * 1.1}); err != nil {
						b.Fatal(err)
					}
				}
				for range 5 {
					pass()
				}
				for b.Loop() {
					pass()
				}
				b.ReportMetric(6*float64(s.n)*float64(s.m)*float64(s.c)/b.Elapsed().Seconds()*float64(b.N)/1e9, "Gflop/s")
			})
		}
	}
}
