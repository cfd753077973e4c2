package blas

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// everyLevel runs a test with each kernel set that this CPU and build have.
func everyLevel(t *testing.T, test func(t *testing.T)) {
	before := kernel
	defer func() { kernel = before }()
	for l := range isaNames {
		t.Run(isaNames[l], func(t *testing.T) {
			sets := usableSets()
			i := slices.IndexFunc(sets, func(s *kernelSet) bool { return s.level == isaLevel(l) })
			if i < 0 {
				t.Skipf("this CPU or build has no %s", isaNames[l])
			}
			kernel = sets[i]
			test(t)
		})
	}
}

func needFMA(t *testing.T) {
	if !hasFMA {
		t.Skip("this CPU has no fused multiply-add: the bits are not promised")
	}
}

// defined computes C = alpha·op(A)·op(B) + beta·C by the definition: chains of
// fused multiply-adds over sumBlock terms, added to C in order.
func defined(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	for i := range m {
		for j := range n {
			at := &c[i*ldc+j]
			if k == 0 || alpha == 0 {
				if beta == 0 {
					*at = 0
				} else {
					*at *= beta
				}
			}
			for q := 0; alpha != 0 && q < k; q += sumBlock {
				var s float64
				for p := q; p < min(q+sumBlock, k); p++ {
					s = math.FMA(op(a, lda, tA, i, p), op(b, ldb, tB, p, j), s)
				}
				switch {
				case q > 0:
					*at = math.FMA(alpha, s, *at)
				case beta == 0:
					*at = alpha * s
				default:
					*at = math.FMA(alpha, s, beta**at)
				}
			}
		}
	}
}

// equalBits compares numbers bit by bit, so that −0 and NaN count.
func equalBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// edges are sizes around the sizes of the tiles, panels and blocks.
var edges = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 20, 24, 25, 33}

func TestNativeGemmIsItsDefinition(t *testing.T) {
	needFMA(t)
	everyLevel(t, func(t *testing.T) {
		check := func(m, n, k int) {
			for mode := range 4 {
				checkDefinition(t, mode&1 == 1, mode&2 == 2, m, n, k)
			}
		}
		sizes := edges
		if testing.Short() {
			sizes = []int{0, 1, 6, 7, 9, 14, 15, 17, 25}
		}
		for _, m := range sizes {
			for _, n := range sizes {
				for _, k := range []int{0, 1, 2, 3, 4, 5, 7, 8, 17} {
					check(m, n, k)
				}
			}
		}
		for _, k := range []int{sumBlock - 1, sumBlock, sumBlock + 1, 2*sumBlock + 3} {
			for _, s := range [][2]int{{1, 1}, {5, 9}, {7, 25}, {50, 13}, {9, 70}} {
				check(s[0], s[1], k)
			}
		}
		if testing.Short() {
			return
		}
		check(rowBlock+1, 67, 300)
		check(rowBlock-1, 259, 70)
		check(rowBlock+7, 19, 260)        // few columns, A packed
		check(30, flatCols+7, sumBlock+4) // few rows, B in blocks
		check(30, aliased-1, 40)          // the same, for rows of B at distances that are in each other's way
		check(3, colBlock+5, 3)
		check(61, colBlock+5, 2)
	})
}

func checkDefinition(t *testing.T, tA, tB bool, m, n, k int) {
	t.Helper()
	ar, ac, br, bc := m, k, k, n
	if tA {
		ar, ac = k, m
	}
	if tB {
		br, bc = n, k
	}
	lda, ldb, ldc := ac+2, bc+1, n+3
	a, b := random(max(0, (ar-1)*lda+ac), 1), random(max(0, (br-1)*ldb+bc), 2)
	for _, scale := range [][2]float64{{1, 0}, {-1, 1}, {0.75, -0.5}, {0, 2}} {
		got := guarded(m, n, ldc)
		if scale[1] != 0 {
			for i := range m {
				copy(got[i*ldc:i*ldc+n], random(n, uint64(i)))
			}
		}
		want := slices.Clone(got)
		defined(tA, tB, m, n, k, scale[0], a, lda, b, ldb, scale[1], want, ldc)
		nativeBackend{}.Gemm(tA, tB, m, n, k, scale[0], a, lda, b, ldb, scale[1], got, ldc)
		if !equalBits(got, want) {
			t.Fatalf("%d×%d×%d tA=%v tB=%v alpha=%g beta=%g: not the definition", m, n, k, tA, tB, scale[0], scale[1])
		}
	}
}

// Syrk is the upper triangle of the product, slab by slab where k is large.
func TestNativeSyrkIsItsDefinition(t *testing.T) {
	needFMA(t)
	everyLevel(t, func(t *testing.T) {
		sizes := append([]int{65, 150}, edges[1:]...)
		if testing.Short() {
			sizes = []int{1, 7, 15, 25, 65}
		}
		for _, trans := range []bool{false, true} {
			for _, n := range sizes {
				for _, k := range []int{0, 1, 5, sumBlock + 1, slab - 1, slab + 1, 2*slab + 10} {
					if n > 9 && k > sumBlock+1 && n != 25 {
						continue
					}
					checkSyrkDefinition(t, trans, n, k)
				}
			}
		}
	})
}

func checkSyrkDefinition(t *testing.T, trans bool, n, k int) {
	t.Helper()
	rows, cols := n, k
	if trans {
		rows, cols = k, n
	}
	lda, ldc := cols+1, n+2
	a := random(rows*lda, 3)
	for _, scale := range [][2]float64{{1, 0}, {-0.5, 1}, {0, 3}} {
		got := guarded(n, n, ldc)
		for i := range n {
			for j := range n {
				if j < i {
					got[i*ldc+j] = guard // below the diagonal nothing is touched
				} else if scale[1] != 0 {
					got[i*ldc+j] = float64(i - j)
				}
			}
		}
		want := slices.Clone(got)
		whole := slices.Clone(got)
		beta := scale[1]
		for q := 0; q == 0 || q < k; q += slab {
			part := min(slab, k-q)
			at := a[q:]
			if trans {
				at = a[q*lda:]
			}
			product := make([]float64, len(whole))
			if q == 0 {
				copy(product, whole)
			}
			defined(trans, !trans, n, n, part, scale[0], at, lda, at, lda, beta, product, ldc)
			for i := range n {
				for j := i; j < n; j++ {
					if q == 0 {
						want[i*ldc+j] = product[i*ldc+j]
					} else {
						want[i*ldc+j] += product[i*ldc+j]
					}
				}
			}
			beta = 0
			if scale[0] == 0 {
				break
			}
		}
		nativeBackend{}.Syrk(trans, n, k, scale[0], a, lda, scale[1], got, ldc)
		if !equalBits(got, want) {
			t.Fatalf("n=%d k=%d trans=%v alpha=%g beta=%g: not the definition", n, k, trans, scale[0], scale[1])
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return
}

func TestNativeRefusesShortSlices(t *testing.T) {
	x := make([]float64, 12)
	for name, call := range map[string]func(){
		"a":       func() { nativeBackend{}.Gemm(false, false, 3, 3, 4, 1, x[:11], 4, x, 3, 0, x, 3) },
		"b":       func() { nativeBackend{}.Gemm(false, true, 3, 3, 4, 1, x, 4, x[:11], 4, 0, x, 3) },
		"c":       func() { nativeBackend{}.Gemm(false, false, 3, 4, 3, 1, x, 3, x, 4, 0, x[:11], 4) },
		"leading": func() { nativeBackend{}.Gemm(true, false, 3, 3, 4, 1, x, 2, x, 3, 0, x, 3) },
		"syrk":    func() { nativeBackend{}.Syrk(false, 3, 4, 1, x[:11], 4, 0, x, 3) },
		"gemv":    func() { nativeBackend{}.Gemv(false, 3, 4, 1, x[:11], 4, x, 0, x) },
		"gemv x":  func() { nativeBackend{}.Gemv(true, 3, 4, 1, x, 4, x[:2:2], 0, x) },
		"dot":     func() { Dot(x, x[:11:11]) },
	} {
		if !panics(call) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func TestNativeDoesNotAllocate(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector empties pools")
	}
	k := MustSelect("native")
	const n = 100
	a, b, c := random(n*n, 1), random(n*n, 2), make([]float64, n*n)
	if got := testing.AllocsPerRun(50, func() {
		k.Gemm(false, true, n, n, n, 1, a, n, b, n, 0, c, n)
		k.Gemm(true, false, n, n, n, 1, a, n, b, n, 1, c, n)
		k.Syrk(true, n, n, 1, a, n, 0, c, n)
		k.Gemv(true, n, n, 1, a, n, b, 0, c)
		Exp(c, a[:n])
	}); got != 0 {
		t.Errorf("%v allocations a call", got)
	}
}

// Calls at once from many goroutines do not share scratch.
func TestNativeConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 40 {
		wg.Go(func() {
			n := 20 + g
			a := random(n*n, uint64(g))
			want, got := make([]float64, n*n), make([]float64, n*n)
			for r := range 5 {
				nativeBackend{}.Gemm(false, true, n, n, n, 1, a, n, a, n, 0, got, n)
				if r > 0 && !slices.Equal(got, want) {
					t.Error("a product differs from the last")
				}
				copy(want, got)
			}
		})
	}
	wg.Wait()
}

// The AVX2 file must run on CPUs that have nothing beyond: no register from 16 on
// and no mask register. Every function must leave through VZEROUPPER.
func TestGeneratedAssembly(t *testing.T) {
	for _, name := range []string{"kernel_gen_amd64.s", "kernel512_gen_amd64.s"} {
		text := must.Get(os.ReadFile(name))(t)
		if found := regexp.MustCompile(`\b([XYZ](1[6-9]|2\d|3[01])|K[0-7]|Z\d+)\b`).Find(text); name == "kernel_gen_amd64.s" && found != nil {
			t.Errorf("%s uses %s, which AVX2 does not have", name, found)
		}
		returns := regexp.MustCompile(`\n\tRET\n`).FindAllIndex(text, -1)
		if len(returns) < 48 {
			t.Errorf("%s: %d exits found", name, len(returns))
		}
		for _, at := range returns {
			if !bytes.HasSuffix(text[:at[0]], []byte("\tVZEROUPPER")) {
				t.Errorf("%s: an exit without VZEROUPPER: …%s", name, text[at[0]-60:at[1]])
			}
		}
	}
}

// Kernels for arm64 leave alone the registers that systems and Go keep for themselves.
func TestRegistersOfARM64(t *testing.T) {
	reserved := regexp.MustCompile(`\b(R18|R2[789]|R30)\b`)
	names := must.Get(filepath.Glob("*_arm64.s"))(t)
	if len(names) < 9 {
		t.Errorf("%d files found", len(names))
	}
	for _, name := range names {
		if found := reserved.Find(must.Get(os.ReadFile(name))(t)); found != nil {
			t.Errorf("%s uses %s", name, found)
		}
	}
}

func TestISANames(t *testing.T) {
	t.Setenv("ORTHANT_BLAS", "")
	for name, want := range map[string]isaLevel{"": isaDotProduct, "generic": isaGeneric, " AVX2 ": isaAVX2, "avx512": isaAVX512} {
		if l, err := parseISA(name); err != nil || l != want {
			t.Errorf("%q: %v, %v", name, l, err)
		}
		if capped(name).level > want {
			t.Errorf("%q raises the level", name)
		}
	}
	t.Setenv("ORTHANT_ISA", "sse9")
	const want = `blas: unknown instruction level "sse9" (from ORTHANT_ISA); choose one of generic, avx2, avx512, neon, dotprod`
	if _, err := Select("auto"); fmt.Sprint(err) != want {
		t.Errorf("an unknown level: %v", err)
	}
}

// What auto picks follows from the level.
func TestAutomaticByLevel(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		name := MustSelect("auto").Name()
		if native := name == "native"; native != Vectorized() {
			t.Errorf("auto takes products from %s", name)
		}
		if got := Describe(MustSelect("native")); got.ISA != kernel.level.String() {
			t.Errorf("the level is %s in the description", got.ISA)
		}
	})
}

func TestMulTransposed32(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, m := range []int{0, 1, 5, 6, 7, 9, 50, 150} {
			for _, n := range []int{0, 1, 7, 8, 15, 16, 17, 33, 47, 48, 49, 290} {
				for _, k := range []int{0, 1, 3, 4, 6, 21, sumBlock + 1} {
					if m*n > 5000 && k > 6 {
						continue
					}
					checkSingle(t, m, n, k)
				}
			}
		}
	})
}

func single(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func checkSingle(t *testing.T, m, n, k int) {
	t.Helper()
	lda, ldb, ldc := k+1, k+2, n+3
	a, b := single(random(m*lda, 1)), single(random(n*ldb, 2))
	c := single(guarded(m, n, ldc))
	MulTransposed32(m, n, k, a, lda, b, ldb, c, ldc)
	for i := range m {
		for j := range ldc {
			if j >= n {
				if c[i*ldc+j] != float32(guard) {
					t.Fatalf("%d×%d×%d: wrote outside the result", m, n, k)
				}
				continue
			}
			var want, size float64
			for p := range k {
				v := float64(a[i*lda+p]) * float64(b[j*ldb+p])
				want, size = want+v, size+math.Abs(v)
			}
			if got := float64(c[i*ldc+j]); !(math.Abs(got-want) <= float64(k+2)*0x1p-24*size) {
				t.Fatalf("%d×%d×%d: (%d,%d) is %g, want %g", m, n, k, i, j, got, want)
			}
		}
	}
}
