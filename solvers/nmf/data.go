package nmf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// Data is the n × m matrix X to be factorized, one sample a row: dense, row-major,
// or sparse. It is not written to.
type Data struct {
	Rows, Cols int
	// One of the three is set.
	Dense  []float64 // Rows·Cols numbers
	Single []float32 // likewise, of the squared error and KL (see [Single])
	Sparse *sparse.CSR

	Weights Weights // of the entries; the zero value: all count equally

	transpose *sparse.CSR // of Sparse, made once a run
	known     *known      // where there were weights: Dense or Sparse is then V∘X
}

// Dense is data of n samples with m numbers each, row-major.
func Dense(n, m int, x []float64) Data { return Data{Rows: n, Cols: m, Dense: x} }

// Single is Dense in half the memory. A block of rows becomes float64 when its turn comes, in
// the cache, and all that is computed is what float64 data with the same numbers give, to the
// bit. It goes with no graph and no start by singular vectors.
func Single(n, m int, x []float32) Data { return Data{Rows: n, Cols: m, Single: x} }

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

// InRow is the error about data that begin at that row of others.
func InRow(err error, row int) error {
	if bad, is := errors.AsType[*NegativeError](err); is {
		return &NegativeError{row + bad.Row, bad.Col, bad.Value}
	}
	return err
}

// Without are data of which some more entries are missing: those that a pattern stores,
// whatever its numbers. The pattern is n × m.
func (d Data) Without(pattern *sparse.CSR) Data {
	switch v := d.Weights; {
	case v.Dense != nil:
		d.Weights.Dense = append([]float64(nil), v.Dense...)
		eachStored(pattern, func(i, j int) { d.Weights.Dense[i*d.Cols+j] = 0 })
	case v.Sparse != nil:
		d.Weights.Sparse = withoutStored(v.Sparse, pattern)
	case d.Sparse == nil:
		d.Weights.Dense = make([]float64, d.Rows*d.Cols)
		for at := range d.Weights.Dense {
			d.Weights.Dense[at] = 1
		}
		if v.Less != nil {
			for i := range d.Rows {
				cols, vals := v.Less.Row(i)
				for p, j := range cols {
					d.Weights.Dense[i*d.Cols+int(j)] -= vals[p]
				}
			}
			d.Weights.Less = nil
		}
		eachStored(pattern, func(i, j int) { d.Weights.Dense[i*d.Cols+j] = 0 })
	default:
		d.Weights.Less = lessOf(v.Less, pattern)
	}
	return d
}

// dataSums are sums over the entries of the data, each times its weight.
type dataSums struct {
	sum, squares float64
	entries      float64 // the sum of the weights; 0: there are none
}

func (s dataSums) mean(d Data) float64 {
	if s.entries > 0 {
		return s.sum / s.entries
	}
	return s.sum / (float64(d.Rows) * float64(d.Cols))
}

// checkShape refuses data that are not a matrix of their shape.
func (d Data) checkShape() error {
	switch {
	case d.Rows < 1 || d.Cols < 1:
		return fmt.Errorf("nmf: the data have %d rows and %d columns; give at least one of each", d.Rows, d.Cols)
	case d.Sparse != nil && (d.Sparse.Rows != d.Rows || d.Sparse.Cols != d.Cols):
		return fmt.Errorf("nmf: the sparse matrix is %d × %d where %d × %d was announced", d.Sparse.Rows, d.Sparse.Cols, d.Rows, d.Cols)
	case d.Sparse == nil && d.Single == nil && len(d.Dense) != d.Rows*d.Cols:
		return fmt.Errorf("nmf: %d numbers are no %d × %d matrix", len(d.Dense), d.Rows, d.Cols)
	}
	return nil
}

// inspect checks the data and sums them.
func (d Data) inspect() (dataSums, error) {
	var s dataSums
	if err := d.checkShape(); err != nil {
		return s, err
	}
	if d.known != nil {
		return d.known.sums, nil
	}
	if d.Sparse != nil {
		for i := range d.Rows {
			cols, vals := d.Sparse.Row(i)
			if at := s.add(vals); at >= 0 {
				return s, &NegativeError{i, int(cols[at]), vals[at]}
			}
		}
		return s, s.check()
	}
	if d.Single != nil {
		err := d.inspectSingle(&s)
		return s, err
	}
	for i := range d.Rows {
		row := d.Dense[i*d.Cols : (i+1)*d.Cols]
		if at := s.add(row); at >= 0 {
			return s, &NegativeError{i, at, row[at]}
		}
	}
	return s, s.check()
}

// add sums a row of numbers and returns the place of the first that is negative
// or not finite, else −1.
func (s *dataSums) add(row []float64) int {
	var sum, squares float64
	for at, v := range row {
		if !(v >= 0) || v-v != 0 {
			return at
		}
		sum += v
		squares += v * v
	}
	s.sum += sum
	s.squares += squares
	return -1
}

func (s dataSums) check() error {
	if s.squares-s.squares != 0 {
		return fmt.Errorf("nmf: the squares of the data overflow; scale the data down")
	}
	return nil
}

// rowSum adds up a sample.
func (d Data) rowSum(i int) float64 {
	if d.Sparse != nil {
		_, vals := d.Sparse.Row(i)
		return total(vals)
	}
	if d.Single != nil {
		return total(widened(d.Single[i*d.Cols:(i+1)*d.Cols], make([]float64, d.Cols)))
	}
	return total(d.Dense[i*d.Cols : (i+1)*d.Cols])
}

// total adds up numbers in their order.
func total(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum
}

// transposeSparse is Xᵀ of sparse data, in compressed rows.
func transposeSparse(a *sparse.CSR) *sparse.CSR {
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

// firstZero is the first column of a row that is zero, or −1.
func (d Data) firstZero(i int) int {
	if d.Sparse == nil {
		return slices.Index(d.Dense[i*d.Cols:(i+1)*d.Cols], 0)
	}
	cols, vals := d.Sparse.Row(i)
	for p, j := range cols {
		if int(j) != p || vals[p] == 0 {
			return p
		}
	}
	if len(cols) < d.Cols {
		return len(cols)
	}
	return -1
}

// widened copies numbers, and returns the copy.
func widened(from []float32, to []float64) []float64 {
	to = to[:len(from)]
	for i, v := range from {
		to[i] = float64(v)
	}
	return to
}

// inspectSingle checks float32 data and sums them.
func (d Data) inspectSingle(s *dataSums) error {
	if len(d.Single) != d.Rows*d.Cols {
		return fmt.Errorf("nmf: %d numbers are no %d × %d matrix", len(d.Single), d.Rows, d.Cols)
	}
	row := make([]float64, d.Cols)
	for i := range d.Rows {
		widened(d.Single[i*d.Cols:(i+1)*d.Cols], row)
		if at := s.add(row); at >= 0 {
			return &NegativeError{i, at, row[at]}
		}
	}
	return s.check()
}
