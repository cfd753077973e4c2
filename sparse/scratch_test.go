package sparse

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
)

func report(name string, a *CSR) {
	ctx := context.Background()
	best := func(f func()) float64 {
		b := math.Inf(1)
		for range 5 {
			t := time.Now()
			f()
			b = min(b, time.Since(t).Seconds())
		}
		return b * 1e3
	}
	k := blas.MustSelect("gonum")
	amd := best(func() { MinimumDegree(a) })
	var s *Analysis
	ana := best(func() { s, _ = Analyze(ctx, a) })
	var f *Factor
	var err error
	num := best(func() { f, err = s.Factor(ctx, k, a, 0) })
	if err != nil {
		fmt.Println(err)
		return
	}
	n := a.Rows
	fmt.Printf("%s n=%d nnz/row=%.1f lnz=%d GF=%.3f stored=%d panels=%d rows=%d | amd %.1f analyze %.1f factor %.1f ms (%.2f GF/s)\n", name, n, float64(a.NNZ())/float64(n), s.Entries(), s.Flops()/1e9, len(f.values), len(s.rowLo), len(s.rows), amd, ana, num, s.Flops()/num/1e6)
	for _, r := range []int{1, 4, 8} {
		x := make([]float64, n*r)
		for i := range x {
			x[i] = 1
		}
		var w SolveWork
		t := best(func() { f.Solve(x, r, &w) })
		for i := range x {
			x[i] = 1
		}
		f.Solve(x, r, &w)
		var res float64
		for i := range n {
			cols, vals := a.Row(i)
			s := -1.0
			for p, j := range cols {
				s += vals[p] * x[int(j)*r]
			}
			res = max(res, math.Abs(s))
		}
		fmt.Printf("   solve %d: %.2f ms  %.2f GB/s of factor (one pass x2) res %.1e\n", r, t, float64(2*8*len(f.values))/t/1e6, res)
	}
}

func TestScratch(t *testing.T) {
	report("grid5", grid(100, false))
	report("grid9", grid(100, true))
	report("2d k=12", cliques(20000, 2, 12, 1))
	report("2d k=12", cliques(100000, 2, 10, 1))
	report("3d k=14", cliques(10000, 3, 14, 1))
	report("10d k=20", cliques(4000, 10, 20, 1))
}
