package kmeans

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// KMeansFromOptions of [KMeansFrom]. The zero value means weights of 1, no iteration
// (an assignment alone), tolerance 0, all cores and the kernels of blas.Select("").
type KMeansFromOptions struct {
	Weights    []float64 // of the samples, ≥ 0; nil: 1 each
	Iterations int       // at most; 0: the samples are assigned to the start
	// Tolerance ends the iteration once the squared ways of all centres sum to at
	// most this; 0: only once no sample changes its cluster, or no centre moves.
	Tolerance float64
	Trace     bool // keep the cost of each iteration
	// Heaviest has the mean of the heaviest cluster as the centre of a cluster without
	// weight, in place of the origin, and leaves such clusters where every sample is at
	// its centre.
	Heaviest bool
	Kernels  *blas.Kernels
	Threads  int // 0: all cores
	Progress func(done float64)
}

// Refined is what [KMeansFrom] makes of a start.
type Refined struct {
	Labels     []int32   // the nearest centre of each sample, the lower on ties; clusters are numbered as the start
	Centers    []float64 // clusters × m
	Cost       float64   // Σ w‖x − its centre‖²
	Costs      []float64 // of each iteration, by the centres before it; with Trace
	Moved      float64   // Σ of the squared ways of the centres in the last iteration
	Iterations int
	Settled    bool // no sample changed its cluster in the last iteration
	Converged  bool // Settled, or the centres moved by no more than the tolerance
}

// KMeansFrom runs Lloyd's iteration on weighted samples (the rows of x) from given
// centres, the rows of start: each sample to its nearest centre, each centre to the
// weighted mean of its samples. An iteration that leaves clusters without weight gives
// them the samples that are farthest from their centres, of equally far ones the last,
// and takes these from the clusters they were in; a cluster that has lost all its
// weight so has the origin for its centre, so that centred samples should be given (but see
// Heaviest). After
// the last iteration samples are assigned once more, unless none had changed.
//
// x is a *mat.Dense without gaps between rows, or a *sparse.CSR, which stays sparse.
// Distances come from products of blocks; where rounding could decide between two
// centres of dense samples both are measured. Bounds on the distances (Hamerly 2010)
// leave out the samples that cannot change. The bits do not depend on Threads. O(n m clusters) an
// iteration at most, O(nnz clusters) of sparse samples.
func KMeansFrom(ctx context.Context, x mat.Matrix, start *mat.Dense, o KMeansFromOptions) (*Refined, error) {
	n, m := x.Dims()
	clusters, cols := start.Dims()
	switch {
	case cols != m:
		return nil, fmt.Errorf("solvers: the start has %d columns and the samples have %d", cols, m)
	case o.Iterations < 0:
		return nil, fmt.Errorf("solvers: %d iterations; give a number from 0 on", o.Iterations)
	case !(o.Tolerance >= 0):
		return nil, fmt.Errorf("solvers: the tolerance is %v; give a number from 0 on", o.Tolerance)
	}
	if err := checkWeights(o.Weights, n); err != nil {
		return nil, err
	}
	samples, err := newWeighted(x, o)
	if err != nil {
		return nil, err
	}
	r, err := newRefining(ctx, samples, start, clusters, o)
	if err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// checkWeights refuses weights that do not belong to n samples.
func checkWeights(weights []float64, n int) error {
	if weights != nil && len(weights) != n {
		return fmt.Errorf("solvers: %d weights of %d samples; give one for each", len(weights), n)
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("solvers: the weight of sample %d (counting from 1) is %v; give finite numbers from 0 on", i+1, w)
		}
	}
	return nil
}

// newWeighted makes samples ready for products with centres.
func newWeighted(x mat.Matrix, o KMeansFromOptions) (weighted, error) {
	if a, is := x.(*sparse.CSR); is {
		if err := a.Validate(); err != nil {
			return nil, fmt.Errorf("solvers: %w", err)
		}
		return &weightedRows{a: a}, nil
	}
	dense, is := x.(*mat.Dense)
	if !is {
		return nil, fmt.Errorf("solvers: the samples are a %T; give a *mat.Dense or a *sparse.CSR", x)
	}
	raw := dense.RawMatrix()
	if raw.Stride != raw.Cols {
		raw = mat.DenseCopyOf(dense).RawMatrix()
	}
	kernels := o.Kernels
	if kernels == nil {
		var err error
		if kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	return &weightedPoints{x: raw.Data, n: raw.Rows, m: raw.Cols, kernels: kernels}, nil
}

// weighted are the samples of [KMeansFrom], in either storage.
type weighted interface {
	dims() (n, m int)
	// take notes where the centres are.
	take(centers []float64, clusters int)
	// products writes ⟨x, c⟩ of the listed samples with all centres, a row each.
	// scratch is the worker's, of any length.
	products(at []int32, scratch []float64, out []float64) []float64
	// square is ‖x − c‖² of sample i, as exactly as the storage allows.
	square(i int, center []float64, norm float64) float64
	// add adds w times sample i to a sum.
	add(i int, w float64, sum []float64)
	norm(i int) float64
	exact() bool // square does not cancel
}

// weightedPoints are dense samples.
type weightedPoints struct {
	x        []float64
	n, m     int
	kernels  *blas.Kernels
	centers  []float64
	clusters int
}

func (p *weightedPoints) dims() (n, m int)    { return p.n, p.m }
func (p *weightedPoints) row(i int) []float64 { return p.x[i*p.m : (i+1)*p.m] }
func (p *weightedPoints) norm(i int) float64  { return blas.Dot(p.row(i), p.row(i)) }
func (p *weightedPoints) exact() bool         { return true }

func (p *weightedPoints) take(centers []float64, clusters int) {
	p.centers, p.clusters = centers, clusters
}

func (p *weightedPoints) square(i int, center []float64, _ float64) float64 {
	return blas.SquaredDistance(p.row(i), center)
}

func (p *weightedPoints) add(i int, w float64, sum []float64) { blas.Axpy(w, p.row(i), sum) }

func (p *weightedPoints) products(at []int32, scratch, out []float64) []float64 {
	count := len(at)
	rows := p.x[int(at[0])*p.m:]
	if int(at[count-1]-at[0]) != count-1 { // not one after the other
		if cap(scratch) < count*p.m {
			scratch = make([]float64, fromRows*p.m)
		}
		rows = scratch[:count*p.m]
		for q, i := range at {
			copy(rows[q*p.m:(q+1)*p.m], p.row(int(i)))
		}
	}
	p.kernels.Gemm(false, true, count, p.clusters, p.m, 1, rows, p.m, p.centers, p.m, 0, out, p.clusters)
	return scratch
}

// weightedRows are samples in compressed rows.
type weightedRows struct {
	a        *sparse.CSR
	turned   []float64 // the centres, m × clusters
	clusters int
}

func (r *weightedRows) dims() (n, m int) { return r.a.Rows, r.a.Cols }
func (r *weightedRows) exact() bool      { return false }

func (r *weightedRows) norm(i int) float64 {
	_, vals := r.a.Row(i)
	return blas.Dot(vals, vals)
}

func (r *weightedRows) take(centers []float64, clusters int) {
	m := r.a.Cols
	if len(r.turned) < m*clusters {
		r.turned = make([]float64, m*clusters)
	}
	r.clusters = clusters
	for c := range clusters {
		for j, v := range centers[c*m : (c+1)*m] {
			r.turned[j*clusters+c] = v
		}
	}
}

func (r *weightedRows) square(i int, center []float64, norm float64) float64 {
	return squareBetween(r.a, i, norm, center)
}

func (r *weightedRows) add(i int, w float64, sum []float64) {
	cols, vals := r.a.Row(i)
	for q, v := range vals {
		sum[cols[q]] += w * v
	}
}

func (r *weightedRows) products(at []int32, scratch, out []float64) []float64 {
	k := r.clusters
	for q, i := range at {
		row := out[q*k : (q+1)*k]
		clear(row)
		cols, vals := r.a.Row(int(i))
		for e, v := range vals {
			blas.Axpy(v, r.turned[int(cols[e])*k:int(cols[e])*k+k], row)
		}
	}
	return scratch
}
