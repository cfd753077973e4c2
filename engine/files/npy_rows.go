package files

import (
	"io"

	"gonum.org/v1/gonum/mat"
)

// openNPYRows begins to read an .npy file by rows.
func openNPYRows(r *RowReader, loc location, o Options) error {
	s, err := r.openContent(loc, o)
	if err != nil {
		return err
	}
	return r.openArray(s, o.budget())
}

// openArray reads the array behind an .npy header by rows.
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
		r.seek, r.ahead = anyRow, []int{0} // a block is gathered from all columns: the fewer, the better
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

// seekInOrder has rows be gone to where the source is a file.
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

// inOrder decodes rows as they come.
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
// start: a stretch of every column for each block.
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

// writeNPYRows begins an .npy file of the rows that w is given. Where their number
// is not known, it is put into the header of the temporary file at the end, or,
// where that is none to go back in, the rows wait for it.
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

// headerRoom is the length of a header that has room for any number of rows.
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
