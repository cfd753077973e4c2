//go:build unix

package nmf

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"
)

// BenchmarkSparseLosses reports, on one thread, the time of an iteration over counts of
// which 4 % are not zero, of the same counts dense, and their ratio, with the largest
// difference of their residuals ‖X − WH‖/‖X‖.
func BenchmarkSparseLosses(b *testing.B) {
	const n, m = 8000, 2000
	d := randomSparse(n, m, 25, 1)
	dense := madeDense(d)
	d.transpose = transposeSparse(d.Sparse)
	for _, rank := range []int{10, 40} {
		for _, c := range []struct {
			name string
			o    Options
		}{{"frobenius", Options{}}, {"kl", Options{Loss: KL}}, {"l21", Options{Loss: L21}},
			{"cim-paper", Options{Loss: Correntropy}}, {"cim-refresh", Options{Loss: Correntropy, Schedule: Refresh}}} {
			c.o.Rank, c.o.Threads = rank, 1
			b.Run(fmt.Sprintf("%s/r=%d", c.name, rank), func(b *testing.B) {
				var least []time.Duration
				for b.Loop() {
					least = inTurns(3, processorTime, stepping(b, d, c.o, 1), stepping(b, dense, c.o, 1))
				}
				c.o.Iterations = 3
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
