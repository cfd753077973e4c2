package files

import (
	"bytes"
	"errors"
	"fmt"
)

// commaNumber reads a number with a decimal comma. plain says that it may be one of
// thousands as well: three digits follow the comma, and no more than three come before it.
func commaNumber(text []byte) (v float64, plain, is bool) {
	const longest = 64
	at := bytes.IndexByte(text, ',')
	if at < 0 || len(text) > longest || bytes.IndexByte(text[at+1:], ',') >= 0 || bytes.IndexByte(text, '.') >= 0 {
		return 0, false, false
	}
	var own [longest]byte
	point := append(own[:0], text...)
	point[at] = '.'
	v, err := parseNumber(point)
	if err != nil {
		return 0, false, false
	}
	digits := len(bytes.TrimLeft(text[:at], "+-"))
	return v, len(text)-at-1 == 3 && digits >= 1 && digits <= 3 && text[at-1] >= '0', true
}

// marks are the lines in which decimals were seen, counted from 1; 0: none.
type marks struct {
	point, comma int
	text         string // of the first with a comma
	sure         bool   // a comma was no separator of thousands
}

// saw takes a number with a comma in it.
func (m *marks) saw(line int, text string, plain bool) {
	if m.comma == 0 {
		m.comma, m.text = line, text
	}
	m.sure = m.sure || !plain
}

// join takes those of the next block, which begins behind so many lines. Decimals are
// written in one way.
func (m *marks) join(p *textPart, lines int) error {
	if m.point == 0 && p.mark.point > 0 {
		m.point = lines + p.mark.point
	}
	if m.comma == 0 && p.mark.comma > 0 {
		m.comma, m.text = lines+p.mark.comma, p.mark.text
	}
	m.sure = m.sure || p.mark.sure
	if m.point > 0 && m.comma > 0 {
		return fmt.Errorf("line %d has the number %s, and line %d has one with a decimal point: write all decimals one way, without separators of thousands", m.comma, excerpt([]byte(m.text)), m.point)
	}
	return nil
}

// atEnd refuses commas that may all be separators of thousands.
func (m *marks) atEnd() error {
	if m.comma > 0 && !m.sure {
		return errors.New(fmt.Sprintf("line %d has the number %s", m.comma, excerpt([]byte(m.text))) + ", whose comma may stand for a decimal point or separate thousands: write decimals with a point, and thousands without a separator")
	}
	return nil
}

// TextError is the error of a field of text where a number should be.
type TextError struct {
	Line, Column int // counted from 1
	Text         string
	problem      string
}

func (e *TextError) Error() string { return e.problem }
