package sparse

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// numeric is what the workers of one numeric factorisation share; they write to
// the values of different panels, or different rows of one.
type numeric struct {
	*Analysis
	updates
	factor  *Factor
	kernels *blas.Kernels
	piece   piece
	a       *CSR
	shift   float64
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
}

func newNumeric(f *Factor, kernels *blas.Kernels, a *CSR, shift float64) *numeric {
	return &numeric{
		Analysis: f.symbolic, updates: f.symbolic.listUpdates(), factor: f,
		kernels: kernels, piece: pieceFor(kernels), a: a, shift: shift,
	}
}

func (n *numeric) worker(ctx context.Context) *worker {
	return &worker{
		numeric: n, ctx: ctx,
		local: make([]int32, n.n), columns: make([]int32, maxPanel),
		product: make([]float64, n.piece.size(n.tallest)),
	}
}

// run computes all panels.
func (n *numeric) run(ctx context.Context, threads int) error {
	if threads > 1 {
		return n.runParallel(ctx, threads)
	}
	return n.worker(ctx).all()
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
	if err := w.assemble(p); err != nil {
		return err
	}
	if err := w.ctx.Err(); err != nil {
		return err
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
	rows, width := w.panel(p)
	values := w.factor.panelValues(p)
	if err := w.updateStrips(p, strip); err != nil {
		return err
	}
	column, pivot := factorPanel(w.kernels, values, width, width)
	if err := w.failure(p, width, column, pivot); err != nil {
		return err
	}
	return w.divideStrips(values, strip, len(rows), width)
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

// divideStrips divides the rows below the top of a panel by it, strip by strip.
func (w *worker) divideStrips(values []float64, strip, height, width int) error {
	if w.pool == nil {
		for lo := width; lo < height; lo += strip {
			divideRows(w.kernels, values, lo, min(lo+strip, height), width)
		}
		return nil
	}
	return w.share((height-width+strip-1)/strip, func(w *worker, i int) error {
		lo := width + i*strip
		divideRows(w.kernels, values, lo, min(lo+strip, height), width)
		return nil
	})
}

// failure turns what [factorPanel] says of panel p into an error.
func (w *worker) failure(p int32, width, column int, pivot float64) error {
	if column == width {
		return nil
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
		cols, vals := w.a.Row(int(w.perm[column]))
		vals = vals[:len(cols)]
		for q, c := range cols {
			i := place[c]
			if i < column {
				continue
			}
			k := int(local[i])
			if k >= len(rows) || rows[k] != i {
				return fmt.Errorf("sparse: Cholesky factorisation: entry (%d, %d) is not in the pattern analysed; analyse it anew", w.perm[column], c)
			}
			values[k*width+j] = vals[q]
		}
		values[j*width+j] += w.shift
	}
	return nil
}
