package sparse

import "github.com/orthant-go/orthant/blas/pages"

// columnCounts returns the number of entries of every column of L, diagonal
// included, without forming L. The reordering must be a postorder of the tree.
//
// Gilbert, Ng and Peyton 1994: row i of L is the subtree that its entries of A
// span in the elimination tree, and only the leaves of that subtree matter. A
// leaf adds one to its column and takes one off where its path meets that of
// the leaf before; summed up the tree, the ones count the rows that pass
// through each column. Almost O(nnz).
func columnCounts(a *CSR, r reordering, parent []int32) []int32 {
	n := len(parent)
	count := pages.Make[int32](n)
	first := pages.Make[int32](n)  // first column of the subtree of j
	seen := pages.Make[int32](n)   // greatest first[j] of a column j met in row i
	leaf := pages.Make[int32](n)   // last leaf met in row i
	forest := pages.Make[int32](n) // disjoint sets: a root stands for a finished subtree
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
		cols, _ := a.Row(int(r.perm[j]))
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
