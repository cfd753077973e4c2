package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// BenchmarkPhases embeds the swiss roll of 20 000 samples on one thread and
// reports the processor seconds of each phase and the total.
func BenchmarkPhases(b *testing.B) {
	for _, n := range []int{1000, 20000} {
		s, err := datasets.Generate("swiss-roll", n, 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"lle", "mlle", "neml", "ltsa", "le", "pca"} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				sums := engine.Seconds{}
				for b.Loop() {
					m, err := engine.New(name)
					if err != nil {
						b.Fatal(err)
					}
					r, err := engine.Embed(context.Background(), s.X, m, engine.Options{Threads: 1})
					if err != nil {
						b.Fatal(err)
					}
					for phase, seconds := range r.CPUSeconds {
						sums[phase] += seconds
					}
				}
				for _, phase := range []string{"neighbors", "patches", "alignment", "solve", "total"} {
					if sums[phase] > 0 {
						b.ReportMetric(1000*sums[phase]/float64(b.N), phase+"-cpu-ms")
					}
				}
			})
		}
	}
}
