package blas

import (
	"fmt"
	"math"
	"runtime"
	"testing"
)

// Products cut for any number of threads give the bits of one.
func TestParallelProducts(t *testing.T) {
	everyBackend(t, func(t *testing.T, k *Kernels) {
		for _, s := range [][3]int{{5, 6, 7}, {700, 30, 101}, {30, 700, 101}, {350, 340, 64}} {
			m, n, p := s[0], s[1], s[2]
			for mode := range 4 {
				tA, tB := mode&1 == 1, mode&2 == 2
				lda, ldb := p, n
				if tA {
					lda = m
				}
				if tB {
					ldb = p
				}
				a, b, whole := random(m*p, 1), random(p*n, 2), random(m*n, 3)
				k.Gemm(tA, tB, m, n, p, 0.5, a, lda, b, ldb, -1, whole, n)
				one := random(m*n, 3)
				k.GemmParallel(1, tA, tB, m, n, p, 0.5, a, lda, b, ldb, -1, one, n)
				near(t, fmt.Sprint("gemm ", s, mode), whole, one, 1e-12*float64(p))
				for _, threads := range []int{2, 3, 7} {
					c := random(m*n, 3)
					if k.GemmParallel(threads, tA, tB, m, n, p, 0.5, a, lda, b, ldb, -1, c, n); !equalBits(c, one) {
						t.Errorf("gemm %v tA=%v tB=%v: %d threads change bits", s, tA, tB, threads)
					}
				}
			}
		}
		for _, s := range [][2]int{{9, 5}, {400, 40}, {30, 2*slab + 100}} {
			n, p := s[0], s[1]
			for _, trans := range []bool{false, true} {
				lda := p
				if trans {
					lda = n
				}
				a, whole, one := random(n*p, 1), random(n*n, 3), random(n*n, 3)
				k.Syrk(trans, n, p, 0.5, a, lda, -1, whole, n)
				k.SyrkParallel(1, trans, n, p, 0.5, a, lda, -1, one, n)
				near(t, fmt.Sprint("syrk ", s), whole, one, 1e-12*math.Sqrt(float64(p)))
				for _, threads := range []int{2, 3, 7} {
					c := random(n*n, 3)
					if k.SyrkParallel(threads, trans, n, p, 0.5, a, lda, -1, c, n); !equalBits(c, one) {
						t.Errorf("syrk %v trans=%v: %d threads change bits", s, trans, threads)
					}
				}
			}
		}
	})
}

func near(t *testing.T, name string, x, y []float64, tol float64) {
	t.Helper()
	for i := range x {
		if !(math.Abs(x[i]-y[i]) <= tol) {
			t.Fatalf("%s: entry %d is %g, on one piece %g", name, i, y[i], x[i])
		}
	}
}

// Native products do not depend on how they are cut either: into rows, into columns, or both.
func TestNativeBitsDoNotDependOnPieces(t *testing.T) {
	k := MustSelect("native")
	everyLevel(t, func(t *testing.T) {
		for mode, s := range [][4]int{{500, 100, 300, 3}, {200, 530, 300, 4}, {700, 270, 90, 5}, {30, 600, 300, 3}} {
			m, n, p, threads := s[0], s[1], s[2], s[3]
			tA, tB, lda, ldb := mode&1 == 1, mode&2 == 2, p, n
			if tA {
				lda = m
			}
			if tB {
				ldb = p
			}
			a, b, whole, cut := random(m*p, 1), random(n*p, 2), random(m*n, 3), random(m*n, 3)
			k.Gemm(tA, tB, m, n, p, 0.5, a, lda, b, ldb, -1, whole, n)
			k.GemmParallel(threads, tA, tB, m, n, p, 0.5, a, lda, b, ldb, -1, cut, n)
			if !equalBits(whole, cut) {
				t.Errorf("the pieces of a product differ from the whole: %v", s)
			}
		}
		const n, p = 6*leastCols + 5, 20
		for _, trans := range []bool{false, true} {
			lda := p
			if trans {
				lda = n
			}
			a, whole, cut := random(n*p, 1), random(n*n, 3), random(n*n, 3)
			k.Syrk(trans, n, p, 0.5, a, lda, -1, whole, n)
			k.SyrkParallel(2, trans, n, p, 0.5, a, lda, -1, cut, n)
			if !equalBits(whole, cut) {
				t.Errorf("the pieces of an update differ from the whole: trans=%v", trans)
			}
		}
	})
}

// Every column belongs to one share, and no thread has much more than its part of the work.
func TestSharesOfColumns(t *testing.T) {
	for _, part := range []part{wholeMatrix, upperPart} {
		for threads := 2; threads < 9; threads++ {
			p := product[float64]{family: kernel.family64, n: 3*leastCols*threads + 1, part: part}
			before := func(column int) float64 {
				if x := float64(column) / float64(p.n); part == wholeMatrix {
					return x
				} else {
					return x * x
				}
			}
			ends := p.shares(threads)
			if ends[0] != 0 || ends[len(ends)-1] != p.n || len(ends) != 2*threads+1 {
				t.Fatalf("%d threads: shares end at %v", threads, ends)
			}
			for i, end := range ends[1:] {
				work := (before(end) - before(ends[i])) * float64(threads)
				if want := 0.25 + 0.5*float64(i/threads); math.Abs(work-want) > 0.13 {
					t.Errorf("%d threads: share %d of %d has %.2f of a thread's work", threads, i, len(ends)-1, work)
				}
			}
		}
	}
}

func BenchmarkParallel(b *testing.B) {
	k := MustSelect("native")
	const n = 1024
	x, y, z := random(n*n, 1), random(n*n, 2), make([]float64, n*n)
	for threads := 1; threads <= runtime.GOMAXPROCS(0); threads *= 2 {
		b.Run(fmt.Sprintf("gemm/n=%d/threads=%d", n, threads), func(b *testing.B) {
			for b.Loop() {
				k.GemmParallel(threads, false, false, n, n, n, 1, x, n, y, n, 0, z, n)
			}
		})
		b.Run(fmt.Sprintf("syrk/n=%d/threads=%d", n, threads), func(b *testing.B) {
			for b.Loop() {
				k.SyrkParallel(threads, false, n, n, 1, x, n, 0, z, n)
			}
		})
	}
}
