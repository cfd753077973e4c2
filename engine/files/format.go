package files

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// Format is a file format: one value with everything that depends on it. A format that
// another package passes to [Register] is a table with named columns,
// kept separate so that programs that do not need it do not include it. It
// consists of the exported fields, and Register derives the others.
// "file.ext:a,b" selects columns on reading and names them on writing. A format of
// this package is a row of builtIn that sets the other fields itself.
type Format struct {
	Name       string   // "Parquet"
	Extensions []string // in lower case, each with its dot

	// Open begins to read the given columns, in that order, or all numeric columns
	// if none are given. Additional memory is requested from the memory.
	// Errors and panics are attributed to the file.
	Open func(file *io.SectionReader, columns Choice, m *Memory) (Table, error)

	// Create begins to write a table with the given names and type.
	Create func(w io.Writer, t TableType) (TableWriter, error)

	// Writing returns the memory for writing a table with the given number of columns.
	Writing func(cols int) int64

	holds      contents
	separator  byte   // of the fields of a text
	guess      bool   // in the text that is read it may be another one
	standard   bool   // "-" is standard input or output in this format
	compressed bool   // compressed inside: the file is not compressed again
	whole      string // why rows cannot be read in blocks, if openRows is nil

	// checkName refuses the name of an array that could not be read back; only
	// if holds is namedArrays.
	checkName func(name string) error

	// extent returns the shape of the matrix, and the peak memory of read.
	extent func(loc location, o Options) (Extent, error)
	// writing returns the memory of write in addition to the matrix and to writerBuffers.
	// nil: none.
	writing func(rows, cols int) int64

	// names reads the names of rows and columns. nil: the format has none, or it is a table.
	names func(loc location, o Options) (Names, error)

	// read reads a matrix as stored, dense or sparse.
	read func(loc location, o Options) (matrix, error)
	// readLabels reads integers. nil: read is used, which is
	// exact within ±2⁵³.
	readLabels func(loc location, o Options) ([]int64, error)
	// openArray begins to read an array whose elements can be read directly to their place. nil: there are none.
	openArray func(loc location, o Options) (s source, h npyHeader, is bool, err error)
	// texts reads a column of text. nil: the format has none, or it is a text of .csv or .tsv.
	texts func(loc location, o Options) (textColumn, error)
	// openRows prepares r to read blocks. nil: the matrix is read whole.
	openRows func(r *RowReader, loc location, o Options) error

	// write writes a matrix, as float32 if single is set.
	write func(w *bufio.Writer, loc location, m mat.Matrix, single bool) error
	// writeIntegers writes integers, exact for all of int64.
	writeIntegers func(w *bufio.Writer, loc location, v integers) error
	// writeRows prepares w for rows, and for the end of the
	// matrix.
	writeRows func(w *RowWriter) error
}

// contents is the kind of content of a format, and so the meaning of "file.ext:…".
type contents int

const (
	oneArray     contents = iota // a colon selects nothing: it belongs to the path
	namedArrays                  // it selects an array
	namedColumns                 // it selects columns
)

// integers is a matrix of integers, row by row. The shape is the shape of an array
// if the format distinguishes a vector from a column.
type integers struct {
	rows, cols int
	shape      []int
	row        func(i int) []int64 // valid until the next call
}

// derive sets the defaults of a format.
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

// derived returns a format with its defaults.
func derived(f Format) *Format {
	f.derive()
	return &f
}

// builtIn are the formats of this package, in the order in which messages list
// them.
var builtIn = []Format{npyFormat, npzFormat, csvFormat, tsvFormat, dataFormat, marketFormat, matFormat}

// readOnly are the formats that [Create] does not write.
var readOnly = []Format{hdf5Format}

func init() {
	for _, f := range slices.Concat(builtIn, readOnly) {
		Register(f)
	}
}

// formats are all formats of the program, this package's first.
var formats = struct {
	sync.RWMutex
	all []*Format
}{}

// Register adds a format. Packages call it when they are initialized. It panics if an
// extension is already registered.
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

// registered returns the format of an extension; nil: none.
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

// supported lists the extensions that are read, or written: this package's in the order of its
// formats, the others alphabetically.
func supported(written bool) string {
	formats.RLock()
	defer formats.RUnlock()
	var all, added []string
	for at, f := range formats.all {
		switch {
		case at < len(builtIn), at < len(builtIn)+len(readOnly) && !written:
			all = append(all, f.Extensions...)
		case at >= len(builtIn)+len(readOnly):
			added = append(added, f.Extensions...)
		}
	}
	slices.Sort(added)
	all = append(all, added...)
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// linkable lists the packages of formats that a program may be built without.
var linkable = map[string]string{
	".parquet": "github.com/orthant-go/orthant/engine/files/parquet",
	".arrow":   "github.com/orthant-go/orthant/engine/files/arrow",
	".feather": "github.com/orthant-go/orthant/engine/files/arrow",
}

// unregistered explains why there is no format for a nonempty extension.
func unregistered(ext string, written bool) error {
	if linkable[ext] != "" {
		return fmt.Errorf("this program lacks %s files (a build that has them imports %s): use one of %s", ext, linkable[ext], supported(written))
	}
	return fmt.Errorf("the extension %q is not one of %s", ext, supported(written))
}
