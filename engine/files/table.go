package files

import (
	"io"
	"slices"
	"sync"
)

// Format is a format of tables with named columns that another package reads and
// writes and adds by [Register], so that a program which does not need it does
// not carry it. "file.ext:a,b" selects columns on reading and names them on
// writing.
type Format struct {
	Name       string   // "Parquet"
	Extensions []string // in lower case, each with its dot

	// Open begins to read the columns named, in that order, or all that hold
	// numbers where there are none. Errors and panics are of the file.
	Open func(file *io.SectionReader, columns []string) (Table, error)

	// Create begins to write a table of which every name and the type are given.
	Create func(w io.Writer, t TableType) (TableWriter, error)
}

// Table is a table being read, its selected columns side by side.
type Table interface {
	Names() []string // of the columns selected
	Rows() int       // −1: not known before the end
	Integer() bool   // whether NextIntegers loses nothing

	// Next fills dst, row by row, with as many of the following rows as it likes,
	// at least one, and returns their number; 0 is the end. A value that is
	// missing is an error that names its row, counting from 1, and its column.
	Next(dst []float64) (rows int, err error)
	// NextIntegers is Next for columns of integers.
	NextIntegers(dst []int64) (rows int, err error)
	Close() error
}

// TableType is what a table to be written consists of.
type TableType struct {
	Names []string
	Type  NumberType // of all columns
}

// NumberType is the type of the numbers of a table.
type NumberType int

// The types that are written.
const (
	Float64 NumberType = iota
	Float32
	Int64
)

// TableWriter is a table being written. Rows come as float64 or, for Int64, as
// int64; neither kind may be kept. Close completes the table.
type TableWriter interface {
	WriteRow(row []float64) error
	WriteIntegers(row []int64) error
	Close() error
}

var formats = struct {
	sync.RWMutex
	all []*Format
}{}

// Register adds a format. Packages call it when they are initialised; an
// extension that is taken is a mistake of the programmer and panics.
func Register(f Format) {
	for _, ext := range f.Extensions {
		taken := registered(ext) != nil
		for _, b := range builtIn {
			taken = taken || b.extension == ext
		}
		if taken {
			panic("files: a format for " + ext + " is registered already")
		}
	}
	formats.Lock()
	defer formats.Unlock()
	formats.all = append(formats.all, &f)
}

// elsewhere are the packages of formats that are known but may not be linked.
var elsewhere = map[string]string{
	".parquet": "github.com/orthant-go/orthant/engine/files/parquet",
	".arrow":   "github.com/orthant-go/orthant/engine/files/arrow",
	".feather": "github.com/orthant-go/orthant/engine/files/arrow",
}

func registered(ext string) *Format {
	formats.RLock()
	defer formats.RUnlock()
	for _, f := range formats.all {
		if slices.Contains(f.Extensions, ext) {
			return f
		}
	}
	return nil
}

func registeredExtensions() []string {
	formats.RLock()
	defer formats.RUnlock()
	var all []string
	for _, f := range formats.all {
		all = append(all, f.Extensions...)
	}
	slices.Sort(all)
	return all
}
