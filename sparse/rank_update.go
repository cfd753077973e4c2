package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	// rankBlock is the number of vectors that pass over the factor together.
	rankBlock = 16
	// leastShare is the least share of the determinant that subtracting a vector may leave: below it, 1 − wᵀA⁻¹w is what cancellation has left.
	leastShare = 0x1p-46
)

// DowndateError says that a matrix is not positive definite once vectors are subtracted, or singular within rounding: the pivot of a row and
// column of the matrix. It is also a [*NotPositiveDefiniteError].
type DowndateError struct {
	Vector int // counting from 0
	Column int
	Pivot  float64
}

func (e *DowndateError) Error() string {
	rounding := ""
	if e.Pivot > 0 {
		rounding = ", which is rounding"
	}
	return fmt.Sprintf("sparse: Cholesky factorisation: subtracting vector %d (counting from 0) leaves the pivot %g in row and column %d%s: the matrix would not be positive definite, and the factor is as it was; subtract less, or factorise the difference by LDLᵀ",
		e.Vector, e.Pivot, e.Column, rounding)
}

func (e *DowndateError) Unwrap() error {
	return &NotPositiveDefiniteError{Column: e.Column, Pivot: e.Pivot, Singular: e.Pivot > 0}
}

// UpdateRank turns the factor of A into the factor of A + W·Wᵀ, or, with subtract, of A − W·Wᵀ, for an n × k matrix W, sparse or full, where A is the matrix
// with its shift. W is not kept.
//
// Every vector is followed along its path in the elimination tree, all of a block together (Davis and Hager 1999, 2001), by Givens rotations or
// stable hyperbolic ones (Bojanczyk, Brent, Van Dooren and de Hoog 1987). The time is proportional to the entries of L on these paths, for each vector; the
// panels on them are saved meanwhile, within the limit of memory. Rounding errors of many updates add up: factorise anew after some thousand.
//
// Errors leave the factor as it was. A vector that joins rows which L does not join would add entries to L: the error names the rows, and the remedy is to
// factorise the sum anew, or to store zeros at such places in the first matrix. A difference that is not positive definite is a [DowndateError].
// A later [Cholesky.UpdateValues] replaces the matrix with all its updates.
func (c *Cholesky) UpdateRank(ctx context.Context, w mat.Matrix, subtract bool) error {
	vectors, err := c.vectors(w)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.there(); err != nil {
		return err
	}
	u := rankUpdate{Factor: c.numeric.factor, sign: 1, saved: map[int32][]float64{}}
	if subtract {
		u.sign = -1
	}
	touched, err := u.paths(vectors)
	if err != nil {
		return err
	}
	more := 8*int64(rankBlock)*int64(c.Order()) + 12*int64(vectors.NNZ())
	for p, on := range touched {
		if on {
			more += 8 * int64(c.symbolic.valueAt[p+1]-c.symbolic.valueAt[p])
		}
	}
	if err := c.allows("an update of the factor", more, "raise the limit, or factorise the matrix anew"); err != nil {
		return err
	}
	for lo := 0; lo < vectors.Rows && err == nil; lo += rankBlock {
		err = u.apply(ctx, vectors.RowRange(lo, min(lo+rankBlock, vectors.Rows)), lo)
	}
	if err != nil {
		for p, values := range u.saved {
			copy(u.panelValues(p), values)
		}
	}
	return err
}

// vectors returns Wᵀ in compressed rows, without zeros.
func (c *Cholesky) vectors(w mat.Matrix) (*CSR, error) {
	each, rows, cols := visitor(w)
	if each == nil {
		rows, cols = w.Dims()
		each = func(fn func(i, j int, v float64)) {
			for i := range rows {
				for j := range cols {
					fn(i, j, w.At(i, j))
				}
			}
		}
	} else if a, is, err := Of(w); err != nil {
		return nil, fmt.Errorf("sparse: Cholesky factorisation: the vectors: %w", err)
	} else if is {
		each = a.DoNonZero
	}
	if rows != c.Order() || cols < 1 {
		return nil, fmt.Errorf("sparse: Cholesky factorisation: vectors of %d × %d for a factor of order %d; give one a column, n × k", rows, cols, c.Order())
	}
	var refused error
	out, err := gathered(cols, rows, func(fn func(i, j int, v float64)) {
		each(func(i, j int, v float64) {
			if refused == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
				refused = fmt.Errorf("sparse: Cholesky factorisation: the vectors have %v in row %d, column %d (counting from 0); give finite numbers", v, i, j)
			}
			if v != 0 {
				fn(j, i, v)
			}
		})
	})
	if err == nil {
		err = refused
	}
	return out, err
}

// rankUpdate changes a factor by vectors.
type rankUpdate struct {
	*Factor
	sign  float64             // 1: added, −1: subtracted
	saved map[int32][]float64 // panels as they were

	w         []float64 // the vectors of a block, row by row in the order of elimination
	k         int
	t, c      []float64 // rotations of a panel: t = w/Lⱼⱼ, c = √(1 ± t²), 1/c, of each column and vector
	inverse   []float64
	left      []float64 // the share of the determinant that each vector leaves
	from, row int       // of the vectors of the block, counting all; rows since the context was asked
}

// paths returns the panels that the vectors change: each begins at its first row and goes up the tree. All rows of a vector have to be rows of the first
// panel, so that L has the places of what is added.
func (f *rankUpdate) paths(vectors *CSR) ([]bool, error) {
	s := f.symbolic
	touched := make([]bool, len(s.rowLo))
	for i := range vectors.Rows {
		cols, _ := vectors.Row(i)
		if len(cols) == 0 {
			continue
		}
		first := slices.MinFunc(cols, func(a, b int32) int { return int(s.place[a] - s.place[b]) })
		p := s.panelOf[s.place[first]]
		rows, _ := s.panel(p)
		for _, j := range cols {
			if _, there := slices.BinarySearch(rows, s.place[j]); !there {
				return nil, fmt.Errorf("sparse: Cholesky factorisation: vector %d joins rows %d and %d (counting from 0), which L does not, and would add entries to it; factorise the sum anew, or store zeros at such places in the matrix first", i, first, j)
			}
		}
		for ; p != none && !touched[p]; p = s.above(p) {
			touched[p] = true
		}
	}
	return touched, nil
}

// apply changes the factor by a block of vectors.
func (f *rankUpdate) apply(ctx context.Context, vectors *CSR, from int) error {
	s := f.symbolic
	touched, err := f.paths(vectors)
	if err != nil {
		return err
	}
	f.k, f.from = vectors.Rows, from
	f.w = grown(f.w, s.n*f.k)
	clear(f.w)
	for r := range vectors.Rows {
		cols, vals := vectors.Row(r)
		for q, i := range cols {
			f.w[int(s.place[i])*f.k+r] = vals[q]
		}
	}
	size := s.widest * f.k
	f.t, f.c, f.inverse, f.left = grown(f.t, size), grown(f.c, size), grown(f.inverse, size), grown(f.left, f.k)
	for r := range f.left {
		f.left[r] = 1
	}
	for p, on := range touched {
		if !on {
			continue
		}
		if _, there := f.saved[int32(p)]; !there {
			f.saved[int32(p)] = slices.Clone(f.panelValues(int32(p)))
		}
		if err := f.panel(ctx, int32(p)); err != nil {
			return err
		}
	}
	return nil
}

// panel rotates the vectors into panel p, row by row: what follows of each row are entries of L and of the vectors in that row alone.
func (f *rankUpdate) panel(ctx context.Context, p int32) error {
	rows, width := f.symbolic.panel(p)
	values := f.panelValues(p)
	for i, r := range rows {
		if f.row++; f.row%256 == 0 || i == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		row, w := values[i*width:(i+1)*width], f.w[int(r)*f.k:(int(r)+1)*f.k]
		for j := range min(i, width) {
			row[j] = f.rotate(row[j], w, j)
		}
		if i >= width {
			continue
		}
		if err := f.pivot(row, w, i, r); err != nil {
			return err
		}
	}
	return nil
}

// rotate applies the rotations of column j to the entry of L in a row and to the vectors there.
func (f *rankUpdate) rotate(l float64, w []float64, j int) float64 {
	t, c, inverse := f.t[j*f.k:(j+1)*f.k], f.c[j*f.k:(j+1)*f.k], f.inverse[j*f.k:(j+1)*f.k]
	for r, v := range w {
		if t[r] == 0 {
			continue
		}
		l = (l + f.sign*t[r]*v) * inverse[r]
		w[r] = c[r]*v - t[r]*l
	}
	return l
}

// pivot finds the rotations of column j of a panel, which is row r of L.
func (f *rankUpdate) pivot(row, w []float64, j int, r int32) error {
	t, c, inverse := f.t[j*f.k:(j+1)*f.k], f.c[j*f.k:(j+1)*f.k], f.inverse[j*f.k:(j+1)*f.k]
	for q, v := range w {
		t[q] = v * row[j] // over Lⱼⱼ
		share := 1 + t[q]*t[q]
		if f.sign < 0 {
			share = (1 - t[q]) * (1 + t[q])
		}
		f.left[q] = min(f.left[q]*share, 1)
		pivot := share / row[j] / row[j]
		if !(f.left[q] > leastShare) || !(pivot <= math.MaxFloat64) {
			if f.sign > 0 {
				return fmt.Errorf("sparse: Cholesky factorisation: adding vector %d (counting from 0) makes the pivot %g in row and column %d, beyond the range of numbers, and the factor is as it was; scale the matrix to sizes near 1", f.from+q, pivot, f.symbolic.perm[r])
			}
			return &DowndateError{Vector: f.from + q, Column: int(f.symbolic.perm[r]), Pivot: pivot}
		}
		c[q] = math.Sqrt(share)
		inverse[q] = 1 / c[q]
		row[j] *= inverse[q]
		w[q] = 0
	}
	return nil
}
