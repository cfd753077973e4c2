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
		if p.limit > 0 && int64(len(p.long)) > max(p.limit, 1<<20) {
			return nil, p.fail("the line is longer than the memory limit of %d bytes", p.limit)
		}
		text, err = p.r.ReadSlice('\n')
	}
	p.long = append(p.long, text...)
	return p.long, err
}

// data returns the words of the next line that is neither blank nor a comment,
// and io.EOF after the last. The words are valid until the next call.
func (p *marketParser) data() ([][]byte, error) {
	for {
		text, err := p.next()
		if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0) {
			return nil, err
		}
		p.words = p.words[:0]
		for w := range bytes.FieldsSeq(text) {
			p.words = append(p.words, w)
		}
		if len(p.words) > 0 && p.words[0][0] != '%' {
			return p.words, nil
		}
	}
}

// entry reads one line of a matrix in coordinates.
func (p *marketParser) entry(words [][]byte, rows, cols int) (Triplet, error) {
	want := 3
	if p.field == "pattern" {
		want = 2
	}
	if len(words) != want {
		return Triplet{}, p.fail("%d numbers where an entry of a %s matrix has %d", len(words), p.field, want)
	}
	i, okRow := parseCount(words[0])
	j, okCol := parseCount(words[1])
	if !okRow || !okCol || i < 1 || i > rows || j < 1 || j > cols {
		return Triplet{}, p.fail("the entry (%s, %s) is outside a %d × %d matrix (indices count from 1)",
			clipped(words[0]), clipped(words[1]), rows, cols)
	}
	e := Triplet{Row: i - 1, Col: j - 1, Val: 1}
	if want == 3 {
		v, err := p.value(words[2])
		if err != nil {
			return Triplet{}, err
		}
		e.Val = v
	}
	return e, p.oneTriangle(e)
}

// oneTriangle checks that a symmetric file gives one triangle only; with both,
// every pair would count twice. The format asks for the lower one, but files
// with the upper one alone are common and just as clear.
func (p *marketParser) oneTriangle(e Triplet) error {
	if p.symmetry == "general" {
		return nil
	}
	side := 0
	switch {
	case e.Row > e.Col:
		side = 1
	case e.Row < e.Col:
		side = -1
	case p.symmetry == "skew-symmetric" && e.Val != 0:
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
