package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// Format is a file format: one value with everything that depends on it. What
// another package gives to [Register] is a format of tables with named columns,
// kept apart so that a program which does not need it does not carry it. It
// consists of the exported fields, and Register derives the others;
// "file.ext:a,b" selects columns on reading and names them on writing. A format of
// this package is a row of builtIn that sets the other fields by itself.
type Format struct {
	Name       string   // "Parquet"
	Extensions []string // in lower case, each with its dot

	// Open begins to read the columns chosen, in that order, or all that hold
	// numbers where none are listed. What is held on the way comes out of the memory.
	// Errors and panics are of the file.
	Open func(file *io.SectionReader, columns Choice, m *Memory) (Table, error)

	// Create begins to write a table of which every name and the type are given.
	Create func(w io.Writer, t TableType) (TableWriter, error)

	// Writing is what a table of this many columns takes that is being written.
	Writing func(cols int) int64

	holds      contents
	separator  byte   // of the fields of a text
	standard   bool   // "-" is standard input or output in this format
	compressed bool   // inside: the file is not compressed once more
	whole      string // why rows cannot be read in blocks, where openRows is left out

	// checkName refuses the name of an array that could not be read again; only
	// where holds is namedArrays.
	checkName func(name string) error

	// extent has the shape of the matrix, and the bytes that read takes at its peak.
	extent func(loc location, o Options) (Extent, error)
	// writing is what write takes in addition to the matrix, buffers of writerBuffers apart.
	// Left out, there is nothing else.
	writing func(rows, cols int) int64

	// read reads a matrix as the file keeps it, dense or sparse.
	read func(loc location, o Options) (matrix, error)
	// readLabels reads whole numbers. Left out, they come from read, which is
	// exact within ±2⁵³.
	readLabels func(loc location, o Options) ([]int64, error)
	// openRows sets what r reads in blocks. Left out, the matrix is read whole.
	openRows func(r *RowReader, loc location, o Options) error

	// write writes a matrix, as float32 where single says so.
	write func(w *bufio.Writer, loc location, m mat.Matrix, single bool) error
	// writeIntegers writes integers, exact over all of int64.
	writeIntegers func(w *bufio.Writer, loc location, v integers) error
	// writeRows decides where the rows that w is given go, and what follows the
	// last one.
	writeRows func(w *RowWriter) error
}

// contents is what a file of a format holds, and so what "file.ext:…" selects.
type contents int

const (
	oneArray     contents = iota // a colon selects nothing: it belongs to the path
	namedArrays                  // it selects an array
	namedColumns                 // it selects columns
)

// integers are a matrix of integers, row by row. The shape is an array's
// where the format distinguishes a vector from a column.
type integers struct {
	rows, cols int
	shape      []int
	row        func(i int) []int64 // valid until the next call
}

// derive sets what a format leaves out.
func (f *Format) derive() {
	if f.read == nil {
		f.holds, f.compressed = namedColumns, true
		f.extent = tableExtent
		if f.Writing != nil {
			f.writing = func(_, cols int) int64 { return f.Writing(cols) }
		}
		f.read, f.readLabels, f.openRows = readTableMatrix, readTableLabels, openTableRows
		f.write, f.writeIntegers, f.writeRows = writeTable, writeIntegerTable, writeTableRows
	}
	if f.readLabels == nil {
		f.readLabels = readMatrixLabels
	}
	if f.openRows == nil {
		f.openRows = openWhole
	}
}

// builtIn are the formats of this package, in the order in which messages list
// them.
var builtIn = []Format{npyFormat, npzFormat, csvFormat, tsvFormat, marketFormat, matFormat}

func init() {
	for _, f := range builtIn {
		Register(f)
	}
}

// formats are all formats of the program, this package's first.
var formats = struct {
	sync.RWMutex
	all []*Format
}{}

// Register adds a format. Packages call it when they are initialized; an
// extension that is taken is a mistake of the programmer and panics.
func Register(f Format) {
	for _, ext := range f.Extensions {
		if registered(ext) != nil {
			panic("files: a format for " + ext + " is registered already")
		}
	}
	f.derive()
	formats.Lock()
	defer formats.Unlock()
	formats.all = append(formats.all, &f)
}

// registered returns the format of an extension, nil where there is none.
func registered(ext string) *Format {
	return findFormat(func(f *Format) bool { return slices.Contains(f.Extensions, ext) })
}

// standardFormat is the format of standard input and output.
func standardFormat() *Format { return findFormat(func(f *Format) bool { return f.standard }) }

func findFormat(is func(*Format) bool) *Format {
	formats.RLock()
	defer formats.RUnlock()
	if at := slices.IndexFunc(formats.all, is); at >= 0 {
		return formats.all[at]
	}
	return nil
}

// supported lists the extensions: this package's in the order of its
// formats, the others alphabetically.
func supported() string {
	formats.RLock()
	defer formats.RUnlock()
	var all, added []string
	for at, f := range formats.all {
		if at < len(builtIn) {
			all = append(all, f.Extensions...)
		} else {
			added = append(added, f.Extensions...)
		}
	}
	slices.Sort(added)
	all = append(all, added...)
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// linkable are the packages of formats that a program may lack.
var linkable = map[string]string{
	".parquet": "github.com/orthant-go/orthant/engine/files/parquet",
	".arrow":   "github.com/orthant-go/orthant/engine/files/arrow",
	".feather": "github.com/orthant-go/orthant/engine/files/arrow",
}

// foreign are the extensions of formats that no library in pure Go reads well,
// with what to do about them.
var foreign = map[string]string{".h5": noHDF5, ".hdf5": noHDF5, ".hdf": noHDF5, ".he5": noHDF5}

const noHDF5 = `HDF5 files are not supported: convert them, as in ` +
	`python3 -c "import h5py, numpy; numpy.save('x.npy', h5py.File('x.h5')['NAME'][()])"`

// unregistered says why there is no format of an extension that is not empty.
func unregistered(ext string) error {
	switch {
	case linkable[ext] != "":
		return fmt.Errorf("this program lacks %s files (a build that has them imports %s): use one of %s", ext, linkable[ext], supported())
	case foreign[ext] != "":
		return errors.New(foreign[ext])
	}
	return fmt.Errorf("the extension %q is not one of %s", ext, supported())
}
