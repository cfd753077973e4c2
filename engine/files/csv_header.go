package files

import (
	"errors"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine/wording"
)

// isHeader reports whether the first line names columns. It does if no field is
// a number. If some fields are numbers (as in "class,0,1,2"), it does if another field begins with a
// letter, unless the second line has numbers and words in the same places, so the first
// line is data too. A malformed number or a missing value must not turn
// a row of data into a header silently: that is an error, except for missing
// values if they are allowed. number is the number of the first line.
func (f notation) isHeader(line, second []byte, sep byte, number int) (bool, error) {
	numbers, column := 0, 0
	var fault error
	name, word := false, false
	index := true   // the header of an index: an empty field, then 0, 1, 2 …
	counted := true // the numbers present are 0, 1, 2 … or 1, 2, 3 …
	for rest := line; ; {
		n := fieldEnd(rest, sep)
		column++
		text := clip(fieldText(rest[:n]))
		v, err := parseNumber(text)
		if column == 1 {
			index = len(text) == 0
		} else {
			index = index && err == nil && v == float64(column-2)
		}
		switch large := errors.Is(err, strconv.ErrRange); {
		case err == nil:
			counted = counted && (v == float64(numbers) || v == float64(numbers+1))
			numbers++
		case f.missing && isMissing(text):
		case large || isMissing(text) || isLiteral(text):
			if fault == nil {
				fault = fieldError(number, column, "", string(text), large, sep)
			}
		default:
			if f.isNumber(text) {
				numbers++
				counted = false
				break
			}
			name = true
			word = word || isLetter(text[0])
			if fault == nil {
				fault = fieldError(number, column, "", string(text), false, sep)
			}
		}
		if n == len(rest) {
			break
		}
		rest = afterField(rest, n, sep)
	}
	if name && (numbers == 0 || word) && (numbers == 0 || counted || !f.sameKinds(line, second, sep)) {
		return true, nil
	}
	if index && column > 1 {
		return false, &missingIndex{wording.Errorf("line %d, column 1 is empty, as in a header above an index: leave the column out (‹drop=1›)", number)}
	}
	if name && !word || !name {
		return false, fault
	}
	return false, nil // parsing says which field is not a number
}

// missingIndex is the error of a header with an empty name for an index if no columns are
// selected: the index would be one of them.
type missingIndex struct{ error }

func (m *missingIndex) Unwrap() error { return m.error }

// sameKinds reports whether two lines have numbers and words in the same places.
// Fields without a value are ignored.
func (f notation) sameKinds(first, second []byte, sep byte) bool {
	if isBlank(second) {
		return false
	}
	for {
		n, m := fieldEnd(first, sep), fieldEnd(second, sep)
		a, b := fieldText(first[:n]), fieldText(second[:m])
		if !isMissing(a) && !isMissing(b) && f.isNumber(a) != f.isNumber(b) {
			return false
		}
		if n == len(first) || m == len(second) {
			return n == len(first) && m == len(second)
		}
		first, second = afterField(first, n, sep), afterField(second, m, sep)
	}
}

// fieldNames are the fields of a header.
func fieldNames(line []byte, sep byte) []string {
	var names []string
	for {
		n := fieldEnd(line, sep)
		names = append(names, strings.ReplaceAll(string(fieldText(line[:n])), `""`, `"`))
		if n == len(line) {
			return names
		}
		line = afterField(line, n, sep)
	}
}

// isMissing recognises the usual ways to write a missing value.
func isMissing(text []byte) bool {
	switch strings.ToLower(string(text)) {
	case "", "na", "n/a", "null", "none", "?", "-", ".", "missing":
		return true
	}
	return false
}

// isLetter is true of letters, the underscore, and any character beyond ASCII.
func isLetter(c byte) bool {
	return c == '_' || c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// countFields returns the number of fields of a line.
func countFields(line []byte, sep byte) int {
	for count := 1; ; count++ {
		n := fieldEnd(line, sep)
		if n == len(line) {
			return count
		}
		line = afterField(line, n, sep)
	}
}

// Many programs separate the fields of a .csv by ; if a comma is the decimal mark.
const semicolon = ';'

// delimiterOf decides from the first lines whether ; separates the fields of a text instead of the expected
// comma. It does if ; gives both lines the same number of fields, more than one,
// and commas do not fit: the first line has none, commas give the lines different numbers of
// fields, or the second line has numbers between the semicolons but not between the
// commas.
func (f notation) delimiterOf(line, second []byte, sep byte) byte {
	count := countFields(line, semicolon)
	if sep != ',' || count < 2 || !isBlank(second) && countFields(second, semicolon) != count {
		return sep
	}
	commas := countFields(line, sep)
	if commas == 1 || !isBlank(second) && countFields(second, sep) != commas {
		return semicolon
	}
	if isBlank(second) {
		second = line
	}
	if f.allNumbers(second, semicolon) && !f.allNumbers(second, sep) {
		return semicolon
	}
	return sep
}

// allNumbers reports whether all fields of a line are numbers or missing values.
func (f notation) allNumbers(line []byte, sep byte) bool {
	for {
		n := fieldEnd(line, sep)
		if text := fieldText(line[:n]); !isMissing(text) && !f.isNumber(text) {
			return false
		}
		if n == len(line) {
			return true
		}
		line = afterField(line, n, sep)
	}
}
