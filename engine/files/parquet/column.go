package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"

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

// begin begins a row group of the given number of rows.
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

// number is what values are read as.
type number interface{ float64 | int64 }

// lookUp reads places in the dictionary.
func (c *column) lookUp(places []int32) error {
	if err := c.codes.next(places); err != nil {
		return fmt.Errorf("column %q: %w", c.name, err)
	}
	for _, at := range places {
		if at < 0 || int(at) >= c.entries {
			return fmt.Errorf("column %q: a page refers to entry %d of a dictionary of %d: the file is damaged", c.name, at, c.entries)
		}
	}
	return nil
}

func bit[D number](bits []byte, at int) D { return D(bits[at/8] >> (at % 8) & 1) }

// scatter puts n values of the page behind the p values that the column has put
// into dst before.
func scatter[D number](c *column, dst []D, p, n, stride int) error {
	lo, hi := c.at, c.at+n
	switch {
	case c.kind == parquet.Boolean && c.coded:
		bits := c.dict.Boolean()
		return put(c, dst, p, stride, n, func(i int) D { return bit[D](bits, int(c.buffer[i])) })
	case c.kind == parquet.Boolean:
		bits := c.values.Boolean()
		return put(c, dst, p, stride, n, func(i int) D { return bit[D](bits, lo+i) })
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
		words := as(&c.dict)
		return put(c, dst, p, stride, hi-lo, func(i int) D { return D(words[c.buffer[i]]) })
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
