package files

import (
	"bufio"

	"gonum.org/v1/gonum/mat"
)

// The formats of text: a line for each row, told apart by what separates fields.
var (
	csvFormat = textFormat("CSV", ".csv", ',')
	tsvFormat = textFormat("TSV", ".tsv", '\t')
)

func textFormat(name, extension string, sep byte) Format {
	return Format{
		Name: name, Extensions: []string{extension}, holds: namedColumns, separator: sep,
		extent: textExtent,
		read:   func(loc location, o Options) (matrix, error) { return asMatrix(readText(loc, o)) },
		openRows: func(r *RowReader, loc location, o Options) error {
			s, err := r.openContent(loc, o)
			if err != nil {
				return err
			}
			form, err := loc.textForm(o)
			if err != nil {
				return err
			}
			return r.openText(s, form, o.budget())
		},
		write: func(w *bufio.Writer, loc location, m mat.Matrix, single bool) error {
			return writeText(w, loc, m, sep, single)
		},
		writeIntegers: func(w *bufio.Writer, loc location, v integers) error {
			return writeIntegerText(w, loc, v.rows, v.cols, v.data, sep)
		},
		writeRows: func(w *RowWriter) error {
			bits, done := textBits(w.single), 0
			w.render = func(row []float64) {
				if done == 0 {
					w.line = w.o.loc.appendHeader(w.line, sep)
				}
				w.line = appendLine(w.o.loc.appendID(w.line, done, sep), row, sep, bits)
				done++
			}
			return w.o.loc.checkLabeling(w.rows, w.cols)
		},
	}
}

// textForm says how a text is read.
type textForm struct {
	sep     byte
	told    bool // sep was given, and is not to be told by the text
	missing bool // fields without a value are NaN
	choice  Choice
}

// textForm is that of a file.
func (loc *location) textForm(o Options) (textForm, error) {
	choice, err := loc.choice(o)
	form := textForm{sep: loc.format.separator, missing: o.Missing, choice: choice}
	if o.Delimiter != 0 {
		form.sep, form.told = o.Delimiter, true
	}
	return form, err
}

// openText begins with the first blocks of a text, which give the columns.
func (r *RowReader) openText(s source, form textForm, b budget) error {
	t := newTextReader(s, form, b)
	var memory []float64
	room := func(numbers int) ([]float64, error) {
		if cap(memory) < numbers {
			if err := b.check("a block of lines", 8*float64(numbers), t.held()); err != nil {
				return nil, err
			}
			memory = make([]float64, numbers)
		}
		return memory[:numbers], nil
	}
	held := 0 // of t.numbers, given out
	fill := func() error {
		for held == len(t.numbers) {
			held = 0
			if more, err := t.step(room); err != nil || !more {
				return err
			}
		}
		return nil
	}
	if err := fill(); err != nil {
		return err
	}
	if len(t.numbers) == 0 {
		return t.emptyError()
	}
	r.cols = t.cols
	r.next = func(dst []float64) (int, error) {
		if err := fill(); err != nil {
			return 0, err
		}
		n := copy(dst, t.numbers[held:])
		held += n
		return n / t.cols, nil
	}
	return nil
}
