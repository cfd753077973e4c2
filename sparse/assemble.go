package sparse

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// Patches are small symmetric matrices Lᵢ, each with the set Iᵢ of rows that it
// touches. Only the lower triangle of a patch is kept, with its rows in
// ascending order: the rows that Φ's own lower triangle is made of then lie in
// one stretch each.
type Patches struct {
	ptr    []int
	set    []int32 // set i is set[ptr[i]:ptr[i+1]], ascending
	rank   []int32 // the place in the ascending set of each member as it was given
	offset []int
	lower  []float64 // entry (a, b ≤ a) of patch i is lower[offset[i] + a(a+1)/2 + b]
}

// setRows is the number of sets that a worker sorts at a time.
const setRows = 1024

// NewPatches reserves zero patches on the given sets: set i is
// index[ptr[i]:ptr[i+1]], in any order and without repeats. It works on this many
// threads, 0 for all cores.
func NewPatches(threads int, ptr []int, index []int32) *Patches {
	p := &Patches{ptr: ptr, set: pages.Make[int32](len(index)), rank: pages.Make[int32](len(index)), offset: make([]int, len(ptr))}
	for i := range p.Len() {
		size := ptr[i+1] - ptr[i]
		p.offset[i+1] = p.offset[i] + size*(size+1)/2
	}
	keys := make([][]uint64, blas.Threads(threads)) // of each worker: row and place of the members of one set
	// Nothing cancels the background, which is the only error there could be.
	_ = blas.For(context.Background(), threads, p.Len(), setRows, func(w, from, to int) {
		for i := from; i < to; i++ {
			lo, hi := ptr[i], ptr[i+1]
			sorted := keys[w][:0]
			for a, r := range index[lo:hi] {
				sorted = append(sorted, uint64(r)<<32|uint64(a))
			}
			sortKeys(sorted)
			for at, key := range sorted {
				p.set[lo+at] = int32(key >> 32)
				p.rank[lo+int(uint32(key))] = int32(at)
			}
			keys[w] = sorted
		}
	})
	p.lower = pages.Make[float64](p.offset[p.Len()])
	return p
}

// sortKeys sorts by insertion where that is fastest, which is nearly always:
// sets are neighbourhoods.
func sortKeys(keys []uint64) {
	if len(keys) > 32 {
		slices.Sort(keys)
		return
	}
	for i, key := range keys {
		at := i
		for at > 0 && keys[at-1] > key {
			keys[at] = keys[at-1]
			at--
		}
		keys[at] = key
	}
}

// Store sets patch i to the lower triangle given, row after row, whose rows are
// in the order in which [NewPatches] was given the set.
func (p *Patches) Store(i int, lower []float64) {
	rank := p.rank[p.ptr[i]:p.ptr[i+1]]
	dst := p.lower[p.offset[i]:p.offset[i+1]]
	at := 0
	for a, ra := range rank {
		for _, rb := range rank[:a+1] {
			high, low := int(max(ra, rb)), int(min(ra, rb))
			dst[high*(high+1)/2+low] = lower[at]
			at++
		}
	}
}

// Storage is the memory of the lower triangles, for those who need room once the patches
// are summed.
func (p *Patches) Storage() []float64 { return p.lower }

// Bytes is the memory of the patches.
func (p *Patches) Bytes() int64 { return PatchesBytes(p.Len(), len(p.set), len(p.lower)) }

// PatchesBytes is the memory of this many patches whose sets have this many members in all,
// and their lower triangles this many entries.
func PatchesBytes(patches, members, entries int) int64 {
	return 16*int64(patches+1) + 12*int64(members) + 8*int64(entries)
}

// Len returns the number of patches.
func (p *Patches) Len() int { return len(p.ptr) - 1 }

// Set returns the rows that patch i touches, ascending.
func (p *Patches) Set(i int) []int32 { return p.set[p.ptr[i]:p.ptr[i+1]] }

// Size returns the number of entries in the lower triangle of patch i.
func (p *Patches) Size(i int) int { return p.offset[i+1] - p.offset[i] }

// assemblyRows is the number of rows that a worker assembles at a time.
const assemblyRows = 256

// Assemble scatters the patches into Φ = Σᵢ SᵢLᵢSᵢᵀ, an n × n symmetric matrix
// with both triangles stored. Its pattern is the union of the cliques Iᵢ. Every
// entry is summed in the order of the patches, so that the result has the same
// bits for any number of threads and is exactly symmetric. O(Σ|Iᵢ|²).
func Assemble(ctx context.Context, threads, n int, p *Patches) (*CSR, error) {
	a, err := NewAssembly(ctx, threads, n, p)
	if err != nil {
		return nil, err
	}
	return a.Sum(ctx)
}

// Assembly is a sum of patches whose pattern has been counted: its memory is known before it is
// summed.
type Assembly struct {
	patches *Patches
	member  membership
	low     *CSR
	threads int
	workers []*scatter
}

// NewAssembly counts the entries of Φ. The patches must not change until it is summed.
func NewAssembly(ctx context.Context, threads, n int, p *Patches) (*Assembly, error) {
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("sparse: %d rows are more than 32-bit indices hold", n)
	}
	a := &Assembly{patches: p, member: invert(n, p), low: &CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)},
		threads: threads, workers: make([]*scatter, blas.Threads(threads))}
	// First the rows' lengths, so that the matrix is allocated once, then the rows.
	err := blas.For(ctx, threads, n, assemblyRows, func(w, lo, hi int) {
		s := a.worker(w)
		for r := lo; r < hi; r++ {
			a.low.Ptr[r+1] = s.count(p, a.member, r)
		}
	})
	if err != nil {
		return nil, err
	}
	for r := range n {
		a.low.Ptr[r+1] += a.low.Ptr[r]
	}
	return a, nil
}

func (a *Assembly) worker(w int) *scatter {
	if a.workers[w] == nil {
		a.workers[w] = newScatter(a.low.Rows)
	}
	return a.workers[w]
}

// Bytes is the most memory that the patches and their sum take together. The patches are
// let go before the second triangle is made, but the collector may see that late.
func (a *Assembly) Bytes() int64 {
	n := int64(a.low.Rows)
	scattering := a.patches.Bytes() + 8*int64(len(a.member.patch)) + 16*n + int64(len(a.workers))*12*n
	return scattering + 12*int64(symmetricEntries(a.low)) + 24*n
}

// Sum sums the patches, which may be done once.
func (a *Assembly) Sum(ctx context.Context) (*CSR, error) {
	low, n := a.low, a.low.Rows
	room := symmetricEntries(low)
	low.Col, low.Val = pages.Make[int32](room)[:low.Ptr[n]], pages.Make[float64](room)[:low.Ptr[n]]
	err := blas.For(ctx, a.threads, n, assemblyRows, func(w, lo, hi int) {
		s := a.worker(w)
		for r := lo; r < hi; r++ {
			cols, vals := low.Row(r)
			s.row(a.patches, a.member, r, cols, vals)
		}
	})
	*a = Assembly{}
	if err != nil {
		return nil, err
	}
	low.Unfold()
	return low, nil
}

// symmetricEntries is the number of entries of both triangles, of the lengths of the rows of
// the lower one: all that have entries have one on the diagonal.
func symmetricEntries(low *CSR) int {
	total := 0
	for r := range low.Rows {
		if count := low.Ptr[r+1] - low.Ptr[r]; count > 0 {
			total += 2*count - 1
		}
	}
	return total
}

// membership lists, for every row of the matrix, the patches that touch it, in
// their order, and the row's place in each.
type membership struct {
	ptr          []int
	patch, place []int32
}

func invert(n int, p *Patches) membership {
	m := membership{ptr: make([]int, n+1), patch: pages.Make[int32](len(p.set)), place: pages.Make[int32](len(p.set))}
	for _, r := range p.set {
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

// scatter is one worker's dense row: seen[c] is when column c was last met. For short rows a bit for each column, all 0
// between rows, takes its place: the columns then come in order without being sorted.
type scatter struct {
	sum  []float64
	seen []int32
	mark int32
	bits []uint64
}

// shortRow is the length up to which to pass over the bits of a row takes less time than to sort the columns met.
const shortRow = 2048

func newScatter(n int) *scatter {
	s := &scatter{sum: make([]float64, n)}
	if n <= shortRow {
		s.bits = make([]uint64, (n+63)/64)
	} else {
		s.seen = make([]int32, n)
	}
	return s
}

// begin starts a new row; marks wrap around after 2³¹ rows.
func (s *scatter) begin() {
	if s.mark == math.MaxInt32 {
		clear(s.seen)
		s.mark = 0
	}
	s.mark++
}

// count returns the length of row r of the lower triangle.
func (s *scatter) count(p *Patches, m membership, r int) int {
	if s.bits != nil {
		return s.countShort(p, m, r)
	}
	s.begin()
	total := 0
	for at := m.ptr[r]; at < m.ptr[r+1]; at++ {
		for _, c := range p.Set(int(m.patch[at]))[:m.place[at]+1] {
			if s.seen[c] != s.mark {
				s.seen[c] = s.mark
				total++
			}
		}
	}
	return total
}

// row writes row r of the lower triangle.
func (s *scatter) row(p *Patches, m membership, r int, cols []int32, vals []float64) {
	if s.bits != nil {
		s.shortRow(p, m, r, cols, vals)
		return
	}
	s.begin()
	total := 0
	for at := m.ptr[r]; at < m.ptr[r+1]; at++ {
		i, a := int(m.patch[at]), int(m.place[at])
		first := p.offset[i] + a*(a+1)/2
		lower := p.lower[first : first+a+1]
		for b, c := range p.Set(i)[:a+1] {
			if s.seen[c] != s.mark {
				s.seen[c] = s.mark
				s.sum[c] = lower[b]
				cols[total] = c
				total++
			} else {
				s.sum[c] += lower[b]
			}
		}
	}
	slices.Sort(cols)
	for at, c := range cols {
		vals[at] = s.sum[c]
	}
}

// countShort is count by bits.
func (s *scatter) countShort(p *Patches, m membership, r int) int {
	for at := m.ptr[r]; at < m.ptr[r+1]; at++ {
		for _, c := range p.Set(int(m.patch[at]))[:m.place[at]+1] {
			s.bits[c>>6] |= 1 << (c & 63)
		}
	}
	total := 0
	for w, word := range s.bits[:r>>6+1] {
		total += bits.OnesCount64(word)
		s.bits[w] = 0
	}
	return total
}

// shortRow is row by bits.
func (s *scatter) shortRow(p *Patches, m membership, r int, cols []int32, vals []float64) {
	for at := m.ptr[r]; at < m.ptr[r+1]; at++ {
		i, a := int(m.patch[at]), int(m.place[at])
		first := p.offset[i] + a*(a+1)/2
		lower := p.lower[first : first+a+1]
		for b, c := range p.Set(i)[:a+1] {
			if bit := uint64(1) << (c & 63); s.bits[c>>6]&bit == 0 {
				s.bits[c>>6] |= bit
				s.sum[c] = lower[b]
			} else {
				s.sum[c] += lower[b]
			}
		}
	}
	total := 0
	for w, word := range s.bits[:r>>6+1] {
		for ; word != 0; word &= word - 1 {
			c := w<<6 + bits.TrailingZeros64(word)
			cols[total], vals[total] = int32(c), s.sum[c]
			total++
		}
		s.bits[w] = 0
	}
}
