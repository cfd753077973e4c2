package files

import (
	"fmt"
	"io"
)

// jsonFolding is what a text of JSON takes at most to be decoded, in its own lengths: an
// object of two bytes becomes some strings and numbers, in lists that grow. Measured on
// lists of empty objects.
const jsonFolding = 40

// checkText refuses a text whose decoding takes folding times its length.
func (b budget) checkText(what string, length, folding int64) error {
	if b.fits(float64(length*folding), 0) {
		return nil
	}
	return &tooLarge{fmt.Sprintf("%s is longer than %s, the most for which there is memory, and %s: raise it, or see whether this is the right file", what, byteCount(b.left()/float64(folding)), b.said())}
}

// ReadJSON reads a whole text of JSON, from standard input for "-". One that could not be
// decoded within the memory that the options leave is an error.
func ReadJSON(path string, o Options) ([]byte, error) { return readWhole(path, jsonFolding, o) }

// ReadText reads a whole text that is held as it is, otherwise as [ReadJSON] does.
func ReadText(path string, o Options) ([]byte, error) { return readWhole(path, 4, o) }

// readWhole reads no further than there is room for, so that a device without an end ends.
func readWhole(path string, folding int64, o Options) ([]byte, error) {
	s, err := open(path, o.Stdin)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	defer s.Close()
	b := o.budget()
	if err := b.checkText("the text", s.size, folding); err != nil {
		return nil, failure(path, OpRead, err)
	}
	r := s.Reader
	if b.bounded() {
		r = io.LimitReader(r, int64(b.left())/folding+1)
	}
	text, err := io.ReadAll(r)
	if err == nil {
		err = b.checkText("the text", int64(len(text)), folding)
	}
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	return text, nil
}
