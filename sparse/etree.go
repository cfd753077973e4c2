package sparse

import "github.com/orthant-go/orthant/blas/pages"

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
// comes to stand at k.
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
		cols, _ := a.Row(int(r.perm[k]))
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
