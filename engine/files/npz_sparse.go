package files

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/sparse"
)

// The arrays of a sparse matrix as scipy.sparse.save_npz writes it: rows compressed
// ("csr"), or columns ("csc").
var sparseArrays = []string{"indices", "indptr", "format", "shape", "data"}

// sparseEntries returns the entries of an archive that is one sparse SciPy matrix, if
// no array is named; nil: it is not one.
func sparseEntries(f disk.File, size int64, named string) ([]*zip.File, error) {
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return nil, notArchive(f, size, err)
	}
	if named != "" || !holdsSparse(archive.File) {
		return nil, nil
	}
	return archive.File, nil
}

func holdsSparse(entries []*zip.File) bool {
	for _, name := range []string{"format", "shape", "data"} {
		if !slices.ContainsFunc(entries, func(f *zip.File) bool { return arrayName(f) == name }) {
			return false
		}
	}
	return true
}

// readArchive reads the array that is named, or the sparse matrix or the only array.
func readArchive(loc location, o Options) (matrix, error) {
	f, size, err := openArchive(loc.file)
	if err != nil {
		return matrix{}, err
	}
	defer f.Close()
	entries, err := sparseEntries(f, size, loc.array)
	if err != nil {
		return matrix{}, err
	}
	if entries != nil {
		a, err := readSparseArrays(entries, size, o.budget())
		return matrix{sparse: a}, err
	}
	return asMatrix(fromZip(f, size, loc.array, func(s source) (*mat.Dense, error) { return readNPYMatrix(s, o.budget()) }))
}

// archiveExtent is the extent of the matrix that [readArchive] returns.
func archiveExtent(loc location, o Options) (Extent, error) {
	f, size, err := openArchive(loc.file)
	if err != nil {
		return Extent{}, err
	}
	defer f.Close()
	entries, err := sparseEntries(f, size, loc.array)
	if err != nil {
		return Extent{}, err
	}
	if entries == nil {
		return fromZip(f, size, loc.array, func(s source) (Extent, error) { return npyExtent(s, o.budget()) })
	}
	shape, err := part(entries, size, "shape", func(s source) ([]int64, error) {
		h, err := readNPYShape(s)
		if err != nil {
			return nil, err
		}
		return readArray[int64](s, h, o.budget(), 0)
	})
	if err != nil {
		return Extent{}, err
	}
	if err := checkShape(shape); err != nil {
		return Extent{}, err
	}
	h, err := part(entries, size, "data", func(s source) (npyHeader, error) { return readNPYShape(s) })
	e := Extent{Rows: int(shape[0]), Cols: int(shape[1]), Entries: h.rows * h.cols}
	e.Peak = int64(sparseBytes(e.Entries, e.Rows)) + 8*int64(e.Rows) // indptr as it is read
	return e, err
}

// checkShape returns an error for an invalid shape of a sparse matrix.
func checkShape(shape []int64) error {
	switch {
	case len(shape) != 2 || shape[0] < 0 || shape[1] < 0:
		return fmt.Errorf("the array shape is %v: it has to name the rows and the columns", shape)
	case shape[0] > math.MaxInt32 || shape[1] > math.MaxInt32:
		return fmt.Errorf("a %d × %d matrix is outside what the 32-bit indices of a sparse matrix hold", shape[0], shape[1])
	}
	return nil
}

// part reads one array of a sparse matrix.
func part[T any](entries []*zip.File, archive int64, name string, read func(s source) (T, error)) (T, error) {
	var zero T
	entry, err := pick(entries, name)
	if err != nil {
		return zero, err
	}
	s, err := openEntry(entry, archive)
	if err == nil {
		defer s.Close()
		var v T
		if v, err = read(s); err == nil {
			return v, nil
		}
	}
	return zero, entryError(entry, err)
}

// readSparseArrays puts the arrays together, and checks that they are a matrix.
func readSparseArrays(entries []*zip.File, archive int64, b budget) (*sparse.CSR, error) {
	format, err := part(entries, archive, "format", readWord)
	if err != nil {
		return nil, err
	}
	if format != "csr" && format != "csc" {
		return nil, fmt.Errorf("the sparse matrix is of the format %s: write it compressed, as scipy.sparse.save_npz(file, a.tocsr())", excerpt([]byte(format)))
	}
	whole := func(extra float64) func(s source) ([]int64, error) {
		return func(s source) ([]int64, error) {
			h, err := readNPYShape(s)
			if err != nil {
				return nil, err
			}
			return readArray[int64](s, h, b, extra)
		}
	}
	shape, err := part(entries, archive, "shape", whole(0))
	if err != nil {
		return nil, err
	}
	if err := checkShape(shape); err != nil {
		return nil, err
	}
	ends, err := part(entries, archive, "indptr", whole(0))
	if err != nil {
		return nil, err
	}
	c := compressed[int32]{rows: int(shape[0]), cols: int(shape[1]), what: "row", across: "column", ends: ends}
	if format == "csc" {
		c.rows, c.cols, c.what, c.across = c.cols, c.rows, "column", "row"
	}
	c.indices, err = part(entries, archive, "indices", func(s source) ([]int32, error) {
		h, err := readNPYShape(s)
		if err != nil {
			return nil, err
		}
		return readIndices(s, h, b, 8*float64(len(ends)), func(at int, j int64) error {
			return c.outside(sort.Search(c.rows, func(i int) bool { return i+1 >= len(ends) || ends[i+1] > int64(at) }), j)
		})
	})
	if err != nil {
		return nil, err
	}
	c.values, err = part(entries, archive, "data", func(s source) ([]float64, error) {
		h, err := readNPYShape(s)
		if err != nil {
			return nil, err
		}
		return readArray[float64](s, h, b, 4*float64(len(c.indices))+8*float64(len(ends)))
	})
	if err != nil {
		return nil, err
	}
	a, err := c.matrix()
	if err == nil && format == "csc" {
		a = a.Transposed()
	}
	return a, err
}

// readIndices is [readArray] for column indices, which take half of the memory of int64. outside is the error about the index j at a place, if it is beyond int32.
func readIndices(s source, h npyHeader, b budget, extra float64, outside func(at int, j int64) error) ([]int32, error) {
	count := h.rows * h.cols
	if err := b.check(fmt.Sprintf("the %d × %d matrix", h.rows, h.cols), 4*float64(count), extra+h.extra(s)); err != nil {
		return nil, err
	}
	total, err := dataBytes(s, h)
	if err != nil {
		return nil, err
	}
	d := newDecoder[int64](s, h.dtype, total)
	var indices []int32
	if s.size >= 0 || b.bounded() { // otherwise nothing confirms the size in the header
		indices = pages.Make[int32](count)[:0]
	}
	some := make([]int64, min(count, decoderBuffer))
	for len(indices) < count {
		some = some[:min(len(some), count-len(indices))]
		if err := d.fill(some); err != nil {
			return nil, err
		}
		for _, j := range some {
			if j != int64(int32(j)) {
				return nil, outside(len(indices), j)
			}
			indices = append(indices, int32(j))
		}
	}
	return indices, atEnd(s, h)
}

// compressed are the arrays of compressed rows; for columns, of the transposed matrix.
type compressed[I int32 | int64] struct {
	rows, cols   int
	what, across string // the words for its rows and columns
	first        int    // the number of rows before them
	ends         []int64
	indices      []I
	values       []float64
}

// matrix checks the arrays, and sorts rows whose columns do not ascend.
func (c compressed[I]) matrix() (*sparse.CSR, error) {
	switch {
	case len(c.ends) != c.rows+1:
		return nil, fmt.Errorf("the array indptr has %d numbers for %d %ss: it needs one more than those", len(c.ends), c.rows, c.what)
	case len(c.indices) != len(c.values):
		return nil, fmt.Errorf("the arrays indices and data have %d and %d numbers: they need as many", len(c.indices), len(c.values))
	case c.ends[0] != 0 || c.ends[c.rows] != int64(len(c.indices)):
		return nil, fmt.Errorf("the array indptr goes from %d to %d where there are %d entries", c.ends[0], c.ends[c.rows], len(c.indices))
	}
	a := &sparse.CSR{Rows: c.rows, Cols: c.cols, Ptr: make([]int, c.rows+1), Val: c.values}
	if own, narrow := any(c.indices).([]int32); narrow {
		a.Col = own
	} else {
		a.Col = make([]int32, len(c.indices))
	}
	for i := range c.rows {
		lo, hi := c.ends[i], c.ends[i+1]
		if hi < lo || hi > int64(len(c.indices)) {
			return nil, fmt.Errorf("the array indptr does not ascend at %s %d (counting from 1)", c.what, c.first+i+1)
		}
		a.Ptr[i+1] = int(hi)
		sorted := true
		for p := lo; p < hi; p++ {
			j := c.indices[p]
			if j < 0 || int64(j) >= int64(c.cols) {
				return nil, c.outside(i, int64(j))
			}
			a.Col[p] = int32(j)
			sorted = sorted && (p == lo || a.Col[p-1] < a.Col[p])
		}
		if sorted {
			continue
		}
		if j := sortRow(a.Col[lo:hi], a.Val[lo:hi]); j >= 0 {
			return nil, fmt.Errorf("%s %d, %s %d (counting from 1) is stored twice: call a.sum_duplicates() before it is written", c.what, c.first+i+1, c.across, j+1)
		}
	}
	return a, nil
}

// outside is the error about an entry of row i in column j.
func (c compressed[I]) outside(i int, j int64) error {
	return fmt.Errorf("%s %d (counting from 1) has an entry in %s %d of %d (from 0)", c.what, c.first+i+1, c.across, j, c.cols)
}

// sortRow sorts the entries of a row by their columns and returns the first column that is
// there twice; −1: none is.
func sortRow(cols []int32, vals []float64) (twice int) {
	order := make([]int, len(cols))
	for q := range order {
		order[q] = q
	}
	slices.SortFunc(order, func(p, q int) int { return int(cols[p]) - int(cols[q]) })
	c, v := slices.Clone(cols), slices.Clone(vals)
	for to, from := range order {
		cols[to], vals[to] = c[from], v[from]
		if to > 0 && cols[to-1] == cols[to] {
			return int(cols[to])
		}
	}
	return -1
}

// readWord reads an array of one short text, of bytes or of characters.
func readWord(s source) (string, error) {
	const most = 1 << 10
	raw, err := io.ReadAll(io.LimitReader(s, most))
	if err != nil {
		return "", err
	}
	const prefix = 10
	if len(raw) < prefix || string(raw[:len(npyMagic)]) != npyMagic || raw[len(npyMagic)] != 1 {
		return "", errors.New("it is not a NumPy string")
	}
	begin := prefix + int(binary.LittleEndian.Uint16(raw[8:]))
	if begin > len(raw) {
		return "", errors.New("it is cut off")
	}
	return string(slices.DeleteFunc(raw[begin:], func(b byte) bool { return b == 0 })), nil
}

// writeSparseArchive writes compressed rows as scipy.sparse.save_npz does, with 32-bit
// indices where these reach.
func writeSparseArchive(w io.Writer, a *sparse.CSR) error {
	archive := zip.NewWriter(w)
	for _, name := range sparseArrays {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		b := bufio.NewWriterSize(entry, 1<<16)
		switch name {
		case "indices":
			err = writeNPYShort(b, a.Col)
		case "indptr":
			if a.NNZ() > math.MaxInt32 {
				long := make([]int64, len(a.Ptr))
				for i, p := range a.Ptr {
					long[i] = int64(p)
				}
				err = writeNPYIntegers(b, listOf(long))
				break
			}
			short := make([]int32, len(a.Ptr))
			for i, p := range a.Ptr {
				short[i] = int32(p)
			}
			err = writeNPYShort(b, short)
		case "format":
			if err = writeNPYHeader(b, "|S3", nil); err == nil {
				_, err = b.WriteString("csr")
			}
		case "shape":
			err = writeNPYIntegers(b, listOf([]int64{int64(a.Rows), int64(a.Cols)}))
		default:
			if err = writeNPYHeader(b, "<f8", []int{a.NNZ()}); err == nil {
				err = writeNumbers(b, a.Val[:a.NNZ()])
			}
		}
		if err = errors.Join(err, b.Flush()); err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeNPYShort writes int32, little endian.
func writeNPYShort(w *bufio.Writer, v []int32) error {
	if err := writeNPYHeader(w, "<i4", []int{len(v)}); err != nil {
		return err
	}
	return writeNumbers(w, v)
}

// writeNumbers writes numbers, little endian.
func writeNumbers[T int32 | float64](w *bufio.Writer, v []T) error {
	if nativeLittle {
		_, err := w.Write(bytesOf(v))
		return err
	}
	for part := range slices.Chunk(v, 1<<13) { // Write copies them
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

// sparseStream reads the compressed rows of a SciPy matrix in an .npz file block by
// block: its three arrays in parallel, which may be deflated.
type sparseStream struct {
	file       disk.File
	size       int64
	entriesOf  []*zip.File
	rows, cols int
	entries    int
	finite     bool

	ends, indices *streamedArray[int64]
	values        *streamedArray[float64]
	last          int64 // of indptr
	done          int   // rows read
}

// streamedArray is one array of an archive as it is read.
type streamedArray[D element] struct {
	entry  *zip.File
	source source
	header npyHeader
	*decoder[D]
}

func openStreamed[D element](entries []*zip.File, archive int64, name string) (*streamedArray[D], error) {
	entry, err := pick(entries, name)
	if err != nil {
		return nil, err
	}
	a := &streamedArray[D]{entry: entry}
	if a.source, err = openEntry(entry, archive); err != nil {
		return nil, entryError(entry, err)
	}
	if a.header, err = readNPYShape(a.source); err == nil {
		var total int64
		if total, err = dataBytes(a.source, a.header); err == nil {
			a.decoder = newDecoder[D](a.source, a.header.dtype, total)
			return a, nil
		}
	}
	a.source.Close()
	return nil, entryError(entry, err)
}

// len is the number of elements.
func (a *streamedArray[D]) len() int { return a.header.rows * a.header.cols }

// take reads the next elements, and at the end of the array checks that nothing follows.
func (a *streamedArray[D]) take(n int, last bool) ([]D, error) {
	var dst []D
	var err error
	if a.source.size < 0 { // nothing vouches for what the archive claims
		dst, err = readGrowing(a.decoder, n)
	} else {
		dst = make([]D, n)
		err = a.fill(dst)
	}
	if err == nil && last {
		err = atEnd(a.source, a.header)
	}
	if err != nil {
		return nil, entryError(a.entry, err)
	}
	return dst, nil
}

func (a *streamedArray[D]) close() error {
	if a == nil {
		return nil
	}
	return a.source.Close()
}

// openSparseStream opens a file that is a sparse matrix of SciPy in compressed rows; nil:
// it is something else.
func openSparseStream(loc location, o Options) (*sparseStream, error) {
	if loc.format.Name != npzFormat.Name {
		return nil, nil
	}
	f, size, err := openArchive(loc.file)
	if err != nil {
		return nil, err
	}
	s := &sparseStream{file: f, size: size, finite: !o.AllowNonFinite}
	streams, err := s.open(loc, o)
	if err != nil || !streams {
		s.close()
		return nil, err
	}
	return s, nil
}

// open reports whether the file is such a matrix.
func (s *sparseStream) open(loc location, o Options) (bool, error) {
	var err error
	if s.entriesOf, err = sparseEntries(s.file, s.size, loc.array); err != nil || s.entriesOf == nil {
		return false, err
	}
	format, err := part(s.entriesOf, s.size, "format", readWord)
	if err != nil || format != "csr" {
		return false, nil // the reader of whole matrices says what is wrong
	}
	shape, err := part(s.entriesOf, s.size, "shape", func(s source) ([]int64, error) {
		h, err := readNPYShape(s)
		if err != nil {
			return nil, err
		}
		return readArray[int64](s, h, o.budget(), 0)
	})
	if err == nil {
		err = checkShape(shape)
	}
	if err != nil {
		return false, err
	}
	s.rows, s.cols = int(shape[0]), int(shape[1])
	if s.rows == 0 || s.cols == 0 {
		return false, emptyMatrix(s.rows, s.cols)
	}
	return true, s.begin()
}

// begin opens the arrays.
func (s *sparseStream) begin() (err error) {
	if s.ends, err = openStreamed[int64](s.entriesOf, s.size, "indptr"); err != nil {
		return err
	}
	if s.indices, err = openStreamed[int64](s.entriesOf, s.size, "indices"); err != nil {
		return err
	}
	if s.values, err = openStreamed[float64](s.entriesOf, s.size, "data"); err != nil {
		return err
	}
	switch s.entries = s.values.len(); {
	case s.ends.len() != s.rows+1:
		return fmt.Errorf("the array indptr has %d numbers for %d rows: it needs one more than those", s.ends.len(), s.rows)
	case s.indices.len() != s.entries:
		return fmt.Errorf("the arrays indices and data have %d and %d numbers: they need as many", s.indices.len(), s.entries)
	}
	first, err := s.ends.take(1, false)
	if err != nil {
		return err
	}
	if first[0] != 0 {
		return fmt.Errorf("the array indptr begins with %d: it has to begin with 0", first[0])
	}
	s.last, s.done = 0, 0
	return nil
}

// restart goes back to the first row.
func (s *sparseStream) restart() error {
	if err := s.closeArrays(); err != nil {
		return err
	}
	return s.begin()
}

// read reads no more than most rows; none: the end.
func (s *sparseStream) read(most int) (*sparse.CSR, error) {
	n := min(most, s.rows-s.done)
	if n == 0 {
		return nil, nil
	}
	whole := s.done+n == s.rows
	ends, err := s.ends.take(n, whole)
	if err != nil {
		return nil, err
	}
	before := s.last
	for i, end := range ends {
		if end < s.last || end > int64(s.entries) {
			return nil, fmt.Errorf("the array indptr does not ascend at row %d (counting from 1)", s.done+i+1)
		}
		s.last = end
		ends[i] -= before
	}
	if whole && s.last != int64(s.entries) {
		return nil, fmt.Errorf("the array indptr goes from 0 to %d where there are %d entries", s.last, s.entries)
	}
	count := int(s.last - before)
	c := compressed[int64]{rows: n, cols: s.cols, what: "row", across: "column", first: s.done, ends: append([]int64{0}, ends...)}
	if c.indices, err = s.indices.take(count, whole); err != nil {
		return nil, err
	}
	if c.values, err = s.values.take(count, whole); err != nil {
		return nil, err
	}
	a, err := c.matrix()
	if err != nil {
		return nil, err
	}
	if s.finite {
		for i := range n {
			cols, vals := a.Row(i)
			for p, v := range vals {
				if v-v != 0 {
					return nil, nonFinite(s.done+i, int(cols[p]), v)
				}
			}
		}
	}
	s.done += n
	return a, nil
}

func (s *sparseStream) closeArrays() error {
	err := errors.Join(s.ends.close(), s.indices.close(), s.values.close())
	s.ends, s.indices, s.values = nil, nil, nil
	return err
}

func (s *sparseStream) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.closeArrays(), s.file.Close())
	s.file = nil
	return err
}
