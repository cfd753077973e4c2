package files

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/sparse"
)

// npzFormat is NumPy's zip archive of arrays, each an .npy file.
var npzFormat = Format{
	Name: "NumPy archive", Extensions: []string{".npz"},
	holds: namedArrays, compressed: true, checkName: checkArrayName,
	extent: archiveExtent,
	read:   readArchive,
	readLabels: func(loc location, o Options) ([]int64, error) {
		return fromArchive(loc, o, readNPYLabels)
	},
	openRows: openEntryRows,
	write: func(w *bufio.Writer, loc location, m mat.Matrix, single bool) error {
		if a, isSparse := m.(*sparse.CSR); isSparse && loc.array == unnamed {
			return writeSparseArchive(w, a)
		}
		return writeArchive(w, loc.array, func(w *bufio.Writer) error { return writeNPYMatrix(w, m, single) })
	},
	writeIntegers: func(w *bufio.Writer, loc location, v integers) error {
		return writeArchive(w, loc.array, func(w *bufio.Writer) error { return writeNPYIntegers(w, v) })
	},
	writeRows: writeEntryRows,
}

func openArchive(path string) (disk.File, int64, error) {
	return openRegular(path, "an .npz archive")
}

// fromArchive calls read with one array of an .npz file: the named one, or the
// only one.
func fromArchive[T any](loc location, o Options, read func(s source, b budget) (T, error)) (T, error) {
	f, size, err := openArchive(loc.file)
	if err != nil {
		var zero T
		return zero, err
	}
	defer f.Close()
	return fromZip(f, size, loc.array, func(s source) (T, error) { return read(s, o.budget()) })
}

// openEntryRows begins to read an array of an archive by rows. Its checksum is
// verified at its end.
func openEntryRows(r *RowReader, loc location, o Options) error {
	f, size, err := openArchive(loc.file)
	if err != nil {
		return err
	}
	r.close = f.Close
	entries, err := sparseEntries(f, size, loc.array)
	if err != nil {
		return err
	}
	if entries != nil {
		a, err := readSparseArrays(entries, size, o.budget())
		if err != nil {
			return err
		}
		return r.openMatrix(matrix{sparse: a}, "a sparse matrix")
	}
	entry, err := findEntry(f, size, loc.array)
	if err != nil {
		return err
	}
	s, err := openEntry(entry, size)
	if err == nil {
		r.close = func() error { return errors.Join(s.Close(), f.Close()) }
		err = r.openArray(s, o.budget())
	}
	if err != nil {
		return entryError(entry, err)
	}
	next := r.next
	r.next = func(dst []float64) (int, error) {
		n, err := next(dst)
		if err != nil {
			err = entryError(entry, err)
		}
		return n, err
	}
	return nil
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

// writeEntryRows begins an archive of one array, like [writeArchive].
func writeEntryRows(w *RowWriter) error {
	if w.rows < 0 {
		return w.countRows(writeEntryRows)
	}
	archive := zip.NewWriter(w.o.buffer)
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: w.o.loc.array + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(entry, 1<<16)
	w.sink, w.finish = b, func() error { return errors.Join(b.Flush(), archive.Close()) }
	return writeNPYHeader(b, w.descr(), []int{w.rows, w.cols})
}

// checkArrayName refuses names that could not be read back from an archive.
func checkArrayName(name string) error {
	if strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return fmt.Errorf("%s is not a name for an array: leave out slashes and control characters", excerpt([]byte(name)))
	}
	return nil
}

func fromZip[T any](r io.ReaderAt, size int64, name string, read func(source) (T, error)) (T, error) {
	var zero T
	entry, err := findEntry(r, size, name)
	if err != nil {
		return zero, err
	}
	s, err := openEntry(entry, size)
	if err == nil {
		defer s.Close()
		var v T
		if v, err = read(s); err == nil {
			return v, nil
		}
	}
	return zero, entryError(entry, err)
}

func findEntry(r io.ReaderAt, size int64, name string) (*zip.File, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, notArchive(r, size, err)
	}
	return pick(archive.File, name)
}

// entryError names the array with the error.
func entryError(entry *zip.File, err error) error {
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		err = fmt.Errorf("its compression (method %d) is not supported: write it with numpy.savez or savez_compressed", entry.Method)
	case errors.Is(err, zip.ErrChecksum):
		err = errors.New("its checksum is wrong: the file is damaged")
	}
	return fmt.Errorf("array %s: %w", excerpt([]byte(arrayName(entry))), err)
}

// notArchive explains why a file is not a zip archive.
func notArchive(r io.ReaderAt, size int64, err error) error {
	if size == 0 {
		return errors.New("the file is empty")
	}
	var start [6]byte
	if n, _ := r.ReadAt(start[:], 0); string(start[:n]) == npyMagic {
		return errors.New("not an .npz archive but a single array: name it .npy")
	}
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("not an .npz (zip) archive, or a truncated one")
	}
	return err
}

// arrayName is an entry's name without the .npy that NumPy adds.
func arrayName(f *zip.File) string { return strings.TrimSuffix(f.Name, ".npy") }

// pick returns the entry to read.
func pick(entries []*zip.File, name string) (*zip.File, error) {
	var arrays []*zip.File
	for _, f := range entries {
		if strings.HasSuffix(f.Name, ".npy") {
			arrays = append(arrays, f)
		}
	}
	if len(arrays) == 0 {
		return nil, errors.New("the archive holds no array")
	}
	if name == "" {
		if len(arrays) > 1 {
			return nil, fmt.Errorf("the archive holds %d arrays (%s): %s", len(arrays), listed(arrays), choice(arrays))
		}
		return arrays[0], nil
	}
	at := slices.IndexFunc(arrays, func(f *zip.File) bool { return arrayName(f) == name })
	if at < 0 {
		return nil, fmt.Errorf("the archive has no array %s; it has %s", excerpt([]byte(name)), listed(arrays))
	}
	return arrays[at], nil
}

// listed returns the names of the arrays of an archive.
func listed(arrays []*zip.File) string {
	const most = 20
	var names []string
	for i, f := range arrays {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, strings.Trim(excerpt([]byte(arrayName(f))), `"`))
	}
	return strings.Join(names, ", ")
}

// choice is the remedy for an archive of several arrays. The arrays of
// scipy.sparse.save_npz are the parts of one matrix.
func choice(arrays []*zip.File) string {
	parts := 0
	for _, f := range arrays {
		switch arrayName(f) {
		case "indices", "indptr", "data":
			parts++
		}
	}
	if parts == 3 {
		return "it seems to be a sparse matrix of SciPy without its format: write it with scipy.sparse.save_npz"
	}
	return "name one, as in file.npz:" + strings.Trim(excerpt([]byte(arrayName(arrays[0]))), `"`)
}

// openEntry opens an entry. Its length is known in advance only if the bytes
// of the archive can confirm it.
func openEntry(f *zip.File, archive int64) (source, error) {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return source{}, errors.New("it is encrypted")
	}
	s := source{size: -1}
	packed, claimed := f.CompressedSize64, f.UncompressedSize64
	if packed <= uint64(archive) {
		if claimed/plausibleRatio <= packed {
			s.size = int64(claimed)
		} else {
			s.most = int64(min(claimed, uint64(product(int64(packed), deflateRatio))))
		}
	}
	r, err := f.Open()
	if err != nil {
		return source{}, err
	}
	s.Reader, s.close = r, r.Close
	return s, nil
}
