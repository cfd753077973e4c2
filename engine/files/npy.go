package files

import (
	"bufio"

	"gonum.org/v1/gonum/mat"
)

// npyFormat is NumPy's file of one array.
var npyFormat = Format{
	Name: "NumPy array", Extensions: []string{".npy"},
	standard: true,
	extent:   func(loc location, o Options) (Extent, error) { return fromContent(loc, o, npyExtent) },
	read: func(loc location, o Options) (matrix, error) {
		return asMatrix(fromContent(loc, o, readNPYMatrix))
	},
	readLabels: func(loc location, o Options) ([]int64, error) {
		return fromContent(loc, o, readNPYLabels)
	},
	openRows: openNPYRows,
	write: func(w *bufio.Writer, _ location, m mat.Matrix, single bool) error {
		return writeNPYMatrix(w, m, single)
	},
	writeIntegers: func(w *bufio.Writer, _ location, v integers) error {
		return writeNPYIntegers(w, v.shape, v.data)
	},
	writeRows: writeNPYRows,
}
