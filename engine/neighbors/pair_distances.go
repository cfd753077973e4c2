package neighbors

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// PairDistances measures distances between any samples by a metric. Distances of dense rows have the bits of a search;
// distances of compressed rows agree with a search to rounding.
type PairDistances struct {
	measure rowsMeasure
	by      divided
	workers []measureScratch
}

// NewPairDistances prepares a *mat.Dense, a [*Stored] or a *sparse.CSR, which must not change, for a number of workers.
// It takes no more memory than the search for neighbours by this metric.
func NewPairDistances(x mat.Matrix, metric Metric, workers int) (*PairDistances, error) {
	if err := wellFormed(x); err != nil {
		return nil, err
	}
	d := &PairDistances{workers: make([]measureScratch, workers)}
	var err error
	if a, is := x.(*sparse.CSR); is {
		d.measure, d.by, err = sparsePairsOf(a, metric)
	} else {
		d.measure, d.by, err = pairsOf(storedOf(x), metric)
	}
	return d, err
}

// Distances writes the distances of sample i to others, +Inf where they are beyond the range of numbers. A worker, counted
// from 0, measures one sample at a time.
func (d *PairDistances) Distances(worker, i int, others []int32, into []float64) {
	measureList(d.measure, i, others, &d.workers[worker], into)
	_ = d.by.rescale(into[:len(others)])
}

// pairsOf is the measure of any metric for single pairs.
func pairsOf(x *Stored, metric Metric) (rowsMeasure, divided, error) {
	if metric != Euclidean && !metric.directional() {
		return measureOf(x.Points(), metric)
	}
	if metric.directional() {
		mapped, err := metric.ToEuclidean(x.Points())
		if err != nil {
			return nil, divided{}, err
		}
		x = mapped.Stored()
	}
	x, by, err := x.ordinary()
	return euclideanRows{x, metric}, by, err
}

// sparsePairsOf is [pairsOf] for compressed rows.
func sparsePairsOf(a *sparse.CSR, metric Metric) (rowsMeasure, divided, error) {
	if metric != Euclidean && metric != Cosine {
		return sparseMeasureOf(a, metric)
	}
	a, err := metric.ToEuclideanSparse(a)
	if err != nil {
		return nil, divided{}, err
	}
	a, by, err := ordinarySparse(a)
	return sparsePairs{a, metric}, by, err
}

// sparsePairs are compressed rows; by cosine, the rows of [Metric.ToEuclideanSparse].
type sparsePairs struct {
	a      *sparse.CSR
	metric Metric
}

func (sparsePairs) begin(int, *measureScratch) {}

func (r sparsePairs) distances(i, lo, hi int, _ float64, _ *measureScratch, out []float64) {
	for j := lo; j < hi; j++ {
		out[j-lo] = r.metric.restored(math.Sqrt(squareOfRows(r.a, i, j)))
	}
}

// measureList measures sample i and others.
func measureList(measure rowsMeasure, i int, others []int32, w *measureScratch, into []float64) {
	measure.begin(i, w)
	for a, j := range others {
		measure.distances(i, int(j), int(j)+1, math.Inf(1), w, into[a:])
	}
}
