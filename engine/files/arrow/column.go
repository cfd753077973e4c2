package arrow

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/orthant-go/orthant/engine/files"
)

// number is what values are read as.
type number interface{ float64 | int64 }

// numbers says why a column cannot be read as numbers, if so.
func numbers(t arrow.DataType) (not string, lost bool) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		if _, list := t.ValueType.(arrow.ListLikeType); list {
			return "holds a dictionary of lists", false
		}
		return numbers(t.ValueType)
	case *arrow.RunEndEncodedType:
		if not, lost = numbers(t.Encoded()); not == "" {
			return "holds numbers encoded by runs, which are not supported: write it plain", true
		}
		return not, lost
	}
	if list, ok := t.(arrow.ListLikeType); ok && t.ID() != arrow.MAP {
		if not, lost = numbers(list.Elem()); not == "" && (t.ID() == arrow.LIST || t.ID() == arrow.LARGE_LIST || t.ID() == arrow.FIXED_SIZE_LIST) {
			switch list.Elem().(type) {
			case arrow.ListLikeType:
			case *arrow.DictionaryType:
				return "holds lists of a dictionary's numbers, which are not supported: write it plain", true
			default:
				return "", false
			}
		}
		return "holds lists that are not of numbers", lost
	}
	switch id := t.ID(); {
	case arrow.IsInteger(id), arrow.IsFloating(id), id == arrow.BOOL:
		return "", false
	case arrow.IsDecimal(id):
		return "holds decimal numbers, which are not supported: write it as float64", true
	}
	return "holds no numbers but " + t.Name(), false
}

// column is a selected column and its values in the present batch.
type column struct {
	name   string
	at     int // in the batch
	list   bool
	offset int // its first column of the matrix
	width  int // and their number
	known  bool
	values arrow.Array
	first  int               // place in values of the batch's first row
	codes  *array.Dictionary // whose dictionary values are, nil where there is none
}

// begin takes the column of a batch, whose first row follows this many others.
func (c *column) begin(a arrow.Array, done int) error {
	if a.NullN() > 0 {
		for i := range a.Len() {
			if a.IsNull(i) {
				return files.MissingValue(done+i+1, c.name)
			}
		}
	}
	c.values, c.first, c.codes = a, 0, nil
	if d, ok := a.(*array.Dictionary); ok {
		return c.beginDictionary(d, done)
	}
	if !c.list {
		return nil
	}
	l, ok := a.(array.ListLike)
	if !ok {
		return fmt.Errorf("column %q is not a list, as declared: the file is damaged", c.name)
	}
	c.values = l.ListValues()
	for i := range a.Len() {
		lo, hi := l.ValueOffsets(i)
		if i == 0 {
			c.first = int(lo)
		}
		if !c.known {
			c.width, c.known = int(hi-lo), true
			if c.width <= 0 {
				return fmt.Errorf("column %q begins with an empty list: give all lists the same length", c.name)
			}
		}
		if at := c.first + i*c.width; int(lo) != at || int(hi) != at+c.width || int(hi) > c.values.Len() {
			return fmt.Errorf("column %q: the list of row %d has another length than the first, %d", c.name, done+i+1, c.width)
		}
	}
	if c.values.NullN() > 0 {
		for p := range a.Len() * c.width {
			if c.values.IsNull(c.first + p) {
				return files.MissingValue(done+p/c.width+1, c.name)
			}
		}
	}
	return nil
}

// fill puts the values of n rows of the batch, from row at, into their columns of a
// matrix with stride columns.
func fill[D number](c *column, dst []D, at, n, stride int) error {
	if c.codes != nil {
		return lookUp(c, dst, at, n, stride)
	}
	lo := c.first + at*c.width
	hi := lo + n*c.width
	switch a := c.values.(type) {
	case *array.Float64:
		put(c, dst, a.Float64Values()[lo:hi], stride)
	case *array.Float32:
		put(c, dst, a.Float32Values()[lo:hi], stride)
	case *array.Int64:
		put(c, dst, a.Int64Values()[lo:hi], stride)
	case *array.Int32:
		put(c, dst, a.Int32Values()[lo:hi], stride)
	case *array.Int16:
		put(c, dst, a.Int16Values()[lo:hi], stride)
	case *array.Int8:
		put(c, dst, a.Int8Values()[lo:hi], stride)
	case *array.Uint64:
		values := a.Uint64Values()[lo:hi]
		if _, whole := any(dst).([]int64); whole {
			for _, v := range values {
				if v > math.MaxInt64 {
					return errors.New("an entry is beyond the largest int64, 2⁶³ − 1")
				}
			}
		}
		put(c, dst, values, stride)
	case *array.Uint32:
		put(c, dst, a.Uint32Values()[lo:hi], stride)
	case *array.Uint16:
		put(c, dst, a.Uint16Values()[lo:hi], stride)
	case *array.Uint8:
		put(c, dst, a.Uint8Values()[lo:hi], stride)
	case *array.Float16:
		values := make([]float32, hi-lo)
		for i := range values {
			values[i] = a.Value(lo + i).Float32()
		}
		put(c, dst, values, stride)
	case *array.Boolean:
		values := make([]int8, hi-lo)
		for i := range values {
			if a.Value(lo + i) {
				values[i] = 1
			}
		}
		put(c, dst, values, stride)
	default:
		return fmt.Errorf("column %q is not a column of numbers, as declared: the file is damaged", c.name)
	}
	return nil
}

type stored interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// put converts values, row by row where there are several for each.
func put[D number, S stored](c *column, dst []D, values []S, stride int) {
	for at := c.offset; len(values) > 0; at += stride {
		for j, v := range values[:c.width] {
			dst[at+j] = D(v)
		}
		values = values[c.width:]
	}
}

// A column may name its values by their places in a dictionary, as categories of
// pandas do. Another batch may come with another dictionary.

// beginDictionary takes such a column of a batch. An entry may be missing as long as
// no row names it.
func (c *column) beginDictionary(d *array.Dictionary, done int) error {
	c.codes, c.values = d, d.Dictionary()
	entries := c.values.Len()
	for i := range d.Len() {
		at := d.GetValueIndex(i)
		if at < 0 || at >= entries {
			return fmt.Errorf("column %q refers to entry %d of a dictionary of %d: the file is damaged", c.name, at, entries)
		}
		if c.values.IsNull(at) {
			return files.MissingValue(done+i+1, c.name)
		}
	}
	return nil
}

// lookUp is fill for such a column.
func lookUp[D number](c *column, dst []D, at, n, stride int) error {
	entries := make([]D, c.values.Len())
	if err := fill(&column{name: c.name, width: 1, values: c.values}, entries, 0, len(entries), 1); err != nil {
		return err
	}
	for i := range n {
		dst[c.offset+i*stride] = entries[c.codes.GetValueIndex(at+i)]
	}
	return nil
}
