package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/orthant-go/orthant/engine/files"
)

// chunk is how many places in a dictionary, or levels, are looked at in one go.
const chunk = 1024

// column reads the values of one column of the file, page after page.
type column struct {
	leaf
	offset  int // its first column of the matrix
	width   int // and their number
	pages   pages
	place   int // within a list, of the value that comes next
	at      int // values given out of the page
	count   int // values of the page
	values  encoding.Values
	coded   bool // the page holds places in dict, or runs of booleans
	codes   runs
	dict    encoding.Values
	entries int // of dict, −1 where there is none
	buffer  [chunk]int32
}

// begin begins a row group of so many rows.
func (c *column) begin(of *format.ColumnChunk, rows int) error {
	c.place, c.at, c.count, c.entries = 0, 0, 0, -1
	if err := c.pages.begin(of, rows*c.width); err != nil {
		return fmt.Errorf("column %q: %w", c.name, err)
	}
	return nil
}

// fill puts the values of the next rows into their columns of a matrix with stride
// columns. done is the number of rows before them.
func fill[D number](c *column, dst []D, rows, stride, done int) error {
	for p := 0; p < rows*c.width; {
		if c.at == c.count {
			if err := c.nextPage(done + p/c.width); err != nil {
				return err
			}
			continue
		}
		n := min(c.count-c.at, rows*c.width-p)
		if c.coded {
			n = min(n, chunk)
			if err := c.lookUp(c.buffer[:n]); err != nil {
				return err
			}
		}
		if err := scatter(c, dst, p, n, stride); err != nil {
			return err
		}
		c.at += n
		p += n
	}
	return nil
}

// nextPage goes to the next page, whose first value is of the row given.
func (c *column) nextPage(row int) error {
	h, body, err := c.pages.next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("column %q ends after %d rows: the file is damaged", c.name, row)
	}
	if err != nil {
		return fmt.Errorf("column %q: %w", c.name, err)
	}
	switch h.Type {
	case format.DataPage, format.DataPageV2:
		var p page
		if p, err = c.open(h, body); err == nil {
			if err := c.check(&p, row); err != nil {
				return err
			}
			err = c.load(&p)
		}
	case format.DictionaryPage:
		if c.entries < 0 {
			err = c.readDictionary(h, body)
		}
	case format.IndexPage:
	default:
		err = fmt.Errorf("a page is of no known type, %v: the file is damaged", h.Type)
	}
	if err != nil {
		return fmt.Errorf("column %q: %w", c.name, err)
	}
	return nil
}

// check sees that no value is missing and that every list has its length.
func (c *column) check(p *page, row int) error {
	if most := c.MaxDefinitionLevel(); most > 0 {
		err := c.levels(p.definitions, p.count, func(i, level int) error {
			if level != most {
				return files.MissingValue(row+(c.place+i)/c.width+1, c.name)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !c.list {
		return nil
	}
	return c.levels(p.repetitions, p.count, func(i, level int) error {
		if (level == 0) != (c.place == 0) {
			return fmt.Errorf("column %q: the list of row %d has another length than the first, %d", c.name, row+i/c.width+1, c.width)
		}
		c.place = (c.place + 1) % c.width
		return nil
	})
}

// levels shows count levels one by one.
func (c *column) levels(levels runs, count int, show func(i, level int) error) error {
	for at := 0; at < count; {
		part := c.buffer[:min(chunk, count-at)]
		if err := levels.next(part); err != nil {
			return fmt.Errorf("column %q: %w", c.name, err)
		}
		for i, level := range part {
			if err := show(at+i, int(level)); err != nil {
				return err
			}
		}
		at += len(part)
	}
	return nil
}

// load makes the values of a page ready to be given out.
func (c *column) load(p *page) (err error) {
	switch {
	case p.count == 0:
	case p.encoding == format.RLEDictionary || p.encoding == oldDictionary:
		switch {
		case c.entries < 0:
			return errors.New("a page refers to a dictionary that is not there: the file is damaged")
		case len(p.data) == 0 || p.data[0] > 32:
			return errRuns
		}
		c.coded, c.codes = true, runs{rest: p.data[1:], width: int(p.data[0])}
	case p.encoding == format.RLE && c.kind == parquet.Boolean:
		c.coded = true
		if c.codes, _, err = cutLevels(p.data, p.encoding, 1); err != nil {
			return err
		}
		// The bits are their own dictionary.
		c.dict, c.entries = encoding.BooleanValues([]byte{0b10}), 2
	default:
		c.coded = false
		if c.values, err = c.decode(p.encoding, p.data, p.count); err != nil {
			return err
		}
	}
	c.at, c.count = 0, p.count
	return nil
}
