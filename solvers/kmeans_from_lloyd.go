package solvers

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

const (
	// fromRows is the number of samples whose products are formed at a time.
	fromRows = 256
	// fromPart and fromParts bound the number of samples whose sums are kept
	// together: few parts of many samples are soon added, and many parts of few
	// samples stay as they are where no sample changes its cluster.
	fromPart, fromParts = 1024, 64
	// ownClusters is the number of centres from which on measuring the own one
	// first, which may save the others, is worth its time.
	ownClusters = 12
	// productLoss bounds the rounding of a squared distance by products, over the
	// squares of the longest sample and centre.
	productLoss = 0x1p-46
)

// refining is a run of [KMeansFrom].
type refining struct {
	KMeansFromOptions
	x                 weighted
	n, m, clusters    int
	part, parts       int
	centers, before   []float64
	norms, shift      []float64 // of the centres: squared lengths, and ways
	apart             []float64 // half the distance of each centre to its nearest other
	label             []int32
	upper, lower, own []float64 // bounds, and squared lengths of the samples
	longest           float64   // of own
	loss              float64   // bound on the rounding of a squared distance by products

	sums    []float64 // of each part and cluster, parts × clusters × m
	weights []float64 // the same of the weights
	dirty   []bool    // clusters of a part whose samples have changed
	sum     []float64 // of each cluster
	weight  []float64
	workers []fromScratch
}

// fromScratch is what a worker needs.
type fromScratch struct {
	at       []int32
	products []float64
	rows     []float64
}

func newRefining(ctx context.Context, x weighted, start *mat.Dense, clusters int, o KMeansFromOptions) (*refining, error) {
	n, m := x.dims()
	r := &refining{KMeansFromOptions: o, x: x, n: n, m: m, clusters: clusters,
		centers: make([]float64, clusters*m), before: make([]float64, clusters*m), norms: make([]float64, clusters),
		shift: make([]float64, clusters), apart: make([]float64, clusters),
		label: make([]int32, n), upper: make([]float64, n), lower: make([]float64, n), own: make([]float64, n)}
	for c := range clusters {
		copy(r.center(c), start.RawRowView(c))
		for j, v := range r.center(c) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("solvers: row %d, column %d (counting from 1) of the start is %v", c+1, j+1, v)
			}
		}
	}
	err := blas.For(ctx, o.Threads, n, fromPart, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			r.label[i], r.upper[i], r.own[i] = -1, math.Inf(1), x.norm(i)
		}
	})
	if err != nil {
		return nil, err
	}
	for i, square := range r.own {
		if !(square <= math.MaxFloat64) {
			return nil, fmt.Errorf("solvers: row %d (counting from 1) of the samples has an entry that is not finite, or too large to be squared", i+1)
		}
		r.longest = max(r.longest, square)
	}
	if o.Iterations > 0 {
		r.part = max(fromPart, 4*clusters, (n+fromParts-1)/fromParts)
		r.part = (r.part + fromRows - 1) / fromRows * fromRows
		r.parts = (n + r.part - 1) / r.part
		r.sums, r.weights = make([]float64, r.parts*clusters*m), make([]float64, r.parts*clusters)
		r.dirty = make([]bool, r.parts*clusters)
		r.sum, r.weight = make([]float64, clusters*m), make([]float64, clusters)
	} else {
		r.part, r.parts = fromRows, (n+fromRows-1)/fromRows
	}
	r.workers = make([]fromScratch, min(blas.Threads(o.Threads), r.parts))
	return r, nil
}

func (r *refining) center(c int) []float64 { return r.centers[c*r.m : (c+1)*r.m] }

func (r *refining) weightOf(i int) float64 {
	if r.Weights == nil {
		return 1
	}
	return r.Weights[i]
}

func (r *refining) run(ctx context.Context) (*Refined, error) {
	out := &Refined{}
	r.measureCenters()
	for out.Iterations < r.Iterations {
		changed, err := r.assign(ctx, true)
		if err != nil {
			return nil, err
		}
		if r.Trace {
			cost, err := r.cost(ctx)
			if err != nil {
				return nil, err
			}
			out.Costs = append(out.Costs, cost)
		}
		out.Iterations++
		r.collect()
		r.relocate()
		out.Moved = r.move()
		if r.Progress != nil {
			r.Progress(float64(out.Iterations) / float64(r.Iterations))
		}
		if out.Settled = changed == 0 && out.Iterations > 1; out.Settled || out.Moved <= r.Tolerance {
			out.Converged = true
			break
		}
	}
	var err error
	if !out.Settled {
		if _, err = r.assign(ctx, false); err != nil {
			return nil, err
		}
	}
	if out.Cost, err = r.cost(ctx); err != nil {
		return nil, err
	}
	out.Labels, out.Centers = r.label, r.centers
	return out, nil
}

// measureCenters prepares products with the centres where they are now.
func (r *refining) measureCenters() {
	r.x.take(r.centers, r.clusters)
	longest := r.longest
	for c := range r.clusters {
		r.norms[c] = blas.Dot(r.center(c), r.center(c))
		longest = max(longest, r.norms[c])
	}
	r.loss = productLoss * longest
	if r.Iterations == 0 {
		return
	}
	for c := range r.clusters {
		r.apart[c] = math.Inf(1)
		for d := range c {
			half := math.Sqrt(blas.SquaredDistance(r.center(c), r.center(d))) / 2
			r.apart[c], r.apart[d] = min(r.apart[c], half), min(r.apart[d], half)
		}
	}
}

// assign gives every sample to its nearest centre, sums the clusters anew where that
// is asked for, and returns how many samples changed.
func (r *refining) assign(ctx context.Context, sum bool) (int64, error) {
	var count atomic.Int64
	err := blas.For(ctx, r.Threads, r.n, r.part, func(worker, lo, hi int) {
		s := &r.workers[worker]
		if s.products == nil {
			s.at, s.products = make([]int32, 0, fromRows), make([]float64, fromRows*r.clusters)
		}
		var dirty []bool
		if sum {
			part := lo / r.part
			dirty = r.dirty[part*r.clusters : (part+1)*r.clusters]
			clear(dirty)
		}
		var changed int64
		for at := lo; at < hi; at += fromRows {
			changed += r.block(s, at, min(at+fromRows, hi), dirty)
		}
		if changed > 0 && sum {
			r.add(lo, hi, dirty)
		}
		count.Add(changed)
	})
	return count.Load(), err
}

// block assigns the samples from lo to hi.
func (r *refining) block(s *fromScratch, lo, hi int, dirty []bool) (changed int64) {
	s.at = s.at[:0]
	for i := lo; i < hi; i++ {
		if c := r.label[i]; c >= 0 {
			bound := max(r.apart[c], r.lower[i]) * (1 - boundSlack)
			if r.upper[i] < bound {
				continue
			}
			if r.clusters >= ownClusters {
				r.upper[i] = math.Sqrt(r.x.square(i, r.center(int(c)), r.norms[c]) + r.loss)
				if r.upper[i] < bound {
					continue
				}
			}
		}
		s.at = append(s.at, int32(i))
	}
	if len(s.at) == 0 {
		return 0
	}
	k := r.clusters
	s.rows = r.x.products(s.at, s.rows, s.products)
	for q, at := range s.at {
		i := int(at)
		c := r.nearest(i, s.products[q*k:(q+1)*k])
		if was := r.label[i]; was != c {
			changed++
			if dirty != nil {
				dirty[c] = true
				if was >= 0 {
					dirty[was] = true
				}
			}
			r.label[i] = c
		}
	}
	return changed
}

// cost is Σ w‖x − its centre‖², summed part by part.
func (r *refining) cost(ctx context.Context) (float64, error) {
	costs := make([]float64, r.parts)
	err := blas.For(ctx, r.Threads, r.n, r.part, func(_, lo, hi int) {
		var sum float64
		for i := lo; i < hi; i++ {
			c := int(r.label[i])
			sum += r.weightOf(i) * r.x.square(i, r.center(c), r.norms[c])
		}
		costs[lo/r.part] = sum
	})
	var total float64
	for _, v := range costs {
		total += v
	}
	return total, err
}
