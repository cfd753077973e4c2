package sparse

import (
	"cmp"
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
			keys[w] = sortedKeys(keys[w], index[lo:hi])
			for at, key := range keys[w] {
				p.set[lo+at] = int32(key >> 32)
				p.rank[lo+int(uint32(key))] = int32(at)
			}
		}
	})
	p.lower = pages.Make[float64](p.offset[p.Len()])
	return p
}

// sortedKeys returns the rows of a set, ascending, each with its place in the upper and lower half of a number.
func sortedKeys(storage []uint64, set []int32) []uint64 {
	keys := storage[:0]
	for a, r := range set {
		keys = append(keys, uint64(r)<<32|uint64(a))
	}
	sortKeys(keys)
	return keys
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

// Assembly is a sum of patches whose pattern is known: so is its memory before it is summed, and an order of
// elimination can be found before the patches are computed.
type Assembly struct {
	patches *Patches
	member  membership
	phi     *CSR // without values until it is summed
	threads int
	workers []*scatter
	order   order // of elimination, if it was asked for

	analysis *Analysis // after the sum
}

// NewAssembly finds the pattern of Φ, which depends on the sets of the patches alone.
func NewAssembly(ctx context.Context, threads, n int, p *Patches) (*Assembly, error) {
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("sparse: %d rows are more than 32-bit indices hold", n)
	}
	phi := &CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}
	a := &Assembly{patches: p, member: invert(threads, n, p), phi: phi, threads: threads, workers: make([]*scatter, blas.Threads(threads))}
	// First the rows of the lower triangle, then both triangles in memory that is allocated once.
	lower := make([][]int32, n)
	err := blas.For(ctx, threads, n, assemblyRows, func(w, lo, hi int) {
		s := a.worker(w)
		s.columns = s.columns[:0]
		for r := lo; r < hi; r++ {
			phi.Ptr[r+1] = s.pattern(p, a.member, r)
		}
		block := slices.Clone(s.columns)
		for r := lo; r < hi; r++ {
			lower[r], block = block[:phi.Ptr[r+1]:phi.Ptr[r+1]], block[phi.Ptr[r+1]:]
		}
	})
	if err != nil {
		return nil, err
	}
	upper := reverse(threads, n, n, func(r int) []int32 { return lower[r] })
	for r := range n {
		if count := upper.ptr[r+1] - upper.ptr[r]; count > 0 {
			phi.Ptr[r+1] += count - 1 // row r of the lower triangle comes first, and its diagonal entry is there already
		}
		phi.Ptr[r+1] += phi.Ptr[r]
	}
	phi.Col = pages.Make[int32](phi.Ptr[n])
	err = blas.For(ctx, threads, n, assemblyRows, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			copy(phi.Col[phi.Ptr[r]:], lower[r])
		}
	})
	upper.each(func(place, r, at int) {
		if c := int(lower[r][at]); c != r {
			phi.Col[phi.Ptr[c]+len(lower[c])-1+place-upper.ptr[c]] = int32(r)
		}
	})
	return a, err
}

func (a *Assembly) worker(w int) *scatter {
	if a.workers[w] == nil {
		a.workers[w] = &scatter{sum: make([]float64, a.phi.Rows), seen: make([]int32, a.phi.Rows), next: make([]int32, a.phi.Rows)}
	}
	return a.workers[w]
}

// Bytes is the most memory that the patches and their sum take together.
func (a *Assembly) Bytes() int64 {
	n, entries := int64(a.phi.Rows), int64(len(a.phi.Col))
	return a.patches.Bytes() + 8*int64(len(a.member.patch)) + int64(len(a.workers))*16*n + 12*entries + 40*n
}

// AnalyzedBytes is [Assembly.Bytes] where the sum is analysed. The structure of the factor is small, but known only
// then.
func (a *Assembly) AnalyzedBytes() int64 { return a.Bytes() + 160*int64(a.phi.Rows) }

// Order finds the best order of elimination of Φ, for which no values are needed: it may run while the patches are
// computed. [Assembly.Sum] then analyses the factor, too. threads is as for [AnalyzeOrdered].
func (a *Assembly) Order(ctx context.Context, threads int) (err error) {
	a.order, err = byMinimumDegree(ctx, a.phi, Best, threads, math.Inf(1))
	return err
}

// Analysis is [AnalyzeOrdered] of the sum by [Best], once it is summed; nil: no order was found before.
func (a *Assembly) Analysis() *Analysis { return a.analysis }

// Sum sums the patches, which may be done once.
func (a *Assembly) Sum(ctx context.Context) (*CSR, error) {
	phi, threads := a.phi, a.threads
	var analyze func(threads int)
	var analysis *Analysis
	var failure error
	if a.order.perm != nil {
		pattern := &CSR{Rows: phi.Rows, Cols: phi.Cols, Ptr: phi.Ptr, Col: phi.Col}
		analyze = func(threads int) {
			analysis, failure = a.order.analyze(ctx, pattern, Best, threads, dissectionBound(pattern))
		}
	}
	phi.Val = pages.Make[float64](len(phi.Col))
	err := blas.ForWithTask(ctx, threads, phi.Rows, assemblyRows, analyze, func(w, lo, hi int) {
		s := a.worker(w)
		for r := lo; r < hi; r++ {
			cols, vals := phi.Row(r)
			s.row(a.patches, a.member, r, cols, vals)
		}
	})
	summed := &Assembly{phi: phi, workers: a.workers}
	*a = Assembly{analysis: analysis}
	if err = cmp.Or(err, failure); err != nil {
		return nil, err
	}
	return phi, blas.For(ctx, threads, phi.Rows, assemblyRows, func(w, lo, hi int) { summed.worker(w).mirror(phi, lo, hi) })
}

// mirror takes the values of rows lo ≤ i < hi beyond the diagonal from the lower triangle. Row j has its entries in those
// columns one after another, so only the first of them is searched for.
func (s *scatter) mirror(a *CSR, lo, hi int) {
	s.begin()
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		for p := len(cols) - 1; p >= 0 && int(cols[p]) > i; p-- {
			j := cols[p]
			lower, from := a.Row(int(j))
			if s.seen[j] != s.mark {
				at, _ := slices.BinarySearch(lower, int32(i))
				s.seen[j], s.next[j] = s.mark, int32(at)
			}
			vals[p] = from[s.next[j]]
			s.next[j]++
		}
	}
}

// membership lists, for every row of the matrix, the patches that touch it, in
// their order, and the row's place in each.
type membership struct {
	ptr          []int
	patch, place []int32
}

func invert(threads, n int, p *Patches) membership {
	m := membership{patch: pages.Make[int32](len(p.set)), place: pages.Make[int32](len(p.set))}
	rows := reverse(threads, n, p.Len(), p.Set)
	rows.each(func(place, i, at int) { m.patch[place], m.place[place] = int32(i), int32(at) })
	m.ptr = rows.ptr
	return m
}

// scatter is what one worker needs: a dense row, where seen[c] is when column c was last met, and the
// columns of a block of rows.
type scatter struct {
	sum  []float64
	seen []int32
	next []int32 // the entry of row c that is mirrored next, where seen[c] is mark
	mark int32

	columns []int32
	bits    [fewColumns / 64]uint64 // those met, of few columns; 0 between rows
}

// fewColumns is the number up to which to pass over a bit for each column takes less time than to sort those met.
const fewColumns = 2048

// begin starts a new row; marks wrap around after 2³¹ rows.
func (s *scatter) begin() {
	if s.mark == math.MaxInt32 {
		clear(s.seen)
		s.mark = 0
	}
	s.mark++
}

// pattern adds the columns of row r of the lower triangle, ascending, to the columns of the block, and
// returns their number.
func (s *scatter) pattern(p *Patches, m membership, r int) int {
	from := len(s.columns)
	if len(s.sum) <= fewColumns {
		for at := m.ptr[r]; at < m.ptr[r+1]; at++ {
			for _, c := range p.Set(int(m.patch[at]))[:m.place[at]+1] {
				s.bits[c>>6] |= 1 << (c & 63)
			}
		}
		for w, word := range s.bits[:r>>6+1] {
			for ; word != 0; word &= word - 1 {
				s.columns = append(s.columns, int32(w<<6+bits.TrailingZeros64(word)))
			}
			s.bits[w] = 0
		}
		return len(s.columns) - from
	}
	s.begin()
	for at := m.ptr[r]; at < m.ptr[r+1]; at++ {
		for _, c := range p.Set(int(m.patch[at]))[:m.place[at]+1] {
			if s.seen[c] != s.mark {
				s.seen[c] = s.mark
				s.columns = append(s.columns, c)
			}
		}
	}
	slices.Sort(s.columns[from:])
	return len(s.columns) - from
}

// row writes the values of row r of Φ, whose columns are cols, up to the diagonal.
func (s *scatter) row(p *Patches, m membership, r int, cols []int32, vals []float64) {
	s.begin()
	for at := m.ptr[r]; at < m.ptr[r+1]; at++ {
		i, a := int(m.patch[at]), int(m.place[at])
		first := p.offset[i] + a*(a+1)/2
		lower := p.lower[first : first+a+1]
		for b, c := range p.Set(i)[:a+1] {
			if s.seen[c] != s.mark {
				s.seen[c] = s.mark
				s.sum[c] = lower[b]
			} else {
				s.sum[c] += lower[b]
			}
		}
	}
	for at, c := range cols {
		if int(c) > r {
			break
		}
		vals[at] = s.sum[c]
	}
}
