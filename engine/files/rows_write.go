package files

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// RowWriter writes a matrix block after block, in memory that does not grow with
// the number of rows. [Output.Rows] makes one. Where the number of rows has to
// come first but is not known, it is put in at the end: in an .npy file in
// place, elsewhere (standard output, a pipe, a packed file, .npz) by way of a
// temporary file that has no name; .mtx and .mat, which go by columns, always
// take that way. Parquet and Arrow want no number.
type RowWriter struct {
	o      *Output
	single bool
	rows   int // announced, or −1
	cols   int
	done   int
	line   []byte

	sink   io.Writer                 // rows as .npy data or text
	render func(row []float64)       // appends a row to line
	put    func(row []float64) error // takes a row
	finish func() error              // what is left to do behind the last row
	spool  *spool                    // nil: rows go to their place at once
}

// Rows begins a matrix of so many columns whose rows come in blocks. rows is
// their number, −1 where it is not known yet. With rows known, "-" goes to
// standard output as it comes; a reader of a run that fails midway sees the
// output end before the rows that its header declares.
func (o *Output) Rows(rows, cols int, opt Options) (*RowWriter, error) {
	if rows == 0 || cols <= 0 {
		return nil, o.fail(emptyMatrix(max(rows, 0), max(cols, 0)))
	}
	w := &RowWriter{o: o, single: opt.Float32, rows: max(rows, -1), cols: cols}
	err := o.fill(func() error { return w.begin() })
	if err != nil {
		w.discard()
		return nil, err
	}
	return w, nil
}

// begin decides where rows go and what has to be done behind the last one.
func (w *RowWriter) begin() (err error) {
	o := w.o
	if o.stdout != nil { // as it comes, not gathered in memory
		o.buffer = bufio.NewWriterSize(o.stdout, 1<<16)
	}
	w.sink, w.render, w.put, w.finish = o.buffer, w.numbers, w.rendered, func() error { return nil }
	switch f := o.loc.format; {
	case f == formatCSV || f == formatTSV:
		w.render = w.text
	case f == formatTable:
		t, err := o.createTable(o.buffer, w.cols, floatType(w.single))
		if err != nil {
			return err
		}
		w.put, w.finish = t.WriteRow, t.Close
	case f == formatMarket || f == formatMAT: // go by columns
		if w.spool, err = newSpool(); err != nil {
			return err
		}
		w.sink, w.finish = w.spool, w.market
		if f == formatMAT {
			w.finish = w.variable
		} else {
			w.single = false // there is no float32
		}
	case f == formatNPZ && w.rows >= 0:
		return w.beginEntry()
	case w.rows >= 0:
		return writeNPYHeader(o.buffer, w.descr(), []int{w.rows, w.cols})
	case f == formatNPY && o.temp != "" && o.packed == nil:
		w.finish = w.patchHeader
		return writeNPYHeaderPadded(o.buffer, w.descr(), []int{0, w.cols}, headerRoom)
	default:
		if w.spool, err = newSpool(); err != nil {
			return err
		}
		w.sink, w.finish = w.spool, w.fromSpool
	}
	return nil
}

func (w *RowWriter) descr() string {
	if w.single {
		return "<f4"
	}
	return "<f8"
}

// beginEntry begins an archive of one array, like [writeArchive].
func (w *RowWriter) beginEntry() error {
	archive := zip.NewWriter(w.o.buffer)
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: w.o.loc.array + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(entry, 1<<16)
	w.sink, w.finish = b, func() error { return errors.Join(b.Flush(), archive.Close()) }
	return writeNPYHeader(b, w.descr(), []int{w.rows, w.cols})
}

// Write appends the rows of m. NaN and infinities are written as they are; with
// Float32 a number beyond it is an error. The first error discards the output.
func (w *RowWriter) Write(m *mat.Dense) error {
	if err := w.o.usable(); err != nil {
		return err
	}
	return w.fail(w.write(m))
}

func (w *RowWriter) write(m *mat.Dense) error {
	rows, cols := m.Dims()
	if cols != w.cols {
		return fmt.Errorf("a row of %d columns in a matrix of %d", cols, w.cols)
	}
	if w.rows >= 0 && w.done+rows > w.rows {
		return fmt.Errorf("more than the %d rows announced", w.rows)
	}
	for i := range rows {
		row := m.RawRowView(i)
		if w.single {
			for j, v := range row {
				if math.IsInf(float64(float32(v)), 0) && !math.IsInf(v, 0) {
					return fmt.Errorf("row %d, column %d (counting from 1): %v is beyond float32: write float64", w.done+i+1, j+1, v)
				}
			}
		}
		if err := w.put(row); err != nil {
			return err
		}
	}
	w.done += rows
	return nil
}

// rendered puts a row into the sink as bytes.
func (w *RowWriter) rendered(row []float64) error {
	w.line = w.line[:0]
	w.render(row)
	_, err := w.sink.Write(w.line)
	return err
}

// Close completes the matrix; [Output.Commit] has to follow. Fewer rows than
// were announced, or none, are an error.
func (w *RowWriter) Close() error {
	defer w.discard()
	if err := w.o.usable(); err != nil {
		return err
	}
	switch {
	case w.done == 0:
		return w.fail(emptyMatrix(0, w.cols))
	case w.rows >= 0 && w.done < w.rows:
		return w.fail(fmt.Errorf("%d rows of the %d announced", w.done, w.rows))
	}
	return w.fail(w.finish())
}

func (w *RowWriter) fail(err error) error {
	if err != nil {
		w.discard()
	}
	return w.o.fail(err)
}

func (w *RowWriter) discard() {
	if w.spool != nil {
		w.spool.remove()
	}
}

// numbers appends a row as little-endian .npy data.
func (w *RowWriter) numbers(row []float64) {
	for _, v := range row {
		if w.single {
			w.line = binary.LittleEndian.AppendUint32(w.line, math.Float32bits(float32(v)))
		} else {
			w.line = binary.LittleEndian.AppendUint64(w.line, math.Float64bits(v))
		}
	}
}

// text appends a row as a line, like [writeText].
func (w *RowWriter) text(row []float64) {
	sep, bits := byte(','), 64
	if w.o.loc.format == formatTSV {
		sep = '\t'
	}
	if w.single {
		bits = 32
	}
	for j, v := range row {
		if j > 0 {
			w.line = append(w.line, sep)
		}
		w.line = strconv.AppendFloat(w.line, v, 'g', -1, bits)
	}
	w.line = append(w.line, '\n')
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

// fromSpool writes .npy or .npz now that the number of rows is known.
func (w *RowWriter) fromSpool() error {
	w.rows = w.done
	w.sink, w.finish = w.o.buffer, func() error { return nil }
	var err error
	if w.o.loc.format == formatNPZ {
		err = w.beginEntry()
	} else {
		err = writeNPYHeader(w.o.buffer, w.descr(), []int{w.rows, w.cols})
	}
	if err != nil {
		return err
	}
	data, err := w.spool.content()
	if err != nil {
		return err
	}
	if _, err := io.Copy(w.sink, data); err != nil {
		return err
	}
	return w.finish()
}
