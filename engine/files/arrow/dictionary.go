package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/orthant-go/orthant/engine/files"
)

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
