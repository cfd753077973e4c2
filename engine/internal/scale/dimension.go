package scale

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

const (
	// dimensionNeighbors is the number of neighbours of each sample for the estimate, the same
	// as the methods use.
	dimensionNeighbors = 12
	// clearlyWhole: an estimate this close to an integer is rounded to it.
	clearlyWhole = 0.25
)

// Dimension is an estimate of the intrinsic dimension of samples.
type Dimension struct {
	Dim       int
	Estimate  float64 // maximum likelihood estimate
	Neighbors int     // number of neighbours of each examined sample
	// Gaps are, for d = 1, 2, …, the ratios of the d-th eigenvalue of the local covariances and
	// the next, averaged over the samples.
	Gaps   []float64
	Reason string
}

// EstimateDimension estimates the dimension of the surface on which the samples lie. The
// maximum likelihood estimate (Levina and Bickel 2004, with the mean over the samples of
// MacKay and Ghahramani 2005) is a real number. Within a quarter of an integer it is rounded to that;
// otherwise the two adjacent integers are compared, and the one with the larger gap in the
// local spectra is chosen. Up to [maxExamined] evenly spaced samples are examined. The estimate is wrong for
// noise, and too small for fewer samples than a surface of many dimensions needs, above about 8.
// O(n log n) for few columns.
func EstimateDimension(ctx context.Context, x neighbors.Points, s Settings) (Dimension, error) {
	if x.M == 1 {
		return Dimension{Dim: 1, Estimate: 1, Reason: "the samples have one column"}, nil
	}
	k := min(dimensionNeighbors, x.N-1)
	if k < 3 {
		return Dimension{}, fmt.Errorf("%d samples are too few to estimate a dimension from; give a number", x.N)
	}
	f, err := newSurface(ctx, x, 1, s)
	if err != nil {
		return Dimension{}, err
	}
	count := min(x.N, maxExamined)
	logs, spectra := make([]float64, count), make([]float64, count*(k+1))
	workers := make([]*spectrum, blas.Threads(s.Threads))
	err = blas.For(ctx, s.Threads, count, 32, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = newSpectrum(f.near, f.low.M, k)
		}
		for q := lo; q < hi; q++ {
			logs[q] = workers[w].around(f.near.At(q*x.N/count), spectra[q*(k+1):(q+1)*(k+1)])
		}
	})
	if err != nil {
		return Dimension{}, err
	}
	return chooseDimension(logs, spectra, k, min(x.M, k))
}

// chooseDimension averages the measurements at the samples, and chooses a dimension.
func chooseDimension(logs, spectra []float64, k, most int) (Dimension, error) {
	found := Dimension{Neighbors: k}
	sum, count := 0.0, 0
	mean := make([]float64, k+1)
	for q, l := range logs {
		if l == l { // otherwise neighbours coincide with the sample, or are all equally far
			sum, count = sum+l, count+1
			blas.Axpy(1, spectra[q*(k+1):(q+1)*(k+1)], mean)
		}
	}
	if count == 0 || sum <= 0 {
		return found, fmt.Errorf("the samples are too similar to estimate a dimension; give a number")
	}
	found.Estimate = float64(count) / sum
	for d := 1; d < most; d++ {
		found.Gaps = append(found.Gaps, mean[d-1]/max(mean[d], 1e-12*mean[0]))
	}
	nearest := max(math.Round(found.Estimate), 1)
	if math.Abs(found.Estimate-nearest) <= clearlyWhole || found.Estimate < 1 {
		found.Dim = int(nearest)
		found.Reason = fmt.Sprintf("the estimate %.2f is near to %d", found.Estimate, found.Dim)
		return found, nil
	}
	low := int(found.Estimate)
	found.Dim = low
	if after := func(d int) float64 {
		if d > len(found.Gaps) {
			return 0
		}
		return found.Gaps[d-1]
	}; after(low+1) > after(low) {
		found.Dim++
	}
	found.Reason = fmt.Sprintf("the estimate %.2f lies between %d and %d, and the local spectra fall more after %d", found.Estimate, low, low+1, found.Dim)
	return found, nil
}

// spectrum computes the local spectrum of one sample at a time from its k nearest.
type spectrum struct {
	*centre
	k                     int
	rows, gram, ascending []float64
	scratch               []float64
}

func newSpectrum(near *neighbors.UnorderedIndex, m, k int) *spectrum {
	size := k + 1
	return &spectrum{centre: newCentre(near, m, 1), k: k, rows: make([]float64, size*m),
		gram: make([]float64, size*size), ascending: make([]float64, size), scratch: make([]float64, 2*size)}
}

// around returns the mean of log(t_k/t_j) over the k nearest, at distances t_j, and writes the
// shares of the variance along the principal directions, in descending order. If a neighbour
// coincides with the sample, or all are as far as the last, it returns NaN.
func (s *spectrum) around(z, shares []float64) float64 {
	s.nearest(z, s.k+1)
	last, sum := s.order[s.k].square, 0.0
	for _, r := range s.order[1 : s.k+1] {
		if r.square == 0 || s.order[1].square == last {
			return math.NaN()
		}
		sum += math.Log(last/r.square) / 2
	}
	size, m := s.k+1, s.m
	clear(s.sum)
	for a, r := range s.order[:size] {
		row := s.rows[a*m : (a+1)*m]
		copy(row, s.search.At(int(r.place)))
		blas.Axpy(-1, z, row)
		blas.Axpy(1/float64(size), row, s.sum)
	}
	for a := range size {
		blas.Axpy(-1, s.sum, s.rows[a*m:(a+1)*m])
		for b := range a + 1 {
			v := blas.Dot(s.rows[a*m:(a+1)*m], s.rows[b*m:(b+1)*m])
			s.gram[a*size+b], s.gram[b*size+a] = v, v
		}
	}
	blas.SymEigSmall(size, s.gram, s.ascending, false, s.scratch)
	all := 0.0
	for _, v := range s.ascending {
		all += max(v, 0)
	}
	for a := range size {
		shares[a] = max(s.ascending[size-1-a], 0) / all
	}
	return sum / float64(s.k-1)
}
