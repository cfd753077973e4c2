package alm

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// adaptiveProducts bounds the products with all samples that a worker has at a time,
	// mostAdaptiveRows the rows of them, which are its unit of work.
	adaptiveProducts, mostAdaptiveRows = 1 << 20, 128
	// keptSide is the number of samples up to which all distances are kept: 288 MB.
	keptSide = 6000
	// listFactor is the number of candidates of each sample, in terms of k, and
	// leastList the least there are.
	listFactor, leastList = 4, 64
	// evenly is the denominator of the weights below which all neighbours are as near.
	evenly = 1e-15
)

// Adaptive is the [Graph] that is learned with the factors (Zhang et al. 2017, after
// Nie, Wang and Huang 2014): row i of S minimizes
//
//	Σⱼ dᵢⱼsᵢⱼ + aᵢsᵢⱼ²   under S1 = 1, S ≥ 0, sᵢᵢ = 0,   dᵢⱼ = ‖xᵢ − xⱼ‖² + λ‖wᵢ − wⱼ‖²,
//
// with aᵢ such that k entries are not zero: with d₁ ≤ d₂ ≤ … those of the other samples
// sᵢ(q) = (dₖ₊₁ − d_q)/(k dₖ₊₁ − Σ d), or 1/k where all are equal. The graph is
// (S + Sᵀ)/2; before the first pass λ counts as 0.
//
// Each sample has a list of the 4k nearest (64 at least) by ‖xᵢ − xⱼ‖ alone. As d is no
// less than that part, k + 1 samples on the list that are nearer by d than its end is
// by ‖xᵢ − xⱼ‖ are those sought. Samples with fewer, as in the first passes and for
// large λ, are compared with all; so are all as long as that is most of them. The n²
// distances are kept for that up to 6000 samples, and computed again beyond that (or
// with [Options].Lean). n²m flops once, and between nkr and n²(r + m) a pass.
type Adaptive struct {
	n, m, k int
	rows    int // of samples that a worker treats at a time
	lambda  float64
	x       []float64 // n × m
	norms   []float64 // ‖xᵢ‖²
	w       []float64 // of the last update; nil: none
	r       int
	kernels *blas.Kernels
	threads int

	lists   []candidates // of each sample; nil: the data move, and all samples are looked at
	squares []float64    // n × n, ‖xᵢ − xⱼ‖²; nil: computed when needed
	trust   bool         // the lists of most samples did, or would have, in the last pass
	missed  []int32      // samples that are compared with all
	misses  []bool       // samples whose list does not do
	lengths []float64    // λ‖wᵢ‖²
	workers []adaptiveWorker

	index []int32   // the k neighbours of each sample, ascending
	value []float64 // their weights
	s     symmetric
}

// AdaptiveBytes is what an [Adaptive] of n samples with m features and k neighbours
// takes, with all distances and without, on so many threads (0: all cores).
func AdaptiveBytes(n, m, k, threads int) (whole, lean int64) {
	rows := int64(min(n, mostAdaptiveRows, max(8, adaptiveProducts/max(n, 1))))
	lean = 12*int64(n)*int64(max(listFactor*k, leastList)) + 60*int64(n)*int64(k) + 8*int64(blas.Threads(threads))*rows*int64(2*n+m)
	if whole = lean; n <= keptSide {
		whole += 8 * int64(n) * int64(n)
	}
	return whole, lean
}

// NewAdaptive returns the graph of n × m samples x, which are kept and must not change,
// with its affinities for λ = 0. k is from 1 to n − 2.
func NewAdaptive(ctx context.Context, n, m int, x []float64, k int, o Options) (*Adaptive, error) {
	a, err := newAdaptive(n, m, x, k, o)
	if err != nil {
		return nil, err
	}
	a.lists = make([]candidates, n)
	if n <= keptSide && !o.Lean {
		a.squares = make([]float64, n*n)
	}
	most := min(n-1, max(listFactor*k, leastList))
	err = blas.For(ctx, a.threads, n, a.rows, func(worker, lo, hi int) {
		squares := a.workers[worker].squares
		if a.squares != nil {
			squares = a.squares[lo*n : hi*n]
		}
		a.measureFrom(x[lo*m:hi*m], a.norms[lo:hi], squares)
		for i := lo; i < hi; i++ {
			a.lists[i] = listOf(i, most, squares[(i-lo)*n:(i-lo+1)*n])
		}
	})
	if err != nil {
		return nil, err
	}
	a.trust = true
	return a, a.learn(ctx)
}

func newAdaptive(n, m int, x []float64, k int, o Options) (*Adaptive, error) {
	if k < 1 || k > n-2 {
		return nil, fmt.Errorf("alm: %d adaptive neighbours of %d samples; give a number from 1 to %d", k, n, n-2)
	}
	if o.Kernels == nil {
		var err error
		if o.Kernels, err = blas.Select(""); err != nil {
			return nil, err
		}
	}
	a := &Adaptive{n: n, m: m, k: k, lambda: o.Lambda, x: x, kernels: o.Kernels, threads: o.Threads,
		norms: make([]float64, n), missed: make([]int32, 0, n), misses: make([]bool, n), lengths: make([]float64, n),
		index: make([]int32, n*k), value: make([]float64, n*k), s: newSymmetric(n, n*k)}
	a.rows = min(n, mostAdaptiveRows, max(8, adaptiveProducts/n))
	for range blas.Threads(o.Threads) {
		a.workers = append(a.workers, adaptiveWorker{near: newShortlist(k + 1), gathered: make([]float64, a.rows*m), norms: make([]float64, a.rows), squares: make([]float64, a.rows*n)})
	}
	a.measure()
	return a, nil
}

// measure computes the squares of the samples' lengths.
func (a *Adaptive) measure() {
	for i := range a.n {
		row := a.x[i*a.m : (i+1)*a.m]
		a.norms[i] = blas.Dot(row, row)
	}
}

// Affinity returns (S + Sᵀ)/2.
func (a *Adaptive) Affinity() *sparse.CSR { return &a.s.csr }

// Update finds S for the new indicators g.
func (a *Adaptive) Update(ctx context.Context, w, _ []float64, step Step) (float64, error) {
	a.w, a.r = w, step.Rank
	err := a.learn(ctx)
	a.w = nil
	return 0, err
}

// learn finds S for the present data and indicators.
func (a *Adaptive) learn(ctx context.Context) error {
	a.missed = a.missed[:0]
	if a.trust {
		if err := blas.For(ctx, a.threads, a.n, a.rows, a.fromLists); err != nil {
			return err
		}
	}
	for i := range a.n {
		if !a.trust || a.misses[i] {
			a.missed = append(a.missed, int32(i))
		}
		a.lengths[i] = a.lambda * a.squaredIndicator(i)
	}
	if err := blas.For(ctx, a.threads, len(a.missed), a.rows, a.fromAll); err != nil {
		return err
	}
	failed := 0
	for _, miss := range a.misses {
		if miss {
			failed++
		}
	}
	a.trust = a.lists != nil && failed < a.n/2
	a.s.symmetrize(a.k, a.index, a.value)
	return ctx.Err()
}

// squaredIndicator is ‖wᵢ‖².
func (a *Adaptive) squaredIndicator(i int) float64 {
	if a.w == nil {
		return 0
	}
	return blas.Dot(a.w[i*a.r:(i+1)*a.r], a.w[i*a.r:(i+1)*a.r])
}

// weigh sets row i of S from its k + 1 nearest.
func (a *Adaptive) weigh(i int, near *shortlist) {
	near.sort()
	k := a.k
	d, last := near.distance[:k], near.distance[k]
	total := float64(k) * last
	for _, v := range d {
		total -= v
	}
	index, value := a.index[i*k:(i+1)*k], a.value[i*k:(i+1)*k]
	for q, j := range near.index[:k] {
		v := 1 / float64(k)
		if total > evenly {
			v = (last - d[q]) / total
		}
		at := q // by insertion, ascending
		for ; at > 0 && index[at-1] > j; at-- {
			index[at], value[at] = index[at-1], value[at-1]
		}
		index[at], value[at] = j, v
	}
}
