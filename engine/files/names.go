package files

import "fmt"

// Names are the names that a file holds besides its matrix.
type Names struct {
	Rows    []string // of the samples; nil: none
	Columns []string // nil: none
	Of      string   // what the names of the samples are, such as "barcode"
}

// NamesOf returns the names of the samples and of the columns that [ReadMatrix] reads with the same options, where the
// file itself holds them: a folder of 10x, and HDF5 files of AnnData and 10x. Other files
// have none; Options.Note says where rows and columns are exchanged. For tables see [ColumnNames] and [ReadTexts]. Every error is an [*Error] with [OpRead].
func NamesOf(path string, o Options) (Names, error) {
	loc, err := locate(path)
	if err != nil || loc.format.names == nil {
		return Names{}, failure(path, OpRead, err)
	}
	n, err := loc.format.names(loc, o)
	if o.Transpose {
		n.Rows, n.Columns = n.Columns, n.Rows
		n.Of = "id"
	}
	return n, failure(path, OpRead, err)
}

// ReadNames reads the names of columns from a file of their own: one a line; of lines with tabs, without a header, the second field, as in the
// features.tsv of 10x; or the column of a table that the path selects. A name that occurred before gets -1, -2 … appended. The memory of the names
// counts against MaxBytes. Every error is an [*Error] with [OpRead].
func ReadNames(path string, o Options) ([]string, error) {
	if Selects(path) {
		texts, _, err := ReadTexts(path, o)
		return distinct(texts), err
	}
	loc, err := locate(path)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	texts, err := fromContent(loc, Options{MaxBytes: o.MaxBytes, Taken: o.Taken}, func(s source, b budget) ([]string, error) {
		return bareColumn(s, b, symbolColumn)
	})
	return distinct(texts), failure(path, OpRead, err)
}

// symbolColumn is the column of the names in a table of features of 10x, from 1.
const symbolColumn = 2

// HasNames reports whether the files of a path's format may hold names of rows and columns.
func HasNames(path string) bool {
	loc, err := locate(path)
	return err == nil && loc.format.names != nil
}

// readAs reads the matrix of a file as stored, or transposed. Entries are checked before it is
// transposed, so that errors name the rows and columns of the file.
func (loc location) readAs(o Options) (matrix, error) {
	m, err := loc.format.read(loc, o)
	if err != nil || !o.Transpose {
		return m, err
	}
	if err := m.check(o); err != nil {
		return m, fmt.Errorf("%w (rows and columns as in the file)", err)
	}
	return m.transposed(o.budget())
}
