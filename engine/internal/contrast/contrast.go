// Package contrast compares groups of samples with all others, column by column: means, shares,
// standardised differences and rank sums, of dense and of sparse samples.
package contrast

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// Groups are the groups of samples to compare.
type Groups struct {
	Of    []int32 // of each sample; −1: the sample is left out
	Sizes []int
}

// Contrast is what distinguishes one group from the other samples in one column.
type Contrast struct {
	MeanIn, MeanOut   float64 // over the samples in the group, and over the others
	ShareIn, ShareOut float64 // of the samples above the threshold
	Difference        float64 // Cohen's d: the difference of the means over the pooled standard deviation
	AUC               float64 // the probability that a sample of the group is above another one, ties counted half
	Z                 float64 // the rank sum as a standard normal variable, with the correction for ties
	P                 float64 // two-sided, of Z
}

// Bytes is the memory of one [Contrast].
const Bytes = 64

// Threshold says above which entries samples count in the shares.
type Threshold int

// The thresholds.
const (
	Zero   Threshold = iota // 0
	Median                  // the lower median of the column
)

// block is the number of columns of dense samples that are read at a time: a line of the cache.
const block = 8

// Compare writes the contrast of the groups lo ≤ g < hi in column j into out[(g−lo)·m + j].
// Memory is that of [WorkBytes]. O(nm) for dense samples and O(n + entries) for sparse ones, and a radix sort of the
// nonzero entries of each column.
func Compare(ctx context.Context, threads int, x Columns, g Groups, lo, hi int, at Threshold, out []Contrast) error {
	m, size := x.Cols(), block
	workers := blas.Threads(threads)
	room := make([]*worker, workers)
	return blas.For(ctx, workers, m, size, func(w, first, last int) {
		if room[w] == nil {
			room[w] = newWorker(g)
		}
		k := room[w]
		if ctx.Err() != nil {
			return
		}
		x.read(first, last, k)
		for j := first; j < last; j++ {
			k.column(&k.read[j-first], at)
			for c := lo; c < hi; c++ {
				out[(c-lo)*m+j] = k.contrast(c)
			}
		}
	})
}

// WorkBytes is the memory of [Compare] besides the samples and the result, for the largest number of entries
// of a column.
func WorkBytes(threads, longest, groups int, dense bool) int64 {
	columns := int64(1)
	if dense {
		columns = block
	}
	return int64(blas.Threads(threads)) * (int64(longest)*(16*columns+32) + 48*int64(groups))
}

// entry is a nonzero entry of a column, with the group of its sample.
type entry struct {
	value float64
	group int32
}

// worker is the room for one column at a time.
type worker struct {
	groups Groups
	n      int // samples in groups
	read   [block][]entry
	keys   []ranked
	other  []ranked

	exponent int // entries are divided by this power of two
	mean     float64
	sum      []float64 // of each group: deviations from the mean
	squares  []float64 // their squares
	ranks    []int64   // twice the sums of ranks, from 1
	above    []int     // samples above the threshold
	stored   []int     // nonzero entries
	all      float64   // sum of sum
	total    float64   // sum of squares
	every    int       // sum of above
	ties     float64   // Σ t³ − t
}

func newWorker(g Groups) *worker {
	k := &worker{groups: g}
	for _, size := range g.Sizes {
		k.n += size
	}
	count := len(g.Sizes)
	k.sum, k.squares, k.ranks, k.above, k.stored = make([]float64, count), make([]float64, count), make([]int64, count), make([]int, count), make([]int, count)
	return k
}

// column computes the sums of one column.
func (k *worker) column(entries *[]entry, at Threshold) {
	list := *entries
	top := 0.0
	for i := range list {
		top = max(top, math.Abs(list[i].value))
	}
	if k.exponent = magnitude.Exponent(top); k.exponent != 0 {
		kept := list[:0]
		for _, e := range list {
			if e.value = magnitude.Times(e.value, -k.exponent); e.value != 0 {
				kept = append(kept, e)
			}
		}
		list, *entries = kept, kept
	}
	k.moments(list)
	k.rank(list, at)
}

// moments sums the deviations from the mean of the column, and their squares.
func (k *worker) moments(list []entry) {
	clear(k.sum)
	clear(k.squares)
	clear(k.stored)
	k.mean = 0
	for i := range list {
		k.mean += list[i].value
	}
	k.mean /= float64(k.n)
	for i := range list {
		g, d := list[i].group, list[i].value-k.mean
		k.sum[g] += d
		k.squares[g] += float64(d * d)
		k.stored[g]++
	}
	k.all, k.total = 0, 0
	for g, size := range k.groups.Sizes {
		zeros := float64(size - k.stored[g])
		k.sum[g] -= float64(zeros * k.mean)
		k.squares[g] += float64(zeros * float64(k.mean*k.mean))
		k.all += k.sum[g]
		k.total += k.squares[g]
	}
}

// rank sums the ranks of each group. Zeros, which are not listed, are one tie.
func (k *worker) rank(list []entry, at Threshold) {
	k.keys = k.keys[:0]
	for i := range list {
		k.keys = append(k.keys, ranked{keyOf(list[i].value), list[i].group})
	}
	k.keys, k.other = sorted(k.keys, k.other)
	clear(k.ranks)
	clear(k.above)
	k.ties, k.every = 0, 0
	zeros, below := k.n-len(list), 0
	keys := k.keys
	negative, _ := slices.BinarySearchFunc(keys, keyOf(0), func(r ranked, key uint64) int {
		if r.key < key {
			return -1
		}
		return 1
	})
	threshold := keyOf(0)
	if middle := (k.n - 1) / 2; at == Median && middle < negative {
		threshold = keys[middle].key
	} else if at == Median && middle >= negative+zeros {
		threshold = keys[middle-zeros].key
	}
	for first := 0; ; {
		if first == negative && zeros > 0 {
			for g, size := range k.groups.Sizes {
				k.ranks[g] += int64(size-k.stored[g]) * int64(2*below+zeros+1)
				if keyOf(0) > threshold {
					k.above[g] += size - k.stored[g]
				}
			}
			k.tie(zeros)
			below += zeros
			zeros = 0
		}
		if first == len(keys) {
			break
		}
		last := first + 1
		for last < len(keys) && keys[last].key == keys[first].key {
			last++
		}
		t := last - first
		doubled, over := int64(2*below+t+1), keys[first].key > threshold
		for _, r := range keys[first:last] {
			k.ranks[r.group] += doubled
			if over {
				k.above[r.group]++
			}
		}
		k.tie(t)
		below += t
		first = last
	}
	for _, count := range k.above {
		k.every += count
	}
}

func (k *worker) tie(t int) {
	if t > 1 {
		k.ties += float64(t) * float64(float64(t)*float64(t)-1)
	}
}

// leastVariance bounds the pooled variance from below, relative to the squared difference of the means: no
// difference is above 2²⁰.
const leastVariance = 0x1p-40

// contrast compares a group with the others.
func (k *worker) contrast(g int) Contrast {
	n1, n := float64(k.groups.Sizes[g]), float64(k.n)
	n0 := n - n1
	in, out := k.sum[g]/n1, (k.all-k.sum[g])/n0
	c := Contrast{
		MeanIn: magnitude.Times(k.mean+in, k.exponent), MeanOut: magnitude.Times(k.mean+out, k.exponent),
		ShareIn: float64(k.above[g]) / n1, ShareOut: float64(k.every-k.above[g]) / n0,
		AUC: 0.5, P: 1,
	}
	apart := in - out
	if k.ties >= float64(n*float64(float64(n*n)-1)) {
		return c // the column is constant
	}
	if apart != 0 {
		within := k.total - float64(n1*float64(in*in)) - float64(n0*float64(out*out))
		pooled := max(within/max(n-2, 1), float64(leastVariance*float64(apart*apart)))
		c.Difference = apart / math.Sqrt(pooled)
	}
	u := float64(k.ranks[g])/2 - n1*(n1+1)/2
	c.AUC = u / (n1 * n0)
	spread := math.Sqrt(n1 * n0 / 12 * (n + 1 - k.ties/(n*(n-1))))
	c.Z = (u - n1*n0/2) / spread
	c.P = math.Erfc(math.Abs(c.Z) / math.Sqrt2)
	return c
}
