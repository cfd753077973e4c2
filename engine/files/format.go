package files

import (
	"bufio"
	"io"

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

	// Writing is what a table of so many columns takes that is being written.
	Writing func(cols int) int64

	holds      contents
	separator  byte   // of the fields of a text
	standard   bool   // "-" is standard input or output in this format
	compressed bool   // inside: the file is not compressed once more
	whole      string // why rows cannot be read in blocks, where openRows is left out

	// checkName refuses the name of an array that could not be read again; only
	// where holds is namedArrays.
	checkName func(name string) error

	// extent tells the shape of the matrix, and the bytes that read takes at its peak.
	extent func(loc location, o Options) (Extent, error)
	// writing is what write takes beside the matrix, buffers of writerBuffers apart.
	// Left out, there is nothing else.
	writing func(rows, cols int) int64

	// read reads a matrix as the file keeps it, dense or sparse.
	read func(loc location, o Options) (matrix, error)
	// readLabels reads whole numbers. Left out, they are those of read, which are
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

// integers are a matrix of integers, row by row. The shape is that of an array
// where the format tells a vector from a column.
type integers struct {
	rows, cols int
	shape      []int
	data       []int64
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
