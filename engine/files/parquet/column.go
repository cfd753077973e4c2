package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/orthant-go/orthant/engine/files"
)

// number is what values are read as.
type number interface{ float64 | int64 }

// column reads the values of one column of the file, page after page.
type column struct {
	leaf
	offset int // its first column of the matrix
	width  int // and their number
	pages  parquet.Pages
	page   parquet.Page
	values encoding.Values // of the page, or its places in the dictionary
	dict   encoding.Values
	coded  bool // through dict
	place  int  // within a list, of the value that comes next
	at     int  // values given out of the page
	count  int  // values of the page
}

// begin begins a row group.
func (c *column) begin(chunk parquet.ColumnChunk) error {
	if err := c.close(); err != nil {
		return err
	}
	c.pages, c.place = chunk.Pages(), 0
	return nil
}

func (c *column) close() error {
	c.release()
	if c.pages == nil {
		return nil
	}
	err := c.pages.Close()
	c.pages = nil
	return err
}

func (c *column) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
	c.at, c.count = 0, 0
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
	c.release()
	page, err := c.pages.ReadPage()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("column %q ends after %d rows: the file is damaged", c.name, row)
	}
	if err != nil {
		return fmt.Errorf("column %q: %w", c.name, err)
	}
	c.page = page
	if err := c.check(page, row); err != nil {
		return err
	}
	c.count = int(page.NumValues())
	c.values = page.Data()
	if d := page.Dictionary(); d != nil {
		c.dict, c.coded = d.Page().Data(), true
	} else {
		c.coded = false
	}
	return nil
}

// check sees that no value is missing and that every list has its length.
func (c *column) check(page parquet.Page, row int) error {
	if most := c.MaxDefinitionLevel(); most > 0 {
		levels := page.DefinitionLevels()
		if int64(len(levels)) != page.NumValues() {
			return fmt.Errorf("column %q: %d levels for %d values: the file is damaged", c.name, len(levels), page.NumValues())
		}
		for i, level := range levels {
			if int(level) != most {
				return files.MissingValue(row+(c.place+i)/c.width+1, c.name)
			}
		}
	}
	if !c.list {
		return nil
	}
	for i, level := range page.RepetitionLevels() {
		if (level == 0) != (c.place == 0) {
			return fmt.Errorf("column %q: the list of row %d has another length than the first, %d", c.name, row+i/c.width+1, c.width)
		}
		c.place = (c.place + 1) % c.width
	}
	return nil
}

// scatter puts n values of the page behind the p values that the column has put
// into dst before.
func scatter[D number](c *column, dst []D, p, n, stride int) error {
	lo, hi := c.at, c.at+n
	switch {
	case c.kind == parquet.Boolean:
		bits := c.values.Boolean()
		return put(c, dst, p, stride, n, func(i int) D { return D(bits[(lo+i)/8] >> ((lo + i) % 8) & 1) })
	case c.kind == parquet.Int32 && c.unsigned:
		return take(c, dst, p, stride, lo, hi, (*encoding.Values).Uint32)
	case c.kind == parquet.Int32:
		return take(c, dst, p, stride, lo, hi, (*encoding.Values).Int32)
	case c.kind == parquet.Int64 && c.unsigned:
		if _, whole := any(dst).([]int64); whole {
			return takeUnsigned(c, dst, p, stride, lo, hi)
		}
		return take(c, dst, p, stride, lo, hi, (*encoding.Values).Uint64)
	case c.kind == parquet.Int64:
		return take(c, dst, p, stride, lo, hi, (*encoding.Values).Int64)
	case c.kind == parquet.Float:
		return take(c, dst, p, stride, lo, hi, (*encoding.Values).Float)
	}
	return take(c, dst, p, stride, lo, hi, (*encoding.Values).Double)
}

type stored interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// take converts the values lo … hi − 1 of the page, given as a slice.
func take[D number, S stored](c *column, dst []D, p, stride, lo, hi int, as func(*encoding.Values) []S) error {
	if c.coded {
		codes, words := c.values.Int32()[lo:hi], as(&c.dict)
		return put(c, dst, p, stride, hi-lo, func(i int) D { return D(words[codes[i]]) })
	}
	v := as(&c.values)[lo:hi]
	return put(c, dst, p, stride, hi-lo, func(i int) D { return D(v[i]) })
}

// takeUnsigned refuses what an int64 cannot hold.
func takeUnsigned[D number](c *column, dst []D, p, stride, lo, hi int) error {
	values := &c.values
	if c.coded {
		values = &c.dict
	}
	for _, v := range values.Uint64() {
		if v > math.MaxInt64 {
			return fmt.Errorf("column %q: an entry is beyond the largest int64, 2⁶³ − 1", c.name)
		}
	}
	return take(c, dst, p, stride, lo, hi, (*encoding.Values).Uint64)
}

// put writes n values to their places in the matrix.
func put[D number](c *column, dst []D, p, stride, n int, value func(i int) D) error {
	if c.width == 1 {
		at := p*stride + c.offset
		for i := range n {
			dst[at] = value(i)
			at += stride
		}
		return nil
	}
	for i := range n {
		dst[(p+i)/c.width*stride+c.offset+(p+i)%c.width] = value(i)
	}
	return nil
}
