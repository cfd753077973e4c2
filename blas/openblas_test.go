//go:build openblas && cgo && unix

package blas

import (
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"

	"github.com/orthant-go/orthant/blas/internal/openblas"
)

// BenchmarkTargetsSingle sets single-precision products against OpenBLAS's; see
// BenchmarkTargets.
func BenchmarkTargetsSingle(b *testing.B) {
	const n = 1024
	x, y, z := single(random(n*n, 1)), single(random(n*n, 2)), make([]float32, n*n)
	compare(b, "openblas/single/n=1024", 0.88, func() { MulTransposed32(n, n, n, x, n, y, n, z, n) },
		func() { openblasLevel3.Sgemm(blas.NoTrans, blas.Trans, n, n, n, 1, x, n, y, n, 0, z, n) })
}

// BenchmarkPeers sets products on one thread and on two against OpenBLAS's on as many threads of its own: square, tall
// and thin ones, and symmetric updates. It wants an idle machine with two cores. Contenders take turns
// (-benchtime 5x are five); the rates are by the least wall time of a call, and ratio is our rate over OpenBLAS's.
// ORTHANT_ISA=avx2 and OPENBLAS_CORETYPE=Haswell hold both to AVX2.
func BenchmarkPeers(b *testing.B) {
	lib := linked("openblas").level3
	ours := only(candidate{name: "native", level3: nativeBackend{}})
	multiply := func(tA, tB bool, m, n, k int) {
		x, y, z := random(m*k, 1), random(n*k, 2), make([]float64, m*n)
		lda, ldb, name := k, n, "AB"
		if tA {
			lda, name = m, "AtB"
		}
		if tB {
			ldb, name = k, "ABt"
		}
		versus(b, fmt.Sprintf("%s/%dx%dx%d", name, m, n, k), 2*float64(m)*float64(n)*float64(k),
			func(threads int) { ours.GemmParallel(threads, tA, tB, m, n, k, 1, x, lda, y, ldb, 0, z, n) },
			func() { lib.Gemm(tA, tB, m, n, k, 1, x, lda, y, ldb, 0, z, n) })
	}
	update := func(trans bool, n, k int) {
		x, z, lda, name := random(n*k, 1), make([]float64, n*n), k, "AAt"
		if trans {
			lda, name = n, "AtA"
		}
		versus(b, fmt.Sprintf("%s/%dx%d", name, n, k), float64(n)*float64(n+1)*float64(k),
			func(threads int) { ours.SyrkParallel(threads, trans, n, k, 1, x, lda, 0, z, n) },
			func() { lib.Syrk(trans, n, k, 1, x, lda, 0, z, n) })
	}
	for _, n := range []int{512, 1024, 2048, 4096} {
		multiply(false, false, n, n, n)
	}
	multiply(false, true, 1024, 1024, 1024)
	multiply(true, false, 1024, 1024, 1024)
	for _, n := range []int{10, 20, 50} {
		multiply(false, false, 100000, n, 50)
		multiply(false, false, 20000, n, 784)
		multiply(true, false, 784, n, 20000)
		multiply(true, false, n, 784, 20000)
		update(true, n, 100000)
	}
	for _, n := range []int{512, 1024, 2048} {
		update(false, n, n)
		update(true, n, n)
	}
}

// versus measures one product on one thread and on two.
func versus(b *testing.B, name string, operations float64, ours func(threads int), theirs func()) {
	for threads := 1; threads <= 2; threads++ {
		b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
			defer openblas.SetThreads(1)
			least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			turn := func() {
				for i, f := range []func(){func() { ours(threads) }, theirs} {
					openblas.SetThreads(1 + i*(threads-1)) // its threads spin for a while: they end while ours work
					for calls, begin := 0, time.Now(); calls < 3 || time.Since(begin) < 10*time.Millisecond; calls++ {
						start := time.Now()
						f()
						least[i] = min(least[i], time.Since(start))
					}
				}
			}
			turn()
			for b.Loop() {
				turn()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(operations/float64(least[0].Nanoseconds()), "GFLOPS")
			b.ReportMetric(operations/float64(least[1].Nanoseconds()), "openblas-GFLOPS")
			b.ReportMetric(float64(least[1])/float64(least[0]), "ratio")
		})
	}
}
