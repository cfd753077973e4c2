package sparse

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	storage "github.com/james-bowman/sparse"
	"github.com/james-bowman/sparse/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/pages"
)

var _ storage.Sparser = (*CSR)(nil)

// Of returns a sparse matrix in compressed rows; isSparse is false for any other matrix.
// Sparse are a [*CSR], which is returned as it is, the CSR, CSC, COO and DOK of
// github.com/james-bowman/sparse and whatever else is a Sparser of that package, and
// transposes of them all.
//
// A CSR of that package whose rows list their columns ascending and distinct is not
// copied: the result shares its row pointers and values, and has 32-bit columns of its
// own. It must not be changed while the result is in use. All others are copied once.
// Entries at one place are added in the order in which they are stored, as COO means
// them; what COO.ToCSR leaves apart of them is added, too. Stored zeros stay.
//
// Errors are about more rows or columns than 32-bit indices hold, an entry outside the
// matrix, pointers or slices that do not fit together, and columns of a [*CSR] that do not
// ascend in their row. O(nnz + rows), and for rows
// in no order O(nnz log² nnz).
func Of(x mat.Matrix) (a *CSR, isSparse bool, err error) {
	if a, is := x.(*CSR); is {
		if err := a.validateStructure(); err != nil {
			return nil, true, err
		}
		return a, true, nil
	}
	each, rows, cols := visitor(x)
	if each == nil {
		return nil, false, nil
	}
	if rows < 0 || cols < 0 || rows > math.MaxInt32 || cols > math.MaxInt32 {
		return nil, true, fmt.Errorf("sparse matrix: %d × %d is outside what 32-bit indices hold; give fewer than 2³¹ rows and columns", rows, cols)
	}
	if raw := arrays(x); raw != nil {
		if err := wellFormed(raw); err != nil {
			return nil, true, err
		}
	}
	if m, is := x.(*storage.CSR); is && inOrder(m.RawMatrix()) {
		return sharing(m.RawMatrix()), true, nil
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error: // COO takes slices of any lengths, and shows none of them
			a, isSparse, err = nil, true, errors.New("sparse matrix: the entries have fewer rows or columns than values; give as many of each")
		default:
			panic(p)
		}
	}()
	a, err = gathered(rows, cols, each)
	return a, true, err
}

// OfBytes returns the memory of a sparse matrix as it is held, and of the copy that [Of]
// makes in addition; isSparse is as in [Of]. O(nnz) at most.
func OfBytes(x mat.Matrix) (held, copied int64, isSparse bool) {
	if a, is := x.(*CSR); is {
		return a.Bytes(), 0, true
	}
	inside := x
	for t, is := inside.(mat.Transpose); is; t, is = inside.(mat.Transpose) {
		inside = t.Matrix
	}
	s, is := inside.(storage.Sparser)
	if !is {
		return 0, 0, false
	}
	nnz := int64(s.NNZ())
	held = 24 * nnz // in coordinates
	if raw := arrays(inside); raw != nil {
		held = 8 * int64(cap(raw.Indptr)+cap(raw.Ind)+cap(raw.Data))
	}
	switch inside := inside.(type) {
	case *CSR:
		held = inside.Bytes()
	case *storage.DOK:
		held = 64 * nnz // of a map, 24 an entry between 7/16 and 7/8 full, and its control bytes
	}
	if m, is := x.(*storage.CSR); is && wellFormed(m.RawMatrix()) == nil && inOrder(m.RawMatrix()) {
		return held, 4 * nnz, true
	}
	rows, _ := x.Dims()
	return held, 12*nnz + 8*int64(rows+1), true
}

// Storage returns the matrix in the type of github.com/james-bowman/sparse, which shares
// its values. Setting a stored entry of one changes it in both; a new entry of the result
// is its own.
func (a *CSR) Storage() *storage.CSR {
	ind := make([]int, len(a.Col))
	for p, j := range a.Col {
		ind[p] = int(j)
	}
	// Without spare capacity a new entry moves the result's values away from a's.
	vals := a.Val[:len(a.Val):len(a.Val)]
	return storage.NewCSR(a.Rows, a.Cols, append([]int(nil), a.Ptr...), ind, vals)
}

// DoNonZero calls fn for each stored entry, row by row.
func (a *CSR) DoNonZero(fn func(i, j int, v float64)) {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			fn(i, int(j), vals[p])
		}
	}
}

// visitor visits the entries of a sparse matrix of that shape; nil: it is not sparse.
func visitor(x mat.Matrix) (each visit, rows, cols int) {
	switch x := x.(type) {
	case mat.Transpose:
		inside, cols, rows := visitor(x.Matrix)
		if inside == nil {
			return nil, 0, 0
		}
		return func(fn func(i, j int, v float64)) {
			inside(func(j, i int, v float64) { fn(i, j, v) })
		}, rows, cols
	case storage.Sparser:
		rows, cols = x.Dims()
		return x.DoNonZero, rows, cols
	}
	return nil, 0, 0
}

// arrays returns the arrays of a matrix in compressed rows or columns; nil: it has
// none.
func arrays(x mat.Matrix) *blas.SparseMatrix {
	switch x := x.(type) {
	case *storage.CSR:
		return x.RawMatrix()
	case *storage.CSC:
		return x.RawMatrix()
	case mat.Transpose:
		return arrays(x.Matrix)
	}
	return nil
}

// wellFormed refuses pointers that lead outside the entries. They are not checked before: the
// constructors accept any arguments.
func wellFormed(m *blas.SparseMatrix) error {
	if len(m.Indptr) != m.I+1 && (m.I > 0 || len(m.Indptr) > 0) {
		return fmt.Errorf("sparse matrix: %d pointers for %d compressed rows or columns; give one more than these", len(m.Indptr), m.I)
	}
	last := 0
	for i, p := range m.Indptr {
		if p < last {
			return fmt.Errorf("sparse matrix: pointer %d (counting from 1) is %d, behind one of %d; let them ascend from 0", i+1, p, last)
		}
		last = p
	}
	if last > len(m.Ind) || last > len(m.Data) || len(m.Ind) != len(m.Data) {
		return fmt.Errorf("sparse matrix: pointers to %d entries where there are %d indices and %d values; give as many of each", last, len(m.Ind), len(m.Data))
	}
	return nil
}

// inOrder reports whether every row of a well-formed matrix has its columns ascending,
// distinct and inside the matrix, and the first begins with the first entry.
func inOrder(m *blas.SparseMatrix) bool {
	if len(m.Indptr) == 0 || m.Indptr[0] != 0 {
		return false
	}
	for i := range m.I {
		last := -1
		for _, j := range m.Ind[m.Indptr[i]:m.Indptr[i+1]] {
			if j <= last || j >= m.J {
				return false
			}
			last = j
		}
	}
	return true
}

// sharing is a matrix in order with the row pointers and values of m.
func sharing(m *blas.SparseMatrix) *CSR {
	nnz := m.Indptr[m.I]
	a := &CSR{Rows: m.I, Cols: m.J, Ptr: m.Indptr, Col: make([]int32, nnz), Val: m.Data[:nnz:nnz]}
	for p, j := range m.Ind[:nnz] {
		a.Col[p] = int32(j)
	}
	return a
}

// visit calls a function for each stored entry, in the order of storage.
type visit func(fn func(i, j int, v float64))

// gathered copies entries in any order, twice the same, into compressed rows.
func gathered(rows, cols int, each visit) (*CSR, error) {
	a := &CSR{Rows: rows, Cols: cols, Ptr: make([]int, rows+1)}
	if err := a.count(each); err != nil {
		return nil, err
	}
	for i := range rows {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col, a.Val = pages.Make[int32](a.Ptr[rows]), pages.Make[float64](a.Ptr[rows])
	// Every pointer runs through its row, and ends where the next begins.
	each(func(i, j int, v float64) {
		p := a.Ptr[i]
		a.Col[p], a.Val[p] = int32(j), v
		a.Ptr[i]++
	})
	copy(a.Ptr[1:], a.Ptr[:rows])
	a.Ptr[0] = 0
	a.merge()
	return a, nil
}

// count puts the number of entries of row i into Ptr[i+1], and refuses those outside the
// matrix.
func (a *CSR) count(each visit) (err error) {
	each(func(i, j int, _ float64) {
		if i >= 0 && i < a.Rows && j >= 0 && j < a.Cols {
			a.Ptr[i+1]++
		} else if err == nil {
			err = fmt.Errorf("sparse matrix: row %d, column %d (counting from 1) has an entry outside the %d × %d matrix; correct its indices", i+1, j+1, a.Rows, a.Cols)
		}
	})
	return err
}

// merge sorts each row by its columns and sums duplicate entries in stored order.
func (a *CSR) merge() {
	to, from := 0, 0
	var keys []uint64
	var stored []float64
	for i := range a.Rows {
		end := a.Ptr[i+1]
		cols, vals := a.Col[from:end], a.Val[from:end]
		if !slices.IsSorted(cols) {
			keys, stored = sortedKeys(keys, cols), append(stored[:0], vals...)
			for at, key := range keys {
				cols[at], vals[at] = int32(key>>32), stored[uint32(key)]
			}
		}
		first := to
		for p, j := range cols {
			if to > first && a.Col[to-1] == j {
				a.Val[to-1] += vals[p]
				continue
			}
			a.Col[to], a.Val[to] = j, vals[p]
			to++
		}
		from, a.Ptr[i+1] = end, to
	}
	a.Col, a.Val = a.Col[:to], a.Val[:to]
}
