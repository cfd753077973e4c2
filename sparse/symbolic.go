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
// Time is as for [MinimumDegree] and then linear in nnz(A) and in the row
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
		cols := a.columns(int(s.perm[i]))
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
// diagonal included. The panels store some zeros in addition; see
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

// reordering is a symmetric permutation of a matrix: perm[k] is the original
// index of row and column k, and place its inverse.
type reordering struct {
	perm, place []int32
}

func newReordering(perm []int32) reordering {
	place := pages.Make[int32](len(perm))
	for k, i := range perm {
		place[i] = int32(k)
	}
	return reordering{perm, place}
}

// then applies a further permutation: next[k] is the present index of what
// moves to k.
func (r reordering) then(next []int32) reordering {
	perm := pages.Make[int32](len(next))
	for k, i := range next {
		perm[k] = r.perm[i]
	}
	return newReordering(perm)
}

// eliminationTree returns the parent of every column of the reordered matrix,
// the row of the first entry below the diagonal of its column of L, none for a
// root. Liu 1990, with path compression: almost O(nnz).
func eliminationTree(a *CSR, r reordering) []int32 {
	n := len(r.perm)
	parent := pages.Make[int32](n)
	ancestor := pages.Make[int32](n) // a shortcut upwards
	for k := range int32(n) {
		parent[k], ancestor[k] = none, none
		cols := a.columns(int(r.perm[k]))
		for _, c := range cols {
			for j := r.place[c]; j < k; {
				up := ancestor[j]
				ancestor[j] = k
				if up == none {
					parent[j] = k
					break
				}
				j = up
			}
		}
	}
	return parent
}

// postorder numbers a forest so that every subtree is consecutive and children
// come before their parent: post[k] is the node at k. Children are visited in
// the order of their index, or, with weights, the heaviest last.
func postorder(parent, weight []int32) []int32 {
	n := len(parent)
	visit := pages.Make[int32](n) // nodes in the order in which they are pushed onto child lists
	for i := range visit {
		visit[i] = int32(i)
	}
	if weight != nil {
		top := int32(0)
		for _, w := range weight {
			top = max(top, w)
		}
		visit = orderByKey(weight, int(top)+1)
	}
	child := pages.Make[int32](n) // first child
	sibling := pages.Make[int32](n)
	for i := range child {
		child[i] = none
	}
	root := none
	for k := n - 1; k >= 0; k-- {
		i := visit[k]
		if p := parent[i]; p != none {
			sibling[i], child[p] = child[p], i
		} else {
			sibling[i], root = root, i
		}
	}
	post := make([]int32, 0, n)
	for ; root != none; root = sibling[root] {
		i := root
		for {
			for child[i] != none {
				i = child[i]
			}
			post = append(post, i)
			if i == root {
				break
			}
			// Done with i: go on with its sibling, or with the parent, which has no
			// unvisited children then.
			if s := sibling[i]; s != none {
				i = s
			} else {
				i = parent[i]
				child[i] = none
			}
		}
	}
	return post
}

// renumber carries a forest over to new indices: post[k] is the old index of k.
func renumber(parent, post []int32) []int32 {
	at := pages.Make[int32](len(post))
	for k, i := range post {
		at[i] = int32(k)
	}
	out := pages.Make[int32](len(post))
	for k, i := range post {
		out[k] = none
		if p := parent[i]; p != none {
			out[k] = at[p]
		}
	}
	return out
}

// columnCounts returns the number of entries of every column of L, diagonal
// included, without forming L. The reordering must be a postorder of the tree.
//
// Gilbert, Ng and Peyton 1994: row i of L is the subtree that its entries of A
// span in the elimination tree, and only the leaves of that subtree matter. A
// leaf adds one to its column and subtracts one where its path meets the path of
// the leaf before; summed up the tree, the ones count the rows that pass
// through each column. Almost O(nnz).
func columnCounts(a *CSR, r reordering, parent []int32) []int32 {
	n := len(parent)
	count := pages.Make[int32](n)
	first := pages.Make[int32](n)  // first column of the subtree of j
	seen := pages.Make[int32](n)   // greatest first[j] of a column j met in row i
	leaf := pages.Make[int32](n)   // last leaf met in row i
	forest := pages.Make[int32](n) // disjoint sets: a root represents a finished subtree
	for j := range int32(n) {
		first[j], seen[j], leaf[j], forest[j] = j, none, none, j
	}
	for j, p := range parent {
		if p != none {
			first[p] = min(first[p], first[j])
		}
		if int(first[j]) == j {
			count[j] = 1 // a leaf of the tree; elsewhere the children bring the diagonal
		}
	}
	for j := range int32(n) {
		cols := a.columns(int(r.perm[j]))
		for _, c := range cols {
			i := r.place[c]
			if i <= j || first[j] <= seen[i] {
				continue // not below the diagonal, or j is an inner node of row i
			}
			seen[i] = first[j]
			count[j]++
			if before := leaf[i]; before != none {
				count[findRoot(forest, before)]--
			}
			leaf[i] = j
		}
		if p := parent[j]; p != none {
			count[p]-- // the diagonal entry of j ends here
			forest[j] = p
		}
	}
	for j, p := range parent {
		if p != none {
			count[p] += count[j]
		}
	}
	return count
}

// findRoot returns the representative of a node's set and shortens the path.
func findRoot(forest []int32, i int32) int32 {
	root := i
	for forest[root] != root {
		root = forest[root]
	}
	for forest[i] != root {
		i, forest[i] = forest[i], root
	}
	return root
}

// Supernodes of more than panelColumns columns are cut into a chain of panels, so that all
// but a small part of their work is products of panels. Products of more columns are
// faster, up to maxPanel of them; the entries that a panel stores above its diagonal are then one
// part in 2·panelShare of it.
const (
	panelColumns = 96
	maxPanel     = 192
	panelShare   = 6
)

// supernode is a range of consecutive columns stored as one dense panel, over
// the rows that any of them has.
type supernode struct {
	lo, hi  int32
	entries int64 // true entries of L in these columns
}

// supernodes groups the columns of L into panels.
//
// Columns with one structure, each the only child of the next, make a
// fundamental supernode (Liu, Ng and Peyton 1993). A child whose columns end
// where its parent's begin is then merged into the parent as long as that adds
// few zeros, or the panel stays so narrow that they do not matter (relaxed
// supernodes; Ashcraft and Grimes 1989). The numbering must be a postorder.
func supernodes(parent, count []int32) []supernode {
	n := int32(len(parent))
	onlyChild := make([]bool, n)
	met := make([]bool, n)
	for j, p := range parent {
		if p != none {
			onlyChild[j], met[p] = !met[p], true
		}
	}
	// In a postorder the last child of p is p − 1; it is an only child if no other was met before it,
	// as the loop above recorded.
	var all []supernode
	for lo := int32(0); lo < n; {
		hi, entries := lo+1, int64(count[lo])
		for hi < n && parent[hi-1] == hi && onlyChild[hi-1] && count[hi-1] == count[hi]+1 {
			entries += int64(count[hi])
			hi++
		}
		s := supernode{lo, hi, entries}
		for len(all) > 0 {
			child := all[len(all)-1]
			p := parent[child.hi-1]
			if p == none || p >= s.hi || !worthMerging(child, s, count) {
				break
			}
			s = supernode{child.lo, s.hi, s.entries + child.entries}
			all = all[:len(all)-1]
		}
		all = append(all, s)
		lo = hi
	}
	return all
}

// worthMerging decides by the width of the merged panel and the share of zeros
// in its lower trapezoid. On grids, whose columns are short, 40 % zeros in narrow
// panels took the time of 80 % and a fifth less memory; elsewhere the bounds
// hardly mattered.
func worthMerging(child, s supernode, count []int32) bool {
	width := int64(s.hi - child.lo)
	if width <= 4 {
		return true
	}
	below := int64(count[s.hi-1]) - 1
	stored := width*(width+1)/2 + width*below
	zeros := float64(stored-child.entries-s.entries) / float64(stored)
	switch {
	case width <= 16:
		return zeros < 0.4
	case width <= 48:
		return zeros < 0.1
	default:
		return zeros < 0.05
	}
}

// panels cuts the supernodes into panels, as even as can be, and returns the first column
// of each, and n. count is the number of entries of each column of L.
func panels(all []supernode, count []int32) []int32 {
	var first []int32
	end := int32(0)
	for _, s := range all {
		below := count[s.hi-1] - 1
		for lo := s.lo; lo < s.hi; {
			first = append(first, lo)
			left := s.hi - lo
			widest := min(max(panelColumns, (left+below)/panelShare), maxPanel)
			lo += left / ((left + widest - 1) / widest)
		}
		end = s.hi
	}
	return append(first, end)
}
