//go:build unix

package nmf

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// fewCounts are counts of four programmes of which 4 % are not zero.
func fewCounts(n, m int) Data {
	const filled = 0.04
	all, random := countData(n, m, 1, false).Sparse, blas.NewStream(2)
	keep := filled * float64(n) * float64(m) / float64(all.NNZ())
	x := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}
	for i := range n {
		cols, vals := all.Row(i)
		for p, j := range cols {
			if random.Uniform() < keep {
				x.Col, x.Val = append(x.Col, j), append(x.Val, vals[p])
			}
		}
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return Sparse(x)
}

// BenchmarkSparseLosses reports, on one thread, the time of an iteration over counts of
// which 4 % are not zero, of the same counts dense, and their ratio, with the residual
// ‖X − WH‖/‖X‖ after ten iterations and its difference. It takes 5 GB.
func BenchmarkSparseLosses(b *testing.B) {
	d := fewCounts(100_000, 2000)
	dense := madeDense(d)
	wide := Sigma{Theta: 12.5} // half the mean square over the entries that are not zero
	d.transpose = transposeSparse(d.Sparse)
	for _, rank := range []int{10, 40} {
		for _, c := range []struct {
			name string
			o    Options
		}{{"frobenius", Options{}}, {"kl", Options{Loss: KL}}, {"l21", Options{Loss: L21}},
			{"cim-paper", Options{Loss: Correntropy, Sigma: wide}}, {"cim-refresh", Options{Loss: Correntropy, Sigma: wide, Schedule: Refresh}}} {
			c.o.Rank, c.o.Threads = rank, 1
			b.Run(fmt.Sprintf("%s/r=%d", c.name, rank), func(b *testing.B) {
				var least []time.Duration
				for b.Loop() {
					least = inTurns(2, processorTime, stepping(b, d, c.o, 1), stepping(b, dense, c.o, 1))
				}
				c.o.Iterations, c.o.Threads = 10, 0
				var residuals []float64
				for _, x := range []Data{d, dense} {
					r, err := Factorize(context.Background(), x, c.o)
					if err != nil {
						b.Fatal(err)
					}
					residuals = append(residuals, r.Trace[len(r.Trace)-1].Residual)
				}
				b.ReportMetric(least[0].Seconds()*1e3, "sparse-ms")
				b.ReportMetric(least[1].Seconds()*1e3, "dense-ms")
				b.ReportMetric(least[0].Seconds()/least[1].Seconds(), "sparse-of-dense")
				b.ReportMetric(residuals[0], "residual")
				b.ReportMetric(math.Abs(residuals[0]-residuals[1]), "difference")
			})
		}
	}
}
