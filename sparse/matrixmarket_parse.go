package sparse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// marketParser reads a MatrixMarket file line by line.
type marketParser struct {
	r        *bufio.Reader
	long     []byte // a line that did not fit into the reader's buffer
	words    [][]byte
	line     int
	limit    int64 // of memory, 0: none
	array    bool
	field    string
	symmetry string
	// The side of the diagonal on which the first entry of a symmetric matrix in
	// coordinates lies: +1 below, −1 above, 0 none yet.
	side int
}

func newMarketParser(r io.Reader) *marketParser {
	return &marketParser{r: bufio.NewReaderSize(r, 1<<18)}
}

func (p *marketParser) fail(format string, args ...any) error {
	return &MarketError{Line: p.line, Problem: fmt.Sprintf(format, args...)}
}

// next returns the next line, valid until the call after it. The last line may
// come together with io.EOF when it has no newline; io.EOF alone is the end.
func (p *marketParser) next() ([]byte, error) {
	p.line++
	text, err := p.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return text, err
	}
	p.long = p.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		p.long = append(p.long, text...)
		if p.limit > 0 && int64(len(p.long)) > max(p.limit/8, 1<<20) {
			return nil, p.within(fmt.Sprintf("line %d, which has more than %d bytes,", p.line, len(p.long)), max(8*float64(len(p.long)), float64(p.limit)+1))
		}
		text, err = p.r.ReadSlice('\n')
	}
	p.long = append(p.long, text...)
	return p.long, err
}

// within refuses what takes more than the limit, if there is one.
func (p *marketParser) within(what string, need float64) error {
	if p.limit == 0 || need <= float64(p.limit) {
		return nil
	}
	return &MarketError{Line: p.line, What: what, Need: need, Problem: fmt.Sprintf("%s takes more than the memory limit of %d bytes", what, p.limit)}
}

// data returns the next line that is neither blank nor a comment, without the space
// around it, and io.EOF after the last. It is valid until the next call.
func (p *marketParser) data() ([]byte, error) {
	for {
		text, err := p.next()
		if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0) {
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '%' {
			return text, nil
		}
	}
}

// mostWords is how many words of a line are looked at where it is known how many there
// should be.
const mostWords = 4

// entryWords returns the first words of the next line of data, and the number of all.
func (p *marketParser) entryWords() (words [][]byte, given int, err error) {
	text, err := p.data()
	if err != nil {
		return nil, 0, err
	}
	p.words = p.words[:0]
	for w := range bytes.FieldsSeq(text) {
		if given++; given <= mostWords {
			p.words = append(p.words, w)
		}
	}
	return p.words, given, nil
}

// entry reads one line of a matrix in coordinates.
func (p *marketParser) entry(words [][]byte, given, rows, cols int) (coordinate, error) {
	want := 3
	if p.field == "pattern" {
		want = 2
	}
	if given != want {
		return coordinate{}, p.fail("%d numbers where an entry of a %s matrix has %d", given, p.field, want)
	}
	i, okRow := parseCount(words[0])
	j, okCol := parseCount(words[1])
	if !okRow || !okCol || i < 1 || i > rows || j < 1 || j > cols {
		return coordinate{}, p.fail("the entry (%s, %s) is outside a %d × %d matrix (indices count from 1)",
			clipped(words[0]), clipped(words[1]), rows, cols)
	}
	e := coordinate{row: int32(i - 1), col: int32(j - 1), value: 1} // within 32 bits, as rows and columns are
	if want == 3 {
		v, err := p.value(words[2])
		if err != nil {
			return coordinate{}, err
		}
		e.value = v
	}
	return e, p.oneTriangle(e)
}

// oneTriangle checks that a symmetric file gives one triangle only; with both,
// every pair would count twice. The format asks for the lower one, but files
// with the upper one alone are common and just as clear.
func (p *marketParser) oneTriangle(e coordinate) error {
	if p.symmetry == "general" {
		return nil
	}
	side := 0
	switch {
	case e.row > e.col:
		side = 1
	case e.row < e.col:
		side = -1
	case p.symmetry == "skew-symmetric" && e.value != 0:
		return p.fail("a skew-symmetric matrix has a zero diagonal")
	}
	if p.side == 0 {
		p.side = side
	}
	if side != 0 && side != p.side {
		return p.fail("a %s file gives one triangle, and this one has entries on both sides of the diagonal: call it general", p.symmetry)
	}
	return nil
}

// value reads one number; NaN and infinities are numbers here.
func (p *marketParser) value(w []byte) (float64, error) {
	if bytes.ContainsAny(w, "_xX") { // strconv takes 1_0 and 0x1p3, the literals of a program
		return 0, p.fail("%s is not a number", quoted(w))
	}
	v, err := strconv.ParseFloat(string(w), 64)
	if errors.Is(err, strconv.ErrSyntax) { // Fortran writes 1.0D+02
		v, err = strconv.ParseFloat(string(bytes.Map(fortranExponent, w)), 64)
	}
	if errors.Is(err, strconv.ErrRange) {
		return 0, p.fail("%s is outside the range of double precision", clipped(w))
	}
	if err != nil {
		return 0, p.fail("%s is not a number", quoted(w))
	}
	if p.field == "integer" && v != math.Trunc(v) {
		return 0, p.fail("%s is not a whole number, and the first line says integer", clipped(w))
	}
	return v, nil
}

func fortranExponent(r rune) rune {
	if r == 'd' || r == 'D' {
		return 'e'
	}
	return r
}

// parseCount reads a number without sign that fits an int.
func parseCount(w []byte) (int, bool) {
	if len(w) == 0 {
		return 0, false
	}
	n := 0
	for _, c := range w {
		d := int(c) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt-d)/10 {
			return 0, false
		}
		n = 10*n + d
	}
	return n, true
}

// clipped and quoted render what a file says for a message of one line.
func clipped(w []byte) string {
	q := quoted(w)
	return q[1 : len(q)-1]
}

func quoted(w []byte) string {
	if len(w) > 40 {
		return strconv.Quote(string(w[:40]) + "…")
	}
	return strconv.Quote(string(w))
}
