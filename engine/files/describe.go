package files

import (
	"bytes"
	"errors"
	"slices"
)

// TextColumn is what the first rows of a table say of a column that holds text.
type TextColumn struct {
	Number int      // counted from 1
	Name   string   // of the header; "" where there is none
	Kinds  []string // texts that differ, by the alphabet, at most mostKinds
	Unique bool     // no two rows have the same
}

// mostKinds bounds the texts that are told of a column, and describedRows the rows that are
// looked at.
const (
	mostKinds     = 30
	describedRows = 1000
)

// TextColumns lists the columns of a .csv or .tsv file, of those chosen, in which half of the
// fields or more are text, by its first thousand rows: names and classes, and no slips among numbers.
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
		rest = bytes.TrimPrefix(block, []byte("\xef\xbb\xbf"))
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
		for j := range columns {
			n := fieldEnd(line, t.sep)
			c, text := &columns[j], clip(fieldText(line[:n]))
			switch {
			case isNumber(text):
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
			line = line[n+1:]
		}
	}
	var list []TextColumn
	for j, c := range columns {
		if c.texts == 0 || c.texts < c.numbers || t.places != nil && t.places[j] < 0 {
			continue
		}
		text := TextColumn{Number: j + 1, Kinds: c.kinds[:min(len(c.kinds), mostKinds)], Unique: !c.repeated}
		if t.names != nil {
			text.Name = t.names[j]
		}
		list = append(list, text)
	}
	return list, nil
}

// IsText tells whether an error is one about text where a number should be.
func IsText(err error) bool {
	_, is := errors.AsType[*TextError](err)
	return is
}
