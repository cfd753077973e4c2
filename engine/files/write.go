package files

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// WriteMatrix writes m in the format of the output: float64, or float32 where
// opt asks for it (.mtx has no such distinction). NaN and infinities are written
// as they are; a number beyond float32 is an error there. A sparse
// matrix ([sparse.Of] says what is one) stays sparse in .mtx, .mat and an .npz without a name, and is filled with
// zeros elsewhere.
func (o *Output) WriteMatrix(m mat.Matrix, opt Options) error {
	rows, cols := m.Dims()
	if rows == 0 || cols == 0 {
		return o.fail(emptyMatrix(rows, cols))
	}
	if a, isSparse, err := sparse.Of(m); err != nil {
		return o.fail(err)
	} else if isSparse {
		m = a
	}
	if opt.Float32 {
		if err := checkFloat32(m); err != nil {
			return o.fail(err)
		}
	}
	return o.fill(func() error { return o.loc.format.write(o.buffer, o.loc, m, opt.Float32) })
}

// WriteIntegers writes a rows × cols matrix of integers, row by row in v: int64
// where the format has types.
func (o *Output) WriteIntegers(rows, cols int, v []int64) error {
	if rows <= 0 || cols <= 0 || len(v)/cols != rows || len(v)%cols != 0 {
		return o.fail(fmt.Errorf("%d integers do not make a %d × %d matrix", len(v), rows, cols))
	}
	return o.writeIntegers(integers{rows, cols, []int{rows, cols}, v})
}

// WriteLabels writes one integer for each sample: in .npy and .npz an array of
// one dimension, as NumPy users expect labels, elsewhere a column.
func (o *Output) WriteLabels(v []int64) error {
	if len(v) == 0 {
		return o.fail(errors.New("there are no labels"))
	}
	return o.writeIntegers(integers{len(v), 1, []int{len(v)}, v})
}

func (o *Output) writeIntegers(v integers) error {
	return o.fill(func() error { return o.loc.format.writeIntegers(o.buffer, o.loc, v) })
}

// fill runs the one Write method that an output takes.
func (o *Output) fill(write func() error) error {
	if err := o.usable(); err != nil {
		return err
	}
	if o.loc.format == nil {
		return o.fail(errors.New("the output was created for raw bytes, not for a matrix"))
	}
	if o.filled {
		return o.fail(errors.New("the output has been written before"))
	}
	o.filled = true
	return o.fail(write())
}

// rowReader returns a function that gives row i of m, valid until the next call.
func rowReader(m mat.Matrix) func(i int) []float64 {
	if v, ok := m.(mat.RawRowViewer); ok {
		return v.RawRowView
	}
	_, cols := m.Dims()
	row := make([]float64, cols)
	if a, ok := m.(*sparse.CSR); ok {
		return func(i int) []float64 {
			clear(row)
			at, vals := a.Row(i)
			for p, j := range at {
				row[j] = vals[p]
			}
			return row
		}
	}
	return func(i int) []float64 {
		for j := range row {
			row[j] = m.At(i, j)
		}
		return row
	}
}
