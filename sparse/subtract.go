package sparse

import "github.com/orthant-go/orthant/blas"

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

// flopsBetweenChecks is the work after which the context is asked again.
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
	sign   float64 // of them all, where they are alike: right is then source
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
