package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// textBlock is how much of a text file is parsed at a time by one worker.
const textBlock = 1 << 18

// readCSV reads comma- or tab-separated numbers. A first row that is not
// numeric is a header, and only its width counts. Blocks of whole lines are
// parsed side by side; the place of every number is given by the text alone.
func readCSV(s source, sep byte, limit int64) (*mat.Dense, error) {
	t := newTextReader(s, sep, limit)
	t.limit = limit
	if err := t.read(); err != nil {
		return nil, err
	}
	if len(t.data) == 0 {
		return nil, t.emptyError()
	}
	return mat.NewDense(len(t.data)/t.width, t.width, t.data), nil
}

func newTextReader(s source, sep byte, limit int64) *textReader {
	t := &textReader{blocks: blockReader{r: s, size: textBlock, limit: limit}, sep: sep, size: s.size}
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

// textReader gathers the numbers of a text file.
type textReader struct {
	blocks blockReader
	sep    byte
	size   int64 // of the file, or −1
	limit  int64
	data   []float64
	width  int
	header bool
	lines  int   // read so far
	bytes  int64 // likewise
	blank  int   // the first of the blank lines read last, 0 where there are none

	buffers [][]byte // one a worker
	parts   []textPart
}

func (t *textReader) read() error {
	for first := true; ; first = false {
		if more, err := t.step(); err != nil || !more {
			return err
		}
		if first {
			t.reserve()
		}
	}
}

// step appends the numbers of the next blocks, one for each worker, and says
// whether there were any left.
func (t *textReader) step() (more bool, err error) {
	if t.buffers == nil {
		t.buffers, t.parts = make([][]byte, blas.Threads(0)), make([]textPart, blas.Threads(0))
	}
	n := 0
	for ; n < len(t.parts); n++ {
		if t.buffers[n], err = t.blocks.next(t.buffers[n]); err != nil {
			return false, err
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
	}
	// Without a way to cancel, For has no error to give.
	_ = blas.For(context.Background(), len(t.parts), n, 1, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			t.parts[b].parse(t.sep, t.width)
		}
	})
	for b := range n {
		if err := t.join(&t.parts[b]); err != nil {
			return false, err
		}
	}
	return n > 0, nil
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
	t.width = countFields(line, t.sep)
	header, err := isHeader(line, t.sep)
	if err != nil {
		return nil, err
	}
	if !header {
		return block, nil
	}
	t.header = true
	t.lines = 1
	return rest, nil
}

// join appends what was parsed of the next block.
func (t *textReader) join(p *textPart) error {
	if t.blank > 0 && (p.rows > 0 || p.fault != nil) {
		return blankLine(t.blank)
	}
	if p.fault != nil {
		return p.fault.at(t)
	}
	if need := 8 * float64(len(t.data)+len(p.vals)); t.limit > 0 && need > float64(t.limit) {
		return fmt.Errorf("as float64 the matrix needs more than %s, the memory limit (after %d lines)",
			byteCount(float64(t.limit)), t.lines)
	}
	t.data = append(t.data, p.vals...)
	if p.blank > 0 && t.blank == 0 {
		t.blank = t.lines + p.blank
	}
	t.lines += p.lines
	return nil
}

// reserve makes room for the rest of the file, guessed from its first blocks.
func (t *textReader) reserve() {
	if t.size <= t.bytes || t.bytes == 0 {
		return
	}
	guess := float64(len(t.data)) * float64(t.size) / float64(t.bytes) * 1.02
	if t.limit > 0 {
		guess = math.Min(guess, float64(t.limit)/8)
	}
	if more := int(guess) - len(t.data); more > 0 {
		t.data = slices.Grow(t.data, more)
	}
}

func blankLine(line int) error {
	return fmt.Errorf("line %d is empty: only lines at the end of the file may be", line)
}

// blockReader cuts a text into blocks of whole lines.
type blockReader struct {
	r     io.Reader
	size  int    // of a block, unless a line is longer
	limit int64  // of a line that is longer; 0: none
	rest  []byte // the beginning of a line that the last block cut off
	end   bool
}

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
			if b.limit > 0 && int64(len(buffer)) > max(b.limit, int64(b.size)) {
				return nil, fmt.Errorf("a line is longer than the memory limit, %s", byteCount(float64(b.limit)))
			}
			buffer = slices.Grow(buffer, len(buffer))
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
		if at := bytes.LastIndexByte(buffer, '\n'); at >= 0 {
			b.rest = append(b.rest, buffer[at+1:]...)
			return buffer[:at+1], nil
		}
	}
	return buffer, nil
}
