package blas

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// everyBackend runs a test on the kernels of each backend of this build, and on
// the automatic choice.
func everyBackend(t *testing.T, test func(t *testing.T, k *Kernels)) {
	for _, name := range Available() {
		t.Run(name, func(t *testing.T) { test(t, MustSelect(name)) })
	}
}

func random(n int, seed uint64) []float64 {
	x := make([]float64, n)
	NewStream(seed).Normals(x)
	return x
}

// op returns entry (i, j) of op(A).
func op(a []float64, lda int, transposed bool, i, j int) float64 {
	if transposed {
		return a[j*lda+i]
	}
	return a[i*lda+j]
}

// guard surrounds the rows of a matrix with words that must survive.
const guard = 12345.678

func guarded(rows, width, ld int) []float64 {
	x := slices.Repeat([]float64{guard}, rows*ld+3)
	for i := range rows {
		for j := range width {
			x[i*ld+j] = math.NaN() // beta = 0 must not read it
		}
	}
	return x
}

func TestGemm(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 5, 8, 13, 33}
	everyBackend(t, func(t *testing.T, k *Kernels) {
		for _, m := range sizes {
			for _, n := range sizes {
				for _, p := range append(sizes, 200) {
					for mode := range 4 {
						checkGemm(t, k, mode&1 == 1, mode&2 == 2, m, n, p)
					}
				}
			}
		}
		checkGemm(t, k, false, true, 130, 70, 300)
		checkGemm(t, k, false, false, 130, 70, 300)
	})
}

func checkGemm(t *testing.T, k *Kernels, tA, tB bool, m, n, p int) {
	t.Helper()
	shape := func(rows, cols int, transposed bool) (int, int) {
		if transposed {
			return cols, rows
		}
		return rows, cols
	}
	ar, ac := shape(m, p, tA)
	br, bc := shape(p, n, tB)
	lda, ldb, ldc := max(ac, 1)+2, max(bc, 1)+1, max(n, 1)+3
	a, b := random(ar*lda, 1), random(br*ldb, 2)
	for _, beta := range []float64{0, 1, -0.5} {
		c := guarded(m, n, ldc)
		before := slices.Clone(c)
		if beta != 0 {
			for i := range m {
				copy(c[i*ldc:i*ldc+n], random(n, uint64(i)))
			}
			before = slices.Clone(c)
		}
		k.Gemm(tA, tB, m, n, p, 0.75, a, lda, b, ldb, beta, c, ldc)
		for i := range m {
			for j := range ldc {
				at := i*ldc + j
				if j >= n {
					if c[at] != guard {
						t.Fatalf("%d×%d×%d: wrote outside the result", m, n, p)
					}
					continue
				}
				var want, size float64
				for q := range p {
					v := op(a, lda, tA, i, q) * op(b, ldb, tB, q, j)
					want, size = want+v, size+math.Abs(v)
				}
				want, size = 0.75*want, 0.75*size
				if beta != 0 {
					want += beta * before[at]
					size += math.Abs(beta * before[at])
				}
				// Higham, Accuracy and Stability, 3.5: |error| ≤ kε·|A||B|, twice over.
				if bound := 2 * float64(p+2) * 0x1p-52 * size; !(math.Abs(c[at]-want) <= bound) {
					t.Fatalf("%d×%d×%d tA=%v tB=%v beta=%g: (%d,%d) is %g, want %g ± %g", m, n, p, tA, tB, beta, i, j, c[at], want, bound)
				}
			}
		}
	}
}

func TestSyrkAndGemv(t *testing.T) {
	everyBackend(t, func(t *testing.T, k *Kernels) {
		for _, n := range []int{1, 2, 7, 40} {
			for _, p := range []int{1, 3, 50} {
				for _, trans := range []bool{false, true} {
					rows, cols := n, p
					if trans {
						rows, cols = p, n
					}
					a := random(rows*(cols+2), 3)
					c := guarded(n, n, n+1)
					k.Syrk(trans, n, p, 2, a, cols+2, 0, c, n+1)
					for i := range n {
						for j := i; j < n; j++ {
							var want float64
							for q := range p {
								want += 2 * op(a, cols+2, trans, i, q) * op(a, cols+2, trans, j, q)
							}
							if math.Abs(c[i*(n+1)+j]-want) > 1e-12 {
								t.Fatalf("syrk n=%d k=%d trans=%v: (%d,%d) is %g, want %g", n, p, trans, i, j, c[i*(n+1)+j], want)
							}
						}
						if c[i*(n+1)+n] != guard {
							t.Fatal("syrk wrote outside the result")
						}
					}
					x, y := random(n*p, 4), random(n*p, 5)
					if trans {
						k.Gemv(true, p, n, 1.5, a, cols+2, x[:p], 0.5, y[:n])
					} else {
						k.Gemv(false, n, p, 1.5, a, cols+2, x[:p], 0.5, y[:n])
					}
					before := random(n*p, 5)
					for i := range n {
						want := 0.5 * before[i]
						for q := range p {
							want += 1.5 * op(a, cols+2, trans, i, q) * x[q]
						}
						if math.Abs(y[i]-want) > 1e-12 {
							t.Fatalf("gemv n=%d k=%d trans=%v: %g, want %g", n, p, trans, y[i], want)
						}
					}
				}
			}
		}
	})
}

func TestSymEigAndRange(t *testing.T) {
	everyBackend(t, func(t *testing.T, k *Kernels) {
		for _, n := range []int{1, 2, 5, 33, 80} {
			for name, want := range spectra(n) {
				a := symmetric(want, uint64(n))
				z, w := slices.Clone(a), make([]float64, n)
				must.Do(t, k.SymEig(n, z, n, w, new(Work)))
				checkEigen(t, n, a, w, z, want, name)
				lo, hi := n/3, n/3+(n+1)/2
				w, z = make([]float64, hi-lo), make([]float64, (hi-lo)*n)
				must.Do(t, k.SymEigRange(n, lo, hi, slices.Clone(a), n, w, z, n, new(Work)))
				checkEigenRange(t, n, a, w, z, want[lo:hi], want, name)
			}
		}
	})
}

// checkEigenRange is checkEigen for some of the pairs; want is all eigenvalues.
func checkEigenRange(t *testing.T, n int, a, w, z, some, want []float64, name string) {
	t.Helper()
	var norm float64
	for _, v := range want {
		norm = max(norm, math.Abs(v))
	}
	tol := 50 * float64(n+1) * 0x1p-52 * max(norm, 1e-300)
	for j := range some {
		v := z[j*n : j*n+n]
		if math.Abs(w[j]-some[j]) > tol {
			t.Errorf("n=%d %s: eigenvalue %d of the range is %g, want %g", n, name, j, w[j], some[j])
		}
		for i := range n {
			if r := math.Abs(Dot(a[i*n:i*n+n], v) - w[j]*v[i]); r > tol {
				t.Errorf("n=%d %s: residual %g of pair %d of the range", n, name, r, j)
				break
			}
		}
		for i := range j {
			if d := math.Abs(Dot(v, z[i*n:i*n+n])); d > 50*float64(n+1)*0x1p-52 {
				t.Errorf("n=%d %s: vectors %d·%d of the range = %g", n, name, j, i, d)
			}
		}
	}
}

func TestSVD(t *testing.T) {
	everyBackend(t, func(t *testing.T, k *Kernels) {
		for _, c := range [][2]int{{1, 1}, {4, 4}, {60, 7}, {7, 60}, {55, 52}} {
			m, n := c[0], c[1]
			p := min(m, n)
			a := random(m*n, 9)
			s, u, vt := make([]float64, p), make([]float64, m*p), make([]float64, p*n)
			must.Do(t, k.SVD(m, n, slices.Clone(a), n, s, u, p, vt, n, new(Work)))
			for j := range p {
				if s[j] < 0 || j > 0 && s[j] > s[j-1] {
					t.Errorf("%d×%d: singular values %g are not descending", m, n, s)
				}
			}
			for i := range m {
				for j := range n {
					var got float64
					for q := range p {
						got += u[i*p+q] * s[q] * vt[q*n+j]
					}
					if math.Abs(got-a[i*n+j]) > 1e-12 {
						t.Fatalf("%d×%d: UΣVᵀ(%d,%d) = %g, want %g", m, n, i, j, got, a[i*n+j])
					}
				}
			}
		}
	})
}

func TestCholesky(t *testing.T) {
	everyBackend(t, func(t *testing.T, k *Kernels) {
		for _, n := range []int{0, 1, 9, 70} {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(1 + i)
			}
			a := symmetric(values, 4)
			l := slices.Clone(a)
			if !k.Cholesky(n, l, max(n, 1)) {
				t.Fatalf("n=%d: not positive definite", n)
			}
			for i := range n {
				for j := range i + 1 {
					if got := Dot(l[i*n:i*n+j+1], l[j*n:j*n+j+1]); math.Abs(got-a[i*n+j]) > 1e-11 {
						t.Fatalf("n=%d: LLᵀ(%d,%d) = %g, want %g", n, i, j, got, a[i*n+j])
					}
				}
			}
			if n > 0 {
				a[n*n-1] = -1
				if k.Cholesky(n, a, n) {
					t.Errorf("n=%d: an indefinite matrix passed", n)
				}
			}
		}
	})
}

func TestConcurrentCalls(t *testing.T) {
	everyBackend(t, func(t *testing.T, k *Kernels) {
		const n = 60
		a := random(n*n, 1)
		want := make([]float64, n*n)
		k.Gemm(false, true, n, n, n, 1, a, n, a, n, 0, want, n)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				c := make([]float64, n*n)
				for range 10 {
					k.Gemm(false, true, n, n, n, 1, a, n, a, n, 0, c, n)
					if !slices.Equal(c, want) {
						t.Error("a concurrent product differs")
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestSelect(t *testing.T) {
	t.Setenv("ORTHANT_BLAS", "")
	if k, err := Select(""); err != nil || k.Choice != "auto" {
		t.Errorf("no name: %v, %v", k, err)
	}
	t.Setenv("ORTHANT_BLAS", "gonum")
	if k, err := Select(""); err != nil || k.Name() != "gonum" || k.Choice != "gonum" {
		t.Errorf("from the environment: %v, %v", k, err)
	}
	t.Setenv("ORTHANT_BLAS", "mkl")
	must.Refuse(t, `unknown backend "mkl" (from ORTHANT_BLAS); available: auto, gonum`)(Select(""))
	if k, err := Select(" GONUM "); err != nil || k.Name() != "gonum" {
		t.Errorf("an explicit name does not rule: %v", err)
	}
	for _, name := range Known {
		_, err := Select(name)
		built := slices.Contains(Available(), name)
		if built != (err == nil) {
			t.Errorf("%s: available %v, but %v", name, built, err)
		}
		if !built && !strings.Contains(err.Error(), "built without") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	i := Describe(MustSelect("gonum"))
	if i.CPU == "" || i.Cores < 1 || i.CacheL1 <= 0 || i.CacheL2 <= 0 || i.Backend != "gonum" || len(i.Operations) == 0 {
		t.Errorf("%+v", i)
	}
}

func TestForCoversEveryIndexOnce(t *testing.T) {
	for _, n := range []int{0, 1, 10, 1000} {
		for _, size := range []int{0, 1, 7, 2000} {
			for _, threads := range []int{0, 1, 3, 9} {
				hits := make([]int32, n)
				workers := sync.Map{}
				must.Do(t, For(context.Background(), threads, n, size, func(w, lo, hi int) {
					if _, busy := workers.LoadOrStore(w, true); busy {
						t.Error("two blocks at once on one worker")
					}
					for i := lo; i < hi; i++ {
						hits[i]++
					}
					workers.Delete(w)
				}))
				for i, h := range hits {
					if h != 1 {
						t.Fatalf("n=%d size=%d threads=%d: index %d visited %d times", n, size, threads, i, h)
					}
				}
			}
		}
	}
}

func TestForStopsWhenCancelled(t *testing.T) {
	for _, threads := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		var mu sync.Mutex
		blocks := 0
		err := For(ctx, threads, 1000, 1, func(_, _, _ int) {
			mu.Lock()
			defer mu.Unlock()
			if blocks++; blocks == 10 {
				cancel()
			}
		})
		if err != context.Canceled || blocks > 10+threads {
			t.Errorf("%d threads: %v after %d blocks", threads, err, blocks)
		}
	}
}

func TestForHandsPanicsToItsCaller(t *testing.T) {
	for _, threads := range []int{1, 4} {
		func() {
			defer func() {
				if p := recover(); p != "seven" {
					t.Errorf("%d threads: recovered %v", threads, p)
				}
			}()
			_ = For(context.Background(), threads, 100, 1, func(_, lo, _ int) {
				if lo == 7 {
					panic("seven")
				}
			})
		}()
	}
}

func BenchmarkGemm(b *testing.B) {
	for _, name := range Available()[1:] {
		k := MustSelect(name)
		for _, n := range []int{16, 64, 256, 1024} {
			x, y, z := random(n*n, 1), random(n*n, 2), make([]float64, n*n)
			for _, form := range []string{"ABt", "AB"} {
				b.Run(fmt.Sprintf("%s/%s/n=%d", name, form, n), func(b *testing.B) {
					for b.Loop() {
						k.Gemm(false, form == "ABt", n, n, n, 1, x, n, y, n, 0, z, n)
					}
					b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
				})
			}
		}
	}
}

func BenchmarkSymEig(b *testing.B) {
	for _, name := range Available()[1:] {
		k := MustSelect(name)
		for _, n := range []int{100, 200, 500} {
			a := symmetric(spectra(n)["spread"], 1)
			work, w := make([]float64, n*n), make([]float64, n)
			scratch := new(Work)
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					copy(work, a)
					if err := k.SymEig(n, work, n, w, scratch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
