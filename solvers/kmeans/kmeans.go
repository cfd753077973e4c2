package kmeans

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// KMeansOptions of [KMeans]. The zero value means ten restarts, 300 iterations,
// tolerance 0, all cores and seed 0.
type KMeansOptions struct {
	Restarts   int // 0: 10
	Iterations int // of each restart, at most; 0: 300
	// Tolerance ends a restart once no centre moves by more than this share of the
	// samples' root mean square distance from their mean; 0: only once no sample
	// changes its cluster.
	Tolerance float64
	Weights   []float64 // of the samples, ≥ 0; nil: 1 each
	Threads   int       // 0: all cores
	Seed      uint64
	Progress  func(done float64)
}

// Partition is what [KMeans] finds.
type Partition struct {
	Labels     []int     // of each sample, from 0 in the order of each cluster's first sample
	Centers    []float64 // clusters × m; Labels give the nearest ones, where Converged
	Order      []int     // the clusters: on ties a sample goes to the one that comes first here
	Sizes      []int
	Cost       float64 // Σ w‖x − its centre‖²
	FirstCost  float64 // the same after the first assignment of that restart
	Iterations int     // of that restart
	Restart    int     // which one it was, from 0
	Converged  bool    // it came to its end before the limit
}

const (
	// kmeansRows is the number of samples that a worker assigns at a time.
	kmeansRows = 512
	// boundSlack widens the bounds on distances by more than their rounding, so
	// that they never skip a sample whose nearest centre has changed.
	boundSlack = 1e-9
)

// KMeans partitions the n rows of x, of m columns each, into clusters of small
// Σ w‖x − its centre‖²: k-means++ seeding (Arthur and Vassilvitskii 2007) and Lloyd's
// iteration, several times over, and the cheapest result. Weights count a sample that many times, as a
// centre of the start, in the mean of its cluster and in the cost. An assignment is to the
// nearest centre, the lower one on ties; bounds on the distances (Hamerly 2010)
// save most of them. A cluster that runs empty gets the sample that is farthest
// from its own centre. With fewer distinct samples than clusters some
// of the clusters stay empty. A restart that the tolerance ends assigns once more, so
// that labels and centres agree.
//
// The same seed gives the same bits for any number of threads. O(n m) an
// iteration at least and O(n m clusters) at most, 8(2n + 2m·clusters) bytes.
func KMeans(ctx context.Context, x []float64, n, m, clusters int, o KMeansOptions) (*Partition, error) {
	if clusters < 1 || clusters > n {
		return nil, fmt.Errorf("solvers: %d clusters requested of %d samples; give a number from 1 to %d", clusters, n, n)
	}
	if err := checkWeights(o.Weights, n); err != nil {
		return nil, err
	}
	for at, v := range x[:n*m] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("solvers: row %d, column %d (counting from 1) of the samples is %v", at/m+1, at%m+1, v)
		}
	}
	return newLloyd(x, n, m, clusters, o.withDefaults()).best(ctx)
}

// best runs all restarts and keeps the cheapest.
func (l *lloyd) best(ctx context.Context) (*Partition, error) {
	o := l.KMeansOptions
	if !(l.total > 0) {
		return nil, errors.New("solvers: all weights are 0; give at least one sample a weight above 0")
	}
	stream := blas.NewStream(o.Seed)
	var best *Partition
	for restart := range o.Restarts {
		p, err := l.run(ctx, blas.NewStream(stream.Uint64()))
		if err != nil {
			return nil, err
		}
		if p.Restart = restart; best == nil || p.Cost < best.Cost {
			best = p
		}
		if o.Progress != nil {
			o.Progress(float64(restart+1) / float64(o.Restarts))
		}
	}
	best.renumber(l.m)
	return best, nil
}

func (o KMeansOptions) withDefaults() KMeansOptions {
	if o.Restarts == 0 {
		o.Restarts = 10
	}
	if o.Iterations == 0 {
		o.Iterations = 300
	}
	return o
}

// renumber numbers the clusters in the order of their first samples, those without
// any last.
func (p *Partition) renumber(m int) {
	to := make([]int, len(p.Sizes))
	next := 1
	for _, c := range p.Labels {
		if to[c] == 0 {
			to[c] = next
			next++
		}
	}
	for c := range to {
		if to[c] == 0 {
			to[c] = next
			next++
		}
	}
	for i, c := range p.Labels {
		p.Labels[i] = to[c] - 1
	}
	sizes, centers := make([]int, len(p.Sizes)), make([]float64, len(p.Centers))
	for c, at := range to {
		sizes[at-1] = p.Sizes[c]
		copy(centers[(at-1)*m:at*m], p.Centers[c*m:(c+1)*m])
	}
	p.Sizes, p.Centers = sizes, centers
	p.Order = make([]int, len(to))
	for c, at := range to {
		p.Order[c] = at - 1
	}
}

// KMeansSparse is [KMeans] of the rows of a sparse matrix, which stays sparse. Centres are
// dense. It draws as KMeans does; distances are ‖c‖² and what the stored entries change of
// it, so that samples that are equally near up to rounding may go elsewhere. O(nnz) an
// iteration at least and O(nnz·clusters) at most, 16(n + m·clusters) bytes.
func KMeansSparse(ctx context.Context, a *sparse.CSR, clusters int, o KMeansOptions) (*Partition, error) {
	if err := a.Validate(); err != nil {
		return nil, fmt.Errorf("solvers: %w", err)
	}
	n, m := a.Rows, a.Cols
	if clusters < 1 || clusters > n {
		return nil, fmt.Errorf("solvers: %d clusters requested of %d samples; give a number from 1 to %d", clusters, n, n)
	}
	if err := checkWeights(o.Weights, n); err != nil {
		return nil, err
	}
	l := emptyLloyd(n, m, clusters, o.withDefaults())
	l.sparse = &sparseRows{a: a, norm: make([]float64, clusters)}
	mean := make([]float64, m)
	for i := range n {
		l.sparse.add(i, l.weight(i), mean)
	}
	blas.Scale(1/l.total, mean)
	norm := blas.Dot(mean, mean)
	var longest float64
	for i := range n {
		l.radius += squareBetween(a, i, norm, mean) * l.weight(i) / l.total
		_, vals := a.Row(i)
		longest = max(longest, blas.Dot(vals, vals))
	}
	l.radius = math.Sqrt(l.radius)
	l.sparse.loss = 0x1p-46 * longest // no centre is longer than the longest sample
	l.rounding = 0x1p-50 * math.Sqrt(longest)
	return l.best(ctx)
}

// sparseRows are the samples of [KMeansSparse].
type sparseRows struct {
	a    *sparse.CSR
	norm []float64 // ‖c‖² of each centre
	loss float64   // bound on the rounding of a squared distance
}

// squareBetween is ‖x − c‖² by ‖c‖² and the entries of row i.
func squareBetween(a *sparse.CSR, i int, norm float64, c []float64) float64 {
	cols, vals := a.Row(i)
	for q, v := range vals {
		norm += v * (v - 2*c[cols[q]])
	}
	return max(norm, 0)
}

// squareTo is 0 where rounding is all that is left of it, as between equal samples.
func (s *sparseRows) squareTo(i, c int, center []float64) float64 {
	if d := squareBetween(s.a, i, s.norm[c], center); d > s.loss {
		return d
	}
	return 0
}

// add adds w times sample i to a sum.
func (s *sparseRows) add(i int, w float64, sum []float64) {
	cols, vals := s.a.Row(i)
	for q, v := range vals {
		sum[cols[q]] += w * v
	}
}

// took notes that a centre has moved.
func (s *sparseRows) took(c int, center []float64) { s.norm[c] = blas.Dot(center, center) }

// error bounds the rounding of a squared distance; of dense samples it is 0.
func (s *sparseRows) error() float64 {
	if s == nil {
		return 0
	}
	return s.loss
}
