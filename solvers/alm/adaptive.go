package alm

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// adaptiveRows is the number of samples whose neighbours a worker looks for at a
	// time.
	adaptiveRows = 32
	// listFactor is the number of candidates of each sample, in terms of k, and
	// leastList the least there are.
	listFactor, leastList = 4, 64
	// evenly is the denominator of the weights below which all neighbours are as near.
	evenly = 1e-15
)

// Adaptive is the [Graph] that is learned with the factors (Zhang et al. 2017, after
// Nie, Wang and Huang 2014): row i of S minimises
//
//	Σⱼ dᵢⱼsᵢⱼ + aᵢsᵢⱼ²   under S1 = 1, S ≥ 0, sᵢᵢ = 0,   dᵢⱼ = ‖xᵢ − xⱼ‖² + λ‖gᵢ − gⱼ‖²,
//
// with aᵢ such that k entries are not zero: with d₁ ≤ d₂ ≤ … those of the other samples
// sᵢ(q) = (dₖ₊₁ − d_q)/(k dₖ₊₁ − Σ d), or 1/k where all are equal. The graph is
// (S + Sᵀ)/2; before the first pass λ counts as 0.
//
// No n × n matrix is kept. Each sample has a list of its nearest by ‖xᵢ − xⱼ‖ alone,
// 4k at first. As d is no less than that part, k + 1 samples on the list that are
// nearer by d than its end is by ‖xᵢ − xⱼ‖ are those sought. Where there are fewer,
// all samples are looked at and the list is made twice as long. n²m flops
// once, nk(c + log k) a pass where the lists do.
type Adaptive struct {
	n, m, k int
	lambda  float64
	x       []float64 // n × m
	norms   []float64 // ‖xᵢ‖²
	g       []float64 // of the last update; nil: none
	c       int
	kernels *blas.Kernels
	threads int

	lists   []candidates // of each sample; nil: the data move, and all samples are looked at
	missed  []int32      // samples whose list did not do
	misses  []bool
	workers []adaptiveWorker

	index []int32   // the k neighbours of each sample, ascending
	value []float64 // their weights
	s     symmetric
}

// candidates are samples in ascending order of their distances by the data alone.
type candidates struct {
	index   []int32
	squares []float64
}

type adaptiveWorker struct {
	near     *shortlist
	gathered []float64 // adaptiveRows × m
	products []float64 // adaptiveRows × n
}

// NewAdaptive returns the graph of n × m samples x, which are kept and must not change,
// with its affinities for λ = 0. k is from 1 to n − 2.
func NewAdaptive(ctx context.Context, n, m int, x []float64, k int, o Options) (*Adaptive, error) {
	a, err := newAdaptive(n, m, x, k, o)
	if err != nil {
		return nil, err
	}
	a.lists = make([]candidates, n)
	err = blas.For(ctx, a.threads, n, adaptiveRows, func(worker, lo, hi int) {
		w := &a.workers[worker]
		a.kernels.Gemm(false, true, hi-lo, n, m, 1, x[lo*m:], m, x, m, 0, w.products, n)
		for i := lo; i < hi; i++ {
			a.list(i, min(n-1, max(listFactor*k, leastList)), w.products[(i-lo)*n:(i-lo+1)*n])
		}
	})
	if err != nil {
		return nil, err
	}
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
		norms: make([]float64, n), missed: make([]int32, 0, n), misses: make([]bool, n),
		index: make([]int32, n*k), value: make([]float64, n*k), s: newSymmetric(n, n*k)}
	for range blas.Threads(o.Threads) {
		a.workers = append(a.workers, adaptiveWorker{newShortlist(k + 1), make([]float64, adaptiveRows*m), make([]float64, adaptiveRows*n)})
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
func (a *Adaptive) Update(ctx context.Context, g, _ []float64, step Step) (float64, error) {
	a.g, a.c = g, step.Rank
	err := a.learn(ctx)
	a.g = nil
	return 0, err
}

// learn finds S for the present data and indicators.
func (a *Adaptive) learn(ctx context.Context) error {
	if a.lists != nil {
		if err := blas.For(ctx, a.threads, a.n, adaptiveRows, a.fromLists); err != nil {
			return err
		}
	}
	a.missed = a.missed[:0]
	for i, miss := range a.misses {
		if miss || a.lists == nil {
			a.missed = append(a.missed, int32(i))
		}
	}
	if err := blas.For(ctx, a.threads, len(a.missed), adaptiveRows, a.fromAll); err != nil {
		return err
	}
	a.s.symmetrise(a.k, a.index, a.value)
	return ctx.Err()
}

// square is ‖xᵢ − xⱼ‖² from the product of the two.
func (a *Adaptive) square(i, j int, product float64) float64 {
	return max(0, a.norms[i]+a.norms[j]-2*product)
}

// between is λ‖gᵢ − gⱼ‖².
func (a *Adaptive) between(i, j int) float64 {
	if a.g == nil || a.lambda == 0 {
		return 0
	}
	return a.lambda * blas.SquaredDistance(a.g[i*a.c:(i+1)*a.c], a.g[j*a.c:(j+1)*a.c])
}

// list makes a sample's list of candidates, given its products with all samples.
func (a *Adaptive) list(i, most int, products []float64) {
	l := newShortlist(most)
	for j, v := range products {
		if j != i {
			l.offer(a.square(i, j, v), int32(j))
		}
	}
	l.sort()
	a.lists[i] = candidates{l.index, l.distance}
}

// fromLists finds the neighbours of some samples among their candidates.
func (a *Adaptive) fromLists(worker, lo, hi int) {
	near := a.workers[worker].near
	for i := lo; i < hi; i++ {
		near.count = 0
		list := a.lists[i]
		done := len(list.index) == a.n-1
		for q, j := range list.index {
			if near.full() && list.squares[q] > near.distance[0] {
				done = true
				break
			}
			near.offer(list.squares[q]+a.between(i, int(j)), j)
		}
		last := list.squares[len(list.squares)-1]
		if a.misses[i] = !done && !(near.distance[0] <= last); !a.misses[i] {
			a.weigh(i, near)
		}
	}
}

// fromAll finds the neighbours of missed samples lo to hi among all.
func (a *Adaptive) fromAll(worker, lo, hi int) {
	w, n, m := &a.workers[worker], a.n, a.m
	for q, i := range a.missed[lo:hi] {
		copy(w.gathered[q*m:(q+1)*m], a.x[int(i)*m:(int(i)+1)*m])
	}
	a.kernels.Gemm(false, true, hi-lo, n, m, 1, w.gathered, m, a.x, m, 0, w.products, n)
	for q, at := range a.missed[lo:hi] {
		i, products, near := int(at), w.products[q*n:(q+1)*n], w.near
		near.count = 0
		for j, v := range products {
			d := a.square(i, j, v)
			if j == i || near.full() && d > near.distance[0] {
				continue
			}
			near.offer(d+a.between(i, j), int32(j))
		}
		a.weigh(i, near)
		if a.lists != nil {
			a.list(i, min(n-1, 2*len(a.lists[i].index)), products)
		}
	}
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
