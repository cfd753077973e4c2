package sparse

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas/pages"
)

// MinimumDegree returns an elimination order of a symmetric matrix that keeps
// the Cholesky factor sparse: perm[k] is the original index of the k-th pivot.
// Only the pattern is read; the diagonal may be present or absent. A pattern
// that is not square and symmetric is a programmer's mistake and panics; see
// [Analyze] for a checked entry point.
//
// The method is approximate minimum degree (Amestoy, Davis and Duff 1996,
// 2004) with mass elimination, supervariables, aggressive absorption of
// elements, and rows of more than 10√n entries put last. Time is close to
// O(nnz) for the graphs of neighbourhoods, memory about 1.2·nnz + 12·n 32-bit
// numbers.
func MinimumDegree(a *CSR) []int32 {
	if err := checkSymmetric(a); err != nil {
		panic(err)
	}
	perm, _ := minimumDegree(context.Background(), a) // a background context is never cancelled
	return perm
}

// minimumDegree is MinimumDegree for a pattern already checked. It stops with
// the context's error when that is cancelled.
func minimumDegree(ctx context.Context, a *CSR) ([]int32, error) {
	return newQuotientGraph(a).run(ctx)
}

// run eliminates all variables and returns their order.
func (g *quotientGraph) run(ctx context.Context) ([]int32, error) {
	for pivots := 0; g.left > 0; pivots++ {
		if pivots%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		g.eliminate(g.nextPivot())
	}
	return g.order(), nil
}

// denseRow is the degree from which a row is left to the end: such a row makes
// every elimination near it slow and fills up whatever the order.
func denseRow(n int) int { return max(16, int(10*math.Sqrt(float64(n)))) }

// newQuotientGraph copies the off-diagonal pattern of a.
func newQuotientGraph(a *CSR) *quotientGraph {
	n := a.Rows
	g := &quotientGraph{
		n: n, left: n, flag: 1,
		lists:  pages.Make[int32](len(a.Col) + len(a.Col)/5 + n),
		start:  make([]int, n),
		bucket: make([]int32, n),
		pivots: make([]int32, 0, n),
	}
	fields := []*[]int32{&g.size, &g.elements, &g.weight, &g.degree, &g.mark, &g.head, &g.next, &g.prev, &g.parent}
	shared := pages.Make[int32](len(fields) * n)
	for f, field := range fields {
		*field = shared[f*n : (f+1)*n : (f+1)*n]
	}
	for i := range n {
		g.start[i] = g.free
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if int(j) != i {
				g.lists[g.free] = j
				g.free++
			}
		}
		g.size[i] = int32(g.free - g.start[i])
		g.weight[i], g.mark[i] = 1, 1
		g.head[i], g.bucket[i], g.parent[i] = none, none, none
	}
	dense := denseRow(n)
	for i := range int32(n) {
		switch d := g.size[i]; {
		case d == 0:
			g.pivots = append(g.pivots, i)
			g.elements[i], g.mark[i] = isElement, 0
			g.left--
		case int(d) > dense:
			g.last = append(g.last, i)
			g.weight[i] = 0
			g.left--
		default:
			g.degree[i] = d
			g.file(i)
		}
	}
	return g
}

// order lists the variables pivot by pivot, each followed by those that were
// eliminated with it, and the dense rows last.
func (g *quotientGraph) order() []int32 {
	n := g.n
	g.pivots = append(g.pivots, g.last...)
	step := g.degree // no longer needed
	for i := range step {
		step[i] = none
	}
	for k, i := range g.pivots {
		step[i] = int32(k)
	}
	// A variable that was merged or eliminated along with a pivot takes the step
	// of whatever it went into; paths are shortened on the way.
	for i := range int32(n) {
		root := i
		for step[root] == none {
			root = g.parent[root]
		}
		for j := i; step[j] == none; j = g.parent[j] {
			step[j] = step[root]
		}
	}
	return orderByKey(step, len(g.pivots))
}

// orderByKey returns the indices sorted by key, 0 ≤ key < keys; equal keys keep
// the order of their indices.
func orderByKey(key []int32, keys int) []int32 {
	at := make([]int32, keys+1)
	for _, k := range key {
		at[k+1]++
	}
	for k := range keys {
		at[k+1] += at[k]
	}
	sorted := make([]int32, len(key))
	for i, k := range key {
		sorted[at[k]] = int32(i)
		at[k]++
	}
	return sorted
}
