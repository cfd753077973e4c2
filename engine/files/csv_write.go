package files

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

// writeText writes numbers with as many digits as are needed to restore their bits, one
// row on each line, below a header if columns have names.
func writeText(w *bufio.Writer, loc location, m mat.Matrix, sep byte, single bool) error {
	bits := textBits(single)
	rows, cols := m.Dims()
	if err := loc.checkLabeling(rows, cols); err != nil {
		return err
	}
	row := rowReader(m)
	line := loc.appendHeader(nil, sep)
	for i := range rows {
		line = appendLine(loc.appendID(line, i, sep), row(i), sep, bits)
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

// textBits returns the size in bits of the numbers that the digits must distinguish.
func textBits(single bool) int {
	if single {
		return 32
	}
	return 64
}

// appendLine appends a row as a line.
func appendLine(line []byte, row []float64, sep byte, bits int) []byte {
	for j, v := range row {
		if j > 0 {
			line = append(line, sep)
		}
		line = strconv.AppendFloat(line, v, 'g', -1, bits)
	}
	return append(line, '\n')
}

// writeIntegerText is writeText for integers.
func writeIntegerText(w *bufio.Writer, loc location, v integers, sep byte) error {
	if err := loc.checkLabeling(v.rows, v.cols); err != nil {
		return err
	}
	line := loc.appendHeader(nil, sep)
	for i := range v.rows {
		line = loc.appendID(line, i, sep)
		for j, x := range v.row(i) {
			if j > 0 {
				line = append(line, sep)
			}
			line = strconv.AppendInt(line, x, 10)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

// labeling holds the names of rows and columns of a text.
type labeling struct {
	ids        []string
	idName     string
	noFormulas bool // texts that a spreadsheet would evaluate get an apostrophe
}

// Name sets the names of the columns of an output, and the ids of the rows, which become the
// first column with the given name; ids may be nil. Table formats take names;
// .csv and .tsv then have a header, and take ids as well. Name reports whether the output takes
// ids. Names in the path take precedence.
func (o *Output) Name(columns, ids []string, idName string) bool {
	if o.loc.format == nil || o.loc.format.holds != namedColumns {
		return false
	}
	sep := o.loc.format.separator
	if sep != 0 {
		o.loc.ids, o.loc.idName = ids, idName
	}
	if o.loc.columns == nil {
		o.loc.columns = columns
		if sep != 0 && !o.loc.readsAsHeader(sep) {
			o.loc.columns = nil
		}
	}
	return sep != 0
}

// readsAsHeader reports whether the header is recognised when it is read again. Names that are numbers may not
// be recognised, and would become a row of data.
func (loc *location) readsAsHeader(sep byte) bool {
	var row []byte
	if len(loc.ids) > 0 {
		row = loc.appendID(row, 0, sep)
	}
	for range loc.columns {
		row = append(row, '0', sep)
	}
	header := bytes.TrimSuffix(loc.appendHeader(nil, sep), []byte("\n"))
	is, err := notation{}.isHeader(header, bytes.TrimSuffix(row, []byte{sep}), sep, 1)
	return is && err == nil
}

// checkLabeling returns an error if the numbers of names and ids differ from the columns and rows; −1 rows:
// unknown.
func (loc *location) checkLabeling(rows, cols int) error {
	if loc.columns != nil && len(loc.columns) != cols {
		return loc.otherColumns(cols)
	}
	if loc.ids != nil && rows >= 0 && len(loc.ids) != rows {
		return fmt.Errorf("there are %s for %s", plural(len(loc.ids), "id"), plural(rows, "row"))
	}
	return nil
}

// otherColumns is the error of names that do not match this many columns.
func (loc *location) otherColumns(cols int) error {
	return fmt.Errorf("the path names %s, and there are %d to write", plural(len(loc.columns), "column"), cols)
}

// appendHeader appends the header, if there is one.
func (loc *location) appendHeader(line []byte, sep byte) []byte {
	if loc.columns == nil {
		return line
	}
	if loc.ids != nil {
		line = append(loc.appendField(line, loc.idName, sep), sep)
	}
	for j, name := range loc.columns {
		if j > 0 {
			line = append(line, sep)
		}
		line = loc.appendField(line, name, sep)
	}
	return append(line, '\n')
}

// appendID appends the id of a row and a separator, if rows have ids.
func (loc *location) appendID(line []byte, row int, sep byte) []byte {
	if loc.ids == nil {
		return line
	}
	id := ""
	if row < len(loc.ids) {
		id = loc.ids[row]
	}
	return append(loc.appendField(line, id, sep), sep)
}

// NoFormulas makes .csv and .tsv outputs put an apostrophe before texts that a spreadsheet would take for formulas,
// as OWASP recommends against CSV injection: texts that begin with =, +, -, @, a tab
// or an end of line, except numbers. Without it texts are written unchanged.
func (o *Output) NoFormulas() { o.loc.noFormulas = true }

// isFormula reports whether a spreadsheet may take a text for a formula.
func isFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

// appendField appends text, quoted if necessary.
func (loc *location) appendField(line []byte, text string, sep byte) []byte {
	if loc.noFormulas && isFormula(text) {
		text = "'" + text
	}
	comment := slices.ContainsFunc(commentMarks, func(mark string) bool { return strings.HasPrefix(text, mark) })
	if !comment && !strings.ContainsAny(text, "\"\r\n"+string(sep)) && strings.TrimSpace(text) == text {
		return append(line, text...)
	}
	return append(append(append(line, '"'), strings.ReplaceAll(strings.NewReplacer("\r", " ", "\n", " ").Replace(text), `"`, `""`)...), '"')
}
