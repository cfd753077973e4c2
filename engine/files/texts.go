package files

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ReadTexts reads one column of a .csv or .tsv file as text, such as the names of samples,
// and the name that its header gives it, "" where there is none. The column is that which
// the path or the options choose, or the only one. What is held of it counts against
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
	if loc.format.separator == 0 {
		return c, fmt.Errorf("%s files hold no text that can be read: give a .csv or .tsv", loc.format.Name)
	}
	form, err := loc.textForm(o)
	if err != nil {
		return c, err
	}
	return fromContent(loc, o, func(s source, b budget) (textColumn, error) { return readColumn(s, form, b) })
}

// textBytes is what a text takes beside its letters, with the room of a growing list.
const textBytes = 40

// readColumn reads the text of the one column that is chosen. All other fields are passed
// over. A first line without a number is a header; but where its field comes again below, it
// is taken for one of the data: classes recur, and the name of a column does not.
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
			if err != nil { // a field of the first line, which is not read as a number here
				rest = bytes.TrimPrefix(block, []byte("\xef\xbb\xbf"))
			}
			if c.number, err = t.onlyColumn(); err != nil {
				return c, err
			}
			first = false
		}
		for len(rest) > 0 {
			var line []byte
			line, rest = cutLine(rest)
			t.lines++
			if isBlank(line) {
				if t.blank == 0 {
					t.blank = t.lines
				}
				continue
			}
			if t.blank > 0 {
				return c, blankLine(t.blank)
			}
			text, count := fieldOf(line, t.sep, c.number)
			if count != t.width {
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
	c.line = 1
	if t.header {
		c.name, c.line = t.names[c.number-1], 2
		if t.supposed && slices.Contains(c.texts, c.name) {
			c.texts, c.name, c.line = slices.Insert(c.texts, 0, c.name), "", 1
		}
	}
	if len(c.texts) == 0 {
		return c, t.emptyError()
	}
	return c, nil
}

// isTextual tells whether an error is one about a field that is no number.
func isTextual(err error) bool {
	_, text := errors.AsType[*TextError](err)
	_, missing := errors.AsType[*MissingError](err)
	return text || missing
}

// onlyColumn is the number of the one column that is read.
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

// fieldOf is the text of a field of a line, counted from 1, and the number of fields.
func fieldOf(line []byte, sep byte, column int) (text string, count int) {
	for {
		n := fieldEnd(line, sep)
		if count++; count == column {
			text = string(bytes.ReplaceAll(fieldText(line[:n]), []byte(`""`), []byte(`"`)))
		}
		if n == len(line) {
			return text, count
		}
		line = line[n+1:]
	}
}

// ReadClasses reads the class of each sample: whole numbers as [ReadLabels] does, with nil
// for their names, or the texts of a column of a .csv or .tsv file. These are numbered from
// 0 in the order of the alphabet, and names[c] is the text of class c. A sample without a
// class is an error. Every error is an [*Error] with [OpRead].
func ReadClasses(path string, o Options) (classes []int64, names []string, err error) {
	classes, err = readLabels(path, o)
	if _, text := errors.AsType[*TextError](err); err == nil || !text {
		return classes, nil, failure(path, OpRead, err)
	}
	c, err := readTexts(path, o)
	if err != nil {
		return nil, nil, failure(path, OpRead, err)
	}
	for i, text := range c.texts {
		if isMissing([]byte(text)) {
			return nil, nil, failure(path, OpRead, &MissingError{fmt.Sprintf("line %d, column %d is %q, and every sample needs its class: fill it in, or leave the sample out", c.line+i, c.number, text)})
		}
	}
	names = slices.Clone(c.texts)
	slices.Sort(names)
	names = slices.Compact(names)
	classes = make([]int64, len(c.texts))
	for i, text := range c.texts {
		at, _ := slices.BinarySearch(names, text)
		classes[i] = int64(at)
	}
	return classes, names, nil
}

// ColumnNames are the names of the columns that [ReadMatrix] reads with the same options;
// nil where the file gives them none.
func ColumnNames(path string, o Options) ([]string, error) {
	names, err := columnNames(path, o)
	return names, failure(path, OpRead, err)
}

func columnNames(path string, o Options) ([]string, error) {
	loc, err := locate(path)
	switch {
	case err != nil || loc.file == standard || loc.format.holds != namedColumns:
		return nil, err
	case loc.format.separator == 0:
		t, err := openTable(loc, o)
		if err != nil {
			return nil, err
		}
		return t.Names(), t.Close()
	}
	form, err := loc.textForm(o)
	if err != nil {
		return nil, err
	}
	return fromContent(loc, o, func(s source, b budget) ([]string, error) {
		t := newTextReader(s, form, b)
		block, err := t.blocks.next(nil)
		if err != nil {
			return nil, t.explain(err, 0)
		}
		if _, err := t.begin(block); err != nil || t.names == nil || t.places == nil {
			return t.names, err
		}
		names := make([]string, t.cols)
		for at, place := range t.places {
			if place >= 0 {
				names[place] = t.names[at]
			}
		}
		return names, nil
	})
}
