package neighbors

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// measuredRows and measuredOthers are the sides of a tile of distances, whose rows
	// stay in the cache.
	measuredRows, measuredOthers = 16, 128
)

// Nearest is [Exact] for a metric: the k nearest of every sample, ties by the lower index.
// Cosine and correlation use the same matrix products as Euclidean distances. The
// other metrics compare all pairs, O(n²m), and stop a sum early once it exceeds the
// k-th distance.
func Nearest(ctx context.Context, x Points, k int, metric Metric, o Options) (*Graph, error) {
	if metric == Euclidean || metric.directional() {
		mapped, err := metric.ToEuclidean(x)
		if err != nil {
			return nil, err
		}
		g, err := Exact(ctx, mapped, k, o)
		if err == nil {
			metric.Restore(g)
		}
		return g, err
	}
	if err := check(x, k); err != nil {
		return nil, err
	}
	measure, by, err := measureOf(x, metric)
	if err != nil {
		return nil, err
	}
	g, err := nearestBy(ctx, measure, x.N, k, o)
	if err == nil && o.ListsOnly {
		g.Dist = nil
	}
	return restored(g, by, err)
}

// NearestStored is [Nearest] for samples in the type in which they were stored. The Euclidean metric
// makes no copy (see [ExactStored]); the others copy the samples to float64.
func NearestStored(ctx context.Context, x *Stored, k int, metric Metric, o Options) (*Graph, error) {
	if metric == Euclidean {
		return ExactStored(ctx, x, k, o)
	}
	return Nearest(ctx, x.Points(), k, metric, o)
}

// ApproximateBy is [ApproximateStored] for euclidean, cosine or correlation; another metric is an error.
// Cosine and correlation copy the samples to float64.
func ApproximateBy(ctx context.Context, x *Stored, k int, metric Metric, o ApproximateOptions) (*Graph, Report, error) {
	if err := metric.CheckApproximate(); err != nil {
		return nil, Report{}, fmt.Errorf("neighbors: %w", err)
	}
	if metric.directional() {
		mapped, err := metric.ToEuclidean(x.Points())
		if err != nil {
			return nil, Report{}, err
		}
		x = mapped.Stored()
	}
	g, r, err := ApproximateStored(ctx, x, k, o)
	if err == nil {
		metric.Restore(g)
	}
	return g, r, err
}

// ApproximateByBytes is the most memory that [ApproximateBy] takes in addition to the samples.
func ApproximateByBytes(x *Stored, k int, metric Metric, o ApproximateOptions) int64 {
	exact := Options{Threads: o.Threads, ListsOnly: o.ListsOnly}
	bytes, m, exactly := ExactStoredBytes(x, k, exact), x.m, o.WhyExact(x.n, x.m, k) != ""
	if metric.directional() { // perhaps with another column
		m++
		bytes, exactly = exactBytes(x.n, m, k, exact, 8), exactly && o.WhyExact(x.n, m, k) != ""
	}
	if !exactly {
		bytes = max(bytes, approximateBytes(x.n, m, k, o.Threads, o.ListsOnly))
	}
	if metric.directional() {
		bytes += 8*int64(x.n)*int64(m) + x.WidenedBytes()
	}
	return bytes
}

// NearestSparse is [Nearest] for compressed rows, which stay so. Haversine takes dense
// samples alone. By correlation, Hamming and the metrics of sets O(Σⱼ cⱼ² + n²) for columns
// with cⱼ entries.
func NearestSparse(ctx context.Context, a *sparse.CSR, k int, metric Metric, o Options) (*Graph, error) {
	if metric == Euclidean || metric == Cosine {
		mapped, err := metric.ToEuclideanSparse(a)
		if err != nil {
			return nil, err
		}
		g, err := ExactSparse(ctx, mapped, k, o)
		if err == nil {
			metric.Restore(g)
		}
		return g, err
	}
	measure, by, err := sparseMeasureOf(a, metric)
	if err != nil {
		return nil, err
	}
	if a.Rows < 2 || k < 1 || k >= a.Rows {
		return nil, checkCount(a.Rows, k)
	}
	g, err := nearestBy(ctx, measure, a.Rows, k, o)
	return restored(g, by, err)
}

// measureOf returns the measure of a metric that matrix products cannot compute, and the factor for the
// resulting distances.
func measureOf(x Points, metric Metric) (rowsMeasure, divided, error) {
	if err := checkFinite(x); err != nil {
		return nil, divided{}, err
	}
	scaled, by := ordinary(x)
	switch metric {
	case Manhattan:
		return manhattanRows{scaled}, by, nil
	case Chebyshev:
		return chebyshevRows{scaled}, by, nil
	case Hamming:
		return hammingRows{x}, divided{}, nil
	case InnerProduct:
		by.exponent *= 2
		return innerRows{scaled}, by, nil
	case Haversine:
		if x.M != 2 {
			return nil, divided{}, fmt.Errorf("neighbors: haversine takes 2 columns, latitude and longitude in radians; the samples have %d", x.M)
		}
		return haversineRows{x}, divided{}, nil
	}
	if measure := setMeasures[metric]; measure != nil {
		return newSetRows(x, measure), divided{}, nil
	}
	if p, is := pairwiseOf(metric); is {
		by.exponent *= p.power
		return pairRows{scaled, p}, by, nil
	}
	_, err := MetricNamed(string(metric))
	return nil, divided{}, err
}

// sparseMeasureOf returns the measure of a metric for compressed rows, and the factor for the resulting
// distances.
func sparseMeasureOf(a *sparse.CSR, metric Metric) (rowsMeasure, divided, error) {
	if metric == Haversine {
		return nil, divided{}, metric.dense()
	}
	if _, err := MetricNamed(string(metric)); err != nil {
		return nil, divided{}, err
	}
	if metric == Correlation {
		rows, err := newCorrelatedRows(a)
		return rows, divided{}, err
	}
	scaled, by, err := ordinarySparse(a)
	if err != nil {
		return nil, divided{}, err
	}
	if p, is := pairwiseOf(metric); is {
		by.exponent *= p.power
		return mergedRows{scaled, p}, by, nil
	}
	return newCountedRows(a, setMeasures[metric]), divided{}, nil
}

// nearestBy compares all pairs.
func nearestBy(ctx context.Context, measure rowsMeasure, n, k int, o Options) (*Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	g := newGraph(n, k)
	err = eachTile(ctx, measure, n, o, func(i int, list *nearest) float64 {
		if list.square == nil {
			*list = g.list(i)
		}
		if list.full() {
			return list.bound()
		}
		return math.Inf(1)
	}, func(i, j int, d float64, list *nearest) { list.offer(d, int32(j)) }, func(_ int, list *nearest) { list.finish() })
	if err != nil {
		return nil, err
	}
	return g, checkMeasured(measure, g)
}

// checkMeasured refuses undefined distances: with negative entries, the denominator of bray-curtis
// may vanish when the numerator does not. Such samples are infinitely
// far apart, and are neighbours only if there are no k others.
func checkMeasured(measure rowsMeasure, g *Graph) error {
	switch measure.(type) {
	case pairRows, mergedRows:
	default:
		return nil
	}
	for i := range g.Len() {
		for p, d := range g.Distances(i) {
			if math.IsInf(d, 1) {
				return fmt.Errorf("neighbors: rows %d and %d (counting from 1) are each other's negative, which bray-curtis puts infinitely far apart, and fewer than %d others are nearer; take fewer neighbours, or another metric", i+1, g.Of(i)[p]+1, len(g.Of(i)))
			}
		}
	}
	return nil
}

// tileRows returns the number of rows that a worker processes at a time: one if the measure compares a
// sample with all others at once.
func tileRows(measure rowsMeasure) int {
	switch measure.(type) {
	case countedRows, productRows, correlatedRows:
		return 1
	}
	return measuredRows
}

// eachTile measures every sample against all others, tile by tile. state belongs to the
// row of the sample, which only one worker handles; bound is the largest distance still needed.
func eachTile[S any](ctx context.Context, measure rowsMeasure, n int, o Options, bound func(i int, state *S) float64, offer func(i, j int, d float64, state *S), end func(i int, state *S)) error {
	rows := tileRows(measure)
	scratch := make([]measureScratch, blas.Threads(o.Threads))
	var done atomic.Int64
	return blas.For(ctx, o.Threads, n, rows, func(worker, lo, hi int) {
		w := &scratch[worker]
		states := make([]S, hi-lo)
		var out [measuredOthers]float64
		for from := 0; from < n; from += measuredOthers {
			to := min(from+measuredOthers, n)
			for i := lo; i < hi; i++ {
				if from == 0 {
					measure.begin(i, w)
				}
				state := &states[i-lo]
				limit := bound(i, state)
				measure.distances(i, from, to, limit, w, out[:])
				for q, d := range out[:to-from] {
					if d <= limit && from+q != i {
						offer(i, from+q, d, state)
					}
				}
			}
		}
		for i := lo; i < hi; i++ {
			end(i, &states[i-lo])
		}
		o.Progress(float64(done.Add(int64(hi-lo))) / float64(n))
	})
}

// MetricBytes returns the peak memory of [Nearest] in addition to n × m samples, including
// the graph.
func MetricBytes(n, m, k, threads int, metric Metric) int64 {
	return metricBytes(n, m, k, metric, Options{Threads: threads})
}

func metricBytes(n, m, k int, metric Metric, o Options) int64 {
	rows, cols := int64(n), int64(m)
	switch {
	case metric == Euclidean:
		return exactBytes(n, m, k, o, 8)
	case metric.directional():
		return exactBytes(n, m, k, o, 8) + 8*rows*cols
	case setMeasures[metric] != nil:
		return GraphBytes(n, k) + rows*(8*((cols+63)/64)+4)
	}
	return GraphBytes(n, k) + 8*rows*cols // a copy, for samples of unusual magnitude
}

// MetricStoredBytes is the same for [NearestStored] with these options.
func MetricStoredBytes(x *Stored, k int, metric Metric, o Options) int64 {
	if metric == Euclidean {
		return ExactStoredBytes(x, k, o)
	}
	return metricBytes(x.n, x.m, k, metric, o) + x.WidenedBytes()
}

// MetricSparseBytes is [MetricBytes] for [NearestSparse].
func MetricSparseBytes(a *sparse.CSR, k, threads int, metric Metric) int64 {
	if metric == Euclidean {
		return ExactSparseBytes(a, k, threads)
	}
	copied := 12*int64(a.NNZ()) + 8*int64(a.Rows+a.Cols)
	if metric == Correlation { // the transformed rows and columns, and products
		return GraphBytes(a.Rows, k) + 2*copied + 16*int64(a.Rows) + 8*int64(blas.Threads(threads))*int64(a.Rows)
	}
	if metric == Hamming || setMeasures[metric] != nil {
		return GraphBytes(a.Rows, k) + 2*copied + 4*int64(blas.Threads(threads))*int64(a.Rows)
	}
	return ExactSparseBytes(a, k, threads) + copied
}

// checkRadius returns an error for an invalid radius.
func checkRadius(radius float64, metric Metric) error {
	if err := metric.CheckDistances(); err != nil {
		return fmt.Errorf("neighbors: within a radius: %w", err)
	}
	if !(radius >= 0) || math.IsInf(radius, 1) {
		return fmt.Errorf("neighbors: the radius is %v; give a finite number ≥ 0", radius)
	}
	return nil
}
