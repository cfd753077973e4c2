package sparse

// Supernodes of more than panelColumns columns are cut into a chain of panels, so that all
// but a small part of their work is products of panels. Products of more columns are
// faster, up to maxPanel of them; what a panel stores above its diagonal is then a part in
// 2·panelShare of it.
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
	// In a postorder the last child of p is p − 1; it is an only child if no
	// other was met before it, which is what the loop above recorded for it.
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
