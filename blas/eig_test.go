package blas

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// nativeOver lists the eigensolver over the products of each backend.
func nativeOver() map[string]nativeDense {
	solvers := map[string]nativeDense{}
	for _, c := range registry {
		if c.level3 != nil && (c.usable == nil || c.usable() == nil) {
			solvers[c.name] = nativeDense{c.level3}
		}
	}
	return solvers
}

// infinityNorm bounds the norm of a symmetric matrix from above, within √n.
func infinityNorm(n int, a []float64) float64 {
	var norm float64
	for i := range n {
		var sum float64
		for _, v := range a[i*n : i*n+n] {
			sum += math.Abs(v)
		}
		norm = max(norm, sum)
	}
	return norm
}

// checkPairs holds pairs to backward stability: ‖Ax − λx‖, |XXᵀ − I| and the
// distance from the reference values, each to a multiple of n·ε. The largest
// measured over all of these tests is 0.7·(n+5)·ε.
func checkPairs(t *testing.T, name string, n int, a, w, z []float64, ldz int, want []float64) {
	t.Helper()
	count := len(w)
	if count == 0 {
		return
	}
	norm := infinityNorm(n, a)
	limit := 3 * float64(n+5) * ulp
	var level3 gonumBackend
	r := make([]float64, count*n)
	level3.Gemm(false, false, count, n, n, 1, z, ldz, a, n, 0, r, n)
	for j := range count {
		if !(math.Abs(w[j]-want[j]) <= limit*norm) {
			t.Errorf("n=%d %s: eigenvalue %d is %g, want %g", n, name, j, w[j], want[j])
			return
		}
		row := r[j*n : j*n+n]
		Axpy(-w[j], z[j*ldz:j*ldz+n], row)
		if size := math.Sqrt(Dot(row, row)); !(size <= limit*norm) {
			t.Errorf("n=%d %s: residual %g of pair %d (%.1f·nε‖A‖)", n, name, size, j, size/norm/ulp/float64(n))
			return
		}
	}
	gram := make([]float64, count*count)
	level3.Gemm(false, true, count, count, n, 1, z, ldz, z, ldz, 0, gram, count)
	for i := range count {
		gram[i*count+i]--
		for j, v := range gram[i*count : i*count+count] {
			if !(math.Abs(v) <= limit) {
				t.Errorf("n=%d %s: XXᵀ − I holds %g at (%d, %d) (%.1f·nε)", n, name, v, i, j, v/ulp/float64(n))
				return
			}
		}
	}
}

func eigenvaluesOf(t *testing.T, n int, a []float64) []float64 {
	t.Helper()
	w := make([]float64, n)
	must.Do(t, (gonumBackend{}).SymEig(n, slices.Clone(a), max(n, 1), w, new(Work)))
	return w
}

// ranges of eigenpairs: first, last, single ones, the middle, cuts through the
// clusters, everything, nothing.
func ranges(n int) [][2]int {
	r := [][2]int{{0, n}, {0, min(n, 11)}, {n / 3, n/3 + min(3, n-n/3)}, {max(n-5, 0), n}, {n / 2, n / 2}}
	if n > 0 {
		r = append(r, [2]int{n / 2, n/2 + 1}, [2]int{n - 1, n}, [2]int{n / 4, n - n/4})
	}
	return r
}

func TestNativeSymEig(t *testing.T) {
	sizes := []int{64, 65, 100, 150, 200}
	for n := range 41 {
		sizes = append(sizes, n)
	}
	if !testing.Short() {
		sizes = append(sizes, 300, 500)
	}
	for _, n := range sizes {
		for name, a := range hardMatrices(n) {
			if n >= 300 && name != "random" && name != "alignment" && name != "wilkinson" {
				continue // the reference takes a quarter of a second for each
			}
			want := eigenvaluesOf(t, n, a)
			for backend, s := range nativeOver() {
				checkRanges(t, s, backend+" "+name, n, a, want)
				if n == 65 || n == 100 {
					checkForced(t, s, backend+" "+name, n, a, want)
				}
			}
		}
	}
}

func checkRanges(t *testing.T, s nativeDense, name string, n int, a, want []float64) {
	t.Helper()
	work, lda := new(Work), max(n, 1)
	z, w := slices.Clone(a), make([]float64, n)
	if err := s.SymEig(n, z, lda, w, work); err != nil {
		t.Fatalf("n=%d %s: %v", n, name, err)
	}
	checkPairs(t, name, n, a, w, z, lda, want)
	for _, r := range ranges(n) {
		lo, hi := r[0], r[1]
		if n > 100 && hi-lo > n/2 {
			continue // as SymEig
		}
		w, z := make([]float64, hi-lo), make([]float64, (hi-lo)*n)
		if err := s.SymEigRange(n, lo, hi, slices.Clone(a), lda, w, z, lda, work); err != nil {
			t.Fatalf("n=%d %s [%d, %d): %v", n, name, lo, hi, err)
		}
		checkPairs(t, fmt.Sprintf("%s [%d, %d)", name, lo, hi), n, a, w, z, lda, want[lo:hi])
	}
}

// checkForced runs both methods whatever the number of pairs, so that neither is
// spared the hard cases by the choice between them.
func checkForced(t *testing.T, s nativeDense, name string, n int, a, want []float64) {
	for _, r := range ranges(n) {
		lo, hi := r[0], r[1]
		if lo == hi {
			continue
		}
		type method func(n, lo, hi int, unit float64, a []float64, lda int, w, z []float64, ldz int, work *Work) error
		for i, m := range []method{s.few, s.many} {
			w, z := make([]float64, hi-lo), make([]float64, (hi-lo)*n)
			if err := m(n, lo, hi, 1, slices.Clone(a), n, w, z, n, new(Work)); err != nil {
				t.Fatalf("n=%d %s [%d, %d): %v", n, name, lo, hi, err)
			}
			checkPairs(t, fmt.Sprintf("%s [%d, %d) method %d", name, lo, hi, i), n, a, w, z, n, want[lo:hi])
		}
	}
}

func TestNativeSymEigScales(t *testing.T) {
	const n, count = 45, 6
	for backend, s := range nativeOver() {
		for name, a := range hardMatrices(n) {
			want := eigenvaluesOf(t, n, a)
			for _, power := range []int{-1020, -500, -90, 0, 90, 500, 1015} {
				unit := math.Ldexp(1, power)
				scaled := slices.Clone(a)
				for i := range scaled {
					scaled[i] = math.Ldexp(scaled[i], power)
				}
				for _, pairs := range []int{count, n} {
					w, z := make([]float64, pairs), make([]float64, pairs*n)
					if err := s.SymEigRange(n, 0, pairs, slices.Clone(scaled), n, w, z, n, new(Work)); err != nil {
						t.Fatalf("%s: %s × 2^%d: %v", backend, name, power, err)
					}
					// The pairs of the unscaled matrix; what underflowed in the scaled one
					// is below its rounding.
					for i := range w {
						w[i] /= unit
					}
					checkPairs(t, fmt.Sprintf("%s × 2^%d", name, power), n, a, w, z, n, want[:pairs])
				}
			}
		}
	}
}

func TestNativeSymEigRefusesWhatIsNotFinite(t *testing.T) {
	for backend, s := range nativeOver() {
		for _, n := range []int{1, 2, 9, 40, 130} {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				for _, at := range []int{0, n*n - 1, n * n / 2} {
					a := hardMatrices(n)["random"]
					i, j := at/n, at%n
					a[i*n+j], a[j*n+i] = bad, bad
					var failed NonConvergence
					if err := s.SymEig(n, slices.Clone(a), n, make([]float64, n), new(Work)); !errors.As(err, &failed) {
						t.Errorf("%s n=%d %g: SymEig gave %v", backend, n, bad, err)
					}
					if err := s.SymEigRange(n, 0, 1, slices.Clone(a), n, make([]float64, 1), make([]float64, n), n, new(Work)); !errors.As(err, &failed) {
						t.Errorf("%s n=%d %g: SymEigRange gave %v", backend, n, bad, err)
					}
				}
			}
		}
	}
}

// Padding, guard words and dirty scratch change nothing, and neither does a
// second run.
func TestNativeSymEigStaysInsideAndRepeats(t *testing.T) {
	for backend, s := range nativeOver() {
		work := new(Work)
		for _, n := range []int{1, 2, 20, 33, 70, 140} {
			for _, name := range []string{"random", "clusters", "alignment", "diagonal"} {
				a := hardMatrices(n)[name]
				for _, pairs := range []int{1, (n + 7) / 8, n} {
					w, z := make([]float64, pairs), make([]float64, pairs*n)
					must.Do(t, s.SymEigRange(n, n-pairs, n, slices.Clone(a), n, w, z, n, new(Work)))
					lda, ldz := n+3, n+5
					padded, w2 := guarded(n, n, lda), make([]float64, pairs)
					for i := range n {
						copy(padded[i*lda:], a[i*n:i*n+n])
					}
					z2 := guarded(pairs, n, ldz)
					must.Do(t, s.SymEigRange(n, n-pairs, n, padded, lda, w2, z2, ldz, work))
					for i, v := range padded {
						if i%lda >= n && v != guard {
							t.Fatalf("%s n=%d %s: wrote outside the matrix", backend, n, name)
						}
					}
					for i, v := range z2 {
						switch row, j := i/ldz, i%ldz; {
						case row < pairs && j < n && v != z[row*n+j]:
							t.Fatalf("%s n=%d %s, %d pairs: vector %d differs in another layout", backend, n, name, pairs, row)
						case (row >= pairs || j >= n) && v != guard:
							t.Fatalf("%s n=%d %s: wrote outside the vectors", backend, n, name)
						}
					}
					if !slices.Equal(w, w2) {
						t.Fatalf("%s n=%d %s: values differ in another layout", backend, n, name)
					}
					if pairs < n {
						continue
					}
					for i := range n {
						copy(padded[i*lda:i*lda+n], a[i*n:i*n+n])
					}
					must.Do(t, s.SymEig(n, padded, lda, w2, work))
					for i := range n {
						if row := padded[i*lda : (i+1)*lda]; !slices.Equal(row[:n], z[i*n:i*n+n]) || row[n] != guard {
							t.Fatalf("%s n=%d %s: SymEig differs from the whole range", backend, n, name)
						}
					}
				}
			}
		}
	}
}

// serial is a backend that computes in the calling goroutine and allocates
// nothing, which gonum's products do.
type serial struct{ Backend }

func (serial) Gemm(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if beta == 0 {
			clear(row)
		} else {
			Scale(beta, row)
		}
		for p := range k {
			x := alpha * op(a, lda, tA, i, p)
			for j := range row {
				row[j] += x * op(b, ldb, tB, p, j)
			}
		}
	}
}

func TestNativeSymEigDoesNotAllocate(t *testing.T) {
	s := nativeDense{serial{gonumBackend{}}}
	for _, n := range []int{12, 40, 90} {
		for _, name := range []string{"random", "clusters", "diagonal"} {
			for _, pairs := range []int{5, n} {
				a := hardMatrices(n)[name]
				b, w, z, work := make([]float64, n*n), make([]float64, pairs), make([]float64, pairs*n), new(Work)
				if got := testing.AllocsPerRun(3, func() {
					copy(b, a)
					must.Do(t, s.SymEigRange(n, 0, pairs, b, n, w, z, n, work))
				}); got != 0 {
					t.Errorf("n=%d %s, %d pairs: %v allocations a call", n, name, pairs, got)
				}
			}
		}
	}
}

func TestRangeOutsideTheMatrixPanics(t *testing.T) {
	for _, r := range [][2]int{{-1, 1}, {0, 4}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("range %v of 3: no panic", r)
				}
			}()
			_ = nativeDense{gonumBackend{}}.SymEigRange(3, r[0], r[1], make([]float64, 9), 3, make([]float64, 4), make([]float64, 12), 3, new(Work))
		}()
	}
}

// A block that inverse iteration cannot finish is divided instead.
func TestInverseIterationGivesUp(t *testing.T) {
	d, e := []float64{1, 2, 3, 4}, []float64{0.5, 0.5, 0.5, 0}
	v := inverseIteration{
		level3: gonumBackend{}, d: d, e: e, norm: 5, swap: make([]int32, 4),
		inv: make([]float64, 4), up1: make([]float64, 4), up2: make([]float64, 4), mult: make([]float64, 4), projection: make([]float64, 4),
	}
	z := make([]float64, 4)
	if v.vectors([]int32{0}, []float64{2.2}, z, 4, 0) { // 2.2 is not an eigenvalue
		t.Errorf("accepted %g as an eigenvector", z)
	}
}

func TestCount4(t *testing.T) {
	const n = 60
	d, e2 := make([]float64, n), make([]float64, n)
	for i := range n {
		d[i], e2[i] = 0, 0.25
	}
	e2[n-1] = 0
	// Eigenvalues cos(kπ/61); count below midpoints and below the extremes.
	for k := 1; k < n; k++ {
		x := math.Cos((float64(k) + 0.5) * math.Pi / (n + 1))
		if got := count4(d, e2, &[4]float64{x, -2, 2, x}); got != [4]int{n - k, 0, n, n - k} {
			t.Fatalf("below %g: %v", x, got)
		}
	}
}

// Every root satisfies its equation up to rounding and is between its poles.
func TestSecularRoot(t *testing.T) {
	random := NewStream(3)
	for _, k := range []int{1, 2, 3, 8, 50} {
		for trial := range 80 {
			squared := trial >= 40
			poles, z, delta, gaps := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
			random.Normals(z)
			at := 0.0
			for j := range poles {
				if j > 0 || !squared {
					at += math.Pow(10, -float64(trial%14)*random.Uniform())
				}
				poles[j] = at
				z[j] *= math.Pow(10, -float64(trial%7)*random.Uniform())
			}
			Scale(1/math.Sqrt(Dot(z, z)), z)
			rho := math.Pow(10, 3*random.Uniform()-2)
			for i := range k {
				root := secularRoot(i, poles, z, rho, delta, gaps, squared)
				if gap := poleGap(poles[i], root, squared); !(math.Abs(gap-delta[i]) <= 8*ulp*max(root, root*root)) {
					t.Fatalf("k=%d trial %d: root %d is %g from its pole, not %g", k, trial, i, gap, delta[i])
				}
				if !(delta[i] < 0) || i+1 < k && !(delta[i+1] > 0) || i+1 == k && !(-delta[i] <= rho*(1+1e-14)) {
					t.Fatalf("k=%d trial %d: root %d is outside its interval", k, trial, i)
				}
				f, size, slope := 1/rho, 1/rho, 0.0
				for j, x := range delta {
					f += z[j] / x * z[j]
					size += math.Abs(z[j] / x * z[j])
					slope += z[j] / x * (z[j] / x)
				}
				// δ has relative accuracy ε: so has each term of the sum.
				if nearest := min(math.Abs(delta[i]), math.Abs(delta[min(i+1, k-1)])); !(math.Abs(f) <= 8*ulp*(float64(k)*size+slope*nearest)) {
					t.Errorf("k=%d trial %d: f(root %d) = %g with terms of %g", k, trial, i, f, size)
				}
			}
		}
	}
}

// failing is a backend whose matrix-vector products with matrices of one
// leading dimension give NaN.
type failing struct {
	Backend
	ld int
}

func (f failing) Gemv(trans bool, m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	f.Backend.Gemv(trans, m, n, alpha, a, lda, x, beta, y)
	if lda == f.ld {
		y[0] = math.NaN()
	}
}

// Where inverse iteration fails, divide and conquer takes over.
func TestNativeSymEigFallsBack(t *testing.T) {
	const n, count, ldz = 60, 7, 67
	a := hardMatrices(n)["clusters"]
	s := nativeDense{failing{gonumBackend{}, ldz}}
	w, z := make([]float64, count), make([]float64, count*ldz)
	scaled := slices.Clone(a)
	Scale(0x1p300, scaled)
	must.Do(t, s.SymEigRange(n, 0, count, scaled, n, w, z, ldz, new(Work)))
	Scale(0x1p-300, w)
	checkPairs(t, "fall back", n, a, w, z, ldz, eigenvaluesOf(t, n, a)[:count])
	x := &subset{
		level3: s.level3, d: filled(n, func(i int) float64 { return float64(i/7) / 10 }), e: filled(n, func(int) float64 { return 1e-9 }),
		w: w, z: z, ldz: ldz, floats: make([]float64, 9*n), ints: make([]int32, 4*n),
	}
	if x.run(0, count) {
		t.Error("inverse iteration passed with products that fail: this tests nothing")
	}
}

func TestNativeSymEigForAnyNumberOfThreads(t *testing.T) {
	const n = 200
	for backend, s := range nativeOver() {
		a := hardMatrices(n)["random"]
		for _, count := range []int{9, n} {
			var first []float64
			for _, threads := range []int{1, 2, 7} {
				before, all := runtime.GOMAXPROCS(threads), allowed
				allowed = func() int { return threads }
				w, z := make([]float64, count), make([]float64, count*n)
				err := s.SymEigRange(n, 0, count, slices.Clone(a), n, w, z, n, new(Work))
				runtime.GOMAXPROCS(before)
				allowed = all
				if err != nil {
					t.Fatal(err)
				}
				if got := append(w, z...); first == nil {
					first = got
				} else if !slices.Equal(first, got) {
					t.Errorf("%s, %d pairs: other bits on %d threads", backend, count, threads)
				}
			}
		}
	}
}

// The largest pairs are those that QL steps on the whole find: to rounding of the largest, with
// vectors that are orthonormal and have residuals of rounding.
func TestSymEigLargest(t *testing.T) {
	work := new(Work)
	for _, n := range []int{1, 2, 5, 12, 13, 30, 33, 70} {
		for name, values := range spectra(n) {
			for _, size := range []float64{1, 0x1p-300, 0x1p300} {
				a := symmetric(values, uint64(n))
				Scale(size, a)
				whole, all := append([]float64(nil), a...), make([]float64, n)
				Scale(1/size, whole)
				SymEigSmall(n, whole, all, false, make([]float64, 2*n))
				bound := 64 * ulp * float64(n) * math.Max(all[n-1], 1)
				for _, count := range []int{1, 2, n/fewShare + 1, n} {
					if count > n {
						continue
					}
					where := fmt.Sprintf("order %d, %s, %d pairs, size %g", n, name, count, size)
					w, alone, z := make([]float64, count), make([]float64, count), make([]float64, count*n)
					if SymEigLargest(n, count, append([]float64(nil), a...), w, z, work) != nil || SymEigLargest(n, count, append([]float64(nil), a...), alone, nil, work) != nil {
						t.Fatalf("%s: no convergence", where)
					}
					for j, v := range w {
						if want := all[n-1-j]; !(math.Abs(v/size-want) <= bound) || !(math.Abs(alone[j]/size-want) <= bound) {
							t.Errorf("%s: value %d is %g, without vectors %g, want %g", where, j, v/size, alone[j]/size, want)
						}
						x := z[j*n : j*n+n]
						for l := range j + 1 {
							want := 0.0
							if l == j {
								want = 1
							}
							if dot := Dot(x, z[l*n:l*n+n]); !(math.Abs(dot-want) <= 64*ulp*float64(n)) {
								t.Errorf("%s: vectors %d and %d: %g", where, l, j, dot)
							}
						}
						for i := range n {
							if r := Dot(a[i*n:i*n+n], x)/size - v/size*x[i]; !(math.Abs(r) <= bound) {
								t.Errorf("%s: residual %g of vector %d", where, r, j)
								break
							}
						}
					}
				}
			}
		}
	}
	nan := []float64{1, math.NaN(), math.NaN(), 1}
	if SymEigLargest(2, 1, nan, make([]float64, 1), nil, work) == nil {
		t.Error("NaN has eigenvalues")
	}
}
