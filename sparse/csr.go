package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// CSR is a sparse matrix in compressed rows: row i has the columns
// Col[Ptr[i]:Ptr[i+1]], ascending and distinct, with the values Val at
// the same indices. It implements gonum's mat.Matrix.
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

// columns returns the columns of row i, of a pattern without values too.
func (a *CSR) columns(i int) []int32 { return a.Col[a.Ptr[i]:a.Ptr[i+1]] }

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

// FromTriplets is [FromEntries] of a slice. O(nnz log nnz).
func FromTriplets(rows, cols int, entries []Triplet) (*CSR, error) {
	return FromEntries(rows, cols, func(put func(i, j int, v float64)) {
		for _, e := range entries {
			put(e.Row, e.Col, e.Val)
		}
	})
}

// FromEntries builds a matrix of the entries that `each` puts, in any order; it is called twice, and puts the same both times. Entries
// at the same place are added in the order given. An index outside the matrix is an error. It takes no memory besides the
// matrix and a copy of one row. O(nnz log nnz).
func FromEntries(rows, cols int, each func(put func(i, j int, v float64))) (*CSR, error) {
	if rows < 0 || cols < 0 || cols > math.MaxInt32 || rows > math.MaxInt32 {
		return nil, fmt.Errorf("sparse: a %d × %d matrix is outside what 32-bit indices hold", rows, cols)
	}
	return gathered(rows, cols, each)
}

// Validate returns an error unless the row pointers divide the entries, the columns of
// every row ascend within the matrix, and all values are finite. It names the first
// entry that is not so. O(nnz).
func (a *CSR) Validate() error {
	if err := a.validateStructure(); err != nil {
		return err
	}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, v := range vals {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("sparse matrix: the entry in row %d, column %d (counting from 0) is %v; give finite numbers", i, cols[p], v)
			}
		}
	}
	return nil
}

// ValidatePointers is Validate of the row pointers alone: they divide the entries. O(rows).
func (a *CSR) ValidatePointers() error {
	if a.Rows < 0 || a.Cols < 0 || len(a.Ptr) != a.Rows+1 || a.Ptr[0] != 0 {
		return fmt.Errorf("sparse matrix: %d row pointers for %d rows; give one more than rows, the first of them 0", len(a.Ptr), a.Rows)
	}
	if last := a.Ptr[a.Rows]; last != len(a.Col) || last != len(a.Val) {
		return fmt.Errorf("sparse matrix: row pointers to %d entries where there are %d columns and %d values; give as many of each", last, len(a.Col), len(a.Val))
	}
	for i := range a.Rows {
		if a.Ptr[i] > a.Ptr[i+1] || a.Ptr[i+1] > len(a.Col) {
			return fmt.Errorf("sparse matrix: the pointers of row %d are %d and %d, of %d entries; let them ascend", i, a.Ptr[i], a.Ptr[i+1], len(a.Col))
		}
	}
	return nil
}

// validateStructure is Validate without the values.
func (a *CSR) validateStructure() error {
	if err := a.ValidatePointers(); err != nil {
		return err
	}
	for i := range a.Rows {
		cols, _ := a.Row(i)
		before := int32(-1)
		for _, j := range cols {
			if j < 0 || int(j) >= a.Cols {
				return fmt.Errorf("sparse matrix: row %d has an entry in column %d of a %d × %d matrix (counting from 0); correct its indices", i, j, a.Rows, a.Cols)
			}
			if j <= before {
				return fmt.Errorf("sparse matrix: row %d (counting from 0) has column %d behind column %d; sort the columns of a row and add what is at one place", i, j, before)
			}
			before = j
		}
	}
	return nil
}

// Transposed returns the transpose in compressed rows, a copy. O(nnz + rows + columns).
func (a *CSR) Transposed() *CSR {
	t := &CSR{Rows: a.Cols, Cols: a.Rows, Ptr: make([]int, a.Cols+1), Col: make([]int32, len(a.Col)), Val: make([]float64, len(a.Val))}
	for _, j := range a.Col {
		t.Ptr[j+1]++
	}
	for j := range a.Cols {
		t.Ptr[j+1] += t.Ptr[j]
	}
	next := append([]int(nil), t.Ptr[:a.Cols]...)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			t.Col[next[j]], t.Val[next[j]] = int32(i), vals[p]
			next[j]++
		}
	}
	return t
}

// Permuted returns PAPᵀ of a square matrix: row and column k of the result are row and
// column perm[k] of A, where perm holds every number below n once.
func (a *CSR) Permuted(perm []int32) *CSR {
	place := make([]int32, len(perm))
	for k, i := range perm {
		place[i] = int32(k)
	}
	b := &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, a.NNZ()), Val: make([]float64, 0, a.NNZ())}
	var keys []int64 // of the current row: the column, and the place of its entry
	for _, i := range perm {
		cols, vals := a.Row(int(i))
		keys = keys[:0]
		for q, j := range cols {
			keys = append(keys, int64(place[j])<<32|int64(q))
		}
		slices.Sort(keys)
		for _, key := range keys {
			b.Col, b.Val = append(b.Col, int32(key>>32)), append(b.Val, vals[key&0xffffffff])
		}
		b.Ptr = append(b.Ptr, len(b.Col))
	}
	return b
}

// productRows is the number of rows of a product that a worker computes at a
// time: enough to hide the hand-out, few enough to balance uneven rows.
const productRows = 1024

// MulVec computes y = A·x. The sums of a row have one order (see
// [blas.MulCSR]), so the result does not depend on the number of threads. No
// allocation on one thread.
func (a *CSR) MulVec(threads int, x, y []float64) {
	x = x[:a.Cols]
	// The context is never cancelled, so neither is the loop.
	_ = blas.For(context.Background(), threads, a.Rows, productRows, func(_, lo, hi int) {
		blas.MulCSR(lo, hi, a.Ptr, a.Col, a.Val, x, y)
	})
}

// MulBlock computes Y = A·X for w columns at once: x is Cols×w and y Rows×w,
// row-major. The columns are the unit of memory traffic: eight cost about as
// much as two alone.
func (a *CSR) MulBlock(threads, w int, x, y []float64) {
	x = x[:a.Cols*w]
	_ = blas.For(context.Background(), threads, a.Rows, productRows, func(_, lo, hi int) {
		blas.MulCSRBlock(w, lo, hi, a.Ptr, a.Col, a.Val, x, y)
	})
}

// Add returns αA + βB, with an entry wherever A or B has one. Both must be valid (see
// [CSR.Validate]) and of one shape. O(nnz).
func Add(alpha float64, a *CSR, beta float64, b *CSR) (*CSR, error) {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return nil, fmt.Errorf("sparse: a %d × %d matrix and one of %d × %d have no sum; give two of one shape", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	sum := &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, a.Rows+1)}
	room := 0
	eachPlace(a, b, 0, func(int, int32, float64, float64) { room++ })
	sum.Col, sum.Val = make([]int32, 0, room), make([]float64, 0, room)
	eachPlace(a, b, 0, func(i int, j int32, v, w float64) {
		sum.Col, sum.Val = append(sum.Col, j), append(sum.Val, alpha*v+beta*w)
		sum.Ptr[i+1] = len(sum.Col)
	})
	for i := range sum.Rows {
		sum.Ptr[i+1] = max(sum.Ptr[i], sum.Ptr[i+1])
	}
	return sum, nil
}

// eachPlace visits the places at which one of two matrices has an entry, in order, with
// absent for the value of one that has none.
func eachPlace(a, b *CSR, absent float64, visit func(i int, j int32, v, w float64)) {
	for i := range a.Rows {
		acols, avals := a.Row(i)
		bcols, bvals := b.Row(i)
		for len(acols) > 0 || len(bcols) > 0 {
			switch {
			case len(bcols) == 0 || len(acols) > 0 && acols[0] < bcols[0]:
				visit(i, acols[0], avals[0], absent)
				acols, avals = acols[1:], avals[1:]
			case len(acols) == 0 || bcols[0] < acols[0]:
				visit(i, bcols[0], absent, bvals[0])
				bcols, bvals = bcols[1:], bvals[1:]
			default:
				visit(i, acols[0], avals[0], bvals[0])
				acols, avals, bcols, bvals = acols[1:], avals[1:], bcols[1:], bvals[1:]
			}
		}
	}
}
