package exemplars

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// paperShapes are the sizes of the smallest and the largest data set of the study of
// selective factorisation: Movement and twenty newsgroups.
var paperShapes = []struct{ n, m, count int }{{360, 90, 36}, {5020, 1796, 502}}

// decaying are samples whose singular values fall as those of words and images do.
func decaying(n, m int) blas.Rows {
	x := normals(1, n, m)
	for i := range x.Data {
		x.Data[i] /= math.Sqrt(float64(1 + i%m))
	}
	return x
}

func BenchmarkProjection(b *testing.B) {
	for _, s := range append(paperShapes, struct{ n, m, count int }{1545, 10935, 154}) {
		b.Run(fmt.Sprintf("%dx%d", s.n, s.m), func(b *testing.B) {
			x := decaying(s.n, s.m)
			for b.Loop() {
				if _, err := Projection(context.Background(), x, s.count, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFarthestFirst(b *testing.B) {
	for _, s := range paperShapes {
		for _, gamma := range []float64{10, 50} {
			b.Run(fmt.Sprintf("%dx%d/gamma=%g", s.n, s.m, gamma), func(b *testing.B) {
				x := decaying(s.n, s.m)
				for b.Loop() {
					r, err := FarthestFirst(context.Background(), x, s.count, FarthestFirstOptions{Gamma: gamma})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(r.Solves), "solves")
				}
			})
		}
	}
}

// kernelOf is a Gaussian kernel of the samples with one bandwidth.
func kernelOf(x blas.Rows) []float64 {
	l := make([]float64, x.N*x.N)
	for i := range x.N {
		for j := range i {
			var d float64
			for q, v := range x.Row(i) {
				d += (v - x.Row(j)[q]) * (v - x.Row(j)[q])
			}
			l[i*x.N+j] = math.Exp(-d / 10)
			l[j*x.N+i] = l[i*x.N+j]
		}
		l[i*x.N+i] = 1
	}
	return l
}

func BenchmarkGreedy(b *testing.B) {
	for _, s := range paperShapes {
		b.Run(fmt.Sprint(s.n), func(b *testing.B) {
			l := kernelOf(decaying(s.n, 20))
			for b.Loop() {
				if _, _, err := Greedy(context.Background(), l, s.n, s.count, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEnsemble(b *testing.B) {
	for _, n := range []int{360, 1500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := kernelOf(decaying(n, 20))
			for b.Loop() {
				e, err := NewEnsemble(context.Background(), slices.Clone(l), n, Options{})
				if err != nil {
					b.Fatal(err)
				}
				e.Kernel()
			}
		})
	}
}
