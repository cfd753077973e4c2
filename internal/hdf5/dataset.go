package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Dataset is an array, as it is stored.
type Dataset struct {
	Type  Type
	Shape []uint64
	f     *File
	path  string
	most  []uint64
	fill  []byte // of an element; nil: zeros

	compact    []byte
	contiguous span
	chunk      []uint64 // sizes of a chunk; nil: there are none
	chunks     []chunk  // by their places
	filters    []filter
	edges      bool // chunks that the array cuts have no filters
}

// chunk is a part of an array: where it begins in chunks, and where it is stored.
type chunk struct {
	row, col uint64
	at       uint64
	bytes    uint64
	mask     uint32 // of filters that were left out
}

// Dataset reads how an array is stored. Arrays of more than two dimensions have a type and a shape, and cannot be read.
func (o *Object) Dataset() (*Dataset, error) {
	d := &Dataset{f: o.f, path: o.Path}
	o.f.begin(4)
	if !o.IsDataset() {
		return nil, fmt.Errorf("%s is a group", o.Path)
	}
	if err := d.read(o); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Path, err)
	}
	return d, nil
}

// Info reads type and shape of an array.
func (o *Object) Info() (Type, []uint64, error) {
	d := &Dataset{f: o.f, path: o.Path}
	o.f.begin(4)
	err := d.describe(o)
	return d.Type, d.Shape, err
}

func (d *Dataset) describe(o *Object) error {
	c, err := o.message(msgDatatype)
	if err != nil {
		return err
	}
	if c == nil {
		return damaged("a dataset has no type")
	}
	if d.Type, err = readType(c, 0); err != nil {
		return err
	}
	if c, err = o.message(msgDataspace); err != nil {
		return err
	}
	if c == nil {
		return damaged("a dataset has no shape")
	}
	if d.Shape, d.most, err = readShape(c); err != nil {
		return err
	}
	if bytes, ok := product(append([]uint64{uint64(d.Type.Size)}, d.Shape...)); !ok || bytes > math.MaxInt/4 {
		return fmt.Errorf("the shape %s is beyond any memory: the file is damaged", shapeText(d.Shape))
	}
	return nil
}

func (d *Dataset) read(o *Object) error {
	if err := d.describe(o); err != nil {
		return err
	}
	if c, err := o.message(msgExternal); err != nil || c != nil {
		return cmp.Or(err, errors.New("its data are in other files, which are not read: copy it by h5repack"))
	}
	if err := d.readFill(o); err != nil {
		return err
	}
	if c, err := o.message(msgFilters); err != nil {
		return err
	} else if c != nil {
		if d.filters, err = readFilters(c); err != nil {
			return err
		}
	}
	c, err := o.message(msgLayout)
	if err != nil {
		return err
	}
	if len(d.Shape) > 2 || d.Bytes() == 0 {
		return nil
	}
	return d.layout(c)
}

// readFill reads the value of elements that are not stored.
func (d *Dataset) readFill(o *Object) error {
	c, err := o.message(msgFill)
	if err != nil {
		return err
	}
	if c == nil {
		if c, err = o.message(msgOldFill); c == nil || err != nil {
			return err
		}
	} else {
		version := c.u8()
		switch {
		case version == 1:
			c.skip(3)
		case version == 2:
			c.skip(2)
			if c.u8() == 0 {
				return c.err
			}
		case version == 3:
			if c.u8()&0x20 == 0 {
				return c.err
			}
		default:
			return damaged("version %d of a fill value is not known", version)
		}
	}
	if n := int32(c.u32()); n > 0 && c.err == nil {
		fill := c.take(int(n))
		if c.err == nil && int(n) == d.Type.Size && !d.Type.Variable && slices.ContainsFunc(fill, func(b byte) bool { return b != 0 }) {
			d.fill = fill
		}
	}
	return c.err
}

// Bytes is the length of all elements.
func (d *Dataset) Bytes() int64 {
	n, _ := product(append([]uint64{uint64(d.Type.Size)}, d.Shape...))
	return int64(n)
}

// Filters names the filters, in the order in which they were applied.
func (d *Dataset) Filters() string {
	var names []string
	for _, f := range d.filters {
		names = append(names, f.name())
	}
	return strings.Join(names, ", ")
}

// dims are the rows and columns of the array, of which a vector has one.
func (d *Dataset) dims() (rows, cols uint64) {
	switch len(d.Shape) {
	case 0:
		return 1, 1
	case 1:
		return d.Shape[0], 1
	}
	return d.Shape[0], d.Shape[1]
}

// layout reads where the data are.
func (d *Dataset) layout(c *cursor) error {
	const compact, contiguous, chunked = 0, 1, 2
	version := c.u8()
	class, rank := 0, 0
	switch version {
	case 1, 2:
		rank, class = c.u8(), c.u8()
		c.skip(5)
		address := uint64(undefined)
		if class != compact {
			address = c.offset()
		}
		dims := make([]uint64, 0, rank)
		for range rank {
			dims = append(dims, uint64(c.u32()))
		}
		switch class {
		case compact:
			d.compact = c.take(int(min(c.u32(), 1<<30)))
		case contiguous:
			d.contiguous = span{address, uint64(d.Bytes())}
		case chunked:
			return d.chunkedBy(c, dims, func() error { return d.byTree(address) })
		}
	case 3:
		switch class = c.u8(); class {
		case compact:
			d.compact = c.take(c.u16())
		case contiguous:
			d.contiguous = span{c.offset(), c.length()}
		case chunked:
			rank = c.u8()
			address := c.offset()
			dims := make([]uint64, 0, rank)
			for range rank {
				dims = append(dims, uint64(c.u32()))
			}
			return d.chunkedBy(c, dims, func() error { return d.byTree(address) })
		}
	case 4, 5:
		switch class = c.u8(); class {
		case compact:
			d.compact = c.take(c.u16())
		case contiguous:
			d.contiguous = span{c.offset(), c.length()}
		case chunked:
			return d.modernChunks(c)
		}
	default:
		return fmt.Errorf("version %d of a layout is not known", version)
	}
	switch {
	case c.err != nil:
		return c.err
	case class > contiguous:
		return errors.New("it is a virtual dataset, which is not read here: copy it by h5repack")
	case class == compact && int64(len(d.compact)) < d.Bytes():
		return damaged("a compact dataset is too short")
	case class == contiguous && d.contiguous.at != undefined && uint64(d.Bytes()) > d.contiguous.length:
		return damaged("%s holds %d bytes where its shape takes %d", d.path, d.contiguous.length, d.Bytes())
	case class == contiguous && d.contiguous.at != undefined && d.f.within(d.contiguous.at, d.Bytes()) < d.Bytes():
		return fmt.Errorf("the file ends after %d of %d bytes of %s (truncated?)", d.f.within(d.contiguous.at, d.Bytes()), d.Bytes(), d.path)
	case class == contiguous && d.contiguous.at == undefined:
		return d.plausible(0)
	}
	return nil
}

// chunkedBy reads the index of chunks.
func (d *Dataset) chunkedBy(c *cursor, dims []uint64, index func() error) error {
	if c.err != nil {
		return c.err
	}
	if len(dims) != len(d.Shape)+1 || len(dims) < 2 {
		return damaged("chunks of %d dimensions", len(dims)-1)
	}
	size, ok := product(append([]uint64{uint64(d.Type.Size)}, dims[:len(dims)-1]...))
	if !ok || size == 0 || size > math.MaxUint32 || dims[len(dims)-1] != uint64(d.Type.Size) {
		return damaged("chunks of the shape %s", shapeText(dims))
	}
	d.chunk = dims[:len(dims)-1]
	if err := index(); err != nil {
		return err
	}
	slices.SortFunc(d.chunks, func(a, b chunk) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col)) })
	stored := int64(0)
	for i, c := range d.chunks {
		if i > 0 && c.row == d.chunks[i-1].row && c.col == d.chunks[i-1].col {
			return damaged("a chunk is there twice")
		}
		if c.bytes > uint64(d.f.size) || d.f.within(c.at, int64(c.bytes)) < int64(c.bytes) {
			return fmt.Errorf("a chunk of %s lies beyond the end of the file (truncated?)", d.path)
		}
		stored += int64(c.bytes)
	}
	return d.plausible(stored)
}

// Data may take freeBytes, or bytesPerByte for each that is stored: a small file cannot claim any amount of memory.
const (
	freeBytes    = 64 << 20
	bytesPerByte = 4096
)

func (d *Dataset) plausible(stored int64) error {
	need := d.Bytes()
	if d.chunk != nil {
		need = max(need, int64(d.chunkBytes()))
	}
	if need > freeBytes && need/bytesPerByte > stored {
		return fmt.Errorf("%s has the shape %s, of which the file stores %d bytes: it is damaged, or almost empty", d.path, shapeText(d.Shape), stored)
	}
	return nil
}

func (d *Dataset) chunkBytes() uint64 {
	n, _ := product(append([]uint64{uint64(d.Type.Size)}, d.chunk...))
	return n
}

// chunkDims are the rows and columns of a chunk.
func (d *Dataset) chunkDims() (rows, cols uint64) {
	if len(d.chunk) == 1 {
		return d.chunk[0], 1
	}
	return d.chunk[0], d.chunk[1]
}

// addChunk keeps a chunk, given by its place in chunks.
func (d *Dataset) addChunk(place []uint64, at, bytes uint64, mask uint32) {
	if at == undefined {
		return
	}
	c := chunk{row: place[0], at: at, bytes: bytes, mask: mask}
	if len(place) > 1 {
		c.col = place[1]
	}
	rows, cols := d.dims()
	if h, w := d.chunkDims(); c.row <= (rows-1)/h && c.col <= (cols-1)/w { // others are left over from a larger array
		d.chunks = append(d.chunks, c)
	}
}

// byTree reads chunks that a B-tree of version 1 lists.
func (d *Dataset) byTree(address uint64) error {
	if address == undefined {
		return nil
	}
	rank := len(d.chunk)
	return d.f.walk(address, 1, 0, -1, 8+8*(rank+1), func(key []byte, child uint64) error {
		c := &cursor{f: d.f, b: key, what: "B-tree"}
		bytes, mask := uint64(c.u32()), c.u32()
		place := make([]uint64, rank)
		for i := range place {
			n := c.number(8)
			if n%d.chunk[i] != 0 {
				return damaged("a chunk begins at %d, and chunks have %d", n, d.chunk[i])
			}
			place[i] = n / d.chunk[i]
		}
		d.addChunk(place, child, bytes, mask)
		return nil
	})
}

func shapeText(shape []uint64) string {
	text := make([]string, len(shape))
	for i, n := range shape {
		text[i] = fmt.Sprint(n)
	}
	return strings.Join(text, " × ")
}
