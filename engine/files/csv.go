package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/disk"
)

// The text formats have one line for each row, and differ in the field separator.
var (
	csvFormat  = textFormat("CSV", ',', false, ".csv")
	tsvFormat  = textFormat("TSV", '\t', false, ".tsv")
	dataFormat = textFormat("text", '\t', true, ".txt", ".dat", ".asc")
)

// textFormat is a text with fields between separators. guess: the extension says nothing about the separator that is read.
func textFormat(name string, sep byte, guess bool, extensions ...string) Format {
	return Format{
		Name: name, Extensions: extensions, holds: namedColumns, separator: sep, guess: guess,
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
			return writeIntegerText(w, loc, v, sep)
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

// textForm describes how a text is read.
type textForm struct {
	sep      byte
	explicit bool // sep was given and is not detected from the text
	guess    bool // sep is only what is written
	notation
	comment string // what begins a comment; empty: it is found
	found   bool   // it was found
	skip    int    // lines before the text
	choice  Choice
	note    func(text string) // reports what is not read; nil: nobody asks
}

// textForm returns the form of a file.
func (loc *location) textForm(o Options) (textForm, error) {
	choice, err := loc.choice(o)
	form := textForm{sep: loc.format.separator, guess: loc.format.guess, choice: choice, comment: o.Comment, skip: o.SkipRows,
		notation: notation{o.Missing, o.Booleans, o.Thousands}}
	if o.Note != nil {
		form.note = func(text string) { o.note(*loc, text) }
	}
	if o.Delimiter != 0 {
		form.sep, form.explicit = o.Delimiter, true
	}
	return form, err
}

// openText reads the first blocks of a text, which determine the columns.
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

// readText reads comma- or tab-separated numbers. A first row that is not
// numeric is a header. Blocks of whole lines are
// parsed concurrently; the position of every number depends only on the text.
//
// The rows of an uncompressed file are counted first, so the matrix is allocated
// once. The rows of other files are read in parts that are joined at the end, so the
// matrix exists twice; if memory is short, the file is read twice instead, to count the rows.
func readText(loc location, o Options) (*mat.Dense, error) {
	b := o.budget()
	form, err := loc.textForm(o)
	if err != nil {
		return nil, err
	}
	read := func(rows int) (*mat.Dense, error) {
		return fromContent(loc, o, func(s source, b budget) (*mat.Dense, error) { return readCSV(s, form, b, rows) })
	}
	regular := func() bool {
		info, err := disk.Files().Stat(loc.file)
		return err == nil && info.Mode().IsRegular()
	}
	count := func() (int, error) {
		return fromContent(loc, o, func(s source, b budget) (int, error) { return countRows(s, form, b) })
	}
	rows := uncounted
	if info, err := disk.Files().Stat(loc.file); loc.packing == unpacked && err == nil && info.Mode().IsRegular() && info.Size() > textBlock {
		if rows, err = count(); err != nil {
			return nil, err
		}
	}
	m, err := read(rows)
	twice, is := errors.AsType[*twiceTooLarge](err)
	if !is {
		return m, err
	}
	if !b.fits(twice.once, 0) || !regular() {
		return nil, twice.error
	}
	debug.FreeOSMemory() // of the parts, for which there is no room any more
	if rows, err = count(); err != nil {
		return nil, err
	}
	return read(rows)
}

// twiceTooLarge is the error of numbers that do not fit a second time, which joining the parts
// requires.
type twiceTooLarge struct {
	error
	once float64 // bytes of those read so far
}

// textBlock is the number of bytes of text that one worker parses at a time.
const textBlock = 1 << 18

// readCSV reads a text with the given number of rows, or uncounted.
func readCSV(s source, form textForm, b budget, rows int) (*mat.Dense, error) {
	t := newTextReader(s, form, b)
	data, err := t.read(rows)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(len(data)/t.cols, t.cols, data), nil
}

// read returns the numbers of the given rows, which may be uncounted but not fewer than
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
	t := &textReader{source: s, budget: b, form: form, fields: fields{sep: form.sep, notation: form.notation}}
	t.blocks = blockReader{r: withNewlines(s, s.size), size: textBlock, total: s.size, decides: form.decides}
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

// textReader reads the numbers of a text, several blocks at a time.
type textReader struct {
	source source
	budget budget
	blocks blockReader
	form   textForm
	fields
	textLayout
	first    []byte // the beginning of the text
	found    bool   // the mark of comments was found, not given
	comments int    // among the rows
	bytes    int64  // read so far
	blank    int    // the first of the trailing blank lines; 0: none
	marks    marks

	buffers [][]byte // one for each worker
	parts   []textPart
	numbers []float64 // from the most recent blocks
}

// step reads the next blocks, one for each worker, into t.numbers, which room
// allocates. It reports whether there were any.
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
		numbers += t.parts[n].maxRows(&t.fields) * t.cols
		n++
	}
	if n == 0 {
		t.numbers = nil
		if t.comments > 0 && t.found && t.form.note != nil {
			t.form.note(fmt.Sprintf("%s among the rows that begin with %s are comments, and are left out", plural(t.comments, "line"), t.mark))
		}
		return false, t.marks.atEnd()
	}
	memory, err := room(numbers)
	if err != nil {
		return false, err
	}
	rest := memory
	for b := range n {
		p := &t.parts[b]
		size := min(p.maxRows(&t.fields)*t.cols, len(rest))
		p.vals, rest = rest[:0:size], rest[size:]
	}
	// Without a way to cancel, For has no error to give.
	_ = blas.For(context.Background(), len(t.parts), n, 1, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			t.parts[b].parse(&t.fields)
		}
	})
	// Comments, and blank lines at the end of the text, which are not rows, leave part of the
	// memory unused.
	count, used := 0, 0
	for b := range n {
		vals := t.parts[b].vals
		if err := t.join(&t.parts[b]); err != nil {
			return false, err
		}
		if count < used {
			copy(memory[count:], vals)
		}
		count += len(vals)
		used += cap(vals)
	}
	t.numbers = memory[:count]
	return true, nil
}

// workers returns the number of blocks read at a time, which is smaller if long lines
// exhaust the memory.
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

// held returns the memory of the text: the blocks, and the buffers of a decoder.
func (t *textReader) held() float64 {
	sum := cap(t.blocks.rest)
	for _, buffer := range t.buffers {
		sum += cap(buffer)
	}
	return float64(sum) + min(t.source.window, float64(t.bytes))
}

// explain returns the error that names the line that is too long.
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

// join updates the counts with the parsed next block.
func (t *textReader) join(p *textPart) error {
	var err error
	switch {
	case t.blank > 0 && (p.rows > 0 || p.fault != nil):
		err = blankLine(t.blank)
	case p.fault != nil:
		err = p.fault.at(t)
	}
	if err != nil {
		if max(t.lines, t.blank) > linesOfPreamble || p.fault != nil && p.fault.unnamed {
			return err
		}
		return t.orLater(err)
	}
	if err := t.marks.join(p, t.lines); err != nil {
		return err
	}
	if len(p.vals) != p.rows*t.cols {
		return errors.New("the file has changed while it was read")
	}
	t.comments += p.comments
	if p.blank > 0 && t.blank == 0 {
		t.blank = t.lines + p.blank
	}
	t.lines += p.lines
	return nil
}

func blankLine(line int) error {
	return fmt.Errorf("line %d is empty: only lines at the end of the file may be", line)
}

// withNewlines returns a text whose lines end in newlines, also if they end in a carriage return alone, which its beginning
// shows. size is the length of the text, or −1.
func withNewlines(r io.Reader, size int64) io.Reader {
	beginning := make([]byte, 1<<16)
	if size >= 0 {
		beginning = beginning[:min(int64(len(beginning)), size)]
	}
	n, err := io.ReadFull(r, beginning)
	beginning = beginning[:n]
	text := io.MultiReader(bytes.NewReader(beginning), r)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		text = io.MultiReader(bytes.NewReader(beginning), failed{err})
	}
	if bytes.IndexByte(beginning, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(beginning, "\r"), '\r') >= 0 {
		return returnsReplaced{text}
	}
	return text
}

// returnsReplaced is a text with a newline in the place of each carriage return.
type returnsReplaced struct{ io.Reader }

func (r returnsReplaced) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// failed is a text that cannot be read.
type failed struct{ error }

func (f failed) Read([]byte) (int, error) { return 0, f.error }

// blockReader divides a text into blocks of whole lines. The first block includes the lines that decide
// on the layout.
type blockReader struct {
	r     io.Reader
	size  int    // of a block, unless a line is longer
	total int64  // bytes of the text, or −1
	most  int    // bytes of the memory of a line; 0: no limit
	rest  []byte // the beginning of a line that the last block cut off
	end   bool
	begun bool // the first block was read

	decides func(block []byte) bool // whether the first block can end here
}

// longLine is the error of a line that does not fit into memory.
type longLine struct {
	bytes int
	lines int // that are whole, before it
}

func (*longLine) Error() string { return "a line is too long" }

// next reads a block into the buffer, which grows if a line needs it. An
// empty block is the end.
func (b *blockReader) next(buffer []byte) ([]byte, error) {
	if b.end && len(b.rest) == 0 {
		return nil, nil
	}
	if cap(buffer) == 0 {
		buffer = make([]byte, 0, b.size)
	}
	buffer = append(buffer[:0], b.rest...)
	b.rest = b.rest[:0]
	for !b.end {
		if len(buffer) == cap(buffer) {
			more := len(buffer)
			if b.total >= 0 {
				more = int(min(int64(more), b.total)) + 1
			}
			if b.most > 0 && len(buffer)+more > b.most {
				return nil, &longLine{len(buffer), bytes.Count(buffer, []byte{'\n'})}
			}
			buffer = slices.Grow(buffer, more)
		}
		n, err := io.ReadFull(b.r, buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			b.end = true
			break
		}
		if err != nil {
			return nil, err
		}
		if at := bytes.LastIndexByte(buffer, '\n'); at >= 0 && (b.begun || b.decides(buffer[:at+1])) {
			b.begun = true
			b.rest = append(b.rest, buffer[at+1:]...)
			return buffer[:at+1], nil
		}
	}
	return buffer, nil
}

// uncounted marks a number of rows that is not known.
const uncounted = -1

// textNumbers collects the numbers of a text: in place if its rows have been counted,
// otherwise in blocks.
type textNumbers struct {
	t      *textReader
	rows   int // at most, or uncounted
	data   []float64
	blocks [][]float64
	count  int
}

// room returns memory for the next numbers.
func (c *textNumbers) room(numbers int) ([]float64, error) {
	if c.rows == uncounted {
		return c.nextBlock(numbers)
	}
	if c.data == nil && numbers > 0 {
		rows := c.rows
		if c.t.header {
			rows--
		}
		what := fmt.Sprintf("a matrix of %d × %d or more", rows, c.t.cols)
		if err := c.t.budget.check(what, 8*float64(rows)*float64(c.t.cols), c.t.held()+c.t.source.window); err != nil {
			return nil, err
		}
		c.data = make([]float64, rows*c.t.cols)
	}
	// Blank lines at the end request more.
	return c.data[c.count:min(c.count+numbers, len(c.data))], nil
}

// nextBlock allocates a block. Numbers in several blocks must fit twice.
func (c *textNumbers) nextBlock(numbers int) ([]float64, error) {
	b, what := c.t.budget, fmt.Sprintf("a matrix of more than %d rows", max(c.t.lines-1, 0))
	once := 8 * float64(c.count+numbers)
	if err := b.check(what, once, c.t.held()); err != nil {
		return nil, err
	}
	if c.count > 0 && !b.fits(2*once, c.t.held()) {
		return nil, &twiceTooLarge{b.exceeded(what, 2*once), once}
	}
	return make([]float64, numbers), nil
}

// took sets the count of numbers written to the most recent room.
func (c *textNumbers) took(numbers []float64) {
	c.count += len(numbers)
	if c.rows == uncounted && len(numbers) > 0 {
		c.blocks = append(c.blocks, numbers)
	}
}

// joined returns all numbers. Blocks are released as they are copied.
func (c *textNumbers) joined() []float64 {
	if c.rows != uncounted {
		return c.data[:c.count]
	}
	if len(c.blocks) == 1 {
		return c.blocks[0]
	}
	data := make([]float64, 0, c.count)
	for i, block := range c.blocks {
		data = append(data, block...)
		c.blocks[i] = nil
	}
	return data
}

// countRows returns the number of lines up to the last that is not blank, or a number
// that exceeds the budget.
func countRows(r io.Reader, form textForm, b budget) (int, error) {
	r = withNewlines(r, -1)
	buffer := make([]byte, textBlock)
	rows, blank := 0, 0
	begun, any := false, false
	most := math.Inf(1)
	for {
		n, err := io.ReadFull(r, buffer)
		block := buffer[:n]
		if !begun && b.bounded() {
			t := textReader{form: form, fields: fields{sep: form.sep, notation: form.notation}}
			_, _ = t.open(block) // an error is one of the reader
			most = 1 + b.left()/8/float64(max(t.cols, 1))
		}
		begun = true
		if solid := bytes.TrimRight(block, " \r\n"); len(solid) > 0 {
			any = true
			rows += blank + bytes.Count(solid, []byte{'\n'})
			blank = 0
			block = block[len(solid):]
		}
		blank += bytes.Count(block, []byte{'\n'})
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			if any {
				rows++
			}
			return rows, nil
		case err != nil:
			return 0, err
		case float64(rows) > most:
			return rows, nil
		}
	}
}
