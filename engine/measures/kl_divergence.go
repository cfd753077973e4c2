package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/bandwidth"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/layout"
	"github.com/orthant-go/orthant/sparse"
)

// mappedColumns is the largest number of columns of a t-SNE map.
const mappedColumns = 3

// DefaultPerplexity returns the default perplexity for n samples: 30, or (n − 1)/3 if that is less.
func DefaultPerplexity(n int) float64 { return bandwidth.UsualPerplexity(n) }

// KLDivergence returns the divergence of t-SNE (van der Maaten and Hinton 2008) of a map y of the
// data x, by whatever method,
//
//	Σ p_ij log(p_ij/q_ij),   q_ij = k_ij/Σ k,   k_ij = 1/(1 + ‖y_i − y_j‖²)
//
// with all pairs in Σ k. p are the affinities of the data: probabilities among the 3·perplexity nearest neighbours of a
// sample with the entropy log(perplexity), averaged over both directions and divided by n. The minimum
// is 0. Only maps of the same data at the same perplexity can be compared. The scale of y matters: t-SNE chooses
// it, while maps of other methods may have to be rescaled first.
//
// perplexity is a number from 1 to (n − 1)/3; 0 selects [DefaultPerplexity].
//
// x is n × m and y n × d with d ≤ 3. It returns an error if the numbers of rows differ, for values that are not
// finite, fewer than 4 samples, an invalid perplexity, coordinates beyond about 1e150, and a cancelled context. Time is
// O(n²d) plus an exact search (see [neighbors.Exact]), memory O(n·perplexity).
func KLDivergence(ctx context.Context, x, y mat.Matrix, perplexity float64, o Options) (float64, error) {
	const measure = "kl-divergence"
	data, shown, err := readMap(measure, x, y)
	if err != nil {
		return 0, err
	}
	n := data.N
	switch most := float64(n-1) / 3; {
	case n < 4:
		return 0, fmt.Errorf("%s: the number of samples is %d; give at least 4", measure, n)
	case shown.M > mappedColumns:
		return 0, fmt.Errorf("%s: the embedding has %d columns, and t-SNE's divergence is of maps with at most %d; give the first %d", measure, shown.M, mappedColumns, mappedColumns)
	case perplexity == 0:
		perplexity = DefaultPerplexity(n)
	case !(perplexity >= 1 && perplexity <= most): // NaN too
		return 0, fmt.Errorf("%s: a perplexity of %g for %d samples; give a number from 1 to %.6g", measure, perplexity, n, math.Floor(100*most)/100)
	}
	if o, err = o.withDefaults(measure); err != nil {
		return 0, err
	}
	p, err := affinities(ctx, data, perplexity, o)
	if err != nil {
		return 0, err
	}
	d, err := layout.Divergence(ctx, o.Threads, p, mat.NewDense(n, shown.M, shown.Data))
	if err == nil && (math.IsInf(d, 0) || math.IsNaN(d)) {
		err = fmt.Errorf("%s: the coordinates are too far apart, up to %.3g; divide them by a common number, as their scale counts", measure, largest(shown.Data))
	}
	return d, err
}

// affinities returns t-SNE's p, which are symmetric and sum to 1.
func affinities(ctx context.Context, data blas.Rows, perplexity float64, o Options) (*sparse.CSR, error) {
	k := min(int(3*perplexity+1e-9), data.N-1)
	g, err := neighbors.Exact(ctx, neighbors.Points(tame(data)[0]), k, neighbors.Options{Kernels: o.Kernels, Threads: o.Threads})
	if err != nil {
		return nil, err
	}
	e, err := bandwidth.Affinities(ctx, o.Threads, g, perplexity)
	if err != nil {
		return nil, err
	}
	p, err := sparse.Laplacian(ctx, o.Threads, e)
	if err != nil {
		return nil, err
	}
	for i := range p.Rows {
		cols, vals := p.Row(i)
		for q, j := range cols {
			if vals[q] = -vals[q]; int(j) == i {
				vals[q] = 0
			}
		}
	}
	return p, nil
}
