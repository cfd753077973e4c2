package blas

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// withSingularValues is an m×n matrix with the given singular values, between random reflections.
func withSingularValues(m, n int, values []float64, seed uint64) []float64 {
	a := make([]float64, m*n)
	for i, v := range values {
		a[i*n+i] = v
	}
	random, v, w := NewStream(seed), make([]float64, m), make([]float64, n)
	for range 3 {
		random.Normals(v)
		b := 2 / Dot(v, v)
		gonumBackend{}.Gemv(true, m, n, b, a, n, v, 0, w)
		for i := range m {
			Axpy(-v[i], w, a[i*n:i*n+n])
		}
		random.Normals(w)
		b = 2 / Dot(w, w)
		for i := range m {
			row := a[i*n : i*n+n]
			Axpy(-b*Dot(row, w), w, row)
		}
	}
	return a
}

// hardRectangles are m×n matrices that singular value decompositions trip over.
func hardRectangles(m, n int) map[string][]float64 {
	p := min(m, n)
	spectrum := func(seed uint64, at func(i int) float64) []float64 {
		return withSingularValues(m, n, filled(p, at), seed)
	}
	entries := random(m*n, 21)
	each := func(at func(i, j int) float64) []float64 {
		a := make([]float64, m*n)
		for i := range m {
			for j := range n {
				a[i*n+j] = at(i, j)
			}
		}
		return a
	}
	graded := func(i int) float64 { return math.Pow(10, -16*float64(i)/float64(p)) }
	set := map[string][]float64{
		"random":   entries,
		"graded":   spectrum(1, graded),
		"deep":     spectrum(2, func(i int) float64 { return math.Pow(10, -300*float64(i)/float64(p)) }),
		"rank two": spectrum(3, func(i int) float64 { return max(0, 2-float64(i)) }),
		"half rank": spectrum(4, func(i int) float64 {
			if i < p/2 {
				return 1 + float64(i)
			}
			return 0
		}),
		"clusters": spectrum(5, func(i int) float64 { return float64(1+i/7) + 1e-12*float64(i%7) }),
		"near":     spectrum(6, func(i int) float64 { return 1 + 1e-15*float64(i) }),
		"one large": spectrum(7, func(i int) float64 {
			if i == 0 {
				return 1
			}
			return 1e-9
		}),
		"zero":           make([]float64, m*n),
		"one":            each(func(i, j int) float64 { return 1 }),
		"identity":       each(func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] }),
		"diagonal":       each(func(i, j int) float64 { return map[bool]float64{true: float64(i*7%5) - 2}[i == j] }),
		"steep rows":     each(func(i, j int) float64 { return entries[i*n+j] * math.Pow(10, -float64(i)/2) }),
		"rising columns": each(func(i, j int) float64 { return entries[i*n+j] * math.Pow(10, float64(j-n)/2) }),
		"upper": each(func(i, j int) float64 {
			if j < i {
				return 0
			}
			return entries[i*n+j]
		}),
		"bidiagonal of ones": each(func(i, j int) float64 { return map[bool]float64{true: 1}[j == i || j == i+1] }),
		"subdiagonal":        each(func(i, j int) float64 { return map[bool]float64{true: 2}[i == j+1] }),
	}
	for name, scale := range map[string]float64{"huge": 0x1p1000, "tiny": 0x1p-990} {
		a := slices.Clone(set["graded"])
		Scale(scale, a)
		set[name] = a
	}
	return set
}

// singularValuesOf are by gonum, descending.
func singularValuesOf(t *testing.T, m, n int, a []float64) []float64 {
	t.Helper()
	p := min(m, n)
	s := make([]float64, p)
	must.Do(t, (gonumBackend{}).SVD(m, n, slices.Clone(a), max(n, 1), s, make([]float64, m*p), max(p, 1), make([]float64, p*n), max(n, 1), new(Work)))
	return s
}

// checkSVD holds a decomposition to backward stability: ‖A − UΣVᵀ‖, |UᵀU − I|, |VᵀV − I| and the distance from the
// reference values, each to a multiple of n·ε. The largest measured over all of these tests is 1.3·(n+5)·ε.
func checkSVD(t *testing.T, name string, m, n int, a, s, u []float64, ldu int, vt []float64, ldvt int, want []float64) {
	t.Helper()
	p := min(m, n)
	limit := 3 * float64(max(m, n)+5) * ulp
	norm := want[0]
	for j, v := range s {
		if !(v >= 0) || j > 0 && v > s[j-1] {
			t.Errorf("%d×%d %s: singular value %d is %g after %g", m, n, name, j, v, s[max(j, 1)-1])
			return
		}
		if !(math.Abs(v-want[j]) <= limit*norm) {
			t.Errorf("%d×%d %s: singular value %d is %g, want %g (%.1f·nε)", m, n, name, j, v, want[j], math.Abs(v-want[j])/norm/ulp/float64(max(m, n)))
			return
		}
	}
	var level3 gonumBackend
	scaled, rest := make([]float64, m*p), slices.Clone(a)
	for i := range m {
		for j, v := range s {
			scaled[i*p+j] = v * u[i*ldu+j]
		}
	}
	level3.Gemm(false, false, m, n, p, -1, scaled, p, vt, ldvt, 1, rest, n)
	for i := range m {
		var sum float64
		for _, v := range rest[i*n : i*n+n] {
			if norm > 0 {
				v /= norm
			}
			sum += v * v
		}
		if !(math.Sqrt(sum) <= limit) {
			t.Errorf("%d×%d %s: row %d of A − UΣVᵀ is %g (%.1f·nε‖A‖)", m, n, name, i, math.Sqrt(sum), math.Sqrt(sum)/ulp/float64(max(m, n)))
			return
		}
	}
	gram := make([]float64, p*p)
	orthonormal := func(side string) {
		for i := range p {
			gram[i*p+i]--
			for j, v := range gram[i*p : i*p+p] {
				if !(math.Abs(v) <= limit) {
					t.Errorf("%d×%d %s: %s holds %g at (%d, %d) (%.1f·nε)", m, n, name, side, v, i, j, v/ulp/float64(max(m, n)))
					return
				}
			}
		}
	}
	level3.Gemm(true, false, p, p, m, 1, u, ldu, u, ldu, 0, gram, p)
	orthonormal("UᵀU − I")
	level3.Gemm(false, true, p, p, n, 1, vt, ldvt, vt, ldvt, 0, gram, p)
	orthonormal("VᵀV − I")
}

// nativeSVD checks one decomposition, into memory of NaN.
func nativeSVD(t *testing.T, s nativeDense, name string, m, n int, a, want []float64) {
	t.Helper()
	p := min(m, n)
	values, u, vt := make([]float64, p), slices.Repeat([]float64{math.NaN()}, m*p), slices.Repeat([]float64{math.NaN()}, p*n)
	must.Do(t, s.SVD(m, n, slices.Clone(a), n, values, u, p, vt, n, new(Work)))
	checkSVD(t, name, m, n, a, values, u, p, vt, n, want)
}

func TestNativeSVD(t *testing.T) {
	shapes := [][2]int{{1, 9}, {9, 1}, {2, 30}, {40, 3}, {25, 26}, {26, 25}, {60, 100}, {100, 60}, {64, 64}, {65, 65}, {100, 100}, {300, 40}, {40, 300}}
	for n := 1; n <= 20; n++ {
		shapes = append(shapes, [2]int{n, n})
	}
	if !testing.Short() {
		shapes = append(shapes, [2]int{270, 270})
	}
	for _, shape := range shapes {
		m, n := shape[0], shape[1]
		set := hardRectangles(m, n)
		if m == n {
			for name, a := range hardMatrices(n) {
				set["symmetric, "+name] = a
			}
		}
		for name, a := range set {
			if n == 270 && name != "random" && name != "graded" && name != "clusters" {
				continue // the reference takes a quarter of a second for each
			}
			want := singularValuesOf(t, m, n, a)
			for backend, s := range nativeOver() {
				nativeSVD(t, s, backend+" "+name, m, n, a, want)
			}
		}
	}
}

// Padding, guard words and dirty scratch change nothing, and neither does a second run.
func TestNativeSVDStaysInsideAndRepeats(t *testing.T) {
	for backend, s := range nativeOver() {
		work := new(Work)
		for _, shape := range [][2]int{{1, 1}, {2, 2}, {70, 70}, {33, 80}, {80, 33}} {
			m, n := shape[0], shape[1]
			p := min(m, n)
			for name, a := range hardRectangles(m, n) {
				values, u, vt := make([]float64, p), make([]float64, m*p), make([]float64, p*n)
				must.Do(t, s.SVD(m, n, slices.Clone(a), n, values, u, p, vt, n, new(Work)))
				lda, ldu, ldvt := n+3, p+4, n+5
				padded, again := guarded(m, n, lda), make([]float64, p)
				for i := range m {
					copy(padded[i*lda:], a[i*n:i*n+n])
				}
				u2, vt2 := guarded(m, p, ldu), guarded(p, n, ldvt)
				must.Do(t, s.SVD(m, n, padded, lda, again, u2, ldu, vt2, ldvt, work))
				inside := func(x []float64, rows, width, ld int, want []float64) {
					t.Helper()
					for i, v := range x {
						switch row, j := i/ld, i%ld; {
						case row < rows && j < width:
							if want != nil && v != want[row*width+j] {
								t.Fatalf("%s %d×%d %s: other bits in another layout", backend, m, n, name)
							}
						case v != guard:
							t.Fatalf("%s %d×%d %s: wrote outside a matrix", backend, m, n, name)
						}
					}
				}
				inside(padded, m, n, lda, nil)
				inside(u2, m, p, ldu, u)
				inside(vt2, p, n, ldvt, vt)
				if !slices.Equal(values, again) {
					t.Fatalf("%s %d×%d %s: values differ in another layout", backend, m, n, name)
				}
			}
		}
	}
}

func TestNativeSVDAtEveryLevel(t *testing.T) {
	for _, shape := range [][2]int{{90, 90}, {50, 130}, {130, 50}} {
		m, n := shape[0], shape[1]
		p := min(m, n)
		a := random(m*n, 5)
		var before []float64
		everyLevel(t, func(t *testing.T) {
			out := make([]float64, p+m*p+p*n)
			must.Do(t, nativeDense{nativeBackend{}}.SVD(m, n, slices.Clone(a), n, out[:p], out[p:], p, out[p+m*p:], n, new(Work)))
			if before == nil {
				before = out
			} else if hasFMA && !equalBits(before, out) {
				t.Errorf("%d×%d: bits depend on the level", m, n)
			}
		})
	}
}

func TestNativeSVDRefusesWhatIsNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := random(40*50, 1)
		a[777] = v
		if err := (nativeDense{nativeBackend{}}).SVD(40, 50, a, 50, make([]float64, 40), make([]float64, 1600), 40, make([]float64, 2000), 50, new(Work)); err == nil {
			t.Errorf("%g is decomposed", v)
		}
	}
}

func TestNativeSVDDoesNotAllocate(t *testing.T) {
	s := nativeDense{serial{gonumBackend{}}}
	for _, shape := range [][2]int{{40, 40}, {30, 70}, {70, 30}} {
		m, n := shape[0], shape[1]
		p := min(m, n)
		for name, a := range map[string][]float64{"random": random(m*n, 3), "one": filled(m*n, func(int) float64 { return 1 })} {
			b, values, u, vt, work := make([]float64, m*n), make([]float64, p), make([]float64, m*p), make([]float64, p*n), new(Work)
			if got := testing.AllocsPerRun(3, func() {
				copy(b, a)
				must.Do(t, s.SVD(m, n, b, n, values, u, p, vt, n, work))
			}); got != 0 {
				t.Errorf("%d×%d %s: %v allocations a call", m, n, name, got)
			}
		}
	}
}

func BenchmarkSVD(b *testing.B) {
	names, solvers := denseSolvers()
	for _, shape := range [][2]int{{3, 3}, {5, 5}, {10, 10}, {20, 20}, {50, 50}, {100, 100}, {200, 200}, {500, 500}, {1000, 1000}, {2000, 2000}, {200, 100}, {5000, 200}, {200, 5000}} {
		m, n := shape[0], shape[1]
		p := min(m, n)
		for i, s := range solvers {
			b.Run(fmt.Sprintf("%d×%d/%s", m, n, names[i]), func(b *testing.B) {
				a, c, work := random(m*n, 1), make([]float64, m*n), new(Work)
				values, u, vt := make([]float64, p), make([]float64, m*p), make([]float64, p*n)
				once := func() {
					copy(c, a)
					must.Do(b, s.SVD(m, n, c, n, values, u, p, vt, n, work))
				}
				once() // with fresh memory
				for b.Loop() {
					once()
				}
			})
		}
	}
}
