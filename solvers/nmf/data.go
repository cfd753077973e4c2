package nmf

import (
	"fmt"

	"github.com/orthant-go/orthant/sparse"
)

// Data is the n × m matrix to be factorised, one sample a row: dense, row-major,
// or sparse. It is not written to.
type Data struct {
	Rows, Cols int
	Dense      []float64   // Rows·Cols numbers; nil where Sparse is set
	Sparse     *sparse.CSR // nil where Dense is set

	transpose *sparse.CSR // of Sparse, made once a run
}

// Dense is data of n samples with m numbers each, row-major.
func Dense(n, m int, x []float64) Data { return Data{Rows: n, Cols: m, Dense: x} }

// Sparse is data in compressed rows.
func Sparse(x *sparse.CSR) Data { return Data{Rows: x.Rows, Cols: x.Cols, Sparse: x} }

// NegativeError says where data that must be nonnegative are not.
type NegativeError struct {
	Row, Col int // counting from 0
	Value    float64
}

func (e *NegativeError) Error() string {
	return fmt.Sprintf("nmf: row %d, column %d (counting from 1) of the data is %v; give finite numbers ≥ 0, or shift the columns first",
		e.Row+1, e.Col+1, e.Value)
}

// figures are what a look through the data tells.
type figures struct{ sum, squares float64 }

func (f figures) mean(d Data) float64 { return f.sum / (float64(d.Rows) * float64(d.Cols)) }

// inspect checks the data and sums them.
func (d Data) inspect() (figures, error) {
	var f figures
	if d.Rows < 1 || d.Cols < 1 {
		return f, fmt.Errorf("nmf: the data have %d rows and %d columns; give at least one of each", d.Rows, d.Cols)
	}
	if d.Sparse != nil {
		if d.Sparse.Rows != d.Rows || d.Sparse.Cols != d.Cols {
			return f, fmt.Errorf("nmf: the sparse matrix is %d × %d where %d × %d was announced", d.Sparse.Rows, d.Sparse.Cols, d.Rows, d.Cols)
		}
		for i := range d.Rows {
			cols, vals := d.Sparse.Row(i)
			if at := f.add(vals); at >= 0 {
				return f, &NegativeError{i, int(cols[at]), vals[at]}
			}
		}
		return f, f.check()
	}
	if len(d.Dense) != d.Rows*d.Cols {
		return f, fmt.Errorf("nmf: %d numbers are no %d × %d matrix", len(d.Dense), d.Rows, d.Cols)
	}
	for i := range d.Rows {
		row := d.Dense[i*d.Cols : (i+1)*d.Cols]
		if at := f.add(row); at >= 0 {
			return f, &NegativeError{i, at, row[at]}
		}
	}
	return f, f.check()
}

// add sums a row of numbers and returns the place of the first that is negative
// or not finite, else −1.
func (f *figures) add(row []float64) int {
	var sum, squares float64
	for at, v := range row {
		if !(v >= 0) || v-v != 0 {
			return at
		}
		sum += v
		squares += v * v
	}
	f.sum += sum
	f.squares += squares
	return -1
}

func (f figures) check() error {
	if f.squares-f.squares != 0 {
		return fmt.Errorf("nmf: the squares of the data overflow; scale the data down")
	}
	return nil
}

// transposed is Dᵀ of sparse data, in compressed rows.
func transposed(a *sparse.CSR) *sparse.CSR {
	t := &sparse.CSR{Rows: a.Cols, Cols: a.Rows, Ptr: make([]int, a.Cols+1), Col: make([]int32, a.NNZ()), Val: make([]float64, a.NNZ())}
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
			at := next[j]
			t.Col[at], t.Val[at] = int32(i), vals[p]
			next[j]++
		}
	}
	return t
}
