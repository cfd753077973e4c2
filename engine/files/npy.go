package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/pages"
)

// npyFormat is NumPy's file of one array.
var npyFormat = Format{
	Name: "NumPy array", Extensions: []string{".npy"},
	standard: true,
	extent:   func(loc location, o Options) (Extent, error) { return fromContent(loc, o, npyExtent) },
	read: func(loc location, o Options) (matrix, error) {
		return asMatrix(fromContent(loc, o, readNPYMatrix))
	},
	readLabels: func(loc location, o Options) ([]int64, error) {
		return fromContent(loc, o, readNPYLabels)
	},
	openArray: func(loc location, o Options) (s source, h npyHeader, is bool, err error) {
		if s, err = openContent(loc, o); err != nil {
			return s, h, false, err
		}
		if h, err = readNPYHeader(s); err != nil || s.size < 0 {
			s.Close()
			return s, h, false, err
		}
		return s, h, true, nil
	},
	openRows: openNPYRows,
	write: func(w *bufio.Writer, _ location, m mat.Matrix, single bool) error {
		return writeNPYMatrix(w, m, single)
	},
	writeIntegers: func(w *bufio.Writer, _ location, v integers) error {
		return writeNPYIntegers(w, v)
	},
	writeRows: writeNPYRows,
}

// element is the type to which arrays are read: numbers, or labels, which must stay exact.
type element interface{ float64 | int64 }

// readNPYMatrix reads an .npy file as a dense matrix.
func readNPYMatrix(s source, b budget) (*mat.Dense, error) {
	h, err := readNPYHeader(s)
	if err != nil {
		return nil, err
	}
	data, err := readArray[float64](s, h, b, 0)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(h.rows, h.cols, data), nil
}

// readNPYLabels reads an .npy file as integers.
func readNPYLabels(s source, b budget) ([]int64, error) {
	h, err := readNPYHeader(s)
	if err != nil {
		return nil, err
	}
	return readArrayLabels(s, h, b)
}

// readArrayLabels reads the data after a header as labels.
func readArrayLabels(s source, h npyHeader, b budget) ([]int64, error) {
	if err := oneLine(h.rows, h.cols); err != nil {
		return nil, err
	}
	if h.dtype.kind != 'f' {
		return readArray[int64](s, h, b, 0)
	}
	count := float64(h.rows) * float64(h.cols)
	v, err := readArray[float64](s, h, b, 8*count) // the numbers, and the labels that they become
	if err != nil {
		return nil, err
	}
	return wholeNumbers(v)
}

// readArray reads the data after a header, to the end of the source, in C order.
// Its memory, with the given additional bytes, must be within the budget.
func readArray[D element](s source, h npyHeader, b budget, extra float64) ([]D, error) {
	if err := b.checkMatrix(h.rows, h.cols, extra+h.extra(s)); err != nil {
		return nil, err
	}
	total, err := dataBytes(s, h)
	if err != nil {
		return nil, err
	}
	d := newDecoder[D](s, h.dtype, total)
	count := h.rows * h.cols
	var data []D
	switch {
	case s.size < 0 && !b.bounded(): // nothing confirms the size in the header
		if data, err = readGrowing(d, count); err == nil && h.byColumns() {
			data, err = fromColumns(h.rows, h.cols, heldColumns(data, h.rows))
		}
	case h.byColumns():
		data, err = fromColumns(h.rows, h.cols, d.columns(h.rows, h.cols))
	default:
		data = pages.Make[D](count)
		err = d.fill(data)
	}
	if err != nil {
		return nil, err
	}
	return data, atEnd(s, h)
}

// byColumns reports whether the order of the entries differs from that of a matrix in memory.
func (h *npyHeader) byColumns() bool { return h.fortran && h.rows > 1 && h.cols > 1 }

// extra returns the memory of reading an array in addition to its numbers: the columns that are being
// transposed, and the window of a decoder, which is no longer than the decoded data.
func (h *npyHeader) extra(s source) float64 {
	held := min(s.window, float64(h.rows)*float64(h.cols)*float64(h.dtype.size))
	if h.byColumns() {
		held += 8 * float64(h.rows) * float64(min(h.cols, panelColumns))
	}
	return held
}

// dataBytes returns the number of bytes after a header, and compares it with the length of the
// source if that is known.
func dataBytes(s source, h npyHeader) (int64, error) {
	total := int64(h.rows) * int64(h.cols) * int64(h.dtype.size)
	if s.size >= 0 {
		switch have := s.size - h.length; {
		case have < total:
			return 0, truncated(have, total)
		case have > total:
			return 0, trailing(fmt.Sprintf("%d bytes follow", have-total), h)
		}
	} else if s.most > 0 && s.most-h.length < total {
		return 0, fmt.Errorf("the header declares %s of data, and what is compressed there unfolds to %s at most (truncated?)", byteCount(float64(total)), byteCount(float64(s.most)))
	}
	return total, nil
}

func truncated(have, total int64) error {
	return fmt.Errorf("the file ends after %d of %d data bytes (truncated?)", have, total)
}

func trailing(what string, h npyHeader) error {
	return fmt.Errorf("%s the data of the shape %s that the header declares: the file is damaged or holds several arrays", what, h.shapeText())
}

// atEnd checks that nothing follows the data. Reading to the very end also
// verifies the checksum of an archive entry.
func atEnd(r io.Reader, h npyHeader) error {
	var one [1]byte
	for range 100 { // a reader may return no bytes without an error a few times
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

// readGrowing reads count elements from a source of unknown length.
// Its memory grows with the data, independently of the header.
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

// panelColumns is the number of columns of an array in Fortran order that are transposed at a
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

// heldColumns is columns for an array that is already in memory.
func heldColumns[D element](data []D, rows int) func(n int) ([]D, error) {
	return func(n int) ([]D, error) {
		panel := data[:n*rows]
		data = data[n*rows:]
		return panel, nil
	}
}

// fromColumns transposes an array in Fortran order, read a few columns at a time,
// to C order.
func fromColumns[D element](rows, cols int, next func(n int) ([]D, error)) ([]D, error) {
	data := pages.Make[D](rows * cols)
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

// openNPYRows begins to read an .npy file by rows.
func openNPYRows(r *RowReader, loc location, o Options) error {
	s, err := r.openContent(loc, o)
	if err != nil {
		return err
	}
	return r.openArray(s, o.budget())
}

// openArray reads the array after an .npy header by rows.
func (r *RowReader) openArray(s source, b budget) error {
	h, err := readNPYHeader(s)
	if err != nil {
		return err
	}
	total, err := dataBytes(s, h)
	if err != nil {
		return err
	}
	r.rows, r.cols = h.rows, h.cols
	if !h.byColumns() {
		d := newDecoder[float64](s, h.dtype, total)
		r.next = r.inOrder(s, h, d)
		return r.seekInOrder(s, h, d)
	}
	if f, ok := s.Reader.(inputFile); ok && s.size >= 0 {
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		r.next = r.fromColumns(f, at, h)
		r.seek, r.ahead = anyRow, []int{0} // a block is gathered from all columns, so few blocks are best
		return nil
	}
	r.whole = "an array in Fortran order comes by columns"
	data, err := readArray[float64](s, h, b, 0)
	if err != nil {
		return err
	}
	r.next = r.heldRows(mat.NewDense(h.rows, h.cols, data))
	return nil
}

// seekInOrder makes rows seekable if the source is a file.
func (r *RowReader) seekInOrder(s source, h npyHeader, d *decoder[float64]) error {
	f, ok := s.Reader.(inputFile)
	if !ok || s.size < 0 {
		return nil
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	r.seek = func(row int) error {
		d.done = int64(row) * int64(h.cols) * int64(h.dtype.size)
		_, err := f.Seek(at+d.done, io.SeekStart)
		return err
	}
	return nil
}

// inOrder decodes rows in their order.
func (r *RowReader) inOrder(s source, h npyHeader, d *decoder[float64]) func(dst []float64) (int, error) {
	return func(dst []float64) (int, error) {
		n := min(len(dst)/r.cols, r.rows-r.done)
		if n == 0 {
			return 0, nil
		}
		if err := d.fill(dst[:n*r.cols]); err != nil {
			return 0, err
		}
		if r.done+n == r.rows {
			return n, atEnd(s, h)
		}
		return n, nil
	}
}

// fromColumns gathers rows from a file in Fortran order, whose data begins at
// start: a contiguous part of every column for each block.
func (r *RowReader) fromColumns(f inputFile, start int64, h npyHeader) func(dst []float64) (int, error) {
	size := int64(h.dtype.size)
	var column []float64
	var d *decoder[float64]
	return func(dst []float64) (int, error) {
		n := min(len(dst)/r.cols, r.rows-r.done)
		if len(column) < n {
			column = make([]float64, n)
			d = newDecoder[float64](nil, h.dtype, int64(n)*size)
		}
		for j := range r.cols {
			at := start + (int64(j)*int64(r.rows)+int64(r.done))*size
			d.r = io.NewSectionReader(f, at, int64(n)*size)
			if err := d.fill(column[:n]); err != nil {
				return 0, err
			}
			for i, v := range column[:n] {
				dst[i*r.cols+j] = v
			}
		}
		return n, nil
	}
}

// writeNPYRows begins an .npy file for the rows given to w. If their number
// is unknown, it is written into the header of the temporary file at the end, or,
// if the output cannot be rewound, the rows are kept until then.
func writeNPYRows(w *RowWriter) error {
	o := w.o
	switch {
	case w.rows >= 0:
		return writeNPYHeader(o.buffer, w.descr(), []int{w.rows, w.cols})
	case o.temp == "" || o.packed != nil:
		return w.countRows(writeNPYRows)
	}
	w.finish = w.patchHeader
	return writeNPYHeaderPadded(o.buffer, w.descr(), []int{0, w.cols}, headerRoom)
}

func (w *RowWriter) descr() string {
	if w.single {
		return "<f4"
	}
	return "<f8"
}

// headerRoom is the length of a header that fits any number of rows.
const headerRoom = 192

// patchHeader writes the number of rows into the header of the temporary file.
func (w *RowWriter) patchHeader() error {
	if err := w.o.buffer.Flush(); err != nil {
		return err
	}
	var head headerBytes
	if err := writeNPYHeaderPadded(&head, w.descr(), []int{w.done, w.cols}, headerRoom); err != nil {
		return err
	}
	_, err := w.o.file.WriteAt(head, 0)
	return err
}

type headerBytes []byte

func (h *headerBytes) Write(p []byte) (int, error) {
	*h = append(*h, p...)
	return len(p), nil
}

// writeNPYMatrix writes m in C order, little endian.
func writeNPYMatrix(w *bufio.Writer, m mat.Matrix, single bool) error {
	rows, cols := m.Dims()
	descr := "<f8"
	if single {
		descr = "<f4"
	}
	if err := writeNPYHeader(w, descr, []int{rows, cols}); err != nil {
		return err
	}
	return writeElements(w, m, single)
}

// writeElements writes the elements, little endian.
func writeElements(w io.Writer, m mat.Matrix, single bool) error {
	rows, cols := m.Dims()
	if r, ok := m.(mat.RawMatrixer); ok && !single && nativeLittle {
		if raw := r.RawMatrix(); raw.Stride == cols {
			_, err := w.Write(bytesOf(raw.Data[:rows*cols]))
			return err
		}
	}
	row := rowReader(m)
	var line []byte
	for i := range rows {
		line = line[:0]
		for _, v := range row(i) {
			if single {
				line = binary.LittleEndian.AppendUint32(line, math.Float32bits(float32(v)))
			} else {
				line = binary.LittleEndian.AppendUint64(line, math.Float64bits(v))
			}
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// writeNPYIntegers writes int64, little endian, with the shape given.
func writeNPYIntegers(w *bufio.Writer, v integers) error {
	if err := writeNPYHeader(w, "<i8", v.shape); err != nil {
		return err
	}
	var line []byte
	for i := range v.rows {
		line = line[:0]
		for _, x := range v.row(i) {
			line = binary.LittleEndian.AppendUint64(line, uint64(x))
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
