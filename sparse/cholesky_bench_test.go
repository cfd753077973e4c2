package sparse

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// benchPatterns are alignment matrices of points in a square, whose factor has
// many narrow panels, and in ten dimensions, where it has few wide ones.
var benchPatterns = []struct {
	name string
	make func() *CSR
}{
	{"2d,n=20000,k=12", sync.OnceValue(func() *CSR { return cliques(20000, 2, 12, 1) })},
	{"2d,n=200000,k=10", sync.OnceValue(func() *CSR { return cliques(200000, 2, 10, 1) })},
	{"10d,n=4000,k=20", sync.OnceValue(func() *CSR { return cliques(4000, 10, 20, 1) })},
	{"10d,n=8000,k=20", sync.OnceValue(func() *CSR { return cliques(8000, 10, 20, 1) })},
	{"grid,n=40000", sync.OnceValue(func() *CSR { return grid(200, false) })},
}

func BenchmarkMinimumDegree(b *testing.B) {
	for _, c := range benchPatterns {
		b.Run(c.name, func(b *testing.B) {
			a := c.make()
			b.ReportAllocs()
			for b.Loop() {
				MinimumDegree(a)
			}
		})
	}
}

func BenchmarkAnalyze(b *testing.B) {
	for _, c := range benchPatterns {
		b.Run(c.name, func(b *testing.B) {
			a := c.make()
			b.ReportAllocs()
			for b.Loop() {
				s, err := Analyze(context.Background(), a)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(s.Entries()), "entries")
			}
		})
	}
}

func benchAnalysis(b *testing.B, a *CSR) *Analysis {
	b.Helper()
	s, err := Analyze(context.Background(), a)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkFactor(b *testing.B) {
	for _, c := range benchPatterns {
		for _, backend := range blas.Available() {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/threads=%d", c.name, backend, threads), func(b *testing.B) {
					a := c.make()
					s := benchAnalysis(b, a)
					kernels := blas.MustSelect(backend)
					b.ReportAllocs()
					for b.Loop() {
						if _, err := s.Factor(context.Background(), kernels, threads, a, 0); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(s.Flops()*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
				})
			}
		}
	}
}

// BenchmarkSolve reports the rate at which the factor is read, twice a solve.
func BenchmarkSolve(b *testing.B) {
	for _, c := range benchPatterns {
		for _, nrhs := range []int{1, 4, 8} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%d/threads=%d", c.name, nrhs, threads), func(b *testing.B) {
					a := c.make()
					s := benchAnalysis(b, a)
					f, err := s.Factor(context.Background(), blas.MustSelect(""), 0, a, 0)
					if err != nil {
						b.Fatal(err)
					}
					x := make([]float64, a.Rows*nrhs)
					work := SolveWork{Threads: threads}
					b.SetBytes(2 * 8 * int64(f.values.size()))
					b.ReportAllocs()
					for b.Loop() {
						f.Solve(x, nrhs, &work)
					}
				})
			}
		}
	}
}
