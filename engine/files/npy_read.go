package files

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// element is what arrays are read as: numbers, or labels that must stay exact.
type element interface{ float64 | int64 }

// readNPYMatrix reads an .npy file as a dense matrix.
func readNPYMatrix(s source, limit int64) (*mat.Dense, error) {
	h, err := readNPYHeader(s)
	if err != nil {
		return nil, err
	}
	if err := checkMemory(h.rows, h.cols, limit); err != nil {
		return nil, err
	}
	data, err := readArray[float64](s, h)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(h.rows, h.cols, data), nil
}

// readNPYLabels reads an .npy file as whole numbers.
func readNPYLabels(s source, limit int64) ([]int64, error) {
	h, err := readNPYHeader(s)
	if err != nil {
		return nil, err
	}
	return readArrayLabels(s, h, limit)
}

// readArrayLabels reads the data behind a header as labels.
func readArrayLabels(s source, h npyHeader, limit int64) ([]int64, error) {
	if err := oneLine(h.rows, h.cols); err != nil {
		return nil, err
	}
	if err := checkMemory(h.rows, h.cols, limit); err != nil {
		return nil, err
	}
	if h.dtype.kind != 'f' {
		return readArray[int64](s, h)
	}
	v, err := readArray[float64](s, h)
	if err != nil {
		return nil, err
	}
	return wholeNumbers(v)
}

// readArray reads the data behind a header, to the end of the source, in C
// order.
func readArray[D element](s source, h npyHeader) ([]D, error) {
	count := h.rows * h.cols
	total, err := dataBytes(s, h)
	if err != nil {
		return nil, err
	}
	d := newDecoder[D](s, h.dtype, total)
	inOrder := !h.fortran || h.rows == 1 || h.cols == 1
	var data []D
	switch {
	case s.size < 0:
		if data, err = readGrowing(d, count); err == nil && !inOrder {
			data, err = fromColumns(h.rows, h.cols, heldColumns(data, h.rows))
		}
	case inOrder:
		data = make([]D, count)
		err = d.fill(data)
	default:
		data, err = fromColumns(h.rows, h.cols, d.columns(h.rows, h.cols))
	}
	if err != nil {
		return nil, err
	}
	return data, atEnd(s, h)
}

// dataBytes returns the bytes behind a header, after a comparison with what the
// source holds where that is known.
func dataBytes(s source, h npyHeader) (int64, error) {
	total := int64(h.rows) * int64(h.cols) * int64(h.dtype.size)
	if s.size >= 0 {
		switch have := s.size - h.length; {
		case have < total:
			return 0, truncated(have, total)
		case have > total:
			return 0, trailing(fmt.Sprintf("%d bytes follow", have-total), h)
		}
	}
	return total, nil
}

func truncated(have, total int64) error {
	return fmt.Errorf("the file ends after %d of %d data bytes (truncated?)", have, total)
}

func trailing(what string, h npyHeader) error {
	return fmt.Errorf("%s the data of the shape %s that the header declares: the file is damaged or holds several arrays", what, h.shapeText())
}

// atEnd checks that nothing follows the data. Reading to the very end also has
// the checksum of an archive's entry verified.
func atEnd(r io.Reader, h npyHeader) error {
	var one [1]byte
	for range 100 { // a reader may give nothing without an error a few times
		n, err := r.Read(one[:])
		switch {
		case n > 0:
			return trailing("more bytes follow", h)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return io.ErrNoProgress
}

// readGrowing reads count elements from a source whose length is not known,
// taking memory as the data comes and not as the header claims.
func readGrowing[D element](d *decoder[D], count int) ([]D, error) {
	var data []D
	for len(data) < count {
		step := min(count-len(data), max(1<<15, len(data)))
		data = slices.Grow(data, step)
		part := data[len(data) : len(data)+step]
		if err := d.fill(part); err != nil {
			return nil, err
		}
		data = data[:len(data)+step]
	}
	return data, nil
}

// panelColumns is how many columns of an array in Fortran order are turned at a
// time: eight float64 of a row fill a cache line.
const panelColumns = 8

// columns returns a function that reads the next columns of a matrix, at most
// panelColumns of them.
func (d *decoder[D]) columns(rows, cols int) func(n int) ([]D, error) {
	panel := make([]D, rows*min(cols, panelColumns))
	return func(n int) ([]D, error) {
		return panel[:n*rows], d.fill(panel[:n*rows])
	}
}

// heldColumns is columns for an array that has been read already.
func heldColumns[D element](data []D, rows int) func(n int) ([]D, error) {
	return func(n int) ([]D, error) {
		panel := data[:n*rows]
		data = data[n*rows:]
		return panel, nil
	}
}

// fromColumns turns an array in Fortran order, given a few columns at a time,
// into C order.
func fromColumns[D element](rows, cols int, next func(n int) ([]D, error)) ([]D, error) {
	data := make([]D, rows*cols)
	for j := 0; j < cols; j += panelColumns {
		n := min(panelColumns, cols-j)
		panel, err := next(n)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			row := data[i*cols+j : i*cols+j+n]
			for c := range row {
				row[c] = panel[c*rows+i]
			}
		}
	}
	return data, nil
}
