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

// The formats of text: a line for each row, distinguished by what separates fields.
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

// textForm says how a text is read.
type textForm struct {
	sep      byte
	explicit bool // sep was given and is not detected from the text
	missing  bool // fields without a value are NaN
	choice   Choice
}

// textForm is the form of a file.
func (loc *location) textForm(o Options) (textForm, error) {
	choice, err := loc.choice(o)
	form := textForm{sep: loc.format.separator, missing: o.Missing, choice: choice}
	if o.Delimiter != 0 {
		form.sep, form.explicit = o.Delimiter, true
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

// readText reads comma- or tab-separated numbers. A first row that is not
// numeric is a header, and only its width counts. Blocks of whole lines are
// parsed side by side; the place of every number is given by the text alone.
//
// The rows of a plain file are counted before, so that the matrix gets its memory
// once. The rows of other files come in parts which are put together at the end, so that the
// matrix exists twice; where memory has no room for that, the file is counted after all.
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

// twiceTooLarge is the error of numbers that do not fit a second time, where they
// would be put together.
type twiceTooLarge struct {
	error
	once float64 // bytes of those read so far
}

// textBlock is how much of a text file is parsed at a time by one worker.
const textBlock = 1 << 18

// readCSV reads a text of the given number of rows, which may be uncounted.
func readCSV(s source, form textForm, b budget, rows int) (*mat.Dense, error) {
	t := newTextReader(s, form, b)
	data, err := t.read(rows)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(len(data)/t.cols, t.cols, data), nil
}

// read returns the numbers of the given rows, which may be uncounted, and no fewer than
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
	names    []string // of the header; nil: none
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
		numbers += t.parts[n].maxRows(&t.fields) * t.cols
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
		size := min(p.maxRows(&t.fields)*t.cols, len(rest))
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

// explain says which line is too long, behind this many blocks.
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
	if !t.form.explicit {
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

// blockReader cuts a text into blocks of whole lines. The first has the second line too,
// by which a header is recognised.
type blockReader struct {
	r     io.Reader
	size  int    // of a block, unless a line is longer
	total int64  // bytes of the text, or −1
	most  int    // bytes of the memory of a line; 0: no limit
	rest  []byte // the beginning of a line that the last block cut off
	end   bool
	begun bool // the first block, which has two lines at least, was read
}

// longLine is the error of a line that takes more than there is room for.
type longLine struct {
	bytes int
	lines int // that are whole, before it
}

func (*longLine) Error() string { return "a line is too long" }

// next reads a block into the buffer, which grows where a line needs it. An
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
		if at := bytes.LastIndexByte(buffer, '\n'); at >= 0 && (b.begun || bytes.IndexByte(buffer, '\n') < at) {
			b.begun = true
			b.rest = append(b.rest, buffer[at+1:]...)
			return buffer[:at+1], nil
		}
	}
	return buffer, nil
}

// uncounted marks a number of rows that is not known.
const uncounted = -1

// textNumbers gathers the numbers of a text: in place where its rows have been counted,
// else in blocks.
type textNumbers struct {
	t      *textReader
	rows   int // at most, or uncounted
	data   []float64
	blocks [][]float64
	count  int
}

// room gives the memory for the next numbers.
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
	// Blank lines at the end ask for more.
	return c.data[c.count:min(c.count+numbers, len(c.data))], nil
}

// nextBlock gives a block of its own. Numbers in several blocks have to fit twice.
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

// took reports the numbers that were put into the room given last.
func (c *textNumbers) took(numbers []float64) {
	c.count += len(numbers)
	if c.rows == uncounted && len(numbers) > 0 {
		c.blocks = append(c.blocks, numbers)
	}
}

// joined returns all numbers. Blocks are let go as they are copied.
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

// countRows returns the number of lines up to the last that is not blank, or as many as
// are more than the budget has room for.
func countRows(r io.Reader, form textForm, b budget) (int, error) {
	buffer := make([]byte, textBlock)
	rows, blank := 0, 0
	begun, any := false, false
	most := math.Inf(1)
	for {
		n, err := io.ReadFull(r, buffer)
		block := buffer[:n]
		if !begun && b.bounded() {
			cols := 1
			if line, rest := cutLine(block); !form.choice.given() {
				if second, _ := cutLine(rest); !form.explicit {
					form.sep = delimiterOf(line, second, form.sep)
				}
				cols = countFields(line, form.sep)
			}
			most = 1 + b.left()/8/float64(cols)
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
