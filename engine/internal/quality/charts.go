package quality

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

const (
	// Bounds on the number of charts; between them there is one for every chartShare samples.
	minCharts, maxCharts, chartShare = 64, 200, 64
	// The largest charts have maxTimes the samples of a neighbourhood, at most maxSamples, and at
	// most a share of 1/minShare of all samples.
	maxTimes, maxSamples, minShare = 16, 256, 4
	// wideOrder bounds the order of the matrices of charts beyond the first size: in many
	// columns they would take longer than the embedding.
	wideOrder = 32
	// minBeyond: the smallest charts have at least this many samples more than directions.
	minBeyond = 2
	// maxDim is the largest number of coordinates with charts. The values that correct embeddings show by
	// chance are known up to it.
	maxDim  = 20
	blockOf = 4 // charts
)

// Charts are sets of samples that are near each other in the graph, each with the
// least-squares map of its tangent coordinates to the embedding.
type Charts struct {
	Centers []int // samples
	Sizes   []int // samples of a chart, ascending; empty: no charts were made
	// For each size: the share of a chart's variance off its tangent space (median), the share
	// of its coordinates' variance that is not linear in its tangent coordinates, and
	// the unevenness.
	Off, Bent, Unevenness []float64
	// Thinned is Off for as many samples as the smallest chart has, spread over each chart. A small number
	// of samples leaves less variance off its directions by chance, so only equal numbers are comparable.
	// [Charts.ComputeThinned] computes it.
	Thinned []float64
	// Thin is the share of variance that all tangents but the last leave in the smallest charts (median);
	// NaN for one dimension.
	Thin float64
	// At the size with the smallest unevenness: each chart's deviation, and the smallest stretch
	// of a chart divided by the mean (median).
	Best         int // index in Sizes
	Deviations   []float64
	LeastStretch float64

	sets [][]int32 // samples of the largest charts, by distance from the centre
}

// noCharts returns a value without charts.
func noCharts() Charts { return Charts{Thin: math.NaN(), LeastStretch: math.NaN()} }

// Computed reports whether there are charts.
func (c *Charts) Computed() bool { return len(c.Sizes) > 0 }

// chartsOf returns the number of charts for n samples.
func chartsOf(n int) int { return max(minCharts, min(maxCharts, n/chartShare)) }

// sizesOf returns the sizes of charts: a neighbourhood with its sample, twice as many and so on; or
// the reason for having no charts.
func sizesOf(in patch.Local, dim int) (sizes []int, why string) {
	n, first := in.Graph.Len(), in.Graph.MaxDegree()+1
	switch {
	case in.Graph.Weight != nil:
		return nil, "the neighbours were chosen by weights"
	case n < MinSamples:
		return nil, fmt.Sprintf("there are fewer than %d samples", MinSamples)
	case first > n/minShare:
		return nil, fmt.Sprintf("a neighbourhood of %d is more than a quarter of the %d samples", first, n)
	case dim > maxDim:
		return nil, fmt.Sprintf("it is known of up to %d coordinates what sound ones show by chance", maxDim)
	case first < dim+minBeyond && first < in.X.M():
		return nil, fmt.Sprintf("%d samples of a neighbourhood do not show %d directions; take more neighbours", first, dim)
	}
	sizes = []int{first}
	for size := 2 * first; size <= min(n/minShare, maxTimes*first, maxSamples) && min(size, in.X.M()) <= wideOrder; size *= 2 {
		sizes = append(sizes, size)
	}
	return sizes, ""
}

// chartsBytes returns the memory for examining charts of the given sizes in dim coordinates.
func chartsBytes(in patch.Local, charts int, sizes []int, dim int) int64 {
	most := sizes[len(sizes)-1]
	ofWalker := 12*int64(in.Graph.Len()) + 8*int64(in.Graph.MaxDegree()) + in.X.GatheredBytes(in.Graph.MaxDegree()+1)
	ofMapper := patch.TangentMapperBytes(in.X, most, dim)
	ofMaps := 3 * int64(dim) * int64(dim) * int64(len(sizes))
	return 8*int64(keptEdges(in, charts*most)) + int64(charts)*(4*int64(most)+8*ofMaps) + int64(blas.Threads(in.Threads()))*(ofWalker+ofMapper)
}

// surveyor is the workspace of one worker.
type surveyor struct {
	walk   *walker
	mapper *patch.TangentMapper
}

// lay makes charts around some samples.
func lay(in patch.Local, y *mat.Dense, some, sizes []int) (Charts, error) {
	c := noCharts()
	c.Centers, c.Sizes, c.sets = some, sizes, make([][]int32, len(some))
	_, dim := y.Dims()
	scales := make([]scale, len(sizes))
	for s := range scales {
		scales[s] = newScale(len(some), dim)
	}
	most := sizes[len(sizes)-1]
	known, err := allEdges(in, keptEdges(in, len(some)*most))
	if err != nil {
		return c, err
	}
	workers := make([]*surveyor, blas.Threads(in.Threads()))
	err = blas.For(in.Context(), in.Threads(), len(some), blockOf, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &surveyor{newWalker(in, known), patch.NewTangentMapper(in)}
		}
		by := workers[w]
		for at := lo; at < hi; at++ {
			set := slices.Clone(by.walk.nearest(some[at], most))
			c.sets[at] = set
			by.mapper.Begin(set, y)
			for s, size := range sizes {
				scales[s].thin[at], scales[s].off[at] = by.mapper.Find(min(size, len(set)), dim, scales[s].maps[at])
			}
		}
	})
	if err != nil {
		return c, err
	}
	c.compare(scales, dim)
	return c, nil
}

// thinned returns the given number of samples of a chart, evenly spaced by distance from its centre.
func thinned(chart []int32, count int) []int32 {
	few := make([]int32, min(count, len(chart)))
	for at := range few {
		few[at] = chart[at*len(chart)/len(few)]
	}
	return few
}

// ComputeThinned computes Thinned, which is only needed to find the cause of a doubt.
func (c *Charts) ComputeThinned(in patch.Local, dim int) error {
	if !c.Computed() {
		return nil
	}
	shares := make([][]float64, len(c.Sizes))
	for s := range shares {
		shares[s] = make([]float64, len(c.Centers))
	}
	workers := make([]*patch.TangentMapper, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), len(c.Centers), blockOf, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = patch.NewTangentMapper(in)
		}
		for at := lo; at < hi; at++ {
			for s, size := range c.Sizes[1:] {
				few := thinned(c.sets[at][:min(size, len(c.sets[at]))], c.Sizes[0])
				workers[w].Begin(few, nil)
				shares[s+1][at] = workers[w].UnexplainedShare(len(few), dim)
			}
		}
	})
	if err != nil {
		return err
	}
	c.Thinned = []float64{c.Off[0]} // the smallest charts are used whole
	for _, of := range shares[1:] {
		c.Thinned = append(c.Thinned, orderstat.LowerMedian(of))
	}
	return nil
}

// An unrolled sheet is an affine image of arc lengths: with θ orthonormal
// coordinates of a tangent space, y = Aθ + b up to a rotation of θ, so JJᵀ = AAᵀ for the
// map J of every chart. The deviation of JJᵀ from a constant measures the deviation from that.

// evenQuantile is the quantile of the charts' deviations that defines the unevenness. Up to three tenths
// of the data may not be flat, such as the peaks of a landscape.
const evenQuantile = 0.7

// minMetric bounds the ratio of the smallest and the largest eigenvalue of the mean metric from below.
const minMetric = 1e-14

// scale collects the measurements of charts of one size.
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

// compare computes the scores of all sizes. O(d³) for each chart and size.
func (c *Charts) compare(scales []scale, dim int) {
	for at := range scales {
		s := &scales[at]
		deviations, least, bent := s.deviations(dim)
		c.Off = append(c.Off, orderstat.LowerMedian(s.off))
		c.Bent = append(c.Bent, bent)
		c.Unevenness = append(c.Unevenness, quantile(deviations, evenQuantile))
		if at == 0 || c.Unevenness[at] < c.Unevenness[c.Best] {
			c.Best, c.Deviations, c.LeastStretch = at, deviations, math.Sqrt(quantile(least, 0.5))
		}
	}
	if dim > 1 {
		c.Thin = orderstat.LowerMedian(scales[0].thin)
	}
}

// deviations returns ‖B(JJᵀ)Bᵀ − I‖_F/√d of each chart, where B transforms the mean of JJᵀ over the
// charts to I; the smallest eigenvalue of each B(JJᵀ)Bᵀ; and the share of the variance of By that
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
		blas.Scale(1/math.Sqrt(max(values[j], minMetric*values[dim-1])), mean[j*dim:(j+1)*dim])
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

// congruent computes BMBᵀ for n × n matrices.
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

// traceOf returns tr(BMBᵀ).
func traceOf(n int, b, m []float64) float64 {
	var sum float64
	for i := range n {
		for k := range n {
			sum += b[i*n+k] * blas.Dot(m[k*n:(k+1)*n], b[i*n:(i+1)*n])
		}
	}
	return sum
}

// quantile returns the lower quantile of the values.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(share*float64(len(sorted)-1))]
}
