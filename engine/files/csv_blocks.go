package files

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// blockReader cuts a text into blocks of whole lines. The first has the second line too,
// by which a header is told.
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
