package files

import (
	"archive/zip"
	"errors"
	"fmt"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/sparse"
)

// sparseStream reads the compressed rows of a matrix of SciPy in an .npz file block after
// block: its three arrays side by side, which may be deflated.
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

// open tells whether the file is such a matrix.
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

// read reads at most so many rows; none: the end.
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
	c := compressed{rows: n, cols: s.cols, what: "row", across: "column", first: s.done, ends: append([]int64{0}, ends...)}
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
