package files

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
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
		return writeArchive(w, loc.array, func(w *bufio.Writer) error { return writeNPYIntegers(w, v.shape, v.data) })
	},
	writeRows: writeEntryRows,
}

func openArchive(path string) (disk.File, int64, error) {
	return openRegular(path, "an .npz archive")
}

// fromArchive has read take one array of an .npz file: the named one, or the
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

// checkArrayName refuses names that would not come back from an archive.
func checkArrayName(name string) error {
	if strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return fmt.Errorf("%s is no name for an array: leave out slashes and control characters", excerpt([]byte(name)))
	}
	return nil
}
