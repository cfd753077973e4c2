package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Patches are small symmetric matrices Lᵢ, each with the set Iᵢ of rows that it
// touches: set i is Index[Ptr[i]:Ptr[i+1]], in any order and without repeats.
// Only the lower triangle of a patch is kept, row after row, so that entry
// (a, b ≤ a) of patch i is Values[Offset[i] + a(a+1)/2 + b].
type Patches struct {
	Ptr    []int
	Index  []int32
	Offset []int
	Values []float64
}

// NewPatches reserves zero patches on the given sets.
func NewPatches(ptr []int, index []int32) *Patches {
	p := &Patches{Ptr: ptr, Index: index, Offset: make([]int, len(ptr))}
	for i := range p.Len() {
		size := ptr[i+1] - ptr[i]
		p.Offset[i+1] = p.Offset[i] + size*(size+1)/2
	}
	p.Values = make([]float64, p.Offset[p.Len()])
	return p
}

// Len returns the number of patches.
func (p *Patches) Len() int { return len(p.Ptr) - 1 }

// Set returns the rows that patch i touches.
func (p *Patches) Set(i int) []int32 { return p.Index[p.Ptr[i]:p.Ptr[i+1]] }

// Patch returns the lower triangle of patch i.
func (p *Patches) Patch(i int) []float64 { return p.Values[p.Offset[i]:p.Offset[i+1]] }

// assemblyRows is the number of rows that a worker assembles at a time.
const assemblyRows = 256

// Assemble scatters the patches into Φ = Σᵢ SᵢLᵢSᵢᵀ, an n × n symmetric matrix
// with both triangles stored. Its pattern is the union of the cliques Iᵢ. Every
// entry is summed in the order of the patches, so that the result has the same
// bits for any number of threads and is exactly symmetric. O(Σ|Iᵢ|²).
func Assemble(ctx context.Context, threads, n int, p *Patches) (*CSR, error) {
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("sparse: %d rows are more than 32-bit indices hold", n)
	}
	member := invert(n, p)
	a := &CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}
	workers := make([]*scatter, blas.Threads(threads))
	worker := func(w int) *scatter {
		if workers[w] == nil {
			workers[w] = &scatter{sum: make([]float64, n), seen: make([]int32, n)}
		}
		return workers[w]
	}
	// First the rows' lengths, so that the matrix is allocated once, then the rows.
	err := blas.For(ctx, threads, n, assemblyRows, func(w, lo, hi int) {
		s := worker(w)
		for r := lo; r < hi; r++ {
			a.Ptr[r+1] = s.count(p, member, r)
		}
	})
	if err != nil {
		return nil, err
	}
	for r := range n {
		a.Ptr[r+1] += a.Ptr[r]
	}
	a.Col, a.Val = make([]int32, a.Ptr[n]), make([]float64, a.Ptr[n])
	err = blas.For(ctx, threads, n, assemblyRows, func(w, lo, hi int) {
		s := worker(w)
		for r := lo; r < hi; r++ {
			cols, vals := a.Row(r)
			s.row(p, member, r, cols, vals)
		}
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// membership lists, for every row of the matrix, the patches that touch it, in
// their order, and the row's place in each.
type membership struct {
	ptr          []int
	patch, place []int32
}

func invert(n int, p *Patches) membership {
	m := membership{ptr: make([]int, n+1), patch: make([]int32, len(p.Index)), place: make([]int32, len(p.Index))}
	for _, r := range p.Index {
		m.ptr[r+1]++
	}
	for r := range n {
		m.ptr[r+1] += m.ptr[r]
	}
	next := slices.Clone(m.ptr[:n])
	for i := range p.Len() {
		for a, r := range p.Set(i) {
			m.patch[next[r]], m.place[next[r]] = int32(i), int32(a)
			next[r]++
		}
	}
	return m
}

// scatter is one worker's dense row: seen[c] tells when column c was last met.
type scatter struct {
	sum  []float64
	seen []int32
	mark int32
}

// begin starts a new row; marks wrap around after 2³¹ rows.
func (s *scatter) begin() {
	if s.mark == math.MaxInt32 {
		clear(s.seen)
		s.mark = 0
	}
	s.mark++
}

func (s *scatter) count(p *Patches, m membership, r int) int {
	s.begin()
	total := 0
	for _, i := range m.patch[m.ptr[r]:m.ptr[r+1]] {
		for _, c := range p.Set(int(i)) {
			if s.seen[c] != s.mark {
				s.seen[c] = s.mark
				total++
			}
		}
	}
	return total
}

func (s *scatter) row(p *Patches, m membership, r int, cols []int32, vals []float64) {
	s.begin()
	total := 0
	for at := m.ptr[r]; at < m.ptr[r+1]; at++ {
		i, a := int(m.patch[at]), int(m.place[at])
		set, patch := p.Set(i), p.Patch(i)
		// Row a of the packed triangle as far as the diagonal, then down its column.
		q, step := a*(a+1)/2, 1
		for b, c := range set {
			v := patch[q]
			if b >= a {
				step = b + 1
			}
			q += step
			if s.seen[c] != s.mark {
				s.seen[c] = s.mark
				s.sum[c] = v
				cols[total] = c
				total++
			} else {
				s.sum[c] += v
			}
		}
	}
	slices.Sort(cols)
	for at, c := range cols {
		vals[at] = s.sum[c]
	}
}
