package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
)

// RowWriter writes a matrix block by block, in memory that does not grow with
// the number of rows. [Output.Rows] returns one. If the number of rows must
// come first but is unknown, it is added at the end: in an .npy file in
// place, otherwise (standard output, a pipe, a compressed file, .npz) through a
// temporary file without a name; .mtx and .mat, which are stored by columns, always
// use such a file. Parquet and Arrow need no number.
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
	finish func() error              // called after the last row
	spool  *spool                    // nil: rows are written directly
}

// Rows begins a matrix with the given number of columns whose rows come in blocks. rows is
// their number, −1 if unknown. With a known number, "-" is written to
// standard output immediately; if the run fails midway, a reader sees
// fewer rows than its header declares.
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

// begin chooses the destination of rows and the work after the last one.
func (w *RowWriter) begin() error {
	o := w.o
	if o.stdout != nil { // written directly, not collected in memory
		o.buffer = bufio.NewWriterSize(o.stdout, 1<<16)
	}
	w.sink, w.render, w.put, w.finish = o.buffer, w.appendNumbers, w.putRendered, func() error { return nil }
	return o.loc.format.writeRows(w)
}

// Write appends the rows of m. NaN and infinities are written unchanged; with
// Float32 a number beyond its range is an error. The first error discards the output.
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

// putRendered writes a row to the sink as bytes.
func (w *RowWriter) putRendered(row []float64) error {
	w.line = w.line[:0]
	w.render(row)
	_, err := w.sink.Write(w.line)
	return err
}

// Close completes the matrix; [Output.Commit] must follow. It is an error if there are fewer rows than
// announced, or none.
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

// appendNumbers appends a row as little-endian .npy data.
func (w *RowWriter) appendNumbers(row []float64) {
	for _, v := range row {
		if w.single {
			w.line = binary.LittleEndian.AppendUint32(w.line, math.Float32bits(float32(v)))
		} else {
			w.line = binary.LittleEndian.AppendUint64(w.line, math.Float64bits(v))
		}
	}
}

// spoolRows keeps the rows in a temporary file until finish reads them.
func (w *RowWriter) spoolRows(finish func() error) (err error) {
	if w.spool, err = newSpool(); err != nil {
		return err
	}
	w.sink, w.finish = w.spool, finish
	return nil
}

// countRows keeps the rows in a temporary file until their number is known, and then calls
// begin with it.
func (w *RowWriter) countRows(begin func(w *RowWriter) error) error {
	return w.spoolRows(func() error {
		w.rows = w.done
		w.sink, w.finish = w.o.buffer, func() error { return nil }
		if err := begin(w); err != nil {
			return err
		}
		data, err := w.spool.rewind()
		if err != nil {
			return err
		}
		if _, err := io.Copy(w.sink, data); err != nil {
			return err
		}
		return w.finish()
	})
}

// columnPanel is about the number of bytes of columns collected from the spool in
// one pass.
const columnPanel = 16 << 20

// byColumns returns the entries of the spool column by column, a long column in
// several parts, so that memory stays within columnPanel.
func (w *RowWriter) byColumns(each func(part []float64) error) error {
	const room = columnPanel / 8
	width := min(w.cols, max(1, room/w.done))
	panel := make([]float64, min(room, width*w.done))
	row := make([]byte, w.rowBytes())
	for first := 0; first < w.cols; first += width {
		data, err := w.spool.rewind()
		if err != nil {
			return err
		}
		width := min(width, w.cols-first)
		for done := 0; done < w.done; {
			rows := min(w.done-done, len(panel)/width)
			for i := range rows {
				if _, err := io.ReadFull(data, row); err != nil {
					return err
				}
				for j := range width {
					panel[j*rows+i] = w.number(row, first+j)
				}
			}
			for j := range width { // with rows left, the width is 1
				if err := each(panel[j*rows : (j+1)*rows]); err != nil {
					return err
				}
			}
			done += rows
		}
	}
	return nil
}

// rowBytes is the length of a row in the spool.
func (w *RowWriter) rowBytes() int {
	if w.single {
		return 4 * w.cols
	}
	return 8 * w.cols
}

// number returns entry j of a row of the spool.
func (w *RowWriter) number(row []byte, j int) float64 {
	if w.single {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(row[4*j:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(row[8*j:]))
}

// spool is a temporary file for data that cannot be written to their destination yet. If the
// system allows, its name is removed immediately, so that nothing is left of it even
// after a kill.
type spool struct {
	file disk.File
	*bufio.Writer
	named bool
}

func newSpool() (*spool, error) {
	f, err := openSpool()
	if err != nil {
		return nil, err
	}
	s := &spool{file: f, Writer: bufio.NewWriterSize(f, 1<<16)}
	s.named = disk.Files().Remove(f.Name()) != nil
	return s, nil
}

// openSpool creates a file with a unique name that no other user may read.
func openSpool() (disk.File, error) {
	for range 1000 {
		name := filepath.Join(os.TempDir(), fmt.Sprintf("orthant-rows-%08x", rand.Uint32()))
		f, err := disk.Files().OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, errNoName
}

// rewind returns a reader from the beginning.
func (s *spool) rewind() (io.Reader, error) {
	if err := s.Flush(); err != nil {
		return nil, err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(s.file, 1<<16), nil
}

// remove closes the file. Further calls do nothing.
func (s *spool) remove() {
	if s.file == nil {
		return
	}
	name := s.file.Name()
	s.file.Close()
	if s.named {
		disk.Files().Remove(name)
	}
	s.file = nil
}
