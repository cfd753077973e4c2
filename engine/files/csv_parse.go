package files

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine/wording"
)

// textPart is a block of lines and its parsed numbers.
type textPart struct {
	text  []byte
	vals  []float64 // in the memory of the caller
	rows  int
	lines int
	blank int // the first of the blank lines at the block's end, counted from 1 in the block; 0: none
	fault *textFault
	mark  marks // of this block

	comments int // lines
}

// maxRows returns the largest possible number of rows of the text: at most the number of lines, with at least
// two bytes for each field; one byte if fields may be empty.
func (p *textPart) maxRows(f *fields) int {
	if f.width == 0 || len(p.text) == 0 {
		return 0
	}
	lines := bytes.Count(p.text, []byte{'\n'})
	if p.text[len(p.text)-1] != '\n' {
		lines++
	}
	each := 2
	if f.missing || f.places != nil {
		each = 1
	}
	return min(lines, (len(p.text)+1)/(each*f.width))
}

// textFault is the first thing wrong in a block; lines count from 1 within it.
type textFault struct {
	line, column int
	text         string // the field that is not a number …
	found        int    // … or, if column is 0, the number of fields
	blank        int    // … or a blank line followed by others
	large        bool   // a number, but beyond float64
	unnamed      bool   // in a column that is ignored
	sep          byte
}

// at words the fault for the block that follows the text read by t.
func (f *textFault) at(t *textReader) error {
	line := t.lines + f.line
	switch {
	case f.blank > 0:
		return blankLine(t.lines + f.blank)
	case f.column == 0:
		first := "first row"
		if t.header {
			first = "header"
		}
		return fmt.Errorf("line %d has %s where the %s has %d", line, plural(f.found, "field"), first, t.width)
	case f.unnamed:
		return wording.Errorf("line %d, column %d has %s, but no name, and no value in the first lines: name the column, or list the columns to read (‹columns=1-%d›)", line, f.column, excerpt([]byte(f.text)), t.widest)
	}
	name := ""
	if t.header && f.column <= len(t.names) {
		name = t.names[f.column-1]
	}
	return fieldError(line, f.column, name, f.text, f.large, f.sep)
}

// fieldError returns an error about a field of a column, with the column's name if it has one.
func fieldError(line, column int, name, text string, large bool, sep byte) error {
	place := fmt.Sprintf("line %d, column %d", line, column)
	if name != "" {
		place += " (" + strings.Trim(excerpt([]byte(name)), `"`) + ")"
	}
	if text == "" {
		return &MissingError{place + " is empty: remove or impute missing values first"}
	}
	if isMissing([]byte(text)) {
		return &MissingError{fmt.Sprintf("%s: %q means that the value is missing: remove or impute missing values first", place, text)}
	}
	shown := excerpt([]byte(text))
	if large {
		return fmt.Errorf("%s: %s is outside the range of double precision", place, shown)
	}
	for _, other := range []byte(";\t,") {
		if other != sep && bytes.IndexByte([]byte(text), other) >= 0 {
			return &TextError{line, column, text, fmt.Sprintf("%s: %s is not a number (fields must be separated by %q)", place, shown, sep)}
		}
	}
	return &TextError{line, column, text, fmt.Sprintf("%s: %s is not a number", place, shown)}
}

// fields are the fields of every line of a text.
type fields struct {
	sep byte
	notation
	mark     string // of comments; empty: there are none
	width    int    // number of fields
	cols     int    // number of fields that are read
	places   []int  // position of each field among the numbers, or skipped, or empty; nil: all are read in their order
	trailing bool   // lines may have empty fields behind these
	lax      bool   // which need not be empty
}

// parse reads the numbers of the block.
func (p *textPart) parse(f *fields) {
	p.vals, p.rows, p.lines, p.blank, p.comments, p.fault, p.mark = p.vals[:0], 0, 0, 0, 0, nil, marks{}
	for rest := p.text; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		p.lines++
		if f.mark != "" && isComment(line, f.mark) {
			p.comments++
			continue
		}
		if isBlank(line) {
			if p.blank == 0 {
				p.blank = p.lines
			}
			continue
		}
		if p.blank > 0 {
			p.fault = &textFault{blank: p.blank}
			return
		}
		if p.fault = p.row(line, f); p.fault != nil {
			p.fault.line = p.lines
			return
		}
		p.rows++
	}
}

// row reads the numbers of one line.
func (p *textPart) row(line []byte, f *fields) *textFault {
	begin, room := len(p.vals), len(p.vals)+f.cols <= cap(p.vals)
	if f.places != nil && room {
		p.vals = p.vals[:begin+f.cols]
	}
	for column, rest := 1, trimmed(line, f.sep); ; column++ {
		var n int
		if f.passes(column) {
			n = fieldEnd(rest, f.sep)
			if f.places[column-1] == empty && len(fieldText(rest[:n])) > 0 {
				return &textFault{column: column, text: string(clip(fieldText(rest[:n]))), unnamed: true}
			}
		} else {
			v, end, err := p.number(rest, f)
			if err != nil {
				return &textFault{column: column, text: string(clip(fieldText(rest[:end]))), large: errors.Is(err, strconv.ErrRange), sep: f.sep}
			}
			n = end
			switch {
			case column > f.width || !room:
			case f.places != nil:
				p.vals[begin+f.places[column-1]] = v
			default:
				p.vals = append(p.vals, v)
			}
		}
		if n == len(rest) {
			if column != f.width {
				return &textFault{found: column}
			}
			return nil
		}
		if rest = rest[n+1:]; f.sep == blanks { // as afterField, which costs a call for each field
			rest = bytes.TrimLeft(rest, " \t")
		}
		if f.trailing && column == f.width {
			return f.behind(rest)
		}
	}
}

// behind is the fault of the fields of a line behind the last that is read.
func (f *fields) behind(rest []byte) *textFault {
	if f.lax {
		return nil
	}
	for at, text := range fieldsOf(rest, f.sep) {
		if len(text) > 0 {
			return &textFault{column: f.width + at + 1, text: string(clip(text)), unnamed: true}
		}
	}
	return nil
}

// passes reports whether a field is skipped.
func (f *fields) passes(column int) bool {
	return f.places != nil && column <= f.width && f.places[column-1] < 0
}

// number reads the first field of a line, and returns its length.
func (p *textPart) number(rest []byte, f *fields) (v float64, n int, err error) {
	v, n, ok := shortNumber(rest)
	if ok && (n == len(rest) || rest[n] == f.sep || rest[n] == '\t' && f.sep == blanks) && f.thousands != '.' {
		if f.sep != ',' && p.mark.point == 0 && bytes.IndexByte(rest[:n], '.') >= 0 {
			p.mark.point = p.lines
		}
		return v, n, nil
	}
	return p.otherNumber(rest, f)
}

// otherNumber is number for what is no short number.
func (p *textPart) otherNumber(rest []byte, f *fields) (v float64, n int, err error) {
	n = fieldEnd(rest, f.sep)
	text := fieldText(rest[:n])
	if f.thousands == '.' {
		if v, err = f.swapped(text); err != nil && f.missing && isMissing(text) {
			return math.NaN(), n, nil
		}
		return v, n, err
	}
	if v, err = parseNumber(text); err == nil {
		return v, n, nil
	}
	if f.missing && isMissing(text) {
		return math.NaN(), n, nil
	}
	if v, is := f.other(text); is {
		if p.mark.point == 0 && bytes.IndexByte(text, ',') >= 0 && f.thousands == 0 {
			p.mark.point = p.lines
		}
		return v, n, nil
	}
	if f.width > 1 {
		if v, plain, is := commaNumber(text); is {
			p.mark.saw(p.lines, string(text), plain && f.thousands == 0)
			return v, n, nil
		}
	}
	return 0, n, err
}

// cutLine splits off the first line, without its ending.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), rest
}

func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\r' {
			return false
		}
	}
	return true
}

// fieldEnd returns the length of the first field of a line. A separator within
// quotes belongs to the field.
func fieldEnd(line []byte, sep byte) int {
	start := 0
	for start < len(line) && line[start] == ' ' {
		start++
	}
	if start < len(line) && line[start] == '"' {
		for at := start + 1; at < len(line); at++ {
			if line[at] != '"' {
				continue
			}
			if at+1 < len(line) && line[at+1] == '"' { // a quote within quotes
				at++
				continue
			}
			start = at
			break
		}
	}
	at := bytes.IndexByte(line[start:], sep)
	if sep == blanks {
		at = bytes.IndexAny(line[start:], " \t")
	}
	if at >= 0 {
		return start + at
	}
	return len(line)
}

// fieldText returns a field without the spaces and quotes around it.
func fieldText(field []byte) []byte {
	field = bytes.TrimSpace(field)
	if len(field) >= 2 && field[0] == '"' && field[len(field)-1] == '"' {
		field = bytes.TrimSpace(field[1 : len(field)-1])
	}
	return field
}

// longestNumber bounds the text of a number; the longest numbers that programs write have some
// thousand digits.
const longestNumber = 1 << 20

// clip returns the part of a malformed field that is quoted in a message.
func clip(text []byte) []byte { return text[:min(len(text), 1<<10)] }

// parseNumber reads decimal text, NaN and infinities.
func parseNumber(text []byte) (float64, error) {
	if len(text) > longestNumber || isLiteral(text) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(string(text), 64)
}

// isLiteral reports whether a text is valid only in program source, as 1_0 or 0x1p3.
// strconv accepts it as a number; in a table it is a mistake.
func isLiteral(text []byte) bool {
	if !bytes.ContainsAny(text, "_xX") { // the exponent p occurs only with x
		return false
	}
	_, err := strconv.ParseFloat(string(text), 64)
	return !errors.Is(err, strconv.ErrSyntax)
}

// The powers of ten that a float64 holds exactly.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// shortNumber reads a number of few digits without an exponent at the beginning of
// p, and returns its length in bytes. Digits that form an integer below 2⁵³,
// divided by a power of ten that is exact, give the nearest float64 with the single
// rounding of the division (Clinger 1990); everything else is left to strconv.
func shortNumber(p []byte) (v float64, n int, ok bool) {
	for n < len(p) && p[n] == ' ' {
		n++
	}
	negative := false
	if n < len(p) && (p[n] == '-' || p[n] == '+') {
		negative = p[n] == '-'
		n++
	}
	var mantissa uint64
	digits, point := 0, -1
	for ; n < len(p); n++ {
		c := p[n]
		if d := c - '0'; d <= 9 {
			mantissa = 10*mantissa + uint64(d)
			digits++
			continue
		}
		if c != '.' || point >= 0 {
			break
		}
		point = digits
	}
	if digits == 0 || digits > 18 || mantissa >= 1<<53 {
		return 0, 0, false
	}
	v = float64(mantissa)
	if point >= 0 {
		v /= powersOfTen[digits-point]
	}
	if negative {
		v = -v
	}
	return v, n, true
}

// commaNumber reads a number with a decimal comma, before which points may separate thousands. plain reports whether the comma may
// separate thousands instead: three digits follow it, and at most three precede it.
func commaNumber(text []byte) (v float64, plain, is bool) {
	const longest = 64
	at := bytes.IndexByte(text, ',')
	if at < 0 || len(text) > longest || bytes.IndexByte(text[at+1:], ',') >= 0 {
		return 0, false, false
	}
	if bytes.IndexByte(text, '.') >= 0 {
		v, is = notation{thousands: '.'}.separated(text)
		return v, false, is
	}
	var own [longest]byte
	point := append(own[:0], text...)
	point[at] = '.'
	v, err := parseNumber(point)
	if err != nil {
		return 0, false, false
	}
	digits := len(bytes.TrimLeft(text[:at], "+-"))
	return v, len(text)-at-1 == 3 && digits >= 1 && digits <= 3 && text[at-1] >= '0', true
}

// marks are the lines in which decimals were seen, counted from 1; 0: none.
type marks struct {
	point, comma int
	text         string // of the first with a comma
	sure         bool   // a comma was not a separator of thousands
}

// saw records a number with a comma.
func (m *marks) saw(line int, text string, plain bool) {
	if m.comma == 0 {
		m.comma, m.text = line, text
	}
	m.sure = m.sure || !plain
}

// join adds the marks of the next block, which begins after the given number of lines. All decimals must be
// written in the same way.
func (m *marks) join(p *textPart, lines int) error {
	if m.point == 0 && p.mark.point > 0 {
		m.point = lines + p.mark.point
	}
	if m.comma == 0 && p.mark.comma > 0 {
		m.comma, m.text = lines+p.mark.comma, p.mark.text
	}
	m.sure = m.sure || p.mark.sure
	if m.point > 0 && m.comma > 0 {
		text := fmt.Sprintf("line %d has the number %s, and line %d has one with a decimal point: write all decimals one way, without separators of thousands", m.comma, excerpt([]byte(m.text)), m.point)
		if !m.sure {
			return wording.Errorf("%s, or say that commas separate these (‹thousands=,›)", text)
		}
		return errors.New(text)
	}
	return nil
}

// atEnd returns an error if all commas may be separators of thousands.
func (m *marks) atEnd() error {
	if m.comma > 0 && !m.sure {
		return wording.Errorf("line %d has the number %s, whose comma may stand for a decimal point or separate thousands: write decimals with a point, and thousands without a separator, or say which character separates thousands (‹thousands=,› or ‹thousands=.›)", m.comma, excerpt([]byte(m.text)))
	}
	return nil
}

// TextError is the error of a field of text where a number should be.
type TextError struct {
	Line, Column int // counted from 1
	Text         string
	problem      string
}

func (e *TextError) Error() string { return e.problem }
