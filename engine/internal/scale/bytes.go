package scale

// Bytes is the most memory that [Smooth] takes beside n × m samples: those that are moved,
// the tree, and as much again of samples that are thinned out.
func Bytes(n, m int) int64 {
	rows, low := int64(n), int64(min(m, MostColumns))
	size := 8*rows*int64(m) + 2*(8*rows*low+16*rows)
	if m > treeColumns {
		size += 2 * 8 * rows * treeColumns
	}
	if m > MostColumns {
		size += 8*rows*low + 8*principalRows*int64(m)
	}
	return size + 16<<20
}
