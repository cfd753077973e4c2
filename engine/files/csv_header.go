package files

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// isHeader tells whether the first line names columns. It does where no field is
// a number, and where some are (as in "class,0,1,2") if another begins with a
// letter. A number with a slip in it, or a value that is missing, must not turn
// a row of data into a header that nobody would miss: that is an error, but for missing
// values where they are read.
func isHeader(line []byte, sep byte, missing bool) (bool, error) {
	numbers, column := 0, 0
	var fault error
	name, word := false, false
	index := missing // the header of an index: nothing, and then 0, 1, 2 …
	for rest := line; ; {
		n := fieldEnd(rest, sep)
		column++
		text := clip(fieldText(rest[:n]))
		v, err := parseNumber(text)
		if column == 1 {
			index = index && len(text) == 0
		} else {
			index = index && err == nil && v == float64(column-2)
		}
		switch large := errors.Is(err, strconv.ErrRange); {
		case err == nil:
			numbers++
		case missing && isMissing(text):
		case large || isMissing(text) || isLiteral(text):
			if fault == nil {
				fault = fieldError(1, column, string(text), large, sep)
			}
		default:
			name = true
			word = word || isLetter(text[0])
			if fault == nil {
				fault = fieldError(1, column, string(text), false, sep)
			}
		}
		if n == len(rest) {
			break
		}
		rest = rest[n+1:]
	}
	if name && (numbers == 0 || word) || bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
		return true, nil
	}
	if index && column > 1 {
		fault = fieldError(1, 1, "", false, sep)
	}
	return false, fault
}

// isMissing tells the usual ways to write that there is no value.
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
		line = line[n+1:]
	}
}
