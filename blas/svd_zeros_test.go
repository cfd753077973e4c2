package blas

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// Matrices with many zeros, whose reflectors end in zeros, are decomposed like others.
func TestSVDOfMatricesWithZeros(t *testing.T) {
	everyBackend(t, func(t *testing.T, k *Kernels) {
		stream := NewStream(3)
		for _, c := range []struct {
			m, n, entries int
			scale         float64
		}{{352, 195, 2112, 1}, {395, 242, 395, 1}, {394, 178, 1182, 1e-90}, {178, 394, 1182, 1e90}, {402, 196, 1608, 1}, {421, 166, 2105, 1}, {477, 253, 1908, 1}, {253, 477, 1908, 1}, {150, 140, 0, 1}, {150, 140, 3, 1}} {
			m, n, p := c.m, c.n, min(c.m, c.n)
			a := make([]float64, m*n)
			for range c.entries {
				a[stream.Below(m*n)] = c.scale * stream.Uniform()
			}
			s, u, vt := make([]float64, p), make([]float64, m*p), make([]float64, p*n)
			must.Do(t, k.SVD(m, n, slices.Clone(a), n, s, u, p, vt, n, new(Work)))
			product, gram := slices.Clone(a), make([]float64, p*p)
			scaled := slices.Clone(u)
			for i := range m {
				for j, v := range s {
					scaled[i*p+j] *= v
				}
			}
			k.Gemm(false, false, m, n, p, -1, scaled, p, vt, n, 1, product, n)
			for i, v := range product {
				if math.Abs(v) > 1e-13*c.scale {
					t.Errorf("%d×%d, %d entries: A − UΣVᵀ has %g at (%d, %d)", m, n, c.entries, v, i/n, i%n)
					break
				}
			}
			orthonormal := func(name string) {
				for i, v := range gram {
					unit := map[bool]float64{true: 1}[i/p == i%p]
					if math.Abs(v-unit) > 1e-12 {
						t.Errorf("%d×%d, %d entries: vectors %d and %d of %s have the product %g", m, n, c.entries, i/p, i%p, name, v)
						return
					}
				}
			}
			k.Gemm(true, false, p, p, m, 1, u, p, u, p, 0, gram, p)
			orthonormal("U")
			k.Gemm(false, true, p, p, n, 1, vt, n, vt, n, 0, gram, p)
			orthonormal("V")
		}
	})
}
