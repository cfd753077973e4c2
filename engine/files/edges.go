package files

import (
	"math"

	"github.com/orthant-go/orthant/sparse"
)

// Edges is a list of edges: edge e joins the vertices From[e] and To[e], which are numbered from 0 in the
// order in which the file names them first, line by line.
type Edges struct {
	IDs      []string // of the vertices
	From, To []int32
	Weight   []float64 // finite and ≥ 0; nil: the list has no weights, and every edge weighs 1
}

// Loops returns the number of edges from a vertex to itself. The matrices leave them out; their vertices stay.
func (e *Edges) Loops() int {
	count := 0
	for k, i := range e.From {
		if i == e.To[k] {
			count++
		}
	}
	return count
}

// Adjacency returns the symmetric matrix W of the weights, n × n for n vertices, with zeros on its diagonal. Each line
// is an edge without direction, and the weights of lines that join the same two vertices are added, in the order of
// the lines: W = D + Dᵀ for the matrix D of the lines from each vertex to each other. But if D is symmetric, the list has
// each edge in both directions, and W is D. repeated is the number of lines whose weight was added to another's. O(lines) and 44 bytes for each line.
func (e *Edges) Adjacency() (w *sparse.CSR, repeated int) {
	sum := func(v, w float64) float64 { return v + w }
	d, repeated, _ := e.matrix(false, sum)
	if d.CheckSymmetric() == nil {
		return d, repeated
	}
	w, repeated, _ = e.matrix(true, sum)
	return w, repeated / 2
}

// Lengths returns the matrix of the lengths of the edges, where the weights are lengths: row i has the vertices that
// lines lead to from vertex i and, unless the list is directed, the vertices that lines lead from to i. The
// shortest of several lines counts. differing is the number of lines that were left out for a shorter one of another length. O(lines)
// and 28 bytes for each entry.
func (e *Edges) Lengths(directed bool) (a *sparse.CSR, differing int) {
	a, _, differing = e.matrix(!directed, math.Min)
	if !directed {
		differing /= 2 // each is in two rows
	}
	return a, differing
}

// matrix returns the matrix of the edges, or, with both, of the edges and their mirrors, each place merged in the order of the lines.
// It counts the entries merged, and those of them that differed. The entries are sorted by columns and then by rows, by counting.
func (e *Edges) matrix(both bool, merge func(v, w float64) float64) (a *sparse.CSR, merged, differing int) {
	n := len(e.IDs)
	each := func(put func(edge int, i, j int32)) {
		for k, i := range e.From {
			j := e.To[k]
			if i == j {
				continue
			}
			put(k, i, j)
			if both {
				put(k, j, i)
			}
		}
	}
	starts := make([]int, n+1)
	each(func(_ int, _, j int32) { starts[j+1]++ })
	for j := range n {
		starts[j+1] += starts[j]
	}
	entries := starts[n]
	rows, lines := make([]int32, entries), make([]int32, entries) // by column
	next := make([]int, n)
	copy(next, starts)
	each(func(k int, i, j int32) {
		rows[next[j]], lines[next[j]] = i, int32(k)
		next[j]++
	})
	a = &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1), Col: make([]int32, entries), Val: make([]float64, entries)}
	for _, i := range rows {
		a.Ptr[i+1]++
	}
	for i := range n {
		a.Ptr[i+1] += a.Ptr[i]
	}
	copy(next, a.Ptr)
	for j := range n {
		for p := starts[j]; p < starts[j+1]; p++ {
			i, v := rows[p], 1.0
			if e.Weight != nil {
				v = e.Weight[lines[p]]
			}
			at := next[i]
			if at > a.Ptr[i] && int(a.Col[at-1]) == j {
				if merged++; a.Val[at-1] != v {
					differing++
				}
				a.Val[at-1] = merge(a.Val[at-1], v)
				continue
			}
			a.Col[at], a.Val[at] = int32(j), v
			next[i]++
		}
	}
	if merged == 0 {
		return a, merged, differing
	}
	held := 0
	for i := range n {
		lo, hi := a.Ptr[i], next[i]
		a.Ptr[i] = held
		held += copy(a.Col[held:], a.Col[lo:hi])
		copy(a.Val[held-(hi-lo):], a.Val[lo:hi])
	}
	a.Ptr[n] = held
	a.Col, a.Val = a.Col[:held], a.Val[:held]
	return a, merged, differing
}
