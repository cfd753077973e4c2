package blas

import (
	"fmt"
	"math"
	"testing"
)

// definite is the lower triangle of a definite matrix of order n, in rows of ld.
func definite(n, ld int) []float64 {
	x, a := random(n*n, uint64(n)), guarded(n, n, ld)
	for i := range n {
		for j := range i {
			a[i*ld+j] = x[i*n+j] / float64(n)
		}
		a[i*ld+i] = 4
		for j := i + 1; j < n; j++ {
			a[i*ld+j] = math.Inf(1) // never read, never written
		}
	}
	return a
}

func TestNativeCholeskyAtEveryLevel(t *testing.T) {
	bits := map[int][]float64{}
	everyLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 5, 31, 32, 33, 47, 63, 64, 65, 96, 100, 129, 160, 300} {
			ld := n + 3
			a := definite(n, ld)
			l := append([]float64(nil), a...)
			if !factorLower(n, l, ld) {
				t.Fatalf("order %d: not definite", n)
			}
			for i := range n {
				for j := range i + 1 {
					var s, size float64
					for p := range j + 1 {
						s = math.FMA(l[i*ld+p], l[j*ld+p], s)
						size += math.Abs(l[i*ld+p] * l[j*ld+p])
					}
					if d := math.Abs(s - a[i*ld+j]); !(d <= float64(n+8)*0x1p-52*size) {
						t.Fatalf("order %d: entry %d, %d is %g, not %g", n, i, j, s, a[i*ld+j])
					}
					a[i*ld+j] = l[i*ld+j]
				}
			}
			if !equalBits(a, l) {
				t.Errorf("order %d: more than the lower triangle is written", n)
			}
			if before, ok := bits[n]; !ok {
				bits[n] = l
			} else if hasFMA && !equalBits(before, l) {
				t.Errorf("order %d: bits depend on the level", n)
			}
		}
	})
}

func TestNativeCholeskyRefuses(t *testing.T) {
	for _, n := range []int{3, 40, 200} {
		for at := 0; at < n; at += n/5 + 1 {
			for _, v := range []float64{-1, 0, math.NaN()} {
				a := definite(n, n)
				a[at*n+at] = v
				if factorLower(n, a, n) {
					t.Errorf("order %d with %g on the diagonal at %d is definite", n, v, at)
				}
			}
		}
	}
}

func BenchmarkCholesky(b *testing.B) {
	names, solvers := denseSolvers() // up to smallCholesky native is gonum
	for _, n := range []int{50, 100, 200, 500, 1000} {
		a, l := definite(n, n), make([]float64, n*n)
		for i, d := range solvers {
			b.Run(fmt.Sprintf("n=%d/%s", n, names[i]), func(b *testing.B) {
				for b.Loop() {
					copy(l, a)
					d.Cholesky(n, l, n)
				}
			})
		}
	}
}
