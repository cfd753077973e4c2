package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// uncounted stands for a number of rows that is not known.
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

// took is told the numbers that were put into the room given last.
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
				if second, _ := cutLine(rest); !form.told {
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
