package sparse

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/orthant-go/orthant/blas/pages"
)

// AsymmetryError says at which place a matrix differs from its transpose. Find it in an
// error with errors.As.
type AsymmetryError struct {
	Row, Column   int
	Value, Mirror float64 // a(Row, Column) and a(Column, Row); 0 where nothing is stored
}

func (e *AsymmetryError) Error() string {
	return fmt.Sprintf("the matrix is not symmetric: the entry in row %d, column %d (counting from 0) is %v and its mirror in row %d, column %d is %v; give equal entries, or (A + Aᵀ)/2",
		e.Row, e.Column, e.Value, e.Column, e.Row, e.Mirror)
}

// Rounding may make mirror entries differ by mirrorShare of their size, or by
// roundingShare of the largest row sum where they are what cancellation has left.
const (
	mirrorShare   = 1e-10
	roundingShare = 0x1p-46
)

// CheckSymmetric returns an [*AsymmetryError] for the first pair of mirror entries that
// differ by more than rounding: by 1e-10 of their size and 1.4e-14 of the largest row
// sum. Zeros that are stored on one side alone are no difference. The matrix must be
// square and valid (see [CSR.Validate]). O(nnz), 8n bytes.
func (a *CSR) CheckSymmetric() error {
	_, err := a.mirrors(nil)
	return err
}

// differ reports whether more than rounding is between mirror entries.
func differ(v, w, floor float64) bool {
	d := math.Abs(v - w)
	return d > floor && d > mirrorShare*max(math.Abs(v), math.Abs(w))
}

// mirrored reports whether every entry has its mirror stored, with the same bits, which nearly always is so. met has
// room for a number a row. Row i stores its entries beyond the diagonal in the order in which the rows of their
// mirrors come.
func (a *CSR) mirrored(met []int) bool {
	left := 0 // entries beyond the diagonal whose mirrors have not come
	for i := range a.Rows {
		cols, vals := a.Row(i)
		vals = vals[:len(cols)]
		p := 0
		for ; p < len(cols) && int(cols[p]) < i; p++ {
			j := cols[p]
			at := met[j]
			if at >= a.Ptr[j+1] || int(a.Col[at]) != i || a.Val[at] != vals[p] {
				return false
			}
			met[j] = at + 1
		}
		left -= p
		if p < len(cols) && int(cols[p]) == i {
			p++
		}
		met[i] = a.Ptr[i] + p
		left += len(cols) - p
	}
	return left == 0
}

// CheckSymmetricDense is [CSR.CheckSymmetric] for a dense square matrix of finite
// entries. O(n²).
func CheckSymmetricDense(a blas64.General) error {
	var norm float64
	for i := range a.Rows {
		var sum float64
		for _, v := range a.Data[i*a.Stride : i*a.Stride+a.Cols] {
			sum += math.Abs(v)
		}
		norm = max(norm, sum)
	}
	for i := range a.Rows {
		for j := range i {
			if v, w := a.Data[i*a.Stride+j], a.Data[j*a.Stride+i]; differ(v, w, roundingShare*norm) {
				return &AsymmetryError{Row: i, Column: j, Value: v, Mirror: w}
			}
		}
	}
	return nil
}

// mirrors looks at every pair of mirror entries; alone is the number of entries whose
// mirror is not stored. While rows are visited in order, the entries of column j come
// up in the order in which row j stores their mirrors. met has room for a number a row;
// nil: it is made.
func (a *CSR) mirrors(met []int) (alone int, err error) {
	if a.Rows != a.Cols {
		return 0, fmt.Errorf("a %d × %d matrix is not symmetric; give a square one", a.Rows, a.Cols)
	}
	met = append(met[:0], a.Ptr[:a.Rows]...)
	if a.mirrored(met) {
		return 0, nil
	}
	floor := roundingShare * a.RowSumNorm()
	differ := func(v, w float64) bool { return differ(v, w, floor) }
	met = append(met[:0], a.Ptr[:a.Rows]...)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, c := range cols {
			j := int(c)
			for met[j] < a.Ptr[j+1] && int(a.Col[met[j]]) < i {
				met[j]++ // an entry whose mirror is not stored, counted in its own row
			}
			if met[j] < a.Ptr[j+1] && int(a.Col[met[j]]) == i {
				if w := a.Val[met[j]]; differ(vals[p], w) {
					return alone, &AsymmetryError{Row: i, Column: j, Value: vals[p], Mirror: w}
				}
				met[j]++
				continue
			}
			if differ(vals[p], 0) {
				return alone, &AsymmetryError{Row: i, Column: j, Value: vals[p]}
			}
			alone++
		}
	}
	return alone, nil
}

// Symmetric returns a where every entry has its mirror stored, as factorisations need
// it, and otherwise (A + Aᵀ)/2, with both. The error is the same as of [CSR.CheckSymmetric].
func (a *CSR) Symmetric() (*CSR, error) {
	alone, err := a.mirrors(nil)
	if err != nil || alone == 0 {
		return a, err
	}
	return gathered(a.Rows, a.Cols, func(put func(i, j int, v float64)) {
		a.DoNonZero(func(i, j int, v float64) {
			put(i, j, v/2)
			put(j, i, v/2)
		})
	})
}

// checkRows returns an error unless a is square, its row pointers divide its
// entries, and these lie within it. O(nnz), but light.
func checkRows(a *CSR) error {
	n := a.Rows
	if a.Cols != n {
		return fmt.Errorf("sparse: a %d × %d matrix has no symmetric factorisation; it must be square", a.Rows, a.Cols)
	}
	if len(a.Ptr) != n+1 || a.Ptr[0] != 0 || a.Ptr[n] != len(a.Col) {
		return fmt.Errorf("sparse: row pointers do not fit %d rows of %d entries together", n, len(a.Col))
	}
	for i := range n {
		if a.Ptr[i] > a.Ptr[i+1] {
			return fmt.Errorf("sparse: row pointers decrease after row %d", i)
		}
	}
	for _, j := range a.Col {
		if uint32(j) >= uint32(n) {
			return fmt.Errorf("sparse: column %d is outside a matrix of order %d", j, n)
		}
	}
	return nil
}

// checkSymmetric returns an error unless a is square, well formed and has with
// every entry (i, j) an entry (j, i). O(nnz).
func checkSymmetric(a *CSR) error {
	if err := checkRows(a); err != nil {
		return err
	}
	n := a.Rows
	// Rows are visited in order, so the entries of row j must be met in order too
	// when they are looked for as the mirrors of entries in column j.
	met := make([]int, n)
	copy(met, a.Ptr[:n])
	for i := range n {
		before := int32(-1)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if j <= before {
				return fmt.Errorf("sparse: columns %d and %d in row %d are not in ascending order", before, j, i)
			}
			before = j
			p := met[j]
			if p == a.Ptr[j+1] || int(a.Col[p]) != i {
				return fmt.Errorf("sparse: the pattern is not symmetric: entries (%d, %d) and (%d, %d) are not both there", i, j, j, i)
			}
			met[j]++
		}
	}
	return nil
}

// Fold leaves of a symmetric matrix its lower triangle, in its own storage, and gives the
// memory of the rest back to the system. [CSR.Unfold] undoes it. In between the matrix
// is a triangle to all others. O(nnz).
func (a *CSR) Fold() {
	end := 0
	for i := range a.Rows {
		cols, vals := a.Row(i)
		count, _ := slices.BinarySearch(cols, int32(i)+1)
		copy(a.Col[end:], cols[:count])
		copy(a.Val[end:], vals[:count])
		a.Ptr[i] = end
		end += count
	}
	a.Ptr[a.Rows] = end
	pages.Release(a.Col[end:])
	pages.Release(a.Val[end:])
	a.Col, a.Val = a.Col[:end], a.Val[:end]
}

// Unfold makes a lower triangle the symmetric matrix that it is the triangle of, with or without values. Where the
// storage has room for that, it stays where it is. O(nnz).
func (a *CSR) Unfold() {
	ptr := make([]int, a.Rows+1)
	for i := range a.Rows {
		cols := a.columns(i)
		ptr[i+1] += len(cols)
		for _, j := range cols {
			if int(j) < i {
				ptr[j+1]++
			}
		}
	}
	for i := range a.Rows {
		ptr[i+1] += ptr[i]
	}
	// From the last row on: where a row goes, no row before it is.
	full, valued := ptr[a.Rows], len(a.Val) > 0
	col, val := inRoom(a.Col, full), a.Val
	if valued {
		val = inRoom(a.Val, full)
	}
	next := make([]int, a.Rows) // the place after the last entry of each row
	for i := a.Rows - 1; i >= 0; i-- {
		lo, hi := a.Ptr[i], a.Ptr[i+1]
		next[i] = ptr[i] + copy(col[ptr[i]:], a.Col[lo:hi])
		if valued {
			copy(val[ptr[i]:], a.Val[lo:hi])
		}
	}
	// Going through the rows in order leaves the upper part of every row sorted, too.
	for i := range a.Rows {
		for p := ptr[i]; p < next[i]; p++ {
			j := col[p]
			if int(j) >= i {
				continue
			}
			col[next[j]] = int32(i)
			if valued {
				val[next[j]] = val[p]
			}
			next[j]++
		}
	}
	a.Ptr, a.Col, a.Val = ptr, col, val
}

// inRoom is storage for n elements: the storage of x where it has room.
func inRoom[T pages.Number](x []T, n int) []T {
	if cap(x) >= n {
		return x[:n]
	}
	return pages.Make[T](n)
}
