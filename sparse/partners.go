package sparse

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas/pages"
)

const (
	// weakShare: a diagonal entry of less than this share of the largest entry of its row makes no
	// pivot of its own before others have changed it.
	weakShare = 0.01
	// partnerShare: a partner is joined by an entry of at least this share of the largest.
	partnerShare = 0.1
	// hollowShare: one of less than this is as good as zero, as in constraints.
	hollowShare = 1e-6
	// fewWeak: where fewer than one row in this many is weak, none is paired. An order of other
	// rows would cost more than the pivots that have to be moved.
	fewWeak = 1000
	// farthest is the number of rows that one search for a partner looks at.
	farthest = 512
)

// matching pairs rows of a scaled symmetric matrix whose diagonal entries are weak with others,
// such as the rows of constraints in a saddle point with the rows of variables.
type matching struct {
	ptr     []int   // candidates of row i, of a weak one alone
	to      []int32 // strongest first
	rank    []rank
	partner []int32
	// Of the search under way:
	met    []int32 // the root that last met a row
	parent []int32 // the row by which a strong one was met
	queue  []int32
}

// rank says how much a row needs a partner. It is given one of a lower rank, weak ones among
// themselves.
type rank int8

const (
	strong rank = iota
	weak
	hollow
)

// partners returns the partner of each row of S(A + shift·I)S, none where it has none; nil: no row has
// a weak diagonal entry, or hardly one. Rows whose diagonal entries are as good as zero come first, then
// other weak ones, each along augmenting paths that look at some hundreds of rows, and what
// is left of them is matched with each other. O(nnz) where partners are near.
func partners(a *CSR, shift float64, scale []float64) []int32 {
	m := newMatching(a, shift, scale)
	if m == nil {
		return nil
	}
	for _, r := range [2]rank{hollow, weak} {
		for i, own := range m.rank {
			if own == r && m.partner[i] == none {
				m.augment(int32(i))
			}
		}
	}
	m.together()
	return m.partner
}

// newMatching finds the weak rows and their candidates.
func newMatching(a *CSR, shift float64, scale []float64) *matching {
	n := a.Rows
	m := &matching{rank: make([]rank, n)}
	largest, own := make([]float64, n), make([]float64, n)
	eachScaled(a, shift, scale, func(i int, j int32, v float64) {
		if v = math.Abs(v); int(j) == i {
			own[i] = v
		} else {
			largest[i] = max(largest[i], v)
		}
	})
	found := 0
	for i, v := range own {
		switch {
		case v < hollowShare*largest[i]:
			m.rank[i] = hollow
		case v < weakShare*largest[i]:
			m.rank[i] = weak
		default:
			continue
		}
		found++
	}
	if found <= n/fewWeak {
		return nil
	}
	m.ptr = make([]int, n+1)
	var size []float64
	eachScaled(a, shift, scale, func(i int, j int32, v float64) {
		m.ptr[i+1] = len(m.to)
		if v = math.Abs(v); m.rank[i] == strong || int(j) == i || v < partnerShare*largest[i] {
			return
		}
		m.to, size = append(m.to, j), append(size, v)
		for p := len(m.to) - 1; p > m.ptr[i] && size[p-1] < v; p-- {
			m.to[p], m.to[p-1], size[p], size[p-1] = m.to[p-1], j, size[p-1], v
		}
		m.ptr[i+1] = len(m.to)
	})
	m.partner, m.met, m.parent = make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range n {
		m.partner[i], m.met[i] = none, none
	}
	return m
}

// candidates are the rows that a weak one may be paired with.
func (m *matching) candidates(i int32) []int32 { return m.to[m.ptr[i]:m.ptr[i+1]] }

// augment looks for a partner of lower rank of a row, others changing theirs where that
// makes room.
func (m *matching) augment(root int32) {
	m.queue = append(m.queue[:0], root)
	m.met[root] = root // a hollow row on the way may have it for a candidate, which would close a circle
	for at := 0; at < len(m.queue) && at < farthest; at++ {
		i := m.queue[at]
		for _, j := range m.candidates(i) {
			if m.rank[j] >= m.rank[i] || m.met[j] == root {
				continue
			}
			m.met[j], m.parent[j] = root, i
			if m.partner[j] != none {
				m.queue = append(m.queue, m.partner[j])
				continue
			}
			for j != none { // back along the path
				i := m.parent[j]
				before := m.partner[i]
				m.partner[i], m.partner[j] = j, i
				j = before
			}
			return
		}
	}
}

// together pairs weak rows with each other, those first that have one choice left (Karp and
// Sipser 1981).
func (m *matching) together() {
	n := len(m.rank)
	left := make([]int32, n) // free weak candidates
	free := func(i int32) bool { return m.rank[i] > strong && m.partner[i] == none }
	m.queue = m.queue[:0]
	for i := range int32(n) {
		if !free(i) {
			continue
		}
		for _, j := range m.candidates(i) {
			if free(j) {
				left[i]++
			}
		}
		if left[i] == 1 {
			m.queue = append(m.queue, i)
		}
	}
	pair := func(i int32) {
		for _, j := range m.candidates(i) {
			if !free(j) {
				continue
			}
			m.partner[i], m.partner[j] = j, i
			for _, row := range [2]int32{i, j} {
				for _, k := range m.candidates(row) {
					if left[k]--; left[k] == 1 && free(k) {
						m.queue = append(m.queue, k)
					}
				}
			}
			return
		}
	}
	for i := range int32(n) {
		for at := 0; at < len(m.queue); at++ {
			if q := m.queue[at]; free(q) {
				pair(q)
			}
		}
		m.queue = m.queue[:0]
		if free(i) {
			pair(i)
		}
	}
}

// analyzePaired is [AnalyzeOrdered] for the order that is best, with the rows of a pair one after the other and in one
// supernode: they are ordered as one row, and each has the entries of both. partner nil: there are no pairs.
func analyzePaired(ctx context.Context, a *CSR, partner []int32, threads int) (*Analysis, error) {
	if partner == nil {
		return AnalyzeOrdered(ctx, a, Best, threads)
	}
	vertex, first := pages.Make[int32](a.Rows), make([]int32, 0, a.Rows)
	for i := range int32(a.Rows) {
		if j := partner[i]; j != none && j < i {
			vertex[i] = vertex[j]
			continue
		}
		vertex[i] = int32(len(first))
		first = append(first, i)
	}
	joined := &CSR{Rows: len(first), Cols: len(first), Ptr: make([]int, len(first)+1)}
	met := pages.Make[int32](len(first))
	for v := range met {
		met[v] = none
	}
	members := func(v int32) []int32 {
		i := first[v]
		if j := partner[i]; j != none {
			return []int32{i, j}
		}
		return []int32{i}
	}
	for v := range int32(len(first)) {
		for _, i := range members(v) {
			for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
				if u := vertex[j]; met[u] != v {
					met[u] = v
					joined.Col = append(joined.Col, u)
				}
			}
		}
		joined.Ptr[v+1] = len(joined.Col)
	}
	joined.sortColumns()
	s, err := AnalyzeOrdered(ctx, joined, Best, threads)
	if err != nil {
		return nil, err
	}
	perm := make([]int32, 0, a.Rows)
	for _, v := range s.perm {
		perm = append(perm, members(v)...)
	}
	both := &CSR{Rows: a.Rows, Cols: a.Rows, Ptr: make([]int, a.Rows+1)}
	for i := range a.Rows {
		v := vertex[i]
		for _, u := range joined.Col[joined.Ptr[v]:joined.Ptr[v+1]] {
			both.Col = append(both.Col, members(u)...)
		}
		both.Ptr[i+1] = len(both.Col)
	}
	both.sortColumns()
	return eliminate(both, perm, s.ordering).analysis(both), nil
}

// sortColumns sorts the columns of a pattern within their rows, and gives it values of zero.
func (a *CSR) sortColumns() {
	for i := range a.Rows {
		slices.Sort(a.Col[a.Ptr[i]:a.Ptr[i+1]])
	}
	a.Val = pages.Make[float64](len(a.Col))
}
