package blas

import (
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"
)

// adapter gives a backend gonum's interface. Operations that the backend does not offer (the lower
// triangle, strided vectors) are gonum's own.
type adapter struct{ Backend }

func (a adapter) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, x []float64, ldx int, y []float64, ldy int, beta float64, c []float64, ldc int) {
	a.Gemm(tA != blas.NoTrans, tB != blas.NoTrans, m, n, k, alpha, x, ldx, y, ldy, beta, c, ldc)
}

func (a adapter) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, x []float64, ldx int, beta float64, c []float64, ldc int) {
	if ul == blas.Lower {
		level3Gonum.Dsyrk(ul, t, n, k, alpha, x, ldx, beta, c, ldc)
		return
	}
	a.Syrk(t != blas.NoTrans, n, k, alpha, x, ldx, beta, c, ldc)
}

func (a adapter) Dgemv(t blas.Transpose, m, n int, alpha float64, x []float64, ldx int, v []float64, incV int, beta float64, y []float64, incY int) {
	// Backends take a bool: a wrong letter is the adapter's to refuse.
	if incV != 1 || incY != 1 || t != blas.NoTrans && t != blas.Trans && t != blas.ConjTrans {
		level3Gonum.Dgemv(t, m, n, alpha, x, ldx, v, incV, beta, y, incY)
		return
	}
	a.Gemv(t != blas.NoTrans, m, n, alpha, x, ldx, v, beta, y)
}

// The suites that gonum holds its own implementations to.
func TestGonumSuites(t *testing.T) {
	run := func(name string, b Backend) {
		t.Run(name, func(t *testing.T) {
			testblas.TestDgemm(t, adapter{b})
			testblas.DsyrkTest(t, adapter{b})
			testblas.DgemvTest(t, adapter{b})
		})
	}
	for _, c := range registry {
		if c.level3 != nil && (c.usable == nil || c.usable() == nil) {
			run(c.name, c.level3)
		}
	}
	everyLevel(t, func(t *testing.T) { testblas.TestDgemm(t, adapter{nativeBackend{}}) })
}
