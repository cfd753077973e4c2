package sparse

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/orthant-go/orthant/blas"
)

// numeric is the shared data of the workers of one numeric factorisation; they write to
// the values of different panels, or different rows of one.
type numeric struct {
	*Analysis
	updates
	factor   *Factor
	kernels  *blas.Kernels
	piece    piece
	a        *CSR
	shift    float64
	scale    []float64 // SAS is factorised in place of A, S diagonal; nil: A
	lift     float64   // not 0: lift²A is factorised first, a power of two
	largest  float64   // largest absolute entry of the factorised matrix; for an LDLᵀ only
	vanish   float64   // threshold up to which a pivot counts as zero; for an LDLᵀ only
	rowSum   float64   // ‖·‖∞ of the factorised matrix; for an LDLᵀ only
	stable   bool      // for an LDLᵀ only: end with errUnstable if a pivot has to be moved, or if entries grow
	progress *progress // nil: progress is not requested
}

// progress reports the progress of a factorisation.
type progress struct {
	sync.Mutex
	columns int
	work    float64
	total   float64
	report  func(columns int, share float64)
}

// done counts panel p.
func (n *numeric) done(p int32) {
	t := n.progress
	t.Lock()
	defer t.Unlock()
	t.columns += int(n.first[p+1] - n.first[p])
	t.work += n.work[p]
	t.report(t.columns, min(t.work/t.total, 1))
}

// worker is the state of one goroutine in a numeric factorisation.
type worker struct {
	*numeric
	ctx     context.Context
	pool    *pool     // nil where it works alone
	local   []int32   // row of L → row of the current panel
	columns []int32   // columns of the target that an update reaches
	product []float64 // one piece of an update
	flops   float64   // since the context was asked
	now     updating

	signed []float64 // rows of a panel times the signs of its pivots; of an LDLᵀ alone
	dense  *bunchKaufman
}

func newNumeric(f *Factor, kernels *blas.Kernels, a *CSR, shift float64) *numeric {
	n := &numeric{
		Analysis: f.symbolic, updates: f.symbolic.listUpdates(), factor: f,
		kernels: kernels, piece: pieceFor(kernels), a: a, shift: shift,
	}
	return n
}

// ordinary returns a power of two by whose square the matrix is to be multiplied, so that no products of entries of L
// lose digits or overflow; 0: they do not, as it is.
func (n *numeric) ordinary() float64 {
	if n.stable || n.scale != nil { // it is scaled already
		return 0
	}
	largest := max(largestOf(n.a.Val), math.Abs(n.shift))
	if largest == 0 || largest >= 1/ordinary && largest <= ordinary {
		return 0
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, -exponent/2)
}

// drop turns the factor of lift²A into the factor of A.
func (n *numeric) drop() {
	f, down := n.factor, 1/n.lift
	for p := range int32(len(n.rowLo)) {
		rows, width := n.panel(p)
		values := f.panelValues(p)
		for i := range rows {
			for j := range min(i+1, width) {
				paired := f.pivots != nil && (f.pivots.kind[int(rows[0])+j] == firstOfTwo || f.pivots.kind[int(rows[0])+j] == secondOfTwo)
				switch at := i*width + j; {
				case paired && i < width:
				case i == j:
					values[at] *= n.lift
				default:
					values[at] *= down
				}
			}
		}
	}
	if v := f.pivots; v != nil {
		for j := range v.axes {
			v.axes[j][0], v.axes[j][1] = v.axes[j][0]*n.lift, v.axes[j][1]*n.lift
			v.moved[j] = v.moved[j] * down * down
		}
	}
}

func (n *numeric) worker(ctx context.Context) *worker {
	w := &worker{
		numeric: n, ctx: ctx,
		local: make([]int32, n.n), columns: make([]int32, maxPanel),
		product: make([]float64, n.piece.size(n.tallest)),
	}
	if n.factor.pivots != nil {
		w.signed, w.dense = make([]float64, n.widest*n.widest), newBunchKaufman(n.kernels, n.widest)
	}
	return w
}

// run computes all panels. alone is the worker of one thread; nil: another is made.
func (n *numeric) run(ctx context.Context, threads int, alone *worker) error {
	n.lift = n.ordinary()
	if n.factor.pivots != nil {
		n.measure()
	}
	var err error
	if threads > 1 {
		err = n.runParallel(ctx, threads)
	} else {
		if alone == nil {
			alone = n.worker(ctx)
		}
		alone.ctx = ctx
		err = alone.all()
	}
	if err == nil && n.lift != 0 {
		n.drop()
	}
	return err
}

// all computes every panel, alone.
func (w *worker) all() error {
	for p := range int32(len(w.rowLo)) {
		if err := w.computePanel(p); err != nil {
			return err
		}
	}
	return nil
}

// computePanel computes panel p once all earlier ones that update it are done.
func (w *worker) computePanel(p int32) error {
	err := w.compute(p)
	if err == nil && w.progress != nil {
		w.done(p)
	}
	return err
}

func (w *worker) compute(p int32) error {
	if err := w.assemble(p); err != nil {
		return err
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.factor.pivots != nil {
		return w.computeIndefinite(p)
	}
	rows, width := w.panel(p)
	values := w.factor.panelValues(p)
	if strip := int(w.strip[p]); strip < len(rows) {
		return w.stripsDone(p, strip)
	}
	if err := w.update(p, w.local, 0, len(rows)); err != nil {
		return err
	}
	column, pivot := factorPanel(w.kernels, values, len(rows), width)
	return w.failure(p, width, column, pivot)
}

// stripsDone computes panel p in strips of rows: all updates strip by strip,
// then its top, then the rest divided by that.
func (w *worker) stripsDone(p int32, strip int) error {
	_, width := w.panel(p)
	if err := w.updateStrips(p, strip); err != nil {
		return err
	}
	column, pivot := factorPanel(w.kernels, w.factor.panelValues(p), width, width)
	if err := w.failure(p, width, column, pivot); err != nil {
		return err
	}
	return w.divideStrips(p, strip)
}

// updateStrips does all updates of panel p, strip by strip. Whoever works alone makes no
// function to share, so that a factorisation of known structure allocates nothing.
func (w *worker) updateStrips(p int32, strip int) error {
	rows, _ := w.panel(p)
	height := len(rows)
	if w.pool == nil {
		for lo := 0; lo < height; lo += strip {
			if err := w.update(p, w.local, lo, min(lo+strip, height)); err != nil {
				return err
			}
		}
		return nil
	}
	local := w.local
	return w.share((height+strip-1)/strip, func(w *worker, i int) error {
		return w.update(p, local, i*strip, min((i+1)*strip, height))
	})
}

// divideStrips divides the rows below the top of panel p by it, strip by strip.
func (w *worker) divideStrips(p int32, strip int) error {
	rows, width := w.panel(p)
	height := len(rows)
	if w.pool == nil {
		for lo := width; lo < height; lo += strip {
			w.divide(p, lo, min(lo+strip, height))
		}
		return nil
	}
	return w.share((height-width+strip-1)/strip, func(w *worker, i int) error {
		lo := width + i*strip
		w.divide(p, lo, min(lo+strip, height))
		return nil
	})
}

// divide divides rows lo ≤ r < hi, below the top of panel p, by that.
func (w *worker) divide(p int32, lo, hi int) {
	if lo == hi {
		return
	}
	_, width := w.panel(p)
	values := w.factor.panelValues(p)
	if w.factor.pivots == nil {
		divideRows(w.kernels, values, lo, hi, width)
		return
	}
	w.divideIndefinite(p, values, lo, hi, width)
}

// failure turns what [factorPanel] says of panel p into an error.
func (w *worker) failure(p int32, width, column int, pivot float64) error {
	if column == width {
		return nil
	}
	if w.lift != 0 {
		pivot = pivot / w.lift / w.lift
	}
	return &NotPositiveDefiniteError{Column: int(w.perm[int(w.first[p])+column]), Pivot: pivot}
}

// assemble puts the lower triangle of the panel's columns of A + shift·I into
// its values, and the places of its rows into w.local.
func (w *worker) assemble(p int32) error {
	rows, width := w.panel(p)
	values, local, place := w.factor.zeroValues(p), w.local, w.place
	for k, i := range rows {
		local[i] = int32(k)
	}
	for j, column := range rows[:width] {
		at := int(w.perm[column])
		cols, vals := w.a.Row(at)
		vals = vals[:len(cols)]
		for q, c := range cols {
			i := place[c]
			if i < column {
				continue
			}
			k := int(local[i])
			if k >= len(rows) || rows[k] != i {
				return fmt.Errorf("sparse: factorisation: entry (%d, %d) is not in the pattern analysed; analyse it anew", w.perm[column], c)
			}
			values[k*width+j] = vals[q]
		}
		values[j*width+j] += w.shift
		if w.scale != nil || w.lift != 0 {
			w.scaleColumn(values, rows, width, j)
		}
	}
	return nil
}

const (
	// panelBlock is the width of the column blocks in which a panel is factorised.
	panelBlock = 16
	// updateRows is the height of the pieces in which the rows below a block
	// are updated.
	updateRows = 192
)

// factorPanel turns a panel of height × width values, row-major, updated by all
// columns before it, into columns of L: its top becomes lower triangular, its
// rest is divided by that. The diagonal receives 1/Lⱼⱼ, which is what every
// later use wants. The entries above the diagonal are neither read nor kept.
//
// It returns the first column whose pivot is not a positive number and that
// pivot, or width and 0.
func factorPanel(kernels *blas.Kernels, panel []float64, height, width int) (int, float64) {
	for lo := 0; lo < width; lo += panelBlock {
		n := min(panelBlock, width-lo)
		below := panel[lo*width:]
		for r := lo; lo > 0 && r < height; r += updateRows {
			piece := panel[r*width:]
			kernels.Gemm(false, true, min(updateRows, height-r), n, lo, -1, piece, width, below, width, 1, piece[lo:], width)
		}
		block := below[lo:]
		if j, pivot := factorBlock(block, n, width); j < n {
			return lo + j, pivot
		}
		if lo+n < height {
			solveRows(block, block[n*width:], n, height-lo-n, width)
		}
	}
	return width, 0
}

// divideRows does to rows lo ≤ r < hi, below the top, what [factorPanel] does
// once the top is factorised.
func divideRows(kernels *blas.Kernels, panel []float64, lo, hi, width int) {
	for c := 0; c < width; c += panelBlock {
		n := min(panelBlock, width-c)
		top := panel[c*width:]
		for r := lo; c > 0 && r < hi; r += updateRows {
			rows := panel[r*width:]
			kernels.Gemm(false, true, min(updateRows, hi-r), n, c, -1, rows, width, top, width, 1, rows[c:], width)
		}
		solveRows(top[c:], panel[lo*width+c:], n, hi-lo, width)
	}
}

// factorBlock is Cholesky row by row of the n × n lower triangle of a.
func factorBlock(a []float64, n, lda int) (int, float64) {
	for i := range n {
		row := a[i*lda : i*lda+i+1]
		pivot := row[i]
		for j := range i {
			top := a[j*lda : j*lda+j+1]
			s := row[j]
			for k, v := range top[:j] {
				s -= row[k] * v
			}
			s *= top[j]
			row[j] = s
			pivot -= s * s
		}
		if !(pivot > 0 && pivot <= math.MaxFloat64) {
			return i, pivot
		}
		row[i] = 1 / math.Sqrt(pivot)
	}
	return n, 0
}

// solveRows divides the rows of a by a transposed triangle, four at a time.
func solveRows(triangle, a []float64, n, height, lda int) {
	i := 0
	for ; i+4 <= height; i += 4 {
		x0, x1 := a[i*lda:i*lda+n], a[(i+1)*lda:(i+1)*lda+n]
		x2, x3 := a[(i+2)*lda:(i+2)*lda+n], a[(i+3)*lda:(i+3)*lda+n]
		for j := range n {
			top := triangle[j*lda : j*lda+j+1]
			s0, s1, s2, s3 := x0[j], x1[j], x2[j], x3[j]
			for k, v := range top[:j] {
				s0 -= x0[k] * v
				s1 -= x1[k] * v
				s2 -= x2[k] * v
				s3 -= x3[k] * v
			}
			d := top[j]
			x0[j], x1[j], x2[j], x3[j] = s0*d, s1*d, s2*d, s3*d
		}
	}
	for ; i < height; i++ {
		x := a[i*lda : i*lda+n]
		for j := range n {
			top := triangle[j*lda : j*lda+j+1]
			s := x[j]
			for k, v := range top[:j] {
				s -= x[k] * v
			}
			x[j] = s * top[j]
		}
	}
}
