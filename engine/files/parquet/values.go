package parquet

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

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
