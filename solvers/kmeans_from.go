package solvers

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
	if err := o.checkWeights(n); err != nil {
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

// checkWeights refuses weights that are none of n samples.
func (o *KMeansFromOptions) checkWeights(n int) error {
	if o.Weights != nil && len(o.Weights) != n {
		return fmt.Errorf("solvers: %d weights of %d samples; give one for each", len(o.Weights), n)
	}
	for i, w := range o.Weights {
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
