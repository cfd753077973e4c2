//go:build unix

package blas

import (
	"container/heap"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkTargets measures kernels against each other in one run and reports
// ratios of times, with the "target" next to each: gonum's, OpenBLAS's (with its tag) or a
// plain loop's time divided by ours, on one thread. Run it with -benchtime 1x
// -cpu 1. Contenders take turns and the least processor time of each counts, so that other load on
// the machine affects them little, and equally.
func BenchmarkTargets(b *testing.B) {
	ours := nativeBackend{}
	gemm := func(be Backend, m, n, k int, tB bool) func() {
		x, y, z := random(m*k, 1), random(n*k, 2), make([]float64, m*n)
		ldb := n
		if tB {
			ldb = k
		}
		return func() { be.Gemm(false, tB, m, n, k, 1, x, k, y, ldb, 0, z, n) }
	}
	syrk := func(be Backend, trans bool, n, k int) func() {
		x, z, lda := random(n*k, 1), make([]float64, n*n), k
		if trans {
			lda = n
		}
		return func() { be.Syrk(trans, n, k, 1, x, lda, 0, z, n) }
	}
	if c := linked("openblas"); c != nil {
		for _, n := range []int{16, 64, 128, 512, 1024, 2048} {
			target := 0.93
			if n < 512 {
				target = 0.9
			}
			compare(b, fmt.Sprintf("openblas/gemm/n=%d", n), target, gemm(ours, n, n, n, false), gemm(c.level3, n, n, n, false))
		}
		for _, s := range [][3]int{{192, 32, 96}, {192, 16, 16}, {256, 256, 50}, {256, 256, 784}} {
			compare(b, fmt.Sprintf("openblas/gemmABt/%dx%dx%d", s[0], s[1], s[2]), 0.9, gemm(ours, s[0], s[1], s[2], true), gemm(c.level3, s[0], s[1], s[2], true))
		}
		compare(b, "openblas/gemm/100000x20x50", 0.9, gemm(ours, 100000, 20, 50, false), gemm(c.level3, 100000, 20, 50, false))
		for _, n := range []int{16, 50} {
			compare(b, fmt.Sprintf("openblas/XtX/100000x%d", n), 1, syrk(ours, true, n, 100000), syrk(c.level3, true, n, 100000))
		}
		compare(b, "openblas/syrk/n=1024", 0.88, syrk(ours, false, 1024, 1024), syrk(c.level3, false, 1024, 1024))
	}
	compare(b, "gonum/gemm/n=1024", 6, gemm(ours, 1024, 1024, 1024, false), gemm(gonumBackend{}, 1024, 1024, 1024, false))
	single := func() func() {
		x, y, z := make([]float32, 1024*1024), make([]float32, 1024*1024), make([]float32, 1024*1024)
		return func() { MulTransposed32(1024, 1024, 1024, x, 1024, y, 1024, z, 1024) }
	}
	compare(b, "double/single/n=1024", 1.8, single(), gemm(ours, 1024, 1024, 1024, true))
	targetsOfSmall(b)
	targetsOfVectors(b)
	targetsOfCSR(b)
	targetsOfNeighbors(b)
}

// targetsOfSmall measures the work of one patch, k = 15, against calls of gonum
// and of a linked LAPACK, and ten pairs of a dense matrix of order 1000.
func targetsOfSmall(b *testing.B) {
	const k = 15
	values := make([]float64, k)
	for i := range values {
		values[i] = 1 + float64(i)
	}
	a := symmetric(values, 1)
	work, rhs := make([]float64, k*k), random(k, 2)
	x, w, scratch := make([]float64, k), make([]float64, k), make([]float64, 2*k)
	ours := func() {
		copy(work, a)
		copy(x, rhs)
		CholeskySmall(k, work)
		CholeskySolveSmall(k, work, x)
	}
	dense, right := mat.NewSymDense(k, slices.Clone(a)), mat.NewVecDense(k, rhs)
	compare(b, "gonum/cholesky/k=15", 8, ours, func() {
		var c mat.Cholesky
		var solved mat.VecDense
		c.Factorize(dense)
		_ = c.SolveVecTo(&solved, right)
	})
	compare(b, "gonum/eigen/k=15", 1.4, func() {
		copy(work, a)
		SymEigSmall(k, work, w, true, scratch)
	}, func() {
		var e mat.EigenSym
		e.Factorize(dense, true)
	})
	const n, pairs = 1000, 10
	big := alignmentLike(n)
	full, found, vectors := make([]float64, n*n), make([]float64, n), make([]float64, n*n)
	warm := new(Work)
	few := func(d Dense) func() {
		return func() {
			copy(full, big)
			_ = d.SymEigRange(n, 0, pairs, full, n, found, vectors, n, warm)
		}
	}
	compare(b, "gonum/tenPairs/n=1000", 12, few(nativeDense{nativeBackend{}}), few(gonumBackend{}))
	if c := linked("openblas"); c != nil {
		compare(b, "openblas/tenPairs/n=1000", 0.5, few(nativeDense{nativeBackend{}}), few(c.dense))
		compare(b, "openblas/cholesky/k=15", 1.5, func() {
			copy(work, a)
			CholeskySmall(k, work)
		}, func() {
			copy(work, a)
			c.dense.Cholesky(k, work, k)
		})
	}
}

func targetsOfVectors(b *testing.B) {
	const n = 784
	x, y := random(n, 1), random(n, 2)
	compare(b, "gonum/dot/n=784", 2, func() { sink = Dot(x, y) }, func() { sink = level3Gonum.Ddot(n, x, 1, y, 1) })
	compare(b, "gonum/axpy/n=784", 2, func() { Axpy(1e-9, x, y) }, func() { level3Gonum.Daxpy(n, 1e-9, x, 1, y, 1) })
	a, out := random(4096*n, 3), make([]float64, 4096)
	compare(b, "gonum/gemv/4096x784", 1.5, func() { nativeBackend{}.Gemv(false, 4096, n, 1, a, n, x, 0, out) },
		func() { level3Gonum.Dgemv(blas.NoTrans, 4096, n, 1, a, n, x, 1, 0, out, 1) })
	compare(b, "gonum/gemvT/4096x784", 1.5, func() { nativeBackend{}.Gemv(true, 4096, n, 1, a, n, out, 0, y) },
		func() { level3Gonum.Dgemv(blas.Trans, 4096, n, 1, a, n, out, 1, 0, y, 1) })
	e := make([]float64, n)
	compare(b, "math/exp", 6, func() { Exp(e, x) }, func() {
		for i, v := range x {
			e[i] = math.Exp(v)
		}
	})
}

func targetsOfCSR(b *testing.B) {
	const n, each, w = 20000, 30, 8
	s := NewStream(1)
	ptr, col := []int{0}, []int32{}
	for i := range n {
		for p := range each { // a band, as neighbour graphs in a good order have
			col = append(col, int32((i+p*7+s.Below(5))%n))
		}
		ptr = append(ptr, len(col))
	}
	val, x, y := random(len(col), 2), random(n*w, 3), make([]float64, n*w)
	block := func() { MulCSRBlock(w, 0, n, ptr, col, val, x, y) }
	compare(b, "loop/spmm8", 4, block, func() {
		clear(y)
		for i := range n {
			out := y[i*w : i*w+w]
			for p := ptr[i]; p < ptr[i+1]; p++ {
				v, row := val[p], x[int(col[p])*w:int(col[p])*w+w]
				for q, u := range row {
					out[q] += v * u
				}
			}
		}
	})
	compare(b, "spmv/spmm8", 1/2.5, block, func() { MulCSR(0, n, ptr, col, val, x[:n], y[:n]) })
}

// targetsOfNeighbors sets one tile of products and its scan against the
// product alone, and against a loop over pairs.
func targetsOfNeighbors(b *testing.B) {
	const n, m = 256, 784
	x, g, mask := random(n*m, 1), make([]float64, n*n), make([]uint64, n/64)
	half, reach := slices.Repeat([]float64{m / 2}, n), slices.Repeat([]float64{m}, n)
	product := func() { nativeBackend{}.Gemm(false, true, n, n, m, 1, x, m, x, m, 0, g, n) }
	tile := func() {
		product()
		for i := range n {
			Candidates(mask, g[i*n:i*n+n], half, reach, m/2, m)
		}
	}
	compare(b, "product/tile", 1/1.1, tile, product)
	compare(b, "loop/tile", 12, tile, func() {
		for i := range n {
			for j := range n {
				var s float64
				y := x[j*m : j*m+m]
				for p, v := range x[i*m : i*m+m] {
					d := v - y[p]
					s += d * d
				}
				g[i*n+j] = s
			}
		}
	})
	d := random(4096, 5)
	scanned := make([]uint64, 4096/64)
	zero, inf := make([]float64, 4096), slices.Repeat([]float64{math.Inf(1)}, 4096)
	compare(b, "heap/top10of4096", 3, func() { topByScan(d, zero, inf, scanned) }, func() { topByHeap(d) })
}

// topByScan finds the ten largest by threshold scans of 256 and insertion.
func topByScan(d, zero, inf []float64, mask []uint64) {
	var top [10]float64
	for i := range top {
		top[i] = math.Inf(-1)
	}
	for lo := 0; lo < len(d); lo += 256 {
		if !Candidates(mask[:4], d[lo:lo+256], zero, inf, 0, top[9]) {
			continue
		}
		for w, set := range mask[:4] {
			for ; set != 0; set &= set - 1 {
				v := d[lo+64*w+bits.TrailingZeros64(set)]
				if v <= top[9] {
					continue
				}
				i := 9
				for ; i > 0 && top[i-1] < v; i-- {
					top[i] = top[i-1]
				}
				top[i] = v
			}
		}
	}
	sink = top[9]
}

type least []float64

func (h least) Len() int           { return len(h) }
func (h least) Less(i, j int) bool { return h[i] < h[j] }
func (h least) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *least) Push(v any)        { *h = append(*h, v.(float64)) }
func (h *least) Pop() any          { panic("unused") }

func topByHeap(d []float64) {
	h := least(slices.Clone(d[:10]))
	heap.Init(&h)
	for _, v := range d[10:] {
		if v > h[0] {
			h[0] = v
			heap.Fix(&h, 0)
		}
	}
	sink = h[0]
}

func linked(name string) *candidate {
	for i := range registry {
		if registry[i].name == name {
			return &registry[i]
		}
	}
	return nil
}

// processorTime is the time that the process has run: other load on the machine
// does not count.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// compare reports how many times longer theirs takes than ours.
func compare(b *testing.B, name string, target float64, ours, theirs func()) {
	b.Run(name, func(b *testing.B) {
		var least [2]time.Duration
		for b.Loop() {
			least = [2]time.Duration{math.MaxInt64, math.MaxInt64}
			ours()
			theirs()
			start := processorTime()
			for range 3 {
				ours()
			}
			times := int(max(1, 10*time.Millisecond/max(1, processorTime()-start)))
			for range 9 {
				for i, f := range []func(){ours, theirs} {
					start := processorTime()
					for range times {
						f()
					}
					least[i] = min(least[i], (processorTime()-start)/time.Duration(times))
				}
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(least[0].Nanoseconds()), "ns")
		b.ReportMetric(float64(least[1])/float64(least[0]), "ratio")
		b.ReportMetric(target, "target")
	})
}

// BenchmarkTwoThreads reports the wall time of one thread over that of two for a
// large product; it wants an idle machine with two cores.
func BenchmarkTwoThreads(b *testing.B) {
	const n = 1024
	k := only(candidate{name: "native", level3: nativeBackend{}})
	x, y, z := random(n*n, 1), random(n*n, 2), make([]float64, n*n)
	least := [3]time.Duration{1: math.MaxInt64, 2: math.MaxInt64}
	for b.Loop() {
		for range 9 {
			for threads := 1; threads <= 2; threads++ {
				start := time.Now()
				k.GemmParallel(threads, false, false, n, n, n, 1, x, n, y, n, 0, z, n)
				least[threads] = min(least[threads], time.Since(start))
			}
		}
	}
	b.ReportMetric(float64(least[1])/float64(least[2]), "times-faster")
}
