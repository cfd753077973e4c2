package sparse

import (
	"sort"

	"github.com/orthant-go/orthant/blas"
)

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
	stripUnit  = 48 // strips have a multiple of this many rows
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
// memory are proportional to the list, a small part of the factor's.
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
			next[target]++ // at the end, where the list of the next panel begins
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

// piece bounds the products that an update of a panel is cut into. It depends
// on the kernels alone, hence so do the bits.
type piece struct {
	rows, cols int
	// triangle is the height of the blocks in which rows that are columns too are
	// computed, up to the diagonal.
	triangle int
}

// pieceFor returns the sizes that suit the kernels.
func pieceFor(kernels *blas.Kernels) piece {
	if !kernels.Vectorized() {
		// Larger products leave the cache, and gonum spreads them over goroutines.
		return piece{rows: 192, cols: 32, triangle: 32}
	}
	return piece{rows: stripMost, cols: maxPanel, triangle: 32}
}

// size returns the scratch space that updates of at most the given number of
// rows want.
func (b piece) size(rows int) int {
	return max(min(b.rows, rows)*b.cols, b.triangle*maxPanel)
}

// flopsBetweenChecks is the work after which the context is checked again.
const flopsBetweenChecks = 2e8

// updating is the update that a worker is at.
type updating struct {
	target []float64 // values of the panel that is updated
	width  int       // its columns
	first  int32     // the first of them
	local  []int32   // row of L → row of that panel

	source []float64 // values of the panel that updates it
	right  []float64 // the same from row base on, times the signs of its pivots
	base   int
	sign   float64 // of them all, where they are equal: right is then source
	rows   []int32 // its rows
	k      int     // its columns
}

// update subtracts from rows lo ≤ r < hi of panel p the products of all panels
// that update it; local says where in p a row of L is.
func (w *worker) update(p int32, local []int32, lo, hi int) error {
	rows, width := w.panel(p)
	now := &w.now
	now.target, now.width, now.first, now.local = w.factor.panelValues(p), width, rows[0], local
	s, f := w.Analysis, w.factor
	for _, u := range w.panelUpdates(p) {
		now.source = f.panelValues(u.panel)
		now.rows, now.k = s.panel(u.panel)
		begin, end := int(u.begin), len(now.rows)
		if lo > 0 {
			begin = lowerBound(now.rows, begin, rows[lo])
		}
		if hi < len(rows) {
			end = lowerBound(now.rows, begin, rows[hi])
		}
		if begin == end {
			continue
		}
		columns := s.updateEnd(now.rows, u, p)
		now.right, now.base, now.sign = now.source, 0, 1
		if f.pivots != nil {
			w.signs(u.panel, int(u.begin), columns)
		}
		w.subtract(int(u.begin), columns, begin, end)
		w.flops += 2 * float64(end-begin) * float64(columns-int(u.begin)) * float64(now.k)
		if w.flops > flopsBetweenChecks {
			w.flops = 0
			if err := w.ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// subtract takes from the target the product of the source's rows r to end with
// its rows lo to hi, which are columns of the target.
func (w *worker) subtract(lo, hi, r, end int) {
	if end-r <= w.piece.rows && hi-lo <= w.piece.triangle {
		w.subtractPiece(r, end, lo, hi) // nearly all, in number
		return
	}
	if hi-lo > w.piece.triangle {
		for r < min(hi, end) {
			to := min(r+w.piece.triangle, hi, end)
			w.subtractPiece(r, to, lo, to)
			r = to
		}
	}
	for ; r < end; r += w.piece.rows {
		for c := lo; c < hi; c += w.piece.cols {
			w.subtractPiece(r, min(r+w.piece.rows, end), c, min(c+w.piece.cols, hi))
		}
	}
}

// subtractPiece takes one product of rows r to end and c to last of the source,
// from the target at once where these rows are consecutive there, else by way
// of scratch space.
func (w *worker) subtractPiece(r, end, c, last int) {
	now := &w.now
	k, rows := now.k, now.rows
	m, n := end-r, last-c
	at, column := int(now.local[rows[r]]), int(rows[c]-now.first)
	consecutive := int(rows[last-1]-rows[c]) == n-1
	if consecutive && int(now.local[rows[end-1]])-at == m-1 {
		w.kernels.Gemm(false, true, m, n, k, -now.sign, now.source[r*k:], k, now.right[(c-now.base)*k:], k, 1, now.target[at*now.width+column:], now.width)
		return
	}
	w.kernels.Gemm(false, true, m, n, k, now.sign, now.source[r*k:], k, now.right[(c-now.base)*k:], k, 0, w.product, n)
	if consecutive {
		w.subtractRows(rows[r:end], column, n, r-c)
		return
	}
	columns := w.columns[:n]
	for j, i := range rows[c:last] {
		columns[j] = i - now.first
	}
	w.scatter(rows[r:end], columns, r-c)
}

// subtractRows subtracts the product, whose first row is skip rows below the
// diagonal, from consecutive columns of the given rows of the target.
func (w *worker) subtractRows(rows []int32, column, n, skip int) {
	product, target, local, width := w.product, w.now.target, w.now.local, w.now.width
	for i, row := range rows {
		from := product[i*n : i*n+min(n, skip+i+1)]
		to := target[int(local[row])*width+column:][:len(from)]
		for j, v := range from {
			to[j] -= v
		}
	}
}

// scatter is subtractRows for any columns.
func (w *worker) scatter(rows, columns []int32, skip int) {
	product, target, local, width := w.product, w.now.target, w.now.local, w.now.width
	n := len(columns)
	for i, row := range rows {
		from := product[i*n : i*n+min(n, skip+i+1)]
		at := int(local[row]) * width
		to := target[at : at+width]
		for j, c := range columns[:len(from)] {
			to[c] -= from[j]
		}
	}
}
