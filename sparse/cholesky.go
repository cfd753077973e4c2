package sparse

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Factor is the numeric Cholesky factor of P(A + shift·I)Pᵀ. It is read-only,
// so any number of goroutines may solve with it, each with its own [SolveWork].
type Factor struct {
	symbolic *Analysis
	values   []float64 // panel by panel; the diagonal holds 1/Lⱼⱼ
}

// NotPositiveDefiniteError says at which row and column of the original matrix
// the factorisation met a pivot that is not a positive number. Find it in an
// error with errors.As.
type NotPositiveDefiniteError struct {
	Column int     // in the original order
	Pivot  float64 // NaN or infinite where the input was
}

func (e *NotPositiveDefiniteError) Error() string {
	if math.IsNaN(e.Pivot) || math.IsInf(e.Pivot, 0) {
		return fmt.Sprintf("sparse: Cholesky factorisation: pivot %g in column %d: the matrix or the shift is not finite", e.Pivot, e.Column)
	}
	return fmt.Sprintf("sparse: Cholesky factorisation: pivot %g in column %d: the matrix is not positive definite; a greater shift may make it so", e.Pivot, e.Column)
}

const (
	// updateCols and updateRows bound the pieces in which a product of panels is
	// computed: the upper triangle wasted stays small, and the product in cache.
	updateCols = 48
	updateRows = 192
	// flopsBetweenChecks is the work after which the context is asked again.
	flopsBetweenChecks = 5e8
)

// Factor computes L with P(A + shift·I)Pᵀ = L·Lᵀ. a must have the pattern that
// was analysed; of the two mirror entries of a only one is read. The error is
// an [*NotPositiveDefiniteError] or the context's, which is asked at every panel
// and about once in 10⁹ flops inside one.
//
// The method is left-looking and supernodal (Ng and Peyton 1993; Chen, Davis,
// Hager and Rajamanickam 2008): every panel is updated by the earlier ones that
// have rows in it, with one dense product each, and then factorised. It runs on
// the calling goroutine, and the same input gives the same bits.
func (s *Analysis) Factor(ctx context.Context, kernels *blas.Kernels, a *CSR, shift float64) (*Factor, error) {
	if a.Rows != s.n || a.Cols != s.n || len(a.Col) != s.nnz {
		return nil, fmt.Errorf("sparse: Cholesky factorisation: a %d × %d matrix of %d entries does not have the pattern analysed, %d × %d with %d; analyse it anew",
			a.Rows, a.Cols, len(a.Col), s.n, s.n, s.nnz)
	}
	if err := checkRows(a); err != nil {
		return nil, err
	}
	if len(a.Val) != s.nnz {
		return nil, fmt.Errorf("sparse: Cholesky factorisation: %d values for %d entries", len(a.Val), s.nnz)
	}
	count := len(s.rowLo)
	f := &Factor{symbolic: s, values: make([]float64, s.valueAt[count])}
	w := newNumeric(f, kernels)
	for p := range int32(count) {
		if err := w.assemble(p, a, shift); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.update(ctx, p); err != nil {
			return nil, err
		}
		rows, width := s.panel(p)
		if j, pivot := factorPanel(kernels, f.panelValues(p), len(rows), width); j < width {
			return nil, &NotPositiveDefiniteError{Column: int(s.perm[int(s.first[p])+j]), Pivot: pivot}
		}
		w.wait(p, width)
	}
	return f, nil
}

// panel returns the rows of panel p, its own columns first, and their number.
func (s *Analysis) panel(p int32) (rows []int32, width int) {
	return s.rows[s.rowLo[p]:s.rowHi[p]], int(s.first[p+1] - s.first[p])
}

// panelValues returns the values of panel p, row-major.
func (f *Factor) panelValues(p int32) []float64 {
	return f.values[f.symbolic.valueAt[p]:f.symbolic.valueAt[p+1]]
}

// numeric is the state of one numeric factorisation.
type numeric struct {
	*Analysis
	factor  *Factor
	kernels *blas.Kernels
	// A finished panel waits in the list of the panel that owns its next row to be
	// used; done is where that row stands in its row list.
	head, next []int32
	done       []int32
	local      []int32   // row of L → row of the current panel
	columns    []int32   // columns of the current panel that an update reaches
	product    []float64 // one piece of an update
	flops      float64   // since the context was asked
}

func newNumeric(f *Factor, kernels *blas.Kernels) *numeric {
	s := f.symbolic
	count := len(s.rowLo)
	w := &numeric{
		Analysis: s, factor: f, kernels: kernels,
		head: make([]int32, count), next: make([]int32, count), done: make([]int32, count),
		local: make([]int32, s.n), columns: make([]int32, maxPanel),
		product: make([]float64, updateCols*min(updateRows, s.tallest)),
	}
	for p := range w.head {
		w.head[p] = none
	}
	return w
}

// wait hands panel p to the panel that owns the row at its position done.
func (w *numeric) wait(p int32, done int) {
	rows, _ := w.panel(p)
	if done == len(rows) {
		return
	}
	target := w.panelOf[rows[done]]
	w.done[p] = int32(done)
	w.next[p], w.head[target] = w.head[target], p
}

// assemble puts the lower triangle of the panel's columns of A + shift·I into
// its values, and the places of its rows into w.local.
func (w *numeric) assemble(p int32, a *CSR, shift float64) error {
	rows, width := w.panel(p)
	values := w.factor.panelValues(p)
	for k, i := range rows {
		w.local[i] = int32(k)
	}
	for j, column := range rows[:width] {
		cols, vals := a.Row(int(w.perm[column]))
		for q, c := range cols {
			i := w.place[c]
			if i < column {
				continue
			}
			k := int(w.local[i])
			if k >= len(rows) || rows[k] != i {
				return fmt.Errorf("sparse: Cholesky factorisation: entry (%d, %d) is not in the pattern analysed; analyse it anew", w.perm[column], c)
			}
			values[k*width+j] = vals[q]
		}
		values[j*width+j] += shift
	}
	return nil
}

// update subtracts from panel p the products of all panels that wait for it.
func (w *numeric) update(ctx context.Context, p int32) error {
	for d := w.head[p]; d != none; {
		next := w.next[d]
		end := w.subtract(p, d)
		w.wait(d, end)
		d = next
		if w.flops > flopsBetweenChecks {
			w.flops = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// subtract takes from panel p the product of the rows of panel d from its
// position done on with those of them that are columns of p, and returns the
// position of the first row behind these.
func (w *numeric) subtract(p, d int32) int {
	rows, k := w.panel(d)
	lo, hi := w.first[p], w.first[p+1]
	width := int(hi - lo)
	begin := int(w.done[d])
	end := begin + 1
	for end < len(rows) && rows[end] < hi {
		end++
	}
	target, source := w.factor.panelValues(p), w.factor.panelValues(d)
	m, n := len(rows)-begin, end-begin
	rows = rows[begin:]
	source = source[begin*k:]
	w.flops += 2 * float64(m) * float64(n) * float64(k)
	if at := int(w.local[rows[0]]); int(w.local[rows[m-1]])-at == m-1 {
		// Consecutive rows: the product goes straight to its place.
		target = target[at*width+at:]
		for c := 0; c < n; c += updateCols {
			cols := min(updateCols, n-c)
			for r := c; r < m; r += updateRows {
				w.kernels.Gemm(false, true, min(updateRows, m-r), cols, k, -1, source[r*k:], k, source[c*k:], k, 1, target[r*width+c:], width)
			}
		}
		return end
	}
	for j, i := range rows[:n] {
		w.columns[j] = i - lo
	}
	for c := 0; c < n; c += updateCols {
		cols := min(updateCols, n-c)
		for r := c; r < m; r += updateRows {
			count := min(updateRows, m-r)
			w.kernels.Gemm(false, true, count, cols, k, 1, source[r*k:], k, source[c*k:], k, 0, w.product, cols)
			w.scatter(target, rows[r:r+count], w.columns[c:c+cols], width, r-c)
		}
	}
	return end
}

// scatter subtracts the product, whose first row is skip rows below the
// diagonal, from the given rows and columns of a panel.
func (w *numeric) scatter(target []float64, rows, columns []int32, width, skip int) {
	cols := len(columns)
	for i, row := range rows {
		n := min(cols, i+skip+1)
		at := int(w.local[row]) * width
		to := target[at : at+width]
		from := w.product[i*cols : i*cols+n]
		for j, c := range columns[:n] {
			to[c] -= from[j]
		}
	}
}
