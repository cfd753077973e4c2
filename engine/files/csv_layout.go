package files

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine/wording"
)

// blanks as a separator is any number of blanks and tabs.
const blanks = ' '

// commentMarks begin comments before a table. The mark that is found there also begins comments among
// the rows.
var commentMarks = []string{"#", "%", "//"}

// linesAhead is the number of lines that decide on the layout: a header, two lines of units, a row.
const linesAhead = 4

// textLayout is what the first lines of a text say about all of them.
type textLayout struct {
	header bool     // a line names the columns
	names  []string // of the columns; nil: none
	lines  int      // read so far
	units  []string // of the columns, from lines below their names
	// supposed: the header is assumed to be one because neither the first nor the second line
	// contains a number.
	supposed bool
	ignored  []int // columns without name and values, counted from 0, among others
	widest   int   // fields of a line, with those without name and values at the end
}

// preamble returns a text from its first row or header, with the last comment before it; nil: there is none. It sets what a line
// "sep=;" and comments say about the form.
func (f *textForm) preamble(block []byte) (rest, comment []byte, lines int, err error) {
	rest = bytes.TrimPrefix(block, []byte("\xef\xbb\xbf"))
	if line, after := cutLine(rest); declaredSeparator(line) != 0 {
		if !f.explicit {
			f.sep, f.explicit = declaredSeparator(line), true
		}
		if f.skip == 0 {
			rest, lines = after, 1
		}
	}
	for ; lines < f.skip; lines++ {
		if len(rest) == 0 {
			return nil, nil, lines, wording.Errorf("the text has %s, of which ‹skip_rows› leaves out %d: leave out fewer", plural(lines, "line"), f.skip)
		}
		_, rest = cutLine(rest)
	}
	end := len(rest) - len(bytes.TrimRight(rest, " \t\r\n")) // of the text, where blank lines mean nothing
	for ; len(rest) > 0; lines++ {
		line, after := cutLine(rest)
		for _, mark := range commentMarks {
			if f.comment == "" && isComment(line, mark) {
				f.comment, f.found = mark, true
			}
		}
		switch {
		case f.comment != "" && isComment(line, f.comment):
			comment = bytes.TrimLeft(line, " \t")[len(f.comment):]
		case isBlank(line) && lines > 0 && len(after) > end:
		default:
			return rest, comment, lines, nil
		}
		rest = after
	}
	return rest, comment, lines, nil
}

// isComment reports whether a line begins with a mark.
func isComment(line []byte, mark string) bool {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	return len(line) >= len(mark) && string(line[:len(mark)]) == mark
}

// declaredSeparator is the separator that a first line declares for Excel, as in "sep=;"; 0: none.
func declaredSeparator(line []byte) byte {
	if line = bytes.Trim(line, `"`); len(line) != len("sep=;") || !strings.EqualFold(string(line[:4]), "sep=") || bytes.IndexByte([]byte(",;|:\t "), line[4]) < 0 {
		return 0
	}
	return line[4]
}

// ahead are the next lines that are not comments.
func (f *textForm) ahead(rest []byte) (lines [linesAhead][]byte, count int) {
	for count < linesAhead && len(rest) > 0 {
		lines[count], rest = cutLine(rest)
		if f.comment == "" || !isComment(lines[count], f.comment) {
			count++
		}
	}
	for i := count; i < linesAhead; i++ {
		lines[i] = nil
	}
	return lines, count
}

// decides reports whether whole lines are enough to decide on the layout.
func (f textForm) decides(block []byte) bool {
	rest, _, before, err := f.preamble(block)
	lines, count := f.ahead(rest)
	return err == nil && count == linesAhead && (before == 0 || !isBlank(lines[0]))
}

// trimmed returns a line without the blanks around it, if they separate fields.
func trimmed(line []byte, sep byte) []byte {
	if sep == blanks {
		return bytes.Trim(line, " \t\r")
	}
	return line
}

// afterField returns the part of a line after its first field, which has n bytes.
func afterField(line []byte, n int, sep byte) []byte {
	if line = line[n+1:]; sep == blanks {
		return bytes.TrimLeft(line, " \t")
	}
	return line
}

// fieldsOf are the fields of a line.
func fieldsOf(line []byte, sep byte) (texts [][]byte) {
	for {
		n := fieldEnd(line, sep)
		texts = append(texts, fieldText(line[:n]))
		if n == len(line) {
			return texts
		}
		line = afterField(line, n, sep)
	}
}

// filledFields is the number of the last field that is not empty in all lines.
func filledFields(lines [][]byte, sep byte) (last int) {
	for _, line := range lines {
		for j, text := range fieldsOf(line, sep) {
			if len(text) > 0 {
				last = max(last, j+1)
			}
		}
	}
	return last
}

// firstFields returns a line up to a field; 0: the whole line.
func firstFields(line []byte, last int, sep byte) []byte {
	for at, rest := 0, line; last > 0; last-- {
		n := fieldEnd(rest, sep)
		if at += n; n == len(rest) {
			return line
		} else if last == 1 {
			return line[:at]
		}
		at += len(rest) - n - len(afterField(rest, n, sep))
		rest = afterField(rest, n, sep)
	}
	return line
}

// begin examines the first lines. They determine the separator and the columns. It returns the block
// from its first row, or, with an error, from the first line that is not a comment.
func (t *textReader) begin(block []byte) ([]byte, error) {
	t.first = bytes.Clone(block[:min(len(block), 1<<13)])
	rest, err := t.open(block)
	if err != nil {
		return rest, t.orLater(err)
	}
	if t.form.note != nil {
		t.noteLayout()
	}
	return rest, nil
}

// open is begin without messages.
func (t *textReader) open(block []byte) ([]byte, error) {
	if bytes.HasPrefix(block, []byte("\xff\xfe")) || bytes.HasPrefix(block, []byte("\xfe\xff")) {
		return nil, errors.New("the text is UTF-16: save it as UTF-8")
	}
	form := t.form
	rest, comment, before, err := form.preamble(block)
	if err != nil {
		return nil, err
	}
	t.lines, t.mark, t.found, t.sep = before, form.comment, form.found, form.sep
	lines, _ := form.ahead(rest)
	if isBlank(lines[0]) { // an empty file, or an error to be found in its turn
		if comment != nil {
			t.header, t.names = true, fieldNames(comment, t.sep)
			t.width, t.cols = len(t.names), len(t.names)
		}
		return rest, nil
	}
	if !form.explicit {
		t.sep = form.separator(lines)
	}
	for i := range lines {
		lines[i] = trimmed(lines[i], t.sep)
	}
	solid := filledFields(lines[:], t.sep)
	header, fault := t.isHeader(firstFields(lines[0], solid, t.sep), firstFields(lines[1], solid, t.sep), t.sep, t.lines+1)
	if _, isIndex := errors.AsType[*missingIndex](fault); isIndex && (form.choice.given() || len(fieldsOf(lines[1], t.sep)[0]) == 0) {
		header, fault = true, nil
	}
	row := 0 // of the lines, the first that is one
	if header {
		t.header, t.names = true, fieldNames(lines[0], t.sep)
		t.supposed = t.sameKinds(lines[0], lines[1], t.sep)
		row = 1 + t.unitLines(lines)
		for _, line := range lines[1:row] {
			for _, text := range fieldsOf(line, t.sep) {
				if len(text) > 0 {
					t.units = append(t.units, string(text))
				}
			}
		}
	} else if comment != nil {
		for _, line := range [][]byte{trimmed(comment, t.sep), bytes.TrimSpace(comment)} {
			if !t.header && countFields(line, t.sep) == countFields(lines[0], t.sep) {
				t.header, t.names = true, fieldNames(line, t.sep)
			}
		}
	}
	t.measure(lines[:], row)
	if fault != nil && !form.choice.given() {
		return rest, fault
	}
	if err := t.pick(); err != nil {
		return rest, err
	}
	for range row {
		rest = t.dropLine(rest)
	}
	return rest, nil
}

// dropLine returns a text without its first line that is not a comment.
func (t *textReader) dropLine(rest []byte) []byte {
	for {
		var line []byte
		line, rest = cutLine(rest)
		if t.lines++; t.mark == "" || !isComment(line, t.mark) {
			return rest
		}
	}
}

// separator decides which character separates the fields of the first lines. The extension decides, unless it
// names none or its separator does not occur.
func (f *textForm) separator(lines [linesAhead][]byte) byte {
	var some [][]byte
	for _, line := range lines {
		if !isBlank(line) {
			some = append(some, line)
		}
	}
	candidates := []byte{'\t', semicolon, ',', blanks}
	if !f.guess {
		if sep := f.delimiterOf(lines[0], lines[1], f.sep); sep != f.sep {
			return sep
		}
		for _, line := range some {
			if countFields(line, f.sep) > 1 {
				return f.sep
			}
		}
		candidates = []byte{'\t', blanks}
	}
	last := some[len(some)-1]
	for _, numbers := range []bool{true, false} {
		for _, sep := range candidates {
			count := countFields(trimmed(last, sep), sep)
			fits := count > 1
			for i, line := range some {
				line = trimmed(line, sep)
				header := f.guess && numbers && i == 0 && len(some) > 2 // which may have blanks in its names
				fits = fits && (header || countFields(line, sep) == count || sep != blanks && ends(line, sep))
			}
			all, any := f.numbersIn(trimmed(last, sep), sep)
			if fits && (all || !numbers && (sep == '\t' || f.guess && (sep != blanks || any))) {
				return sep
			}
		}
	}
	return f.sep
}

// ends reports whether the last field of a line is empty.
func ends(line []byte, sep byte) bool {
	line = bytes.TrimRight(line, " \r")
	return len(line) > 0 && line[len(line)-1] == sep
}

// numbersIn reports whether all fields of a line, or any, are numbers; missing values do not count.
func (n notation) numbersIn(line []byte, sep byte) (all, any bool) {
	all = true
	for _, text := range fieldsOf(line, sep) {
		switch {
		case isMissing(text):
		case n.isNumber(text):
			any = true
		default:
			all = false
		}
	}
	return all && any, any
}

// unitLines returns the number of lines with units below the header, which is the first line.
func (t *textReader) unitLines(lines [linesAhead][]byte) int {
	for count := 1; count < linesAhead-1; count++ {
		all := true
		for _, line := range lines[1 : 1+count] {
			all = all && countFields(line, t.sep) == countFields(lines[0], t.sep) && t.areUnits(line, lines[1+count], t.sep)
		}
		if all {
			return count
		}
	}
	return 0
}

// areUnits reports whether the fields of a line are the units of the columns in which the row below has numbers. A text
// above another text is a row, unless the row has dates there.
func (n notation) areUnits(line, row []byte, sep byte) bool {
	units, values := fieldsOf(line, sep), fieldsOf(row, sep)
	for len(units) > len(values) && len(units[len(units)-1]) == 0 { // separators at the ends of the first lines alone
		units = units[:len(units)-1]
	}
	if isBlank(line) || isBlank(row) || len(units) < 2 || len(units) != len(values) {
		return false
	}
	found := false
	for j, unit := range units {
		value := values[j]
		switch {
		case len(unit) == 0 || string(unit) == "-":
		case n.isNumber(unit) || isMissing(unit) || len(unit) > 40 || unit[0] >= '0' && unit[0] <= '9':
			return false
		case n.isNumber(value):
			found = true
		case isMissing(value) || value[0] >= '0' && value[0] <= '9':
		default:
			return false
		}
	}
	return found
}

// measure determines the number of fields of a line, and the columns that have neither a name nor, in the first lines,
// a value.
func (t *textReader) measure(lines [][]byte, row int) {
	var all [][][]byte // the fields of each line
	if t.header {
		var names [][]byte
		for _, name := range t.names {
			names = append(names, []byte(name))
		}
		all = append(all, names)
	}
	for _, line := range lines[row:] {
		if !isBlank(line) {
			all = append(all, fieldsOf(line, t.sep))
		}
	}
	t.width = len(all[0])
	if len(all) == 1 && t.header {
		return
	}
	filled := func(j int) bool {
		for _, texts := range all {
			if j < len(texts) && len(texts[j]) > 0 {
				return true
			}
		}
		return false
	}
	width := 0
	for _, texts := range all {
		t.widest = max(t.widest, len(texts))
	}
	for j := range t.widest {
		if filled(j) {
			width = j + 1
		}
	}
	if t.trailing = width > 0 && width < t.widest && (!t.header || width <= len(t.names)); t.trailing {
		t.width = width
		if t.header {
			t.names = t.names[:width]
		}
	}
	for j := range t.width {
		if t.header && !filled(j) {
			t.ignored = append(t.ignored, j)
		}
	}
}

// skipped and empty are the places of fields that are not read; the latter must be empty.
const (
	skipped = -1
	empty   = -2
)

// pick determines the positions of the columns that are read.
func (t *textReader) pick() error {
	t.cols = t.width
	choice := t.form.choice
	t.lax = len(choice.Columns) > 0
	if !choice.given() && len(t.ignored) == 0 {
		return nil
	}
	chosen, err := choice.places(t.names, t.width)
	if err != nil && t.trailing { // a column after those with a name or a value is listed
		names := t.names
		if names != nil {
			names = append(names[:len(names):len(names)], make([]string, t.widest-len(names))...)
		}
		if all, other := choice.places(names, t.widest); other == nil {
			chosen, err = all, nil
			t.names, t.width, t.trailing = names, t.widest, false
		}
	}
	if err != nil {
		return err
	}
	t.places = make([]int, t.width)
	for at := range t.places {
		t.places[at] = skipped
	}
	if !t.lax && len(chosen) > len(t.ignored) {
		for _, at := range t.ignored {
			t.places[at] = empty
		}
	}
	t.cols = 0
	for _, at := range chosen {
		if t.places[at] != empty {
			t.places[at] = t.cols
			t.cols++
		}
	}
	return nil
}

// noteLayout reports what the first lines have that is not read.
func (t *textReader) noteLayout() {
	if t.units != nil {
		t.form.note(fmt.Sprintf("the line below the header (%s) holds units, and is left out", shortList(t.units)))
	}
	switch {
	case t.trailing && !t.lax && t.widest == t.width+1:
		t.form.note("separators at the ends of lines are ignored")
	case t.trailing && !t.lax:
		t.form.note(fmt.Sprintf("columns after column %d have neither names nor values, and are ignored", t.width))
	}
	for _, at := range t.ignored {
		if t.places[at] == empty {
			t.form.note(fmt.Sprintf("column %d has neither a name nor values, and is ignored", at+1))
		}
	}
}

// linesOfPreamble is the number of lines after which no table is expected to begin.
const linesOfPreamble = 40

// orLater returns an error about the first lines with the line at which the table seems to begin, if that is a later one.
func (t *textReader) orLater(err error) error {
	if len(t.first) == 1<<13 {
		t.first = t.first[:bytes.LastIndexByte(t.first, '\n')+1]
	}
	for skip := t.form.skip + 1; skip <= t.form.skip+linesOfPreamble; skip++ {
		later := textReader{form: t.form, fields: fields{notation: t.notation}}
		later.form.skip, later.form.choice = skip, Choice{}
		rest, other := later.open(t.first)
		if other != nil && !isTextual(other) {
			break
		}
		if later.width <= max(t.width, 1) || !later.isUniform(rest) {
			continue
		}
		return wording.Errorf("%s; the table seems to begin at line %d: leave out the lines before it (‹skip_rows=%d›)", wording.Keep(err), skip+1, skip)
	}
	return err
}

// isUniform reports whether a text has two rows at least, and all have numbers and the same number of fields.
func (t *textReader) isUniform(rest []byte) bool {
	rows := 0
	for ; len(rest) > 0; rows++ {
		var line []byte
		if line, rest = cutLine(rest); isBlank(line) && len(bytes.TrimSpace(rest)) == 0 {
			break
		}
		line = trimmed(line, t.sep)
		if _, any := t.numbersIn(line, t.sep); !any || !t.hasFields(countFields(line, t.sep)) {
			return false
		}
	}
	return rows > 1
}

// hasFields reports whether a line may have a number of fields.
func (t *textReader) hasFields(count int) bool {
	return count == t.width || t.trailing && count > t.width
}

// notation is how numbers are written.
type notation struct {
	missing   bool // fields without a value are NaN
	booleans  bool // TRUE and FALSE are 1 and 0
	thousands byte // ',' separates thousands; '.': the comma is the decimal mark; 0: the numbers decide
}

// isNumber reports whether a field is a number.
func (n notation) isNumber(text []byte) bool {
	if n.thousands == '.' {
		_, err := n.swapped(text)
		return err == nil
	}
	if _, err := parseNumber(text); err == nil {
		return true
	}
	if _, is := n.other(text); is {
		return true
	}
	_, _, decimal := commaNumber(text)
	return decimal
}

// other reads percentages, numbers with separated thousands, and, if they count as numbers, TRUE and FALSE.
func (n notation) other(text []byte) (v float64, is bool) {
	if len(text) == 0 || len(text) > 64 {
		return 0, false
	}
	if text[len(text)-1] == '%' {
		text = bytes.TrimSpace(text[:len(text)-1])
		if v, is = n.separated(text); is {
			return v / 100, true
		}
		if n.thousands == '.' {
			text = n.plain(text, '.', ',')
		}
		v, err := parseNumber(text)
		if _, _, decimal := commaNumber(text); decimal && n.thousands == 0 {
			v, _, _ = commaNumber(text)
			err = nil
		}
		return v / 100, err == nil && v-v == 0
	}
	if n.booleans {
		switch strings.ToLower(string(text)) {
		case "true":
			return 1, true
		case "false":
			return 0, true
		}
	}
	return n.separated(text)
}

// separated reads a number whose thousands are separated. A single comma without a decimal point does so only if that
// was said.
func (n notation) separated(text []byte) (v float64, is bool) {
	sep, point := byte(','), byte('.')
	if n.thousands == '.' {
		sep, point = point, sep
	}
	if bytes.IndexByte(text, sep) < 0 {
		return 0, false
	}
	whole, _, decimal := bytes.Cut(bytes.TrimLeft(text, "+-"), []byte{point})
	groups := bytes.Split(whole, []byte{sep})
	if len(groups) < 2 || len(groups) == 2 && !decimal && n.thousands == 0 || len(groups[0]) > 3 || len(groups[0]) == 0 {
		return 0, false
	}
	for i, group := range groups {
		if i > 0 && len(group) != 3 || len(bytes.Trim(group, "0123456789")) > 0 {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(n.plain(text, sep, point)), 64)
	return v, err == nil
}

// plain returns a number without separators of thousands and with a decimal point.
func (notation) plain(text []byte, sep, point byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{sep}, nil), []byte{point}, []byte{'.'})
}

// swapped reads a number whose decimal mark is the comma, and whose thousands may be separated by points.
func (n notation) swapped(text []byte) (float64, error) {
	switch v, is := n.other(text); {
	case is:
		return v, nil
	case bytes.IndexByte(text, '.') >= 0:
		return 0, strconv.ErrSyntax
	}
	return parseNumber(n.plain(text, '.', ','))
}
