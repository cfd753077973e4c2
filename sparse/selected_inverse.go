package sparse

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

const (
	// inverseColumns is the width of the blocks into which the columns of a panel of the inverse are cut, and
	// inverseRows the height of the pieces of what is divided.
	inverseColumns, inverseRows = 64, 192
	// inverseError is the largest error of the diagonal of A·A⁻¹, over the sizes of what it sums, of an inverse that is returned.
	inverseError = 0x1p-24
)

// selected are the entries of Z = (A + shift·I)⁻¹ at the places of L, panel by panel as L, with whole squares on top. Rows and columns are in
// the order of elimination.
//
// With L̃ of a panel cut into its top J and the rows I below, S the signs of its pivots and Y = L̃_IJ·L̃_JJ⁻¹,
//
//	Z_IJ = −Z_II·Y,   Z_JJ = L̃_JJ⁻ᵀ·S·L̃_JJ⁻¹ − Yᵀ·Z_IJ,
//
// where Z_II is in panels above (Takahashi, Fagan and Chen 1973; Erisman and Tinney 1975; by panels: Lin, Yang, Meza, Lu, Ying and E 2011). The
// diagonal of a Cholesky factor's is a sum of squares without cancellation.
type selected struct {
	*Factor
	kernels *blas.Kernels
	values  []float64
	// wandering says that pivots were delayed: panels of a subtree need not be next to each other then.
	wandering bool
}

// invertWorker is the scratch space of one goroutine.
type invertWorker struct {
	divided  []float64 // [L̃_JJ⁻¹; Y] of the panel
	signed   []float64 // S·L̃_JJ⁻¹
	gathered []float64 // a block of Z_II
	at       []int     // where the rows of the block are in their panel
}

// InverseDiagonal returns the diagonal of (A + shift·I)⁻¹, by the entries of the inverse at the places of L: about twice the operations of the
// factorisation, and as much memory as its values, within the limit. The number of threads changes no bit. Entries of a [Cholesky] have nearly the
// accuracy of its solutions. Those of an [LDLT] are not refined: a sum of them with A that is not 1 to 24 bits is a [BackwardError], and a singular
// matrix is an error.
func (c *direct) InverseDiagonal(ctx context.Context) ([]float64, error) {
	out := make([]float64, c.Order())
	err := c.inverse(ctx, 0, func(z *selected, scale func(i int) float64) error {
		for i := range out {
			out[i], _ = z.at(i, i)
			out[i] = twoSided(out[i], scale(i), scale(i))
		}
		return nil
	})
	if err == nil && !finite(out) {
		err = c.overflows()
	}
	return out, err
}

// InverseEntries returns the entries of (A + shift·I)⁻¹ at the places where a pattern has entries, in the order of the matrix; the values of the
// pattern are not read. All entries of A are such places, and those that L fills in. Any other place is an error, which names it. A nil pattern means all
// places of L and of Lᵀ. All else is as for [Cholesky.InverseDiagonal].
func (c *direct) InverseEntries(ctx context.Context, pattern mat.Matrix) (*CSR, error) {
	var places *CSR
	if pattern != nil {
		var err error
		if places, err = c.squareOf(pattern); err != nil {
			return nil, err
		}
		if places.Rows != c.Order() {
			return nil, fmt.Errorf("sparse: %s factorisation: a pattern of order %d for a factor of order %d; give one of that order", c.name, places.Rows, c.Order())
		}
	}
	more := 24 * c.Entries()
	if places != nil {
		more = 12*int64(places.NNZ()) + 8*int64(places.Rows)
	}
	var out *CSR
	err := c.inverse(ctx, more, func(z *selected, scale func(i int) float64) (err error) {
		if places == nil {
			places, err = z.places()
		}
		if err == nil {
			out, err = z.on(places, scale)
		}
		return err
	})
	if err == nil && !finite(out.Val) {
		err = c.overflows()
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (c *direct) overflows() error {
	return fmt.Errorf("sparse: %s factorisation: entries of the inverse are beyond the largest number; scale the matrix to sizes near 1", c.name)
}

// inverse computes the entries at the places of L, checks them where A is known, and hands them to use with the scales of the rows.
func (c *direct) inverse(ctx context.Context, more int64, use func(z *selected, scale func(i int) float64) error) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.there(); err != nil {
		return err
	}
	f := c.factor()
	if f.pivots != nil {
		if zeros := f.zeros(); zeros > 0 {
			return fmt.Errorf("sparse: %s factorisation: the matrix is singular, with %d zero pivots, and has no inverse; give a shift other than an eigenvalue", c.name, zeros)
		}
	}
	size := f.symbolic.valueAt[len(f.symbolic.rowLo)]
	if err := c.allows("the entries of the inverse", 8*int64(size)+more, "raise the limit, or solve with some columns of the identity"); err != nil {
		return err
	}
	z := &selected{Factor: f, kernels: c.numeric.kernels, values: pages.MakeAfterRelease[float64](size), wandering: c.delayed != nil}
	if err := z.run(ctx, c.threads); err != nil {
		return err
	}
	if c.check != nil {
		if err := c.check(z); err != nil {
			return err
		}
	}
	scale := func(int) float64 { return 1 }
	if s := c.numeric.scale; s != nil {
		scale = func(i int) float64 { return s[i] }
	}
	return use(z, scale)
}

// panelOfInverse returns the values of panel p of the inverse.
func (z *selected) panelOfInverse(p int32) []float64 {
	return z.values[z.symbolic.valueAt[p]:z.symbolic.valueAt[p+1]]
}

// run computes all panels: those above all subtrees one by one, in blocks of columns, then the subtrees, several at a time.
func (z *selected) run(ctx context.Context, threads int) error {
	workers := make([]invertWorker, threads)
	at, below := int32(len(z.symbolic.rowLo)), []part(nil)
	if !z.wandering {
		below = z.symbolic.subtrees()
	}
	alone := func(lo int32) error {
		for at--; at >= lo; at-- {
			if err := z.compute(ctx, at, workers); err != nil {
				return err
			}
		}
		return nil
	}
	for i := len(below) - 1; i >= 0; i-- {
		if err := alone(below[i].hi); err != nil {
			return err
		}
		at = below[i].lo
	}
	if err := alone(0); err != nil {
		return err
	}
	failures := make([]error, len(below))
	err := blas.For(ctx, threads, len(below), 1, func(worker, i, _ int) {
		for p := below[i].hi - 1; p >= below[i].lo && failures[i] == nil; p-- {
			failures[i] = z.compute(ctx, p, workers[worker:worker+1])
		}
	})
	for _, failure := range failures {
		if err == nil {
			err = failure
		}
	}
	return err
}

// compute computes panel p, when all panels above it are done, on as many goroutines as there are workers.
func (z *selected) compute(ctx context.Context, p int32, workers []invertWorker) error {
	rows, width := z.symbolic.panel(p)
	below, first := len(rows)-width, int(rows[0])
	w, out := &workers[0], z.panelOfInverse(p)
	w.divided, w.signed = grown(w.divided, len(rows)*width), grown(w.signed, width*width)
	if err := z.divide(ctx, p, w.divided, len(rows), width, len(workers)); err != nil {
		return err
	}
	top, y := w.divided[:width*width], w.divided[width*width:]
	copy(w.signed, top)
	if z.pivots != nil {
		for j, s := range z.pivots.sign[first : first+width] {
			if s < 0 {
				for q := j * width; q < (j+1)*width; q++ {
					w.signed[q] = -w.signed[q]
				}
			}
		}
	}
	err := z.blockwise(ctx, width, workers, func(v *invertWorker, lo, n int) {
		z.subtractAbove(p, v, y, out[width*width:], lo, n)
		z.kernels.Gemm(true, false, width, n, width, 1, top, width, w.signed[lo:], width, 0, out[lo:], width)
		if below > 0 {
			z.kernels.Gemm(true, false, width, n, below, -1, y, width, out[width*width+lo:], width, 1, out[lo:], width)
		}
	})
	for i := range width { // rounding left the halves of the square unequal
		for j := range i {
			out[j*width+i] = out[i*width+j]
		}
	}
	return err
}

// blockwise calls do for blocks of the columns of a panel.
func (z *selected) blockwise(ctx context.Context, width int, workers []invertWorker, do func(w *invertWorker, lo, n int)) error {
	if len(workers) > 1 && width > inverseColumns {
		return blas.For(ctx, len(workers), width, inverseColumns, func(worker, lo, hi int) { do(&workers[worker], lo, hi-lo) })
	}
	for lo := 0; lo < width; lo += inverseColumns {
		if err := ctx.Err(); err != nil {
			return err
		}
		do(&workers[0], lo, min(inverseColumns, width-lo))
	}
	return nil
}

// divide writes [L̃_JJ⁻¹; Y] of panel p: L̃_JJ is RᵀT·F, with the interchanges R, the triangle T that is stored, and F = |D|^½ of the blocks of two.
func (z *selected) divide(ctx context.Context, p int32, out []float64, height, width, threads int) error {
	values, first := z.panelValues(p), int(z.symbolic.first[p])
	clear(out[:width*width])
	for j := range width {
		out[j*width+j] = 1
	}
	copy(out[width*width:], values[width*width:])
	step := func(lo, hi int) {
		x := out[lo*width : hi*width]
		if z.pivots != nil && z.pivots.traits[p]&paired != 0 {
			z.pivots.turnColumns(x, width, first)
		}
		divideByTriangle(z.kernels, values, x, hi-lo, width)
		if z.pivots != nil && z.pivots.traits[p]&interchanged != 0 {
			swaps := z.pivots.swaps[first : first+width]
			for ; len(x) > 0; x = x[width:] {
				for j := width - 1; j >= 0; j-- {
					x[j], x[swaps[j]] = x[swaps[j]], x[j]
				}
			}
		}
	}
	if threads > 1 && height > inverseRows {
		return blas.For(ctx, threads, height, inverseRows, func(_, lo, hi int) { step(lo, hi) })
	}
	for lo := 0; lo < height; lo += inverseRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		step(lo, min(lo+inverseRows, height))
	}
	return nil
}

// turnColumns multiplies rows from the right by |Λ|^−½Qᵀ of the blocks of two.
func (v *pivots) turnColumns(x []float64, width, first int) {
	for j := range width {
		if v.kind[first+j] != firstOfTwo {
			continue
		}
		m := v.block(first+j, inverseRootD)
		for i := j; i < len(x); i += width {
			s, t := x[i], x[i+1]
			x[i], x[i+1] = s*m[0]+t*m[2], s*m[1]+t*m[3]
		}
	}
}

// divideByTriangle replaces the rows of x by x·T⁻¹, T the triangle on top of a panel, whose diagonal holds reciprocals.
func divideByTriangle(kernels *blas.Kernels, t, x []float64, height, width int) {
	for lo := (width - 1) / panelBlock * panelBlock; lo >= 0; lo -= panelBlock {
		n := min(panelBlock, width-lo)
		if hi := lo + n; hi < width {
			kernels.Gemm(false, false, height, n, width-hi, -1, x[hi:], width, t[hi*width+lo:], width, 1, x[lo:], width)
		}
		for i := lo; i < len(x); i += width {
			row := x[i : i+n]
			for j := n - 1; j >= 0; j-- {
				top := t[(lo+j)*width+lo:][:j+1]
				v := row[j] * top[j]
				row[j] = v
				for k, l := range top[:j] {
					row[k] -= v * l
				}
			}
		}
	}
}

// subtractAbove writes −Z_II·Y to n columns of panel p from lo on. Z_II comes from the panels of its columns, in turn: the first has all rows.
func (z *selected) subtractAbove(p int32, w *invertWorker, y, to []float64, lo, n int) {
	s := z.symbolic
	rows, width := s.panel(p)
	rows = rows[width:]
	before := 0.0
	for begin := 0; begin < len(rows); {
		target := s.panelOf[rows[begin]]
		end := s.updateEnd(rows, update{begin: int32(begin)}, target)
		block, ld := z.block(target, rows[begin:], end-begin, w)
		m, k := len(rows)-begin, end-begin
		z.kernels.Gemm(false, false, m, n, k, -1, block, ld, y[begin*width+lo:], width, before, to[begin*width+lo:], width)
		if m > k {
			z.kernels.Gemm(true, false, k, n, m-k, -1, block[k*ld:], ld, y[end*width+lo:], width, 1, to[begin*width+lo:], width)
		}
		begin, before = end, 1
	}
}

// block returns the entries of the inverse in the given rows of panel p, of which the first k are its columns too, in these columns, and the distance
// of rows. Where they are next to each other there they are not copied.
func (z *selected) block(p int32, rows []int32, k int, w *invertWorker) ([]float64, int) {
	all, width := z.symbolic.panel(p)
	values, first := z.panelOfInverse(p), rows[0]-all[0]
	w.at = grownOf(w.at, len(rows))
	at := 0
	for i, r := range rows {
		at = lowerBound(all, at, r)
		w.at[i] = at
		at++
	}
	consecutive := int(rows[k-1]-rows[0]) == k-1
	if consecutive && w.at[len(rows)-1]-w.at[0] == len(rows)-1 {
		return values[w.at[0]*width+int(first):], width
	}
	w.gathered = grown(w.gathered, len(rows)*k)
	for i, at := range w.at {
		from, to := values[at*width:(at+1)*width], w.gathered[i*k:(i+1)*k]
		if consecutive {
			copy(to, from[first:])
			continue
		}
		for j, r := range rows[:k] {
			to[j] = from[r-all[0]]
		}
	}
	return w.gathered, k
}

// at returns the entry of a row and a column of the matrix, of SAS where that is scaled, and whether L has this place.
func (z *selected) at(i, j int) (float64, bool) {
	s := z.symbolic
	row, column := s.place[i], s.place[j]
	if row < column {
		row, column = column, row
	}
	p := s.panelOf[column]
	rows, width := s.panel(p)
	at := lowerBound(rows, 0, row)
	if at == len(rows) || rows[at] != row {
		return 0, false
	}
	return z.panelOfInverse(p)[at*width+int(column-rows[0])], true
}

// on returns the entries at the places of a pattern.
func (z *selected) on(places *CSR, scale func(i int) float64) (*CSR, error) {
	out := &CSR{Rows: places.Rows, Cols: places.Cols, Ptr: append([]int(nil), places.Ptr...), Col: append([]int32(nil), places.Col...), Val: make([]float64, places.NNZ())}
	for i := range places.Rows {
		for p := places.Ptr[i]; p < places.Ptr[i+1]; p++ {
			j := int(places.Col[p])
			v, there := z.at(i, j)
			if !there {
				return nil, fmt.Errorf("sparse: the entry of the inverse in row %d, column %d (counting from 0) is not at a place of L, and is not computed; leave it out, store a zero there in the matrix, or solve with a column of the identity", i, j)
			}
			out.Val[p] = twoSided(v, scale(i), scale(j))
		}
	}
	return out, nil
}

// places are the places of L and of its transpose, in the order of the matrix.
func (z *selected) places() (*CSR, error) {
	s := z.symbolic
	return FromEntries(s.n, s.n, func(put func(i, j int, v float64)) {
		for p := range int32(len(s.rowLo)) {
			rows, width := s.panel(p)
			for j, column := range rows[:width] {
				put(int(s.perm[column]), int(s.perm[column]), 0)
				for _, row := range rows[j+1:] {
					put(int(s.perm[row]), int(s.perm[column]), 0)
					put(int(s.perm[column]), int(s.perm[row]), 0)
				}
			}
		}
	})
}

// sums returns a [BackwardError] where the diagonal of A·A⁻¹ is not one, which needs only the entries at the places of A.
func (c *LDLT) sums(z *selected) error {
	var worst float64
	scale := c.numeric.scale
	own := func(i int) float64 {
		if scale == nil {
			return c.shift
		}
		return twoSided(c.shift, scale[i], scale[i])
	}
	for i := range c.given.Rows {
		cols, vals := c.given.Row(i)
		v, _ := z.at(i, i)
		sum, size := own(i)*v, 1+math.Abs(own(i)*v)
		for p, j := range cols {
			v, _ := z.at(i, int(j))
			sum, size = sum+vals[p]*v, size+math.Abs(vals[p]*v)
		}
		if e := math.Abs(sum-1) / size; !(e <= worst) {
			worst = e
		}
	}
	if !(worst <= inverseError) {
		return &BackwardError{Backward: worst, Inverse: true}
	}
	return nil
}
