//go:build openblas && cgo && unix

package blas

import (
	"testing"

	"gonum.org/v1/gonum/blas"
)

// BenchmarkTargetsSingle sets single-precision products against OpenBLAS's; see
// BenchmarkTargets.
func BenchmarkTargetsSingle(b *testing.B) {
	const n = 1024
	x, y, z := single(random(n*n, 1)), single(random(n*n, 2)), make([]float32, n*n)
	compare(b, "openblas/single/n=1024", 0.88, func() { MulTransposed32(n, n, n, x, n, y, n, z, n) },
		func() { openblasLevel3.Sgemm(blas.NoTrans, blas.Trans, n, n, n, 1, x, n, y, n, 0, z, n) })
}
