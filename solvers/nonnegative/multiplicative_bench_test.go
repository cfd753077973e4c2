//go:build unix

package nonnegative

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// processorTime is the time that the process has run on all its threads.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// inTurns runs the contenders one after the other, again and again, and returns
// the least time of each by the clock given.
func inTurns(rounds int, clock func() time.Duration, contenders ...func()) []time.Duration {
	least := make([]time.Duration, len(contenders))
	for round := range rounds + 1 {
		for i, f := range contenders {
			start := clock()
			f()
			if d := clock() - start; round == 1 || round > 1 && d < least[i] {
				least[i] = d
			}
		}
	}
	return least
}

func wallTime() time.Duration { return time.Duration(time.Now().UnixNano()) }

// iterating returns a function that takes steps of an iteration on c.
func iterating(b *testing.B, c Signed, p, threads, steps int) (func(), func()) {
	u := make([]float64, c.Order()*p)
	blas.NewStream(1).Uniforms(u)
	it, err := newIteration(c, p, u, Multiplicative{Threads: threads})
	if err != nil {
		b.Fatal(err)
	}
	it.objective = it.trace
	r := &Nonnegative{Objective: make([]float64, 0, 1<<16), Orthogonality: make([]float64, 0, 1<<16)}
	if err := it.evaluate(r, true); err != nil {
		b.Fatal(err)
	}
	s := stage{prepare: it.preparePaper, update: it.updatePaper}
	return func() {
		for range steps {
			it.step(s)
			if err := it.evaluate(r, false); err != nil {
				b.Fatal(err)
			}
		}
	}, it.pool.close
}

// BenchmarkDensePass reports the bandwidth at which one iteration reads a dense C,
// as a share of what a plain sum over C reaches in the same run, on one thread.
// The target is 0.6.
func BenchmarkDensePass(b *testing.B) {
	const n, p = 4000, 4
	m := make([]float64, n*n)
	blas.NewStream(2).Normals(m)
	c, err := SignedDense(n, m, false, 0)
	if err != nil {
		b.Fatal(err)
	}
	step, end := iterating(b, c, p, 1, 1)
	defer end()
	var sink float64
	var least []time.Duration
	for b.Loop() {
		least = inTurns(9, processorTime, step, func() { sink += blas.Dot(m, m) })
	}
	bytes := 8.0 * n * n
	b.ReportMetric(bytes/least[0].Seconds()/1e9, "GB/s")
	b.ReportMetric(bytes/least[1].Seconds()/1e9, "plain-GB/s")
	b.ReportMetric(least[1].Seconds()/least[0].Seconds(), "of-plain-read")
}

// rollGraph is a neighbour graph as a swiss roll's: points of a strip in an order
// that keeps neighbours near, each joined to k others and more that list it; M is
// its normalised Laplacian, or a sum of patches wwᵀ with entries of either sign.
func rollGraph(b *testing.B, n, k int, squared bool) *sparse.CSR {
	random := blas.NewStream(3)
	width := int(math.Sqrt(float64(n))) / 4
	neighbors := make([][]int32, n)
	for i := range n {
		seen := map[int32]bool{int32(i): true}
		for len(neighbors[i]) < k {
			j := i + (random.Below(5)-2)*width + random.Below(5) - 2
			if j >= 0 && j < n && !seen[int32(j)] {
				seen[int32(j)] = true
				neighbors[i] = append(neighbors[i], int32(j))
			}
		}
	}
	ptr, index := []int{0}, []int32{}
	for i, list := range neighbors {
		if squared {
			index = append(append(index, list...), int32(i))
			ptr = append(ptr, len(index))
			continue
		}
		for _, j := range list {
			index = append(index, int32(i), j)
			ptr = append(ptr, len(index))
		}
	}
	patches := sparse.NewPatches(0, ptr, index)
	for q := range patches.Len() {
		lower := []float64{1, -1, 1}
		if squared {
			lower = lower[:0]
			w := make([]float64, patches.Size(q))
			random.Normals(w)
			for i := range w {
				for j := range i + 1 {
					lower = append(lower, w[i]*w[j])
				}
			}
		}
		patches.Store(q, lower)
	}
	m, err := sparse.Assemble(context.Background(), 0, n, patches)
	if err != nil {
		b.Fatal(err)
	}
	if !squared { // I − D^−½WD^−½
		scale := make([]float64, n)
		for i := range n {
			scale[i] = 1 / math.Sqrt(m.At(i, i))
		}
		for i := range n {
			cols, vals := m.Row(i)
			for q, j := range cols {
				if vals[q] *= scale[i] * scale[j]; int(j) == i {
					vals[q] = 1
				}
			}
		}
	}
	return m
}

// BenchmarkSparseIteration reports the time of an iteration over that of one
// product of the same matrix with a block of the same width, on one thread. The
// target is at most 1.5.
func BenchmarkSparseIteration(b *testing.B) {
	const n, k, p = 100_000, 10, 4
	for _, squared := range []bool{false, true} {
		name := "laplacian"
		if squared {
			name = "reconstruction"
		}
		b.Run(name, func(b *testing.B) {
			m := rollGraph(b, n, k, squared)
			c, err := SignedSparse(m, true, 1)
			if err != nil {
				b.Fatal(err)
			}
			step, end := iterating(b, c, p, 1, 1)
			defer end()
			x, y := make([]float64, n*p), make([]float64, n*p)
			blas.NewStream(4).Uniforms(x)
			var least []time.Duration
			for b.Loop() {
				least = inTurns(15, processorTime, step, func() { m.MulBlock(1, p, x, y) })
			}
			b.ReportMetric(float64(m.NNZ())/n, "entries/row")
			b.ReportMetric(least[0].Seconds()*1e3, "ms")
			b.ReportMetric(least[0].Seconds()/least[1].Seconds(), "of-spmm")
		})
	}
}

// BenchmarkIterationThreads reports the wall time on one thread over that on two;
// it wants an idle machine with two cores. The target is 1.5 from 20 000 rows on.
func BenchmarkIterationThreads(b *testing.B) {
	const k, p = 10, 4
	for _, n := range []int{20_000, 100_000} {
		for _, squared := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/squared=%v", n, squared), func(b *testing.B) {
				c, err := SignedSparse(rollGraph(b, n, k, squared), true, 1)
				if err != nil {
					b.Fatal(err)
				}
				one, end := iterating(b, c, p, 1, 10)
				defer end()
				two, end2 := iterating(b, c, p, 2, 10)
				defer end2()
				var least []time.Duration
				for b.Loop() {
					least = inTurns(9, wallTime, one, two)
				}
				b.ReportMetric(least[0].Seconds()/least[1].Seconds(), "times-faster")
			})
		}
	}
}
