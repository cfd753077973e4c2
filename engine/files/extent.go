package files

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/sparse"
)

// Extent describes the matrix in a file and the memory for reading it, from the beginning of the file.
type Extent struct {
	Rows, Cols int
	Entries    int   // of a sparse matrix, −1 of a dense one
	Guessed    bool  // the number of rows is an estimate; it is known only at the end of the file
	Peak       int64 // maximal bytes that ReadMatrix takes, including the matrix
}

// Bytes returns the memory of the matrix that ReadMatrix returns.
func (e Extent) Bytes() int64 { return 8 * int64(e.Rows) * int64(e.Cols) }

// ExtentOf returns the shape of the matrix in a file and the memory for reading it, from its
// header, or, without a header, from its first lines and its length. Standard input
// and pipes cannot be examined without being read and are errors, and so are files that
// [ReadMatrix] would refuse at once.
func ExtentOf(path string) (Extent, error) {
	e, err := extentOf(path)
	if err != nil {
		return Extent{}, failure(path, OpRead, err)
	}
	return e, nil
}

func extentOf(path string) (Extent, error) {
	loc, err := locate(path)
	if err != nil {
		return Extent{}, err
	}
	none := errors.New("only a regular file shows its extent without being read")
	if loc.file == standard {
		return Extent{}, none
	}
	info, err := disk.Files().Stat(loc.file)
	if err != nil {
		return Extent{}, err
	}
	if !info.Mode().IsRegular() && loc.format != tenxFormat {
		return Extent{}, none
	}
	e, err := loc.format.extent(loc, extentOptions)
	if err != nil {
		return Extent{}, err
	}
	if e.Entries >= 0 { // the zeros are filled in around the entries
		e.Peak = max(e.Peak, int64(sparseBytes(e.Entries, e.Rows))+e.Bytes())
	}
	return e, nil
}

// extentOptions have no limit, but count a decoder's window as a reader with a limit
// does.
var extentOptions = Options{MaxBytes: 1 << 62}

// denseExtent returns the extent of a dense matrix, with the memory held in addition.
func denseExtent(rows, cols int, extra float64) Extent {
	e := Extent{Rows: rows, Cols: cols, Entries: -1}
	e.Peak = e.Bytes() + int64(extra)
	return e
}

// npyExtent: the numbers, panelColumns columns of them in Fortran order, and the
// window of a decoder.
func npyExtent(s source, _ budget) (Extent, error) {
	h, err := readNPYHeader(s)
	return denseExtent(h.rows, h.cols, h.extra(s)), err
}

// matExtent: like a NumPy array in Fortran order; a sparse array is held by columns
// and by rows.
func matExtent(loc location, o Options) (Extent, error) {
	is, err := isHDF5(loc)
	if err != nil {
		return Extent{}, err
	}
	if is {
		return hdf5Extent(loc, o)
	}
	m, h, e, err := openVariable(loc, o)
	if err != nil {
		return Extent{}, err
	}
	defer m.Close()
	if h.class != classSparse {
		s, a, err := m.beginArray(h, e)
		return denseExtent(a.rows, a.cols, a.extra(s)), ofVariable(h, err)
	}
	s, t, err := e.beginNumbers(m.swapped())
	if err != nil {
		return Extent{}, ofVariable(h, err)
	}
	x := Extent{Rows: h.dims[0], Cols: h.dims[1], Entries: int(s.size / int64(t.size))}
	x.Peak = int64(sparseColumnBytes(x.Entries, x.Rows, x.Cols) + m.window)
	return x, nil
}

// marketExtent: an array is read in place; entries are held in file order and by
// rows.
func marketExtent(s source, _ budget) (Extent, error) {
	size, err := sparse.ReadMatrixMarketSize(s)
	if err != nil {
		if e, ok := errors.AsType[*sparse.MarketError](err); ok {
			err = errors.New(e.Detail())
		}
		return Extent{}, err
	}
	if size.Array {
		return denseExtent(size.Rows, size.Cols, s.window), nil
	}
	e := Extent{Rows: size.Rows, Cols: size.Cols, Entries: size.Entries}
	if size.Triangle {
		e.Entries *= 2
	}
	e.Peak = int64(sparse.MarketEntryBytes(size.Rows, size.Entries, size.Triangle) + s.window)
	return e, nil
}

// tableExtent: the numbers, and the memory of the reader before the first row: for Parquet
// the descriptions of the columns, for Arrow the first batch. Pages of Parquet are additional;
// pageBytes are enough for pages of other programs.
func tableExtent(loc location, o Options) (Extent, error) {
	t, err := openTable(loc, o)
	if err != nil {
		return Extent{}, err
	}
	defer t.Close()
	return denseExtent(t.Rows(), len(t.Names()), t.memory.held+t.memory.given+pageBytes), nil
}

const pageBytes = 4 << 20

// textExtent: the numbers, twice for a compressed file, whose length is estimated, and a block
// of the text for each worker. The number of rows is estimated from the first lines.
func textExtent(loc location, o Options) (Extent, error) {
	form, err := loc.textForm(o)
	if err != nil {
		return Extent{}, err
	}
	length, err := contentLength(loc)
	if err != nil {
		return Extent{}, err
	}
	return fromContent(loc, o, func(s source, b budget) (Extent, error) {
		t := newTextReader(s, form, b)
		var memory []float64
		_, err := t.step(func(numbers int) ([]float64, error) {
			memory = make([]float64, numbers)
			return memory, nil
		})
		if err != nil {
			return Extent{}, err
		}
		if len(t.numbers) == 0 {
			return Extent{}, t.emptyError()
		}
		rows := len(t.numbers) / t.cols
		e := Extent{Cols: t.cols, Entries: -1, Guessed: length > t.bytes}
		e.Rows = max(rows, int(float64(rows)*float64(length)/float64(t.bytes)))
		numbers := float64(e.Bytes())
		if loc.packing != unpacked && e.Guessed {
			numbers *= 2
		}
		e.Peak = int64(numbers + min(s.window, float64(length)) + t.held())
		return e, nil
	})
}

// contentLength returns the length of a file's uncompressed content: as gzip stores
// it at its end, modulo 2³², or an estimate of five times the length of the file.
func contentLength(loc location) (int64, error) {
	f, err := disk.Open(loc.file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || loc.packing == unpacked {
		return info.Size(), err
	}
	var end [4]byte
	if loc.packing == gzipped && info.Size() >= 4 {
		if _, err := f.ReadAt(end[:], info.Size()-4); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if said := int64(binary.LittleEndian.Uint32(end[:])); said >= info.Size() {
			return said, nil
		}
	}
	return 5 * info.Size(), nil
}

// WritingBytes returns the maximal memory for writing a rows × cols matrix to a path, in addition to the matrix.
// Paths without a known format take nothing.
func WritingBytes(path string, rows, cols int) int64 {
	loc, err := locate(path)
	if err != nil {
		return 0
	}
	bytes := int64(writerBuffers)
	if loc.packing == zstandard {
		bytes += zstdEncoder
	}
	if loc.format.writing != nil {
		bytes += loc.format.writing(rows, cols)
	}
	return bytes
}

const (
	writerBuffers = 2 << 20  // of any file, or of gzip
	zstdEncoder   = 12 << 20 // measured: 12 to 13 MiB, whatever the matrix
)
