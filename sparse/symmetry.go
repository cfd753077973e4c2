package sparse

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// AsymmetryError says at which place a matrix differs from its transpose. Find it in an
// error with errors.As.
type AsymmetryError struct {
	Row, Column   int
	Value, Mirror float64 // a(Row, Column) and a(Column, Row); 0 where nothing is stored
}

func (e *AsymmetryError) Error() string {
	return fmt.Sprintf("the matrix is not symmetric: the entry in row %d, column %d (counting from 0) is %v and its mirror in row %d, column %d is %v; give both alike, or (A + Aᵀ)/2",
		e.Row, e.Column, e.Value, e.Column, e.Row, e.Mirror)
}

// Rounding may tell mirror entries apart by mirrorShare of their size, or by
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

// differ tells whether more than rounding is between mirror entries.
func differ(v, w, floor float64) bool {
	d := math.Abs(v - w)
	return d > floor && d > mirrorShare*max(math.Abs(v), math.Abs(w))
}

// mirrored tells whether every entry has its mirror stored, with the same bits, which nearly always is so. met has
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
// it, and otherwise (A + Aᵀ)/2, with both. The error is that of [CSR.CheckSymmetric].
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
