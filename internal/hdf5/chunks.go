package hdf5

import (
	"fmt"
	"math/bits"
)

// modernChunks reads a layout of version 4: chunks that one of five indices lists.
func (d *Dataset) modernChunks(c *cursor) error {
	const single, implicit, fixed, extensible, tree = 1, 2, 3, 4, 5
	flags, rank := c.u8(), c.u8()
	width := c.u8()
	dims := make([]uint64, 0, rank)
	for range rank {
		dims = append(dims, c.number(width))
	}
	kind := c.u8()
	d.edges = flags&1 != 0
	var bytes uint64
	var mask uint32
	switch kind {
	case single:
		if flags&2 != 0 {
			bytes, mask = c.length(), c.u32()
		}
	case implicit:
	case fixed:
		c.skip(1)
	case extensible:
		c.skip(5)
	case tree:
		c.skip(6)
	default:
		return fmt.Errorf("the index of chunks %d is not known", kind)
	}
	address := c.offset()
	return d.chunkedBy(c, dims, func() error {
		if address == undefined {
			return nil
		}
		if bytes == 0 {
			bytes = d.chunkBytes()
		}
		g, err := d.grid()
		if err != nil {
			return err
		}
		switch kind {
		case single:
			d.addChunk(make([]uint64, len(d.chunk)), address, bytes, mask)
			return nil
		case implicit:
			count, ok := product(g)
			if !ok || count > uint64(d.f.size) {
				return damaged("more chunks than bytes")
			}
			for i := range count {
				d.addChunk(d.placeOf(i, g, -1), address+i*bytes, bytes, 0)
			}
			return nil
		case fixed:
			return d.byFixedArray(address, g)
		case extensible:
			return d.byExtensibleArray(address, g)
		}
		return d.byRecords(address)
	})
}

// grid is the largest number of chunks in each direction; 0: there is no limit.
func (d *Dataset) grid() ([]uint64, error) {
	g := make([]uint64, len(d.chunk))
	for i, n := range d.most {
		if n != undefined {
			g[i] = (n-1)/d.chunk[i] + 1
			if n == 0 {
				g[i] = 0
			}
		}
	}
	return g, nil
}

// placeOf is the place of a chunk by its number: row by row, or with the unlimited direction, if there is one, as the slowest.
func (d *Dataset) placeOf(i uint64, grid []uint64, unlimited int) []uint64 {
	if len(grid) == 1 {
		return []uint64{i}
	}
	if unlimited == 1 {
		return []uint64{i % max(grid[0], 1), i / max(grid[0], 1)}
	}
	return []uint64{i / max(grid[1], 1), i % max(grid[1], 1)}
}

// element reads an element of an array of chunks.
func (d *Dataset) element(c *cursor, size, number int, grid []uint64, unlimited int) {
	at, bytes, mask := c.offset(), d.chunkBytes(), uint32(0)
	if rest := size - d.f.offsets; rest > 0 {
		bytes = c.number(rest - 4)
		mask = c.u32()
	}
	if c.err == nil {
		d.addChunk(d.placeOf(uint64(number), grid, unlimited), at, bytes, mask)
	}
}

// checkElement refuses sizes of elements that cannot be.
func (d *Dataset) checkElement(client, size int) error {
	if client == 0 && size == d.f.offsets || client == 1 && size > d.f.offsets+4 && size <= d.f.offsets+12 {
		return nil
	}
	return damaged("an index of chunks has elements of %d bytes", size)
}

// byFixedArray reads chunks of an array that does not grow.
func (d *Dataset) byFixedArray(address uint64, grid []uint64) error {
	c, err := d.f.block("index of chunks", address, int64(8+d.f.lengths+d.f.offsets+4))
	if err != nil {
		return err
	}
	c.signed("FAHD", 0)
	client, size, pageBits := c.u8(), c.u8(), c.u8()
	count, data := c.length(), c.offset()
	if c.checksum(); c.err != nil {
		return c.err
	}
	if err := d.checkElement(client, size); err != nil || data == undefined {
		return err
	}
	if count > uint64(d.f.size) || pageBits > 40 {
		return damaged("an index of %d chunks", count)
	}
	head := int64(6 + d.f.offsets)
	page := uint64(1) << pageBits
	if count <= page {
		if c, err = d.f.block("index of chunks", data, head+int64(count)*int64(size)+4); err != nil {
			return err
		}
		c.signed("FADB", 0)
		c.skip(1 + d.f.offsets)
		return d.elements(c, size, 0, int(count), grid, -1)
	}
	pages := int64((count-1)/page + 1)
	if c, err = d.f.block("index of chunks", data, head+(pages+7)/8+4); err != nil {
		return err
	}
	c.signed("FADB", 0)
	c.skip(1 + d.f.offsets)
	written := c.take(int(pages+7) / 8)
	if c.checksum(); c.err != nil {
		return c.err
	}
	at := data + uint64(len(c.b))
	for p := range pages {
		n := int(min(page, count-uint64(p)*page))
		if written[p/8]>>(7-p%8)&1 != 0 {
			if c, err = d.f.block("index of chunks", at, int64(n*size)+4); err != nil {
				return err
			}
			if err := d.elements(c, size, int(p)*int(page), n, grid, -1); err != nil {
				return err
			}
		}
		at += page*uint64(size) + 4
	}
	return nil
}

// elements reads elements and the checksum of their block.
func (d *Dataset) elements(c *cursor, size, first, count int, grid []uint64, unlimited int) error {
	for i := range count {
		d.element(c, size, first+i, grid, unlimited)
	}
	c.checksum()
	return c.err
}

// byExtensibleArray reads chunks of an array that grows in one direction: some in the index itself, others in blocks of a
// growing number and size.
func (d *Dataset) byExtensibleArray(address uint64, grid []uint64) error {
	unlimited := 0
	for i, n := range d.most {
		if n == undefined {
			unlimited = i
		}
	}
	c, err := d.f.block("index of chunks", address, int64(12+6*d.f.lengths+d.f.offsets+4))
	if err != nil {
		return err
	}
	c.signed("EAHD", 0)
	client, size := c.u8(), c.u8()
	countBits, within, least, pointers, pageBits := c.u8(), c.u8(), c.u8(), c.u8(), c.u8()
	for range 4 {
		c.length()
	}
	used := c.length()
	c.length()
	index := c.offset()
	if c.checksum(); c.err != nil {
		return c.err
	}
	if err := d.checkElement(client, size); err != nil || index == undefined {
		return err
	}
	if bits.OnesCount(uint(least)) != 1 || bits.OnesCount(uint(pointers)) != 1 || pointers < 2 || countBits > 64 || pageBits > 40 || used > uint64(d.f.size) {
		return damaged("an index of chunks that begins with %d in %d blocks", least, pointers)
	}
	e := &extensible{Dataset: d, size: size, grid: grid, unlimited: unlimited, used: int(used), page: 1 << pageBits, head: 6 + d.f.offsets, offset: (countBits + 7) / 8}
	direct := 2 * (pointers - 1)
	first := 2 * (bits.Len(uint(pointers)) - 1) // level whose blocks have a block of pointers
	levels := 1 + countBits - (bits.Len(uint(least)) - 1)
	if levels < first {
		return damaged("an index of %d levels", levels)
	}
	c, err = d.f.block("index of chunks", index, int64(e.head+within*size+(direct+levels-first)*d.f.offsets+4))
	if err != nil {
		return err
	}
	c.signed("EAIB", 0)
	c.skip(1 + d.f.offsets)
	for i := range within {
		d.element(c, size, i, grid, unlimited)
	}
	e.next = within
	blocks := make([]uint64, direct)
	for i := range blocks {
		blocks[i] = c.offset()
	}
	supers := make([]uint64, levels-first)
	for i := range supers {
		supers[i] = c.offset()
	}
	if c.checksum(); c.err != nil {
		return c.err
	}
	for level := 0; level < levels && e.next < e.used; level++ {
		count, elements := 1<<(level/2), least<<((level+1)/2)
		if count > int(d.f.size) || elements > 1<<48 {
			return damaged("an index of %d chunks", used)
		}
		if level < first {
			for range count {
				if err := e.block(blocks[0], elements, nil); err != nil {
					return err
				}
				blocks = blocks[1:]
			}
			continue
		}
		if err := e.super(supers[level-first], count, elements); err != nil {
			return err
		}
	}
	return nil
}

type extensible struct {
	*Dataset
	size         int
	grid         []uint64
	unlimited    int
	used, next   int // elements of the array, and those that were passed
	page         int
	head, offset int // bytes of a block before its elements, and of its place among them
}

// super reads the blocks of a level, to which a block of pointers leads.
func (e *extensible) super(address uint64, count, elements int) error {
	if address == undefined {
		e.next += count * elements
		return nil
	}
	paged := 0
	if elements > e.page {
		paged = (elements/e.page + 7) / 8
	}
	c, err := e.f.block("index of chunks", address, int64(e.head+e.offset)+int64(count)*int64(paged+e.f.offsets)+4)
	if err != nil {
		return err
	}
	c.signed("EASB", 0)
	c.skip(1 + e.f.offsets + e.offset)
	written := c.take(count * paged)
	blocks := make([]uint64, count)
	for i := range blocks {
		blocks[i] = c.offset()
	}
	if c.checksum(); c.err != nil {
		return c.err
	}
	for i, at := range blocks {
		if err := e.block(at, elements, written[i*paged:(i+1)*paged]); err != nil {
			return err
		}
		if e.next >= e.used {
			break
		}
	}
	return nil
}

// block reads a block of elements; written has a bit for each page of one that has pages.
func (e *extensible) block(address uint64, elements int, written []byte) error {
	first := e.next
	if e.next += elements; address == undefined || first >= e.used {
		return nil
	}
	if len(written) == 0 {
		c, err := e.f.block("index of chunks", address, int64(e.head+e.offset)+int64(elements)*int64(e.size)+4)
		if err != nil {
			return err
		}
		c.signed("EADB", 0)
		c.skip(1 + e.f.offsets + e.offset)
		return e.elements(c, e.size, first, elements, e.grid, e.unlimited)
	}
	at := address + uint64(e.head+e.offset+4)
	for p := range elements / e.page {
		if written[p/8]>>(7-p%8)&1 != 0 {
			c, err := e.f.block("index of chunks", at, int64(e.page)*int64(e.size)+4)
			if err != nil {
				return err
			}
			if err := e.elements(c, e.size, first+p*e.page, e.page, e.grid, e.unlimited); err != nil {
				return err
			}
		}
		at += uint64(e.page*e.size + 4)
	}
	return nil
}

// byRecords reads chunks that a B-tree of version 2 lists.
func (d *Dataset) byRecords(address uint64) error {
	kind := 10
	if len(d.filters) > 0 {
		kind = 11
	}
	rank := len(d.chunk)
	return d.f.walkRecords(address, kind, func(record []byte) error {
		c := &cursor{f: d.f, b: record, what: "B-tree"}
		at, bytes, mask := c.offset(), d.chunkBytes(), uint32(0)
		if kind == 11 {
			bytes = c.number(len(record) - d.f.offsets - 4 - 8*rank)
			mask = c.u32()
		}
		place := make([]uint64, rank)
		for i := range place {
			place[i] = c.number(8)
		}
		if c.err == nil {
			d.addChunk(place, at, bytes, mask)
		}
		return c.err
	})
}
