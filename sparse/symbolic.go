package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas/pages"
)

// Analysis is the symbolic factorisation of one symmetric pattern: the order of
// elimination and the structure of L. It serves any matrix with that pattern,
// and any number of goroutines at once.
type Analysis struct {
	reordering
	n, nnz   int
	entries  int64
	flops    float64
	ordering Ordering
	first    []int32 // panel p holds the columns first[p] ≤ j < first[p+1]
	panelOf  []int32 // the panel of each column
	rows     []int32 // the rows of all panels; the pieces of one supernode share theirs
	rowLo    []int   // panel p has rows[rowLo[p]:rowHi[p]], its own columns first
	rowHi    []int
	valueAt  []int // offset of the panel's values; it is row-major, one row a row of L
	tallest  int   // most rows below the columns of a panel
	widest   int   // most columns of a panel
}

// Analyze orders the rows and columns of a by approximate minimum degree (see
// [AnalyzeOrdered] for the choice) and
// works out the structure of the Cholesky factor. a must be square with a
// symmetric pattern, both triangles stored; diagonal entries may be absent. Its
// values are not read. The error is the context's when that is cancelled.
//
// Time is that of [MinimumDegree] and then linear in nnz(A) and in the row
// lists, which are much shorter than L.
func Analyze(ctx context.Context, a *CSR) (*Analysis, error) {
	return AnalyzeOrdered(ctx, a, ByMinimumDegree, 1)
}

// elimination is an order of elimination with its tree and the lengths of the
// columns of L: what there is to say about it before the rows of L are listed.
type elimination struct {
	reordering
	parent, count []int32
	entries       int64
	flops         float64
	ordering      Ordering
}

// eliminate refines an order to a postorder of its elimination tree, which
// changes nothing in the fill, and counts the fill.
func eliminate(a *CSR, perm []int32, ordering Ordering) *elimination {
	r := newReordering(perm)
	parent := eliminationTree(a, r)
	post := postorder(parent, nil)
	r, parent = r.then(post), renumber(parent, post)
	count := columnCounts(a, r, parent)
	// Of all children, the one with the longest column costs the fewest zeros when
	// it is merged into its parent, and only the last can be.
	post = postorder(parent, count)
	r, parent, count = r.then(post), renumber(parent, post), pick(count, post)
	e := &elimination{reordering: r, parent: parent, count: count, ordering: ordering}
	for _, c := range count {
		e.entries += int64(c)
		e.flops += float64(c) * float64(c)
	}
	return e
}

// analysis lists the rows of L.
func (e *elimination) analysis(a *CSR) *Analysis {
	s := &Analysis{
		reordering: e.reordering, n: a.Rows, nnz: len(a.Col),
		entries: e.entries, flops: e.flops, ordering: e.ordering,
	}
	s.structure(a, supernodes(e.parent, e.count), e.parent, e.count)
	return s
}

// pick returns x in the order given.
func pick(x, order []int32) []int32 {
	out := make([]int32, len(order))
	for k, i := range order {
		out[k] = x[i]
	}
	return out
}

// structure finds the rows of every supernode and lays out the panels. Row i of
// L reaches the supernodes on the paths from the entries of row i of A up to i;
// walking them row by row yields every list sorted.
func (s *Analysis) structure(a *CSR, all []supernode, parent, count []int32) {
	of := pages.Make[int32](s.n) // the supernode of each column
	lo := make([]int, len(all)+1)
	up := make([]int32, len(all))
	for k, node := range all {
		for j := node.lo; j < node.hi; j++ {
			of[j] = int32(k)
		}
		lo[k+1] = lo[k] + int(node.hi-node.lo) + int(count[node.hi-1]) - 1
	}
	s.rows = pages.Make[int32](lo[len(all)])
	end := make([]int, len(all))
	seen := make([]int32, len(all))
	for k, node := range all {
		seen[k], up[k] = none, none
		if p := parent[node.hi-1]; p != none {
			up[k] = of[p]
		}
		end[k] = lo[k]
		for j := node.lo; j < node.hi; j++ {
			s.rows[end[k]] = j
			end[k]++
		}
	}
	for i := range int32(s.n) {
		seen[of[i]] = i // ends every path
		cols, _ := a.Row(int(s.perm[i]))
		for _, c := range cols {
			j := s.place[c]
			if j >= i {
				continue
			}
			for k := of[j]; seen[k] != i; k = up[k] {
				seen[k] = i
				s.rows[end[k]] = i
				end[k]++
			}
		}
	}
	s.layOut(panels(all, count), of, lo)
}

// layOut assigns rows and values to panels. of names the supernode of each
// column and lo where its rows begin.
func (s *Analysis) layOut(first, of []int32, lo []int) {
	count := len(first) - 1
	s.first, s.panelOf = first, pages.Make[int32](s.n)
	s.rowLo, s.rowHi, s.valueAt = make([]int, count), make([]int, count), make([]int, count+1)
	inside := 0 // columns of the same supernode in earlier panels
	for p := range count {
		j := first[p]
		width := int(first[p+1] - j)
		if p > 0 && of[j] == of[j-1] {
			inside += int(first[p] - first[p-1])
		} else {
			inside = 0
		}
		k := of[j]
		s.rowLo[p], s.rowHi[p] = lo[k]+inside, lo[k+1]
		height := s.rowHi[p] - s.rowLo[p]
		s.valueAt[p+1] = s.valueAt[p] + height*width
		s.tallest, s.widest = max(s.tallest, height-width), max(s.widest, width)
		for c := j; c < first[p+1]; c++ {
			s.panelOf[c] = int32(p)
		}
	}
}

// Entries returns the number of entries of L that can be other than zero,
// diagonal included. The panels store some zeros beside them; see
// [Analysis.Bytes].
func (s *Analysis) Entries() int64 { return s.entries }

// Flops returns the additions and multiplications of the numeric phase,
// Σⱼ cⱼ² with cⱼ the entries of column j of L.
func (s *Analysis) Flops() float64 { return s.flops }

// Bytes returns the memory of a numeric factor and of this analysis that it
// refers to. The numeric phase itself needs little more.
func (s *Analysis) Bytes() int64 {
	return 8*int64(s.valueAt[len(s.rowLo)]) + s.indexBytes()
}

// indexBytes is the memory of the analysis.
func (s *Analysis) indexBytes() int64 {
	return int64(4*(len(s.rows)+len(s.first)+3*s.n) + 24*len(s.rowLo))
}

// Ordering names the way in which the order of elimination was found, in words:
// "minimum degree" or "nested dissection".
func (s *Analysis) Ordering() string { return s.ordering.String() }

// Permutation returns the order of elimination: the k-th pivot is row and
// column Permutation()[k] of the matrix. The caller must not change it.
func (s *Analysis) Permutation() []int32 { return s.perm }
