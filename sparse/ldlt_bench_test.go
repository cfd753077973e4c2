package sparse

import (
	"context"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// On definite matrices an LDLᵀ takes little longer than Cholesky; shifted into the spectrum
// it has blocks of two pivots and signs.
func BenchmarkLDLT(b *testing.B) {
	kernels := blas.MustSelect("")
	for _, c := range benchPatterns {
		a := c.make()
		s := benchAnalysis(b, a)
		var sum float64
		for i := range a.Rows {
			sum += a.At(i, i)
		}
		b.Run(c.name+"/cholesky", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.FactorIn(context.Background(), kernels, 1, a, 1e-6, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		for name, shift := range map[string]float64{"definite": 1e-6, "inside": -sum / float64(a.Rows)} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				var f *Factor
				for b.Loop() {
					var err error
					if f, err = s.FactorIndefinite(context.Background(), kernels, 1, a, shift, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(f.Inertia(a, shift).Blocks), "blocks")
			})
		}
	}
}
