package kmeans

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
// is requested, and returns how many samples changed.
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

// nearest finds the nearest centre of sample i by its products with all, and bounds
// its distances from that and from the others.
func (r *refining) nearest(i int, products []float64) int32 {
	at, best, second := twoLeast(r.norms[:len(products)], products)
	best, second = best+r.own[i], second+r.own[i]
	loss := r.loss
	if second-best <= 4*loss && r.x.exact() { // rounding could decide
		best, second, at, loss = math.Inf(1), math.Inf(1), 0, 0
		for c := range r.clusters {
			d := r.x.square(i, r.center(c), 0)
			if d < best {
				best, second, at = d, best, c
			} else if d < second {
				second = d
			}
		}
	}
	if r.Iterations > 0 { // else no bound is requested
		r.upper[i], r.lower[i] = math.Sqrt(max(best, 0)+loss), math.Sqrt(max(second-loss, 0))
	}
	return int32(at)
}

// twoLeast returns where n − 2p is least, the lower place on ties, that, and the next. Which of
// them is least cannot be foreseen, so it is found without a branch, by whole numbers in the order of the
// differences. None of these is −0, since no norm is.
func twoLeast(norms, products []float64) (at int, least, next float64) {
	a, b := int64(math.MaxInt64), int64(math.MaxInt64)
	for c, p := range products {
		v := ordered(norms[c] - 2*p)
		b = min(b, max(a, v))
		if v < a {
			at = c
		}
		a = min(a, v)
	}
	if b == math.MaxInt64 {
		return at, unordered(a), math.Inf(1)
	}
	return at, unordered(a), unordered(b)
}

// ordered are the bits of v as a whole number that grows with v, and unordered is the way back.
func ordered(v float64) int64 {
	bits := int64(math.Float64bits(v))
	return bits ^ int64(uint64(bits>>63)>>1)
}

func unordered(v int64) float64 { return math.Float64frombits(uint64(v ^ int64(uint64(v>>63)>>1))) }

// add sums the samples of one part for its clusters that have changed.
func (r *refining) add(lo, hi int, dirty []bool) {
	k, m, part := r.clusters, r.m, lo/r.part
	sums, weights := r.sums[part*k*m:(part+1)*k*m], r.weights[part*k:(part+1)*k]
	for c, d := range dirty {
		if d {
			clear(sums[c*m : (c+1)*m])
			weights[c] = 0
		}
	}
	for i := lo; i < hi; i++ {
		c := int(r.label[i])
		if !dirty[c] {
			continue
		}
		w := r.weightOf(i)
		r.x.add(i, w, sums[c*m:(c+1)*m])
		weights[c] += w
	}
}

// collect adds the sums of the parts, in their order.
func (r *refining) collect() {
	k, m := r.clusters, r.m
	copy(r.sum, r.sums[:k*m])
	copy(r.weight, r.weights[:k])
	for part := 1; part < r.parts; part++ {
		blas.Axpy(1, r.sums[part*k*m:(part+1)*k*m], r.sum)
		blas.Axpy(1, r.weights[part*k:(part+1)*k], r.weight)
	}
}

// relocate gives clusters without weight the samples farthest from their centres, one
// each, and takes these from the sums that they were in. Labels stay: the next
// assignment finds the new centres.
func (r *refining) relocate() {
	var empty []int
	for c, w := range r.weight {
		if w == 0 {
			empty = append(empty, c)
		}
	}
	if len(empty) == 0 {
		return
	}
	far, square := r.farthest(len(empty))
	if r.Heaviest && square == 0 {
		return
	}
	m := r.m
	for q, i := range far {
		c, was, w := empty[q], int(r.label[i]), r.weightOf(i)
		r.x.add(i, -w, r.sum[was*m:(was+1)*m])
		clear(r.sum[c*m : (c+1)*m])
		r.x.add(i, w, r.sum[c*m:(c+1)*m])
		r.weight[c] = w
		r.weight[was] -= w
	}
}

// farthest returns the count samples that are farthest from their centres, descending,
// the later of equally far ones first, and the square of the longest distance.
func (r *refining) farthest(count int) ([]int, float64) {
	far, squares := make([]int, 0, count+1), make([]float64, 0, count+1)
	for i := range r.n {
		c := int(r.label[i])
		d := r.x.square(i, r.center(c), r.norms[c])
		if len(far) == count && d < squares[count-1] {
			continue
		}
		far, squares = append(far, i), append(squares, d)
		for at := len(far) - 1; at > 0 && squares[at] >= squares[at-1]; at-- {
			far[at], far[at-1] = far[at-1], far[at]
			squares[at], squares[at-1] = squares[at-1], squares[at]
		}
		if len(far) > count {
			far, squares = far[:count], squares[:count]
		}
	}
	return far, squares[0]
}

// move puts every centre at the mean of its samples, loosens the bounds by how far the
// centres moved, and returns the sum of the squares of these ways.
func (r *refining) move() (total float64) {
	copy(r.before, r.centers)
	m := r.m
	heaviest := 0
	for c, w := range r.weight {
		copy(r.center(c), r.sum[c*m:(c+1)*m])
		if w > 0 {
			blas.Scale(1/w, r.center(c))
		}
		if w > r.weight[heaviest] {
			heaviest = c
		}
	}
	for c, w := range r.weight {
		if r.Heaviest && !(w > 0) {
			copy(r.center(c), r.center(heaviest))
		}
		square := blas.SquaredDistance(r.center(c), r.before[c*m:(c+1)*m])
		r.shift[c] = math.Sqrt(square)
		total += square
	}
	r.measureCenters()
	loosen(r.shift, r.label, r.upper, r.lower)
	return total
}
