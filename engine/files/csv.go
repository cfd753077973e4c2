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
		Name: name, Extensions: []string{extension},
		extent: func(loc location, o Options) (Extent, error) { return textExtent(loc, o, sep) },
		read: func(loc location, o Options) (matrix, error) {
			return asMatrix(readText(loc, o, sep))
		},
		openRows: func(r *RowReader, loc location, o Options) error {
			s, err := r.openContent(loc, o)
			if err != nil {
				return err
			}
			return r.openText(s, sep, o.Missing, o.budget())
		},
		write: func(w *bufio.Writer, _ location, m mat.Matrix, single bool) error {
			return writeText(w, m, sep, single)
		},
		writeIntegers: func(w *bufio.Writer, _ location, v integers) error {
			return writeIntegerText(w, v.cols, v.data, sep)
		},
		writeRows: func(w *RowWriter) error {
			bits := textBits(w.single)
			w.render = func(row []float64) { w.line = appendLine(w.line, row, sep, bits) }
			return nil
		},
	}
}

// openText begins with the first blocks of a text, which give the columns.
func (r *RowReader) openText(s source, sep byte, missing bool, b budget) error {
	t := newTextReader(s, sep, missing, b)
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
	r.cols = t.width
	r.next = func(dst []float64) (int, error) {
		if err := fill(); err != nil {
			return 0, err
		}
		n := copy(dst, t.numbers[held:])
		held += n
		return n / t.width, nil
	}
	return nil
}
