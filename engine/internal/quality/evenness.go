package quality

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/solvers"
)

// A sheet that is unrolled is an affine image of lengths along it: with θ orthonormal
// coordinates of a tangent space, y = Aθ + b up to a rotation of θ, so that JJᵀ = AAᵀ for the
// map J of every chart. How far JJᵀ is from constant is how far an embedding is from that.

// evenQuantile: of so many of the charts the deviation is at most the unevenness. Three tenths
// of the data may be no flat piece, as the peaks of a landscape are.
const evenQuantile = 0.7

// leastMetric is the least eigenvalue of the mean metric over its largest.
const leastMetric = 1e-14

// scale is what is seen in charts of one size.
type scale struct {
	thin, off []float64
	maps      []patch.TangentMap
}

func newScale(charts, dim int) scale {
	s := scale{make([]float64, charts), make([]float64, charts), make([]patch.TangentMap, charts)}
	for c := range s.maps {
		s.maps[c] = patch.NewTangentMap(dim)
	}
	return s
}

// compare enters the scores of all sizes. O(d³) a chart and size.
func (c *Charts) compare(scales []scale, dim int) {
	for at := range scales {
		s := &scales[at]
		deviations, least, bent := s.deviations(dim)
		c.Off = append(c.Off, solvers.LowerMedian(s.off))
		c.Bent = append(c.Bent, bent)
		c.Unevenness = append(c.Unevenness, quantile(deviations, evenQuantile))
		if at == 0 || c.Unevenness[at] < c.Unevenness[c.Best] {
			c.Best, c.Deviations, c.LeastStretch = at, deviations, math.Sqrt(quantile(least, 0.5))
		}
	}
	if dim > 1 {
		c.Thin = solvers.LowerMedian(scales[0].thin)
	}
}

// deviations are ‖B(JJᵀ)Bᵀ − I‖_F/√d of each chart, where B brings the mean of JJᵀ over the
// charts to I, with the least eigenvalue of B(JJᵀ)Bᵀ, and the share of the variance of By that
// the maps leave, over all charts.
func (s *scale) deviations(dim int) (deviations, least []float64, bent float64) {
	mean := make([]float64, dim*dim)
	for _, m := range s.maps {
		blas.Axpy(1/float64(len(s.maps)), m.Metric, mean)
	}
	values, scratch := make([]float64, dim), make([]float64, 2*dim)
	blas.SymEigSmall(dim, mean, values, true, scratch) // small and finite: it converges
	for j := range dim {
		// Row j is the eigenvector of value j.
		blas.Scale(1/math.Sqrt(max(values[j], leastMetric*values[dim-1])), mean[j*dim:(j+1)*dim])
	}
	deviations, least = make([]float64, len(s.maps)), make([]float64, len(s.maps))
	own := make([]float64, dim*dim)
	var left, whole float64
	for at, m := range s.maps {
		congruent(dim, mean, m.Metric, own)
		var sum float64
		for i := range dim {
			for j := range dim {
				v := own[i*dim+j]
				if i == j {
					v--
				}
				sum += v * v
			}
		}
		deviations[at] = math.Sqrt(sum / float64(dim))
		blas.SymEigSmall(dim, own, values, false, scratch)
		least[at] = max(values[0], 0)
		left += traceOf(dim, mean, m.Left)
		whole += traceOf(dim, mean, m.Whole)
	}
	return deviations, least, max(left, 0) / whole
}

// congruent is BMBᵀ of n × n matrices.
func congruent(n int, b, m, into []float64) {
	for i := range n {
		for j := range i + 1 {
			var sum float64
			for k := range n {
				sum += b[i*n+k] * blas.Dot(m[k*n:(k+1)*n], b[j*n:(j+1)*n])
			}
			into[i*n+j], into[j*n+i] = sum, sum
		}
	}
}

// traceOf is tr(BMBᵀ).
func traceOf(n int, b, m []float64) float64 {
	var sum float64
	for i := range n {
		for k := range n {
			sum += b[i*n+k] * blas.Dot(m[k*n:(k+1)*n], b[i*n:(i+1)*n])
		}
	}
	return sum
}

// quantile is the lower one of a share of the values.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(share*float64(len(sorted)-1))]
}
