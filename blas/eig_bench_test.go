package blas

import (
	"fmt"
	"testing"
)

// denseSolvers are the eigensolvers to compare: the reference, ours over each
// backend's products, and each library's own.
func denseSolvers() (names []string, solvers []Dense) {
	for _, c := range registry {
		if c.usable != nil && c.usable() != nil {
			continue
		}
		if c.dense != nil {
			names, solvers = append(names, c.name), append(solvers, c.dense)
		}
		if c.level3 != nil {
			names, solvers = append(names, "native over "+c.name), append(solvers, nativeDense{c.level3})
		}
	}
	return names, solvers
}

func benchmarkPairs(b *testing.B, sizes []int, matrix func(n int) []float64, pairs func(n int) int) {
	names, solvers := denseSolvers()
	for i, s := range solvers {
		for _, n := range sizes {
			a, count := matrix(n), pairs(n)
			work, w, z, scratch := make([]float64, n*n), make([]float64, n), make([]float64, count*n), new(Work)
			b.Run(fmt.Sprintf("%s/n=%d/pairs=%d", names[i], n, count), func(b *testing.B) {
				for b.Loop() {
					copy(work, a)
					var err error
					if count == n {
						err = s.SymEig(n, work, n, w, scratch)
					} else {
						err = s.SymEigRange(n, 0, count, work, n, w[:count], z, n, scratch)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkSmallestPairs(b *testing.B) {
	for _, name := range []string{"alignment", "random"} {
		b.Run(name, func(b *testing.B) {
			benchmarkPairs(b, []int{100, 200, 500, 1000}, func(n int) []float64 { return benchmarkMatrix(name, n) }, func(int) int { return 10 })
		})
	}
}

func BenchmarkAllPairs(b *testing.B) {
	for _, name := range []string{"alignment", "random"} {
		b.Run(name, func(b *testing.B) {
			benchmarkPairs(b, []int{15, 32, 50, 100, 200, 500, 1000}, func(n int) []float64 { return benchmarkMatrix(name, n) }, func(n int) int { return n })
		})
	}
}

func benchmarkMatrix(name string, n int) []float64 {
	if name == "alignment" {
		return alignmentLike(n)
	}
	x := random(n*n, 1)
	return dense(n, func(i, j int) float64 { return x[i*n+j] })
}
