package sparse

import "sort"

// update says that the row at position begin in the row list of a panel is the
// first to be a column of another, later panel, which its product updates.
type update struct{ panel, begin int32 }

// updates lists for every panel the earlier ones that update it, ascending.
// The order decides in which order the terms of an entry are added, so that it
// holds for every schedule of the numeric phase.
type updates struct {
	listAt []int // panel p is updated by list[listAt[p]:listAt[p+1]]
	list   []update
	work   []float64 // flops that make panel p: its updates and its own factorisation
	strip  []int32   // rows of a strip of panel p; its height or more where it is not split
}

const (
	// A panel is computed in strips of rows of about stripFlops each, but at most
	// stripCount of them unless they were taller than stripMost: enough to share,
	// tall enough for products of full speed, and small enough to stay in the
	// second-level cache while all updates pass over them.
	stripFlops = 8e6
	stripCount = 16
	stripUnit  = 48 // strips have a multiple of so many rows
	stripLeast = 96
	stripMost  = 384
)

// stripHeight returns the rows of a strip of a panel of the given height that
// takes so much work: its height where it is better not split.
func stripHeight(height int, flops float64) int {
	count := min(int(flops/stripFlops), stripCount)
	if count < 2 {
		return height
	}
	strip := (height/count + stripUnit - 1) / stripUnit * stripUnit
	return min(max(strip, stripLeast), stripMost)
}

// listUpdates lists the updates and decides which panels are split. Time and
// memory are those of the list, a small part of the factor's.
func (s *Analysis) listUpdates() updates {
	count := len(s.rowLo)
	l := updates{listAt: make([]int, count+1), work: make([]float64, count), strip: make([]int32, count)}
	// Two passes over the panels, each of which meets its targets in ascending
	// order: the first counts, the second fills in.
	next := l.listAt[1:]
	for d := range int32(count) {
		rows, width := s.panel(d)
		hi := int32(0)
		for _, i := range rows[width:] {
			if i >= hi {
				target := s.panelOf[i]
				hi = s.first[target+1]
				next[target]++
			}
		}
	}
	total := 0
	for p, n := range next {
		next[p] = total
		total += n
	}
	l.list = make([]update, total)
	for d := range int32(count) {
		rows, width := s.panel(d)
		for begin := width; begin < len(rows); {
			u := update{d, int32(begin)}
			target := s.panelOf[rows[begin]]
			l.list[next[target]] = u
			next[target]++ // in the end, where the list of the next panel begins
			end := s.updateEnd(rows, u, target)
			m, n := float64(len(rows)-begin), float64(end-begin)
			l.work[target] += (2*m - n) * n * float64(width)
			begin = end
		}
		h, w := float64(len(rows)), float64(width)
		l.work[d] += w * w * (h - 2*w/3)
		l.strip[d] = int32(stripHeight(len(rows), l.work[d]))
	}
	return l
}

// above returns the panel that owns the first row below panel p, its parent in
// the tree of panels, or none.
func (s *Analysis) above(p int32) int32 {
	rows, width := s.panel(p)
	if width == len(rows) {
		return none
	}
	return s.panelOf[rows[width]]
}

// updateEnd returns the position of the first row behind those that are columns
// of the target.
func (s *Analysis) updateEnd(rows []int32, u update, target int32) int {
	hi := s.first[target+1]
	end := int(u.begin) + 1
	for end < len(rows) && rows[end] < hi {
		end++
	}
	return end
}

// panelUpdates returns the updates of panel p.
func (l *updates) panelUpdates(p int32) []update {
	return l.list[l.listAt[p]:l.listAt[p+1]]
}

// lowerBound returns the first position from begin on whose row is at least i.
func lowerBound(rows []int32, begin int, i int32) int {
	if begin == len(rows) || rows[begin] >= i {
		return begin
	}
	return begin + sort.Search(len(rows)-begin, func(k int) bool { return rows[begin+k] >= i })
}
