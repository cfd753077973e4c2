package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// textBlock is how much of a text file is parsed at a time by one worker.
const textBlock = 1 << 18

// readCSV reads a text of so many rows, which may be uncounted.
func readCSV(s source, form textForm, b budget, rows int) (*mat.Dense, error) {
	t := newTextReader(s, form, b)
	data, err := t.read(rows)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(len(data)/t.cols, t.cols, data), nil
}

// read returns the numbers of so many rows, which may be uncounted, and no fewer than
// there are.
func (t *textReader) read(rows int) ([]float64, error) {
	c := &textNumbers{t: t, rows: rows}
	for {
		more, err := t.step(c.room)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		c.took(t.numbers)
	}
	if c.count == 0 {
		return nil, t.emptyError()
	}
	return c.joined(), nil
}

func newTextReader(s source, form textForm, b budget) *textReader {
	t := &textReader{source: s, budget: b, form: form, fields: fields{sep: form.sep, missing: form.missing}}
	t.blocks = blockReader{r: s, size: textBlock, total: s.size}
	if b.bounded() {
		t.blocks.most = int(max(b.left()/4, textBlock))
	}
	if s.size >= 0 && s.size < textBlock {
		t.blocks.size = int(s.size) + 1 // one more, to see the end
	}
	return t
}

// emptyError is the error of a file without rows.
func (t *textReader) emptyError() error {
	if t.header {
		return errors.New("there are no rows below the header")
	}
	return errors.New("the file is empty")
}

// textReader reads the numbers of a text, some blocks at a time.
type textReader struct {
	source source
	budget budget
	blocks blockReader
	form   textForm
	fields
	header bool
	// supposed says that the header is one because no field of the first line is a number,
	// nor is one of the second.
	supposed bool
	names    []string // of the header; nil: there is none
	lines    int      // read so far
	bytes    int64    // likewise
	blank    int      // the first of the blank lines read last, 0 where there are none
	marks    marks

	buffers [][]byte // one a worker
	parts   []textPart
	numbers []float64 // of the blocks read last
}

// step reads the next blocks, one for each worker, into t.numbers, for which room
// gives the memory, and says whether there were any left.
func (t *textReader) step(room func(numbers int) ([]float64, error)) (more bool, err error) {
	if t.buffers == nil {
		t.buffers, t.parts = make([][]byte, blas.Threads(0)), make([]textPart, blas.Threads(0))
	}
	n, numbers := 0, 0
	for n < t.workers() {
		if t.buffers[n], err = t.blocks.next(t.buffers[n]); err != nil {
			return false, t.explain(err, n)
		}
		if len(t.buffers[n]) == 0 {
			break
		}
		t.parts[n].text = t.buffers[n]
		if t.bytes == 0 {
			if t.parts[0].text, err = t.begin(t.buffers[0]); err != nil {
				return false, err
			}
		}
		t.bytes += int64(len(t.buffers[n]))
		numbers += t.parts[n].mostRows(&t.fields) * t.cols
		n++
	}
	if n == 0 {
		t.numbers = nil
		return false, t.marks.atEnd()
	}
	memory, err := room(numbers)
	if err != nil {
		return false, err
	}
	rest := memory
	for b := range n {
		p := &t.parts[b]
		size := min(p.mostRows(&t.fields)*t.cols, len(rest))
		p.vals, rest = rest[:0:size], rest[size:]
	}
	// Without a way to cancel, For has no error to give.
	_ = blas.For(context.Background(), len(t.parts), n, 1, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			t.parts[b].parse(&t.fields)
		}
	})
	// All but the last rows fill the room that they were given: only blank lines at the
	// end of the text take some without being rows.
	count := 0
	for b := range n {
		if err := t.join(&t.parts[b]); err != nil {
			return false, err
		}
		count += len(t.parts[b].vals)
	}
	t.numbers = memory[:count]
	return true, nil
}

// workers is how many blocks are read at a time: fewer where lines are so long that
// memory runs out.
func (t *textReader) workers() int {
	longest := 0
	for _, buffer := range t.buffers {
		longest = max(longest, cap(buffer))
	}
	share := max(float64(len(t.buffers)*2*textBlock), 64<<20)
	if t.budget.bounded() {
		share = t.budget.left() / 8
	}
	return max(1, min(len(t.buffers), int(share/float64(max(longest, textBlock)))))
}

// held is what the text takes: the blocks, and what a decoder keeps.
func (t *textReader) held() float64 {
	sum := cap(t.blocks.rest)
	for _, buffer := range t.buffers {
		sum += cap(buffer)
	}
	return float64(sum) + min(t.source.window, float64(t.bytes))
}

// explain says which line is too long, behind so many blocks.
func (t *textReader) explain(err error, blocks int) error {
	if long, is := errors.AsType[*longLine](err); is {
		line := t.lines + 1 + long.lines
		for _, p := range t.parts[:blocks] {
			line += bytes.Count(p.text, []byte{'\n'})
		}
		return &tooLarge{fmt.Sprintf("line %d is longer than %s, more than a fourth of what there is room for, and %s: raise it, or end the rows by newlines",
			line, byteCount(float64(long.bytes)), t.budget.said())}
	}
	return err
}

// begin looks at the first line: it gives the width, and may be a header, which
// is then left out of the block returned.
func (t *textReader) begin(block []byte) ([]byte, error) {
	if bytes.HasPrefix(block, []byte("\xff\xfe")) || bytes.HasPrefix(block, []byte("\xfe\xff")) {
		return nil, errors.New("the text is UTF-16: save it as UTF-8")
	}
	block = bytes.TrimPrefix(block, []byte("\xef\xbb\xbf"))
	line, rest := cutLine(block)
	if isBlank(line) { // an empty file, or an error to be found in its turn
		return block, nil
	}
	second, _ := cutLine(rest)
	if !t.form.told {
		t.sep = delimiterOf(line, second, t.sep)
	}
	t.width = countFields(line, t.sep)
	header, err := isHeader(line, second, t.sep, t.missing)
	if err != nil && !t.form.choice.given() {
		return nil, err
	}
	if header = header || errors.Is(err, errIndex); header {
		t.names = fieldNames(line, t.sep)
		t.supposed = alike(line, second, t.sep)
	}
	if t.cols = t.width; t.form.choice.given() {
		if err := t.pick(); err != nil {
			return nil, err
		}
	}
	if !header {
		return block, nil
	}
	t.header = true
	t.lines = 1
	return rest, nil
}

// join accounts for what was parsed of the next block.
func (t *textReader) join(p *textPart) error {
	if t.blank > 0 && (p.rows > 0 || p.fault != nil) {
		return blankLine(t.blank)
	}
	if p.fault != nil {
		return p.fault.at(t)
	}
	if err := t.marks.join(p, t.lines); err != nil {
		return err
	}
	if len(p.vals) != p.rows*t.cols {
		return errors.New("the file has changed while it was read")
	}
	if p.blank > 0 && t.blank == 0 {
		t.blank = t.lines + p.blank
	}
	t.lines += p.lines
	return nil
}

func blankLine(line int) error {
	return fmt.Errorf("line %d is empty: only lines at the end of the file may be", line)
}

// pick finds the places of the columns that were chosen.
func (t *textReader) pick() error {
	chosen, err := t.form.choice.places(t.names, t.width)
	if err != nil {
		return err
	}
	t.cols, t.places = len(chosen), make([]int, t.width)
	for at := range t.places {
		t.places[at] = -1
	}
	for place, at := range chosen {
		t.places[at] = place
	}
	return nil
}
