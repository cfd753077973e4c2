package sparse

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// CSR is a sparse matrix in compressed rows: row i has the columns
// Col[Ptr[i]:Ptr[i+1]], ascending and distinct, with the values Val beside
// them. It implements gonum's mat.Matrix.
type CSR struct {
	Rows, Cols int
	Ptr        []int
	Col        []int32
	Val        []float64
}

// Dims returns the number of rows and columns.
func (a *CSR) Dims() (r, c int) { return a.Rows, a.Cols }

// At returns one entry, by binary search in its row.
func (a *CSR) At(i, j int) float64 {
	if i < 0 || i >= a.Rows || j < 0 || j >= a.Cols {
		panic("sparse: index out of range")
	}
	cols, vals := a.Row(i)
	p := sort.Search(len(cols), func(p int) bool { return int(cols[p]) >= j })
	if p < len(cols) && int(cols[p]) == j {
		return vals[p]
	}
	return 0
}

// T returns the transpose as a view.
func (a *CSR) T() mat.Matrix { return mat.Transpose{Matrix: a} }

// Row returns the columns and values of row i; both share storage with a.
func (a *CSR) Row(i int) ([]int32, []float64) {
	lo, hi := a.Ptr[i], a.Ptr[i+1]
	return a.Col[lo:hi], a.Val[lo:hi]
}

// RowRange returns rows lo to hi − 1 as a matrix that shares their storage.
func (a *CSR) RowRange(lo, hi int) *CSR {
	b := &CSR{Rows: hi - lo, Cols: a.Cols, Ptr: make([]int, hi-lo+1), Col: a.Col[a.Ptr[lo]:a.Ptr[hi]], Val: a.Val[a.Ptr[lo]:a.Ptr[hi]]}
	for i := range b.Ptr {
		b.Ptr[i] = a.Ptr[lo+i] - a.Ptr[lo]
	}
	return b
}

// Bytes is the memory of the matrix.
func (a *CSR) Bytes() int64 {
	return 8*int64(len(a.Ptr)) + 4*int64(cap(a.Col)) + 8*int64(cap(a.Val))
}

// NNZ returns the number of stored entries.
func (a *CSR) NNZ() int { return len(a.Col) }

// RowSumNorm returns |A| = maxᵢ Σⱼ |aᵢⱼ|, a bound on every eigenvalue's size.
func (a *CSR) RowSumNorm() float64 {
	var norm float64
	for i := range a.Rows {
		_, vals := a.Row(i)
		var sum float64
		for _, v := range vals {
			sum += math.Abs(v)
		}
		norm = max(norm, sum)
	}
	return norm
}

// Dense returns a as a dense row-major matrix.
func (a *CSR) Dense() *mat.Dense {
	data := make([]float64, a.Rows*a.Cols)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			data[i*a.Cols+int(j)] = vals[p]
		}
	}
	return mat.NewDense(a.Rows, a.Cols, data)
}

// Triplet is one entry of a matrix given in coordinates.
type Triplet struct {
	Row, Col int
	Val      float64
}

// FromTriplets builds a matrix from coordinates in any order. Entries at the
// same place are added in the order given. An index outside the matrix is an
// error. O(nnz log nnz).
func FromTriplets(rows, cols int, entries []Triplet) (*CSR, error) {
	if rows < 0 || cols < 0 || cols > math.MaxInt32 || rows > math.MaxInt32 {
		return nil, fmt.Errorf("sparse: a %d × %d matrix is outside what 32-bit indices hold", rows, cols)
	}
	for _, e := range entries {
		if e.Row < 0 || e.Row >= rows || e.Col < 0 || e.Col >= cols {
			return nil, fmt.Errorf("sparse: entry (%d, %d) outside a %d × %d matrix", e.Row, e.Col, rows, cols)
		}
	}
	return gathered(rows, cols, func(put func(i, j int, v float64)) {
		for _, e := range entries {
			put(e.Row, e.Col, e.Val)
		}
	})
}
