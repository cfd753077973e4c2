package smacof

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Pairs are dissimilarities between N objects, each stored once: of object i those to objects j > i, row after row.
type Pairs struct {
	N int
	// Index lists the objects j > i of row i, ascending, from Ptr[i] to Ptr[i+1]. Other dissimilarities are unknown. Ptr nil:
	// all are listed, N(N−1)/2 of them.
	Ptr   []int
	Index []int32
	Delta []float64 // the dissimilarities, ≥ 0
	// Weight has the weight ≥ 0 of each pair in the stress; 0: the dissimilarity is unknown. nil: all are 1.
	Weight []float64
}

// begin returns the place of the first pair of row i.
func (p *Pairs) begin(i int) int {
	if p.Ptr == nil {
		return i * (2*p.N - i - 1) / 2
	}
	return p.Ptr[i]
}

// weight returns the weight of the pair at a place.
func (p *Pairs) weight(at int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[at]
}

// Bytes returns the memory of the pairs.
func (p *Pairs) Bytes() int64 {
	return 8*int64(len(p.Ptr)+len(p.Delta)+len(p.Weight)) + 4*int64(len(p.Index))
}

// Validate refuses pairs that are not well formed.
func (p *Pairs) Validate() error {
	if p.N < 1 {
		return fmt.Errorf("smacof: %d objects; give at least 1", p.N)
	}
	count := p.N * (p.N - 1) / 2
	if p.Ptr != nil {
		if len(p.Ptr) != p.N+1 || p.Ptr[0] != 0 || !slices.IsSorted(p.Ptr) {
			return fmt.Errorf("smacof: %d pointers for %d objects; give one more than objects, ascending from 0", len(p.Ptr), p.N)
		}
		count = p.Ptr[p.N]
		if len(p.Index) != count {
			return fmt.Errorf("smacof: %d indices for %d pairs; give one for each", len(p.Index), count)
		}
		for i := range p.N {
			last := int32(i)
			for _, j := range p.Index[p.Ptr[i]:p.Ptr[i+1]] {
				if j <= last || int(j) >= p.N {
					return fmt.Errorf("smacof: row %d (counting from 0) lists object %d after %d; list objects of higher numbers, ascending and below %d", i, j, last, p.N)
				}
				last = j
			}
		}
	}
	if len(p.Delta) != count || p.Weight != nil && len(p.Weight) != count {
		return fmt.Errorf("smacof: %d dissimilarities with %d weights for %d pairs; give one for each", len(p.Delta), len(p.Weight), count)
	}
	for at, v := range p.Delta {
		if w := p.weight(at); !(v >= 0) || math.IsInf(v, 1) || !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("smacof: pair %d (counting from 0) has the dissimilarity %v and the weight %v; give finite numbers ≥ 0", at, v, w)
		}
	}
	return nil
}

// each calls do for every pair with a weight above 0.
func (p *Pairs) each(do func(i, j, at int)) {
	for i := range p.N {
		lo, hi := p.begin(i), p.begin(i+1)
		for at := lo; at < hi; at++ {
			j := i + 1 + at - lo
			if p.Ptr != nil {
				j = int(p.Index[at])
			}
			if p.weight(at) > 0 {
				do(i, j, at)
			}
		}
	}
}

// Matrix returns a symmetric matrix with an entry for each pair of positive weight at both of its places. diagonal adds room
// for one on the diagonal, 0.
func (p *Pairs) Matrix(value func(at int) float64, diagonal bool) *sparse.CSR {
	a := &sparse.CSR{Rows: p.N, Cols: p.N, Ptr: make([]int, p.N+1)}
	count := make([]int, p.N)
	p.each(func(i, j, _ int) { count[i]++; count[j]++ })
	for i, c := range count {
		if a.Ptr[i+1] = a.Ptr[i] + c; diagonal {
			a.Ptr[i+1]++
		}
	}
	a.Col, a.Val = make([]int32, a.Ptr[p.N]), make([]float64, a.Ptr[p.N])
	next := slices.Clone(a.Ptr[:p.N])
	put := func(i, j int, v float64) {
		a.Col[next[i]], a.Val[next[i]] = int32(j), v
		next[i]++
	}
	// Row by row, a row has its lower entries first, then its diagonal and the entries above it.
	last := -1
	diagonals := func(to int) {
		for ; diagonal && last < to; last++ {
			put(last+1, last+1, 0)
		}
	}
	p.each(func(i, j, at int) {
		diagonals(i)
		put(i, j, value(at))
		put(j, i, value(at))
	})
	diagonals(p.N - 1)
	return a
}

// Groups returns the sizes, descending, of the groups of objects that pairs of positive weight connect. Objects of different
// groups have no determined place relative to each other.
func (p *Pairs) Groups() []int {
	if p.Ptr == nil && p.Weight == nil {
		return []int{p.N}
	}
	sets := sparse.NewDisjoint(p.N)
	p.each(func(i, j, _ int) { sets.Connect(int32(i), int32(j)) })
	_, sizes := sets.Labels()
	slices.Sort(sizes)
	slices.Reverse(sizes)
	return sizes
}

// guttman solves with V, the Laplacian of the weights: X = V⁺Z.
type guttman struct {
	n      int
	factor *sparse.Cholesky // of V without its first row and column; nil: all weights are 1, V⁺Z = Z/n
	rest   []float64        // the right-hand sides without their first row
}

// factorBytes bounds the memory of the factor of V of complete pairs with weights.
func factorBytes(n int64) int64 { return 12*n*n + 24*n*n/2 }

func newGuttman(ctx context.Context, p *Pairs, o Options) (*guttman, error) {
	g := &guttman{n: p.N}
	if p.Ptr == nil && p.Weight == nil || p.N < 2 {
		return g, nil
	}
	v := p.Matrix(func(at int) float64 { return -p.weight(at) }, true)
	for i := range v.Rows {
		cols, vals := v.Row(i)
		var sum float64
		own := -1
		for q, j := range cols {
			if int(j) == i {
				own = q
			}
			sum -= vals[q]
		}
		vals[own] = sum
	}
	// The first object is held at 0: what is left of V is positive definite, and the mean is restored afterwards.
	left := &sparse.CSR{Rows: p.N - 1, Cols: p.N - 1, Ptr: make([]int, 1, p.N), Col: v.Col[:0], Val: v.Val[:0]}
	for i := 1; i < p.N; i++ {
		cols, vals := v.Row(i)
		for q, j := range cols {
			if j > 0 {
				left.Col, left.Val = append(left.Col, j-1), append(left.Val, vals[q])
			}
		}
		left.Ptr = append(left.Ptr, len(left.Col))
	}
	var err error
	g.factor, err = sparse.NewCholesky(ctx, left, 0, sparse.CholeskyOptions{Kernels: o.Kernels, Threads: o.Threads})
	if err != nil {
		return nil, fmt.Errorf("smacof: the weights: %w", err)
	}
	return g, nil
}

// apply overwrites z, n × dim, whose columns sum to 0, by V⁺Z.
func (g *guttman) apply(dim int, z []float64) error {
	if g.factor == nil {
		blas.Scale(1/float64(g.n), z)
		return nil
	}
	g.rest = append(g.rest[:0], z[dim:]...)
	if err := g.factor.Solve(g.rest, dim); err != nil {
		return err
	}
	clear(z[:dim])
	copy(z[dim:], g.rest)
	center(dim, z)
	return nil
}

// center subtracts the mean of the rows.
func center(dim int, x []float64) {
	n := len(x) / dim
	for c := range dim {
		var mean float64
		for i := range n {
			mean += x[i*dim+c]
		}
		mean /= float64(n)
		for i := range n {
			x[i*dim+c] -= mean
		}
	}
}
