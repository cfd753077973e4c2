package files

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

// Grouped is a table that can be read from the beginning of each group of its rows.
type Grouped interface {
	Table
	Groups() []int         // the first row of each, ascending
	SeekGroup(i int) error // what comes next is group i
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
