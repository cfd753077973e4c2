package exemplars

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// KernelOptions of [Kernel] and [Distances].
type KernelOptions struct {
	Neighbors int           // k, from 1 to n−1: the bandwidth is the distance to the k-th nearest
	Lists     bool          // keep the k nearest samples of each
	Threads   int           // 0: all cores
	Kernels   *blas.Kernels // nil: blas.Select("")
}

// SampleDissimilarities are those between samples, with what the kernel takes from them.
type SampleDissimilarities struct {
	D *Packed
	// Bandwidths are the distances to the k-th nearest other sample, at least 1e-8 of the
	// median of the positive distances.
	Bandwidths []float64
	// Nearest are the k nearest other samples of each, by distance, then by index: n × k;
	// nil unless asked for.
	Nearest []int32
}

// Kernel returns the kernel-mapped dissimilarities of the rows of x, n × m and finite:
//
//	D = −(K + Kᵀ)/2,   Kᵢⱼ = exp(−‖xᵢ − xⱼ‖²/(2sᵢ²)),
//
// sᵢ the distance from xᵢ to its k-th nearest other sample, in [−1, 0] with the diagonal
// −1. n²m flops and n² exponentials; 4n² bytes.
func Kernel(ctx context.Context, n, m int, x []float64, o KernelOptions) (*SampleDissimilarities, error) {
	r, err := squaredDistances(ctx, n, m, x, &o)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, n)
	for i, s := range r.Bandwidths {
		weights[i] = -1 / (2 * s * s)
	}
	scratch := make([][]float64, blas.Threads(o.Threads))
	err = blas.For(ctx, o.Threads, n, columnBlock, func(worker, lo, hi int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]float64, n)
		}
		for i := lo; i < hi; i++ {
			row, other := r.D.Row(i), scratch[worker][:n-i]
			for q, d := range row {
				other[q] = weights[i+q] * d
			}
			blas.Scale(weights[i], row)
			blas.Exp(row, row)
			blas.Exp(other, other)
			for q, v := range other {
				row[q] = -(row[q] + v) / 2
			}
		}
	})
	return r, err
}

// Distances returns the Euclidean distances between the rows of x, n × m and finite,
// over the largest of them. n²m flops; 4n² bytes.
func Distances(ctx context.Context, n, m int, x []float64, o KernelOptions) (*SampleDissimilarities, error) {
	r, err := squaredDistances(ctx, n, m, x, &o)
	if err != nil {
		return nil, err
	}
	inverse := 1.0
	if top := math.Sqrt(slices.Max(r.D.Data)); top > 0 {
		inverse = 1 / top
	}
	err = blas.For(ctx, o.Threads, len(r.D.Data), 1<<16, func(_, lo, hi int) {
		for q, v := range r.D.Data[lo:hi] {
			r.D.Data[lo+q] = math.Sqrt(v) * inverse
		}
	})
	return r, err
}

// squaredDistances returns squared distances with bandwidths and nearest samples.
func squaredDistances(ctx context.Context, n, m int, x []float64, o *KernelOptions) (*SampleDissimilarities, error) {
	if n < 2 || m < 1 || len(x) != n*m {
		return nil, fmt.Errorf("exemplars: %d numbers of %d × %d samples; give at least 2 samples and 1 column", len(x), n, m)
	}
	if o.Neighbors < 1 || o.Neighbors > n-1 {
		return nil, fmt.Errorf("exemplars: %d neighbours of %d samples; give a number from 1 to %d", o.Neighbors, n, n-1)
	}
	if o.Kernels == nil {
		var err error
		if o.Kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	d, err := squares(ctx, o.Kernels, o.Threads, n, m, x)
	if err != nil {
		return nil, err
	}
	r := &SampleDissimilarities{D: d, Bandwidths: make([]float64, n)}
	if o.Lists {
		r.Nearest = make([]int32, n*o.Neighbors)
	}
	type scratch struct {
		selector
		columns []float64
	}
	workers := make([]scratch, blas.Threads(o.Threads))
	err = blas.For(ctx, o.Threads, n, columnBlock, func(worker, lo, hi int) {
		w := &workers[worker]
		if w.columns == nil {
			w.columns = make([]float64, columnBlock*n)
		}
		d.Columns(lo, hi, w.columns)
		for i := lo; i < hi; i++ {
			column := w.columns[(i-lo)*n : (i-lo+1)*n]
			if !o.Lists {
				r.Bandwidths[i] = math.Sqrt(w.smallest(column, i, o.Neighbors))
				continue
			}
			list := r.Nearest[i*o.Neighbors : (i+1)*o.Neighbors]
			w.nearest(column, i, list)
			r.Bandwidths[i] = math.Sqrt(column[list[len(list)-1]])
		}
	})
	if err != nil {
		return nil, err
	}
	return r, r.raiseBandwidths(ctx, o.Threads)
}

// raiseBandwidths lifts the bandwidths to their floor.
func (r *SampleDissimilarities) raiseBandwidths(ctx context.Context, threads int) error {
	if !needFloor(r.Bandwidths, math.Sqrt(slices.Max(r.D.Data))) {
		return nil
	}
	median, err := new(bitCounts).medianPositive(blas.Threads(threads), func(count func(int, []float64)) error {
		return blas.For(ctx, threads, len(r.D.Data), 1<<16, func(worker, lo, hi int) { count(worker, r.D.Data[lo:hi]) })
	})
	if err != nil {
		return err
	}
	raiseBandwidths(r.Bandwidths, bandwidthFloor(math.Sqrt(median)))
	return nil
}

// cancellationShare is the share of ‖x‖² + ‖y‖² below which ‖x‖² + ‖y‖² − 2xᵀy has lost too many
// digits, and ‖x − y‖² is formed from the differences instead.
const cancellationShare = 1e-10

// squares returns the squared distances between the rows of x, n × m: exactly 0
// between equal ones. n²m flops by products of centred rows.
func squares(ctx context.Context, kernels *blas.Kernels, threads, n, m int, x []float64) (*Packed, error) {
	centered := center(n, m, x)
	norms := make([]float64, n)
	for i := range norms {
		row := centered[i*m : (i+1)*m]
		norms[i] = blas.Dot(row, row)
	}
	d := NewPacked(n)
	buffers := make([][]float64, blas.Threads(threads))
	err := blas.For(ctx, threads, n, columnBlock, func(worker, lo, hi int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]float64, columnBlock*n)
		}
		products := buffers[worker]
		kernels.Gemm(false, true, hi-lo, n-lo, m, -2, centered[lo*m:], m, centered[lo*m:], m, 0, products, n)
		for i := lo; i < hi; i++ {
			row, from := d.Row(i), products[(i-lo)*n+i-lo:]
			row[0] = 0
			for q := 1; q < len(row); q++ {
				sum := norms[i] + norms[i+q]
				v := sum + from[q]
				if v <= cancellationShare*sum {
					v = blas.SquaredDistance(x[i*m:(i+1)*m], x[(i+q)*m:(i+q+1)*m])
				}
				row[q] = v
			}
		}
	})
	return d, err
}

// center subtracts the mean of the rows: the distances stay, and with small norms
// they keep more digits.
func center(n, m int, x []float64) []float64 {
	mean := make([]float64, m)
	for i := range n {
		blas.Axpy(1/float64(n), x[i*m:(i+1)*m], mean)
	}
	out := make([]float64, n*m)
	for i := range n {
		for k, v := range x[i*m : (i+1)*m] {
			out[i*m+k] = v - mean[k]
		}
	}
	return out
}
