// Package consensus finds the common parts of many factorisations of the same data
// (Kotliar et al. 2019; Brunet et al. 2004).
package consensus

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Spectra are the components of all runs of one rank, N rows of m numbers.
type Spectra struct {
	N, M int
	X    []float64
}

// Normalize scales the rows to unit length. Rows of zeros stay zero.
func (s Spectra) Normalize() {
	for i := range s.N {
		row := s.row(i)
		if length := math.Sqrt(blas.Dot(row, row)); length > 0 {
			blas.Scale(1/length, row)
		}
	}
}

func (s Spectra) row(i int) []float64 { return s.X[i*s.M : (i+1)*s.M] }

// Rows returns the kept rows, in order.
func (s Spectra) Rows(keep []bool) Spectra {
	out := Spectra{M: s.M}
	for i, k := range keep {
		if k {
			out.X = append(out.X, s.row(i)...)
			out.N++
		}
	}
	return out
}

// distanceRows is the number of rows whose distances to all others are held at a time.
const distanceRows = 128

// distances calls do with the distances of every row to all rows, several rows at a time.
func (s Spectra) distances(ctx context.Context, k *blas.Kernels, threads int, do func(i int, d []float64)) error {
	squares := make([]float64, s.N)
	for i := range squares {
		squares[i] = blas.Dot(s.row(i), s.row(i))
	}
	scratch := make([][]float64, blas.Threads(threads))
	return blas.For(ctx, threads, s.N, distanceRows, func(worker, lo, hi int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]float64, distanceRows*s.N)
		}
		d := scratch[worker][:(hi-lo)*s.N]
		k.Gemm(false, true, hi-lo, s.N, s.M, 1, s.X[lo*s.M:], s.M, s.X, s.M, 0, d, s.N)
		for i := lo; i < hi; i++ {
			row := d[(i-lo)*s.N : (i-lo+1)*s.N]
			for j, v := range row {
				row[j] = math.Sqrt(max(0, squares[i]+squares[j]-2*v))
			}
			row[i] = 0
			do(i, row)
		}
	})
}

// Density returns the mean distance of every row to its nearest other rows, of which it uses the given
// number. It is large if few runs found a similar component. O(N²m).
func (s Spectra) Density(ctx context.Context, k *blas.Kernels, threads, neighbors int) ([]float64, error) {
	density := make([]float64, s.N)
	err := s.distances(ctx, k, threads, func(i int, d []float64) {
		d[i] = math.Inf(-1) // the row itself, before all others
		slices.Sort(d)
		var sum float64
		for _, v := range d[1 : neighbors+1] {
			sum += v
		}
		density[i] = sum / float64(neighbors)
	})
	return density, err
}

// Silhouettes returns for each row (b − a)/max(a, b), where a is the mean distance to the
// others of its cluster and b that to the nearest other cluster (Rousseeuw 1987). A row that
// is alone in its cluster has 0. All are NaN if there are fewer than two clusters, or as
// many as rows. O(N²m).
func (s Spectra) Silhouettes(ctx context.Context, k *blas.Kernels, threads int, labels []int, clusters int) ([]float64, error) {
	sizes := make([]int, clusters)
	for _, c := range labels {
		sizes[c]++
	}
	if used := clusters - count(sizes, 0); used < 2 || used >= s.N {
		return slices.Repeat([]float64{math.NaN()}, s.N), nil
	}
	widths := make([]float64, s.N)
	err := s.distances(ctx, k, threads, func(i int, d []float64) {
		if sizes[labels[i]] < 2 {
			return
		}
		sums := make([]float64, clusters)
		for j, v := range d {
			sums[labels[j]] += v
		}
		a, b := 0.0, math.Inf(1)
		for c, sum := range sums {
			switch {
			case c == labels[i]:
				a = sum / float64(sizes[c]-1)
			case sizes[c] > 0:
				b = min(b, sum/float64(sizes[c]))
			}
		}
		if most := max(a, b); most > 0 {
			widths[i] = (b - a) / most
		}
	})
	return widths, err
}

func count(list []int, value int) (n int) {
	for _, v := range list {
		if v == value {
			n++
		}
	}
	return n
}

// Medians returns the medians of every column over the rows of each cluster, scaled to
// sum 1, and the first cluster whose medians are all zero, which stay zero; −1:
// there is none.
func (s Spectra) Medians(labels []int, clusters int) (medians []float64, zero int) {
	zero = -1
	medians = make([]float64, clusters*s.M)
	for c := range clusters {
		var members []int
		for i, l := range labels {
			if l == c {
				members = append(members, i)
			}
		}
		to := medians[c*s.M : (c+1)*s.M]
		column := make([]float64, len(members))
		var sum float64
		for j := range to {
			for q, i := range members {
				column[q] = s.X[i*s.M+j]
			}
			to[j] = median(column)
			sum += to[j]
		}
		if sum > 0 {
			blas.Scale(1/sum, to)
		} else if zero < 0 {
			zero = c
		}
	}
	return medians, zero
}

// median sorts the numbers and returns their median, the mean of the middle two for an even count.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	half := len(x) / 2
	if len(x)%2 == 1 {
		return x[half]
	}
	return (x[half-1] + x[half]) / 2
}
