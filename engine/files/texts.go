package files

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ReadTexts reads one column of a .csv or .tsv file as text, such as the names of samples,
// and the name in its header, "" if there is none. The column is the one that
// the path or the options select, or the only one. The memory of the texts counts against
// MaxBytes. Every error is an [*Error] with [OpRead].
func ReadTexts(path string, o Options) (texts []string, name string, err error) {
	c, err := readTexts(path, o)
	if err != nil {
		return nil, "", failure(path, OpRead, err)
	}
	return c.texts, c.name, nil
}

// textColumn is a column of text.
type textColumn struct {
	texts  []string
	name   string
	number int // counted from 1
	line   int // of the first
}

func readTexts(path string, o Options) (c textColumn, err error) {
	loc, err := locate(path)
	if err != nil {
		return c, err
	}
	if loc.format.texts != nil {
		return loc.format.texts(loc, o)
	}
	if loc.format.separator == 0 {
		return c, fmt.Errorf("%s files hold no text that can be read: give a .csv or .tsv", loc.format.Name)
	}
	form, err := loc.textForm(o)
	if err != nil {
		return c, err
	}
	return fromContent(loc, o, func(s source, b budget) (textColumn, error) { return readColumn(s, form, b) })
}

// textBytes is the memory of a text in addition to its bytes, including the spare capacity of a growing slice.
const textBytes = 40

// readColumn reads the text of the one selected column. All other fields are skipped.
// A first line without a number is a header, unless its field occurs again below: then it
// is data, because classes recur, and the name of a column does not.
func readColumn(s source, form textForm, b budget) (c textColumn, err error) {
	t := newTextReader(s, form, b)
	var block []byte
	var taken float64
	first := true
	for {
		if block, err = t.blocks.next(block); err != nil {
			return c, t.explain(err, 0)
		}
		if len(block) == 0 {
			break
		}
		rest := block
		if first {
			if rest, err = t.begin(block); err != nil && !isTextual(err) {
				return c, err
			}
			c.line = t.lines + 1
			if c.number, err = t.onlyColumn(); err != nil {
				return c, err
			}
			first = false
		}
		for len(rest) > 0 {
			var line []byte
			line, rest = cutLine(rest)
			t.lines++
			if t.mark != "" && isComment(line, t.mark) {
				continue
			}
			if isBlank(line) {
				if t.blank == 0 {
					t.blank = t.lines
				}
				continue
			}
			if t.blank > 0 {
				return c, blankLine(t.blank)
			}
			text, count := fieldOf(trimmed(line, t.sep), t.sep, c.number)
			if !t.hasFields(count) {
				return c, (&textFault{line: 0, found: count}).at(t)
			}
			if taken += float64(len(text) + textBytes); !b.fits(taken, 0) {
				return c, b.exceeded("the column of text", taken)
			}
			c.texts = append(c.texts, text)
		}
	}
	if first || len(c.texts) == 0 && !t.header {
		return c, errors.New("the file is empty")
	}
	if t.header {
		c.name = t.names[c.number-1]
		if t.supposed && slices.Contains(c.texts, c.name) {
			c.texts, c.name, c.line = slices.Insert(c.texts, 0, c.name), "", c.line-1
		}
	}
	if len(c.texts) == 0 {
		return c, t.emptyError()
	}
	return c, nil
}

// isTextual reports whether an error is one about a field that is not a number.
func isTextual(err error) bool {
	_, text := errors.AsType[*TextError](err)
	_, missing := errors.AsType[*MissingError](err)
	_, index := errors.AsType[*missingIndex](err)
	return text || missing || index
}

// onlyColumn returns the number of the one column that is read.
func (t *textReader) onlyColumn() (int, error) {
	switch {
	case t.width == 0:
		return 1, nil // nothing but blank lines
	case t.places != nil && t.cols == 1:
		return slices.Index(t.places, 0) + 1, nil
	case t.places == nil && t.width == 1:
		return 1, nil
	}
	example := strconv.Itoa(t.width)
	if t.names != nil {
		example = t.names[t.width-1]
	}
	return 0, fmt.Errorf("labels are one column, and the table has %d: name one behind a colon, as in file.csv:%s", max(t.cols, t.width), example)
}

// fieldOf returns the text of a field of a line, counted from 1, and the number of fields.
func fieldOf(line []byte, sep byte, column int) (text string, count int) {
	for {
		n := fieldEnd(line, sep)
		if count++; count == column {
			text = string(bytes.ReplaceAll(fieldText(line[:n]), []byte(`""`), []byte(`"`)))
		}
		if n == len(line) {
			return text, count
		}
		line = afterField(line, n, sep)
	}
}

// TextColumn describes a text column by the first rows of a table.
type TextColumn struct {
	Number int      // counted from 1
	Name   string   // of the header; "" where there is none
	Kinds  []string // distinct texts in alphabetical order, at most maxKinds
	Unique bool     // no two rows have the same
}

// maxKinds bounds the reported texts of a column, and describedRows the rows that are
// read for it.
const (
	maxKinds      = 30
	describedRows = 1000
)

// TextColumns lists the selected columns of a .csv or .tsv file in which half of the
// fields or more are text, by its first thousand rows: names and classes, but not typing errors among numbers.
// Other formats have none. Every error is an [*Error] with [OpRead].
func TextColumns(path string, o Options) ([]TextColumn, error) {
	loc, err := locate(path)
	if err != nil || loc.file == standard || loc.format.separator == 0 {
		return nil, failure(path, OpRead, err)
	}
	form, err := loc.textForm(o)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	list, err := fromContent(loc, o, func(s source, b budget) ([]TextColumn, error) { return describeText(s, form, b) })
	return list, failure(path, OpRead, err)
}

func describeText(s source, form textForm, b budget) ([]TextColumn, error) {
	t := newTextReader(s, form, b)
	block, err := t.blocks.next(nil)
	if err != nil {
		return nil, t.explain(err, 0)
	}
	rest, err := t.begin(block)
	if err != nil {
		if !isTextual(err) {
			return nil, err
		}
	}
	type counts struct {
		texts, numbers int
		kinds          []string
		repeated       bool
	}
	columns := make([]counts, t.width)
	for rows := 0; len(rest) > 0 && rows < describedRows; rows++ {
		var line []byte
		line, rest = cutLine(rest)
		if isBlank(line) {
			break
		}
		if t.mark != "" && isComment(line, t.mark) {
			continue
		}
		line = trimmed(line, t.sep)
		for j := range columns {
			n := fieldEnd(line, t.sep)
			c, text := &columns[j], clip(fieldText(line[:n]))
			switch {
			case t.isNumber(text):
				c.numbers++
			case !isMissing(text):
				c.texts++
				if at, known := slices.BinarySearch(c.kinds, string(text)); known {
					c.repeated = true
				} else {
					c.kinds = slices.Insert(c.kinds, at, string(text))
				}
			}
			if n == len(line) {
				break
			}
			line = afterField(line, n, t.sep)
		}
	}
	var list []TextColumn
	for j, c := range columns {
		if c.texts == 0 || c.texts < c.numbers || t.places != nil && t.places[j] < 0 {
			continue
		}
		text := TextColumn{Number: j + 1, Kinds: c.kinds[:min(len(c.kinds), maxKinds)], Unique: !c.repeated}
		if t.names != nil {
			text.Name = t.names[j]
		}
		list = append(list, text)
	}
	return list, nil
}

// IsText reports whether an error is one about text where a number should be.
func IsText(err error) bool {
	_, is := errors.AsType[*TextError](err)
	return is
}
