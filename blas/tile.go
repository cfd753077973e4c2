package blas

import (
	"sync"
	"unsafe"
)

type float interface{ float32 | float64 }

// tileFunc computes one tile, C = alpha·(Σₚ A(·,p)·B(p,·)) + beta·C, of as many
// rows and vectors of columns as its name says. Each sum is one chain of fused
// multiply-adds from 0 in increasing p < k; then alpha·sum, or
// fma(alpha, sum, beta·c), is stored. beta = 0 does not read C. A has any
// strides; the rows of B and C are contiguous, rsB and ldc apart. The last
// vector holds tail columns.
type tileFunc[T float] func(k int, a *T, rsA, csA int, b *T, rsB int, c *T, ldc, tail int, alpha, beta T)

// maxRows is the number of rows of the tallest tile.
const maxRows = 14

// family is the kernels of one instruction level.
type family[T float] struct {
	lanes   int    // numbers in a vector
	base    int    // vectors in an ordinary panel
	rows    [5]int // rows of the tallest tile of 1 to 4 vectors
	tiles   [5][maxRows + 1][2]tileFunc[T]
	scratch *sync.Pool
	// pack writes dst(p·width + i) = src(i·ld + p) for i < rows, p < k.
	pack func(rows, k int, src []T, ld int, dst []T, width int)
	// packA and packB copy some rows of whole panels of Aᵀ and of B; nil: Go code does. See packWhole.
	packA, packB panelFunc[T]
}

// panelFunc writes dst(panel·next + p·width + i) = src(p·ld + panel·width + i) for p < rows and
// i < width, the width of the panels.
type panelFunc[T float] func(panels, rows int, src *T, ld int, dst *T, next int)

// fma is x·y + z in one rounding where the CPU has the instruction, else in two.
func fma(x, y, z float64) float64 {
	if hasFMA {
		return fused(x, y, z)
	}
	return float64(x*y) + z
}

// view is the memory of n numbers from p on.
func view[T float](p *T, n int) []T { return unsafe.Slice(p, n) }

// tileGeneric64 is the definition of the float64 kernels, for tiles of up to 4
// columns.
func tileGeneric64(rows int) tileFunc[float64] {
	return func(k int, a *float64, rsA, csA int, b *float64, rsB int, c *float64, ldc, tail int, alpha, beta float64) {
		as := view(a, (rows-1)*rsA+(k-1)*csA+1)
		bs := view(b, (k-1)*rsB+tail)
		cs := view(c, (rows-1)*ldc+tail)
		for i := range rows {
			var s [4]float64
			if tail == 4 {
				s = chainFour(k, as[i*rsA:], csA, bs, rsB)
			} else {
				for j := range tail {
					for p := range k {
						s[j] = fma(as[i*rsA+p*csA], bs[p*rsB+j], s[j])
					}
				}
			}
			row := cs[i*ldc : i*ldc+tail]
			for j := range row {
				if beta == 0 {
					row[j] = alpha * s[j]
				} else {
					row[j] = fma(alpha, s[j], float64(beta*row[j]))
				}
			}
		}
	}
}

// chainFour computes four sums next to each other.
func chainFour(k int, a []float64, csA int, b []float64, rsB int) [4]float64 {
	var s0, s1, s2, s3 float64
	if !hasFMA {
		for p := range k {
			x, r := a[p*csA], b[p*rsB:p*rsB+4]
			s0 += float64(x * r[0])
			s1 += float64(x * r[1])
			s2 += float64(x * r[2])
			s3 += float64(x * r[3])
		}
		return [4]float64{s0, s1, s2, s3}
	}
	for p := range k {
		x, r := a[p*csA], b[p*rsB:p*rsB+4]
		s0 = fused(x, r[0], s0)
		s1 = fused(x, r[1], s1)
		s2 = fused(x, r[2], s2)
		s3 = fused(x, r[3], s3)
	}
	return [4]float64{s0, s1, s2, s3}
}

// tileGeneric32 replaces the float32 kernels. Go has no fused float32
// multiply-add, so its sums differ from theirs in rounding.
func tileGeneric32(rows int) tileFunc[float32] {
	return func(k int, a *float32, rsA, csA int, b *float32, rsB int, c *float32, ldc, tail int, alpha, beta float32) {
		as := view(a, (rows-1)*rsA+(k-1)*csA+1)
		bs := view(b, (k-1)*rsB+tail)
		cs := view(c, (rows-1)*ldc+tail)
		for i := range rows {
			var s [4]float32
			for p := range k {
				x, r := as[i*rsA+p*csA], bs[p*rsB:p*rsB+tail]
				for j, y := range r {
					s[j] += x * y
				}
			}
			row := cs[i*ldc : i*ldc+tail]
			for j := range row {
				if beta == 0 {
					row[j] = alpha * s[j]
				} else {
					row[j] = alpha*s[j] + beta*row[j]
				}
			}
		}
	}
}
