package alm

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// adaptiveProducts bounds the products with all samples that a worker has at a time,
	// maxAdaptiveRows the rows of them, which are its unit of work.
	adaptiveProducts, maxAdaptiveRows = 1 << 20, 128
	// keptSide is the number of samples up to which all distances are kept: 288 MB.
	keptSide = 6000
	// listFactor is the number of candidates of each sample, in terms of k, and
	// minList the least there are.
	listFactor, minList = 4, 64
	// evenly is the denominator of the weights below which all neighbours are as near.
	evenly = 1e-15
)

// Adaptive is the [Graph] that is learned with the factors (Zhang et al. 2017, after
// Nie, Wang and Huang 2014): row i of S minimizes
//
//	Σⱼ dᵢⱼsᵢⱼ + aᵢsᵢⱼ²   under S1 = 1, S ≥ 0, sᵢᵢ = 0,   dᵢⱼ = ‖xᵢ − xⱼ‖² + λ‖wᵢ − wⱼ‖²,
//
// with aᵢ such that k entries are not zero: with d₁ ≤ d₂ ≤ … the dissimilarities of the other samples
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
// takes, with all distances and without, on this many threads (0: all cores).
func AdaptiveBytes(n, m, k, threads int) (whole, lean int64) {
	rows := int64(min(n, maxAdaptiveRows, max(8, adaptiveProducts/max(n, 1))))
	lean = 12*int64(n)*int64(max(listFactor*k, minList)) + 60*int64(n)*int64(k) + 8*int64(blas.Threads(threads))*rows*int64(2*n+m)
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
	most := min(n-1, max(listFactor*k, minList))
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
	a.rows = min(n, maxAdaptiveRows, max(8, adaptiveProducts/n))
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

// candidates are samples in ascending order of their distances by the data alone.
type candidates struct {
	index   []int32
	squares []float64
}

type adaptiveWorker struct {
	near     *shortlist
	gathered []float64 // rows × m
	norms    []float64 // rows
	squares  []float64 // rows × n
	// For indicators:
	products   []float64 // rows × n
	indicators []float64 // rows × r
}

// measureFrom computes the squared distances of some points, given with the squares of
// their lengths, to all samples.
func (a *Adaptive) measureFrom(points, norms, squares []float64) {
	n, m := a.n, a.m
	a.kernels.Gemm(false, true, len(norms), n, m, -2, points, m, a.x, m, 0, squares, n)
	for i, own := range norms {
		row := squares[i*n : (i+1)*n]
		for j, v := range row {
			row[j] = max(0, own+a.norms[j]+v)
		}
	}
}

// indicatorDistance is λ‖wᵢ − wⱼ‖².
func (a *Adaptive) indicatorDistance(i, j int) float64 {
	if a.w == nil || a.lambda == 0 {
		return 0
	}
	return a.lambda * blas.SquaredDistance(a.w[i*a.r:(i+1)*a.r], a.w[j*a.r:(j+1)*a.r])
}

// listOf makes the list of the candidates of sample i, given its distances.
func listOf(i, most int, squares []float64) candidates {
	l := newShortlist(most)
	l.offerAll(i, squares)
	l.sort()
	return candidates{l.index, l.distance}
}

// last is the distance of the last.
func (l candidates) last() float64 { return l.squares[len(l.squares)-1] }

// fromLists finds the neighbours of some samples among their candidates.
func (a *Adaptive) fromLists(worker, lo, hi int) {
	near := a.workers[worker].near
	for i := lo; i < hi; i++ {
		if a.misses[i] = !a.fromList(i, near); !a.misses[i] {
			a.weigh(i, near)
		}
	}
}

// fromList offers a sample's candidates and reports whether no other can be nearer.
func (a *Adaptive) fromList(i int, near *shortlist) bool {
	near.count = 0
	list := a.lists[i]
	for q, j := range list.index {
		if near.full() && list.squares[q] > near.distance[0] {
			return true
		}
		near.offer(list.squares[q]+a.indicatorDistance(i, int(j)), j)
	}
	return len(list.index) == a.n-1 || near.distance[0] <= list.last()
}

// fromAll finds the neighbours of missed samples lo to hi among all, and whether their
// candidates would have done.
func (a *Adaptive) fromAll(worker, lo, hi int) {
	w, n, m := &a.workers[worker], a.n, a.m
	missed := a.missed[lo:hi]
	if a.squares == nil {
		for q, i := range missed {
			copy(w.gathered[q*m:(q+1)*m], a.x[int(i)*m:(int(i)+1)*m])
			w.norms[q] = a.norms[i]
		}
		a.measureFrom(w.gathered[:len(missed)*m], w.norms[:len(missed)], w.squares)
	}
	apart := a.w != nil && a.lambda > 0
	if apart {
		w.relate(a, missed)
	}
	for q, at := range missed {
		i, near := int(at), w.near
		squares := w.squares[q*n : (q+1)*n]
		if a.squares != nil {
			squares = a.squares[i*n : (i+1)*n]
		}
		near.count = 0
		if apart {
			near.offerSums(i, squares, a.lengths, w.products[q*n:(q+1)*n])
		} else {
			near.offerAll(i, squares)
		}
		a.misses[i] = a.lists != nil && near.distance[0] > a.lists[i].last()
		a.weigh(i, near)
	}
}

// relate computes −2λ wᵢᵀwⱼ for some samples and all.
func (w *adaptiveWorker) relate(a *Adaptive, missed []int32) {
	n, r := a.n, a.r
	if len(w.products) < len(missed)*n {
		w.products = make([]float64, a.rows*n)
	}
	if len(w.indicators) < len(missed)*r {
		w.indicators = make([]float64, a.rows*r)
	}
	for q, i := range missed {
		copy(w.indicators[q*r:(q+1)*r], a.w[int(i)*r:(int(i)+1)*r])
	}
	a.kernels.Gemm(false, true, len(missed), n, r, -2*a.lambda, w.indicators, r, a.w, r, 0, w.products, n)
}

// shortlist keeps the entries of the least distance seen so far, a heap with the
// largest on top. Ties go to the lower index.
type shortlist struct {
	distance []float64
	index    []int32
	count    int
}

func newShortlist(most int) *shortlist {
	return &shortlist{distance: make([]float64, most), index: make([]int32, most)}
}

func (l *shortlist) full() bool { return l.count == len(l.distance) }

// farther reports whether entry a is behind b.
func (l *shortlist) farther(a, b int) bool {
	return l.distance[a] > l.distance[b] || l.distance[a] == l.distance[b] && l.index[a] > l.index[b]
}

// offer takes an entry if it belongs to the list.
func (l *shortlist) offer(d float64, j int32) {
	if !l.full() {
		at := l.count
		l.distance[at], l.index[at] = d, j
		l.count++
		for at > 0 && l.farther(at, (at-1)/2) {
			l.swap(at, (at-1)/2)
			at = (at - 1) / 2
		}
		return
	}
	if d > l.distance[0] || d == l.distance[0] && j > l.index[0] {
		return
	}
	l.distance[0], l.index[0] = d, j
	l.sink(l.count)
}

// offerAll offers all samples but i at their distances.
func (l *shortlist) offerAll(i int, distances []float64) {
	bound := math.Inf(1)
	for j, d := range distances {
		if d <= bound && j != i {
			l.offer(d, int32(j))
			if l.full() {
				bound = l.distance[0]
			}
		}
	}
}

// offerSums is offerAll for distances + max(0, lengths[i] + lengths + products).
func (l *shortlist) offerSums(i int, distances, lengths, products []float64) {
	bound, own := math.Inf(1), lengths[i]
	lengths, products = lengths[:len(distances)], products[:len(distances)]
	for j, d := range distances {
		d += max(0, own+lengths[j]+products[j])
		if d <= bound && j != i {
			l.offer(d, int32(j))
			if l.full() {
				bound = l.distance[0]
			}
		}
	}
}

// sink moves the top of a heap of this many entries to its place.
func (l *shortlist) sink(count int) {
	at := 0
	for {
		child := 2*at + 1
		if child >= count {
			return
		}
		if child+1 < count && l.farther(child+1, child) {
			child++
		}
		if !l.farther(child, at) {
			return
		}
		l.swap(at, child)
		at = child
	}
}

func (l *shortlist) swap(a, b int) {
	l.distance[a], l.distance[b] = l.distance[b], l.distance[a]
	l.index[a], l.index[b] = l.index[b], l.index[a]
}

// sort puts the entries in ascending order, which ends the heap.
func (l *shortlist) sort() {
	for count := l.count - 1; count > 0; count-- {
		l.swap(0, count)
		l.sink(count)
	}
}
