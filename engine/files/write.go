package files

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// WriteMatrix writes m in the format of the output: float64, or float32 where
// opt asks for it (.mtx has no such distinction). NaN and infinities are written
// as they are; a number beyond float32 is an error there. A *sparse.CSR stays
// sparse in .mtx and .mat and is filled with zeros elsewhere.
func (o *Output) WriteMatrix(m mat.Matrix, opt Options) error {
	rows, cols := m.Dims()
	if rows == 0 || cols == 0 {
		return o.fail(emptyMatrix(rows, cols))
	}
	if opt.Float32 {
		if err := checkFloat32(m); err != nil {
			return o.fail(err)
		}
	}
	return o.encode(func(w *bufio.Writer) error {
		switch o.loc.format {
		case formatCSV:
			return writeText(w, m, ',', opt.Float32)
		case formatTSV:
			return writeText(w, m, '\t', opt.Float32)
		case formatMarket:
			if a, ok := m.(*sparse.CSR); ok {
				return sparse.WriteMatrixMarket(w, a)
			}
			return sparse.WriteMatrixMarketArray(w, m)
		case formatMAT:
			return writeMATMatrix(w, o.loc.array, m, opt.Float32)
		case formatTable:
			return o.writeTable(w, m, opt.Float32)
		}
		return writeNPYMatrix(w, m, opt.Float32)
	})
}

// WriteIntegers writes a rows × cols matrix of integers, row by row in v: int64
// where the format has types.
func (o *Output) WriteIntegers(rows, cols int, v []int64) error {
	if rows <= 0 || cols <= 0 || len(v)/cols != rows || len(v)%cols != 0 {
		return o.fail(fmt.Errorf("%d integers do not make a %d × %d matrix", len(v), rows, cols))
	}
	return o.writeIntegers(rows, cols, v, []int{rows, cols})
}

// WriteLabels writes one integer for each sample: in .npy and .npz an array of
// one dimension, as NumPy users expect labels, elsewhere a column.
func (o *Output) WriteLabels(v []int64) error {
	if len(v) == 0 {
		return o.fail(errors.New("there are no labels"))
	}
	return o.writeIntegers(len(v), 1, v, []int{len(v)})
}

func (o *Output) writeIntegers(rows, cols int, v []int64, shape []int) error {
	return o.encode(func(w *bufio.Writer) error {
		switch o.loc.format {
		case formatCSV:
			return writeIntegerText(w, cols, v, ',')
		case formatTSV:
			return writeIntegerText(w, cols, v, '\t')
		case formatMarket:
			return writeIntegerMarket(w, rows, cols, v)
		case formatMAT:
			return writeMATIntegers(w, o.loc.array, rows, cols, v)
		case formatTable:
			return o.writeIntegerTable(w, cols, v)
		}
		return writeNPYIntegers(w, shape, v)
	})
}

// encode has write fill the output, within an archive where it is one.
func (o *Output) encode(write func(w *bufio.Writer) error) error {
	return o.fill(func() error {
		if o.loc.format != formatNPZ {
			return write(o.buffer)
		}
		return writeArchive(o.buffer, o.loc.array, write)
	})
}

// fill runs the one Write method that an output takes.
func (o *Output) fill(write func() error) error {
	if err := o.usable(); err != nil {
		return err
	}
	if o.loc.format < 0 {
		return o.fail(errors.New("the output was created for raw bytes, not for a matrix"))
	}
	if o.filled {
		return o.fail(errors.New("the output has been written before"))
	}
	o.filled = true
	return o.fail(write())
}

// writeArchive writes an .npz file of one array, stored as numpy.savez does,
// without a time stamp so that the same array gives the same bytes.
func writeArchive(w io.Writer, name string, write func(w *bufio.Writer) error) error {
	archive := zip.NewWriter(w)
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(entry, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return archive.Close()
}

// checkArrayName refuses names that would not come back from an archive.
func checkArrayName(name string) error {
	if strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return fmt.Errorf("%s is no name for an array: leave out slashes and control characters", excerpt([]byte(name)))
	}
	return nil
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

// checkFloat32 refuses numbers that would become infinite.
func checkFloat32(m mat.Matrix) error {
	rows, _ := m.Dims()
	row := rowReader(m)
	for i := range rows {
		for j, v := range row(i) {
			if math.IsInf(float64(float32(v)), 0) && !math.IsInf(v, 0) {
				return fmt.Errorf("row %d, column %d (counting from 1): %v is beyond float32: write float64", i+1, j+1, v)
			}
		}
	}
	return nil
}
