//go:build unix

package nmf

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
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

// stepping returns a function that takes this many iterations.
func stepping(b *testing.B, d Data, o Options, steps int) func() {
	b.Helper()
	d, err := d.underWeights(true, o.Loss.orDefault())
	if err != nil {
		b.Fatal(err)
	}
	totals, err := d.inspect()
	if err != nil {
		b.Fatal(err)
	}
	if d.Sparse != nil {
		d.transpose = transposeSparse(d.Sparse)
	}
	if o, err = o.withDefaults(d); err != nil {
		b.Fatal(err)
	}
	f, u, err := assemble(d, o, totals)
	if err == nil {
		err = f.start(context.Background(), o, &Result{})
	}
	if err != nil {
		b.Fatal(err)
	}
	f.updateGram()
	if err := u.prepare(context.Background()); err != nil {
		b.Fatal(err)
	}
	t := 0
	return func() {
		for range steps {
			t++
			if err := u.step(context.Background(), t, false); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func lowRank(n, m, r int, seed uint64) Data {
	random := blas.NewStream(seed)
	w, h, x := make([]float64, n*r), make([]float64, r*m), make([]float64, n*m)
	random.Uniforms(w)
	random.Uniforms(h)
	random.Uniforms(x)
	blas.MustSelect("").Gemm(false, false, n, m, r, 1, w, r, h, m, 0.3, x, m)
	return Dense(n, m, x)
}

// BenchmarkIteration reports, on one thread, the time of an iteration of each rule over the time of
// the two products that every rule needs, and over the time of an iteration of plain multiplicative
// updates (of-nmf; the target of correntropy is 4.5).
func BenchmarkIteration(b *testing.B) {
	for _, s := range shapes {
		d := lowRank(s.n, s.m, 2*s.r, 1)
		k := blas.MustSelect("")
		w, h, ht, p := make([]float64, s.n*s.r), make([]float64, s.r*s.m), make([]float64, s.m*s.r), make([]float64, s.n*s.r)
		blas.NewStream(2).Uniforms(w)
		blas.NewStream(3).Uniforms(ht)
		products := func() {
			k.Gemm(false, false, s.n, s.r, s.m, 1, d.Dense, s.m, ht, s.r, 0, p, s.r)
			k.Gemm(true, false, s.r, s.m, s.n, 1, w, s.r, d.Dense, s.m, 0, h, s.m)
		}
		contenders := []func(){products}
		names := []string{"products"}
		for _, r := range []struct {
			name string
			o    Options
		}{{"nmf", Options{}}, {"l21", Options{Loss: L21}}, {"kl", Options{Loss: KL}}, {"hals", Options{Solver: HALS, Sweeps: 1}},
			{"ahals", Options{Solver: HALS}}, {"cim", Options{Loss: Correntropy}}, {"cim-refresh", Options{Loss: Correntropy, Schedule: Refresh}}} {
			r.o.Rank, r.o.Threads = s.r, 1
			contenders, names = append(contenders, stepping(b, d, r.o, 1)), append(names, r.name)
		}
		b.Run(fmt.Sprintf("%dx%d/r=%d", s.n, s.m, s.r), func(b *testing.B) {
			var least []time.Duration
			for b.Loop() {
				least = inTurns(7, processorTime, contenders...)
			}
			for i, name := range names {
				b.ReportMetric(least[i].Seconds()*1e3, name+"-ms")
			}
			b.ReportMetric(least[1].Seconds()/least[0].Seconds(), "nmf-of-products")
			b.ReportMetric(least[6].Seconds()/least[1].Seconds(), "cim-of-nmf")
			b.ReportMetric(least[7].Seconds()/least[1].Seconds(), "refresh-of-nmf")
			b.ReportMetric(4*float64(s.n)*float64(s.m)*float64(s.r)/least[0].Seconds()/1e9, "products-Gflop/s")
		})
	}
}

// BenchmarkWeightedIteration reports, on one thread, the time of an iteration with weights over the
// time of one without: dense weights of which a tenth is 0, and sparse data of which a twentieth is
// stored, where only the stored entries are known, or all entries except a hundredth.
func BenchmarkWeightedIteration(b *testing.B) {
	const n, m, r = 2000, 1000, 20
	dense := lowRank(n, m, r, 1)
	random := blas.NewStream(4)
	v, x, c := make([]float64, n*m), make([]float64, n*m), make([]float64, n*m)
	for at := range v {
		if random.Below(10) > 0 {
			v[at] = 1
		}
		if random.Below(20) == 0 {
			x[at] = dense.Dense[at]
		}
		if random.Below(100) == 0 {
			c[at] = 1
		}
	}
	stored := Sparse(storedWhere(n, m, x, notZero))
	known := storedWhere(n, m, x, notZero)
	for p := range known.Val {
		known.Val[p] = 1
	}
	withDense, withStored, withLess := dense, stored, stored
	withDense.Weights = Weights{Dense: v}
	withStored.Weights = Weights{Sparse: known}
	withLess.Weights = Weights{Less: storedWhere(n, m, c, notZero)}
	for _, s := range []struct {
		name string
		o    Options
	}{{"mu", Options{}}, {"kl", Options{Loss: KL}}, {"hals", Options{Solver: HALS}}} {
		b.Run(s.name, func(b *testing.B) {
			s.o.Rank, s.o.Threads = r, 1
			var contenders []func()
			for _, d := range []Data{dense, withDense, stored, withStored, withLess} {
				contenders = append(contenders, stepping(b, d, s.o, 1))
			}
			var least []time.Duration
			for b.Loop() {
				least = inTurns(5, processorTime, contenders...)
			}
			for i, name := range []string{"dense", "weighted", "sparse", "stored", "all-but"} {
				b.ReportMetric(least[i].Seconds()*1e3, name+"-ms")
			}
			b.ReportMetric(least[1].Seconds()/least[0].Seconds(), "weighted-of-dense")
			b.ReportMetric(least[3].Seconds()/least[2].Seconds(), "stored-of-sparse")
			b.ReportMetric(least[4].Seconds()/least[2].Seconds(), "all-but-of-sparse")
		})
	}
}
