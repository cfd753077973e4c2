package hdf5

import "math/bits"

// encodedBytes is the number of bytes that hold numbers up to a limit.
func encodedBytes(limit uint64) int { return (max(bits.Len64(limit), 1)-1)/8 + 1 }

// walkRecords visits the records of a B-tree of version 2 in their order.
func (f *File) walkRecords(address uint64, kind int, visit func(record []byte) error) error {
	c, err := f.block("B-tree", address, int64(4+1+1+4+2+2+1+1+f.offsets+2+f.lengths+4))
	if err != nil {
		return err
	}
	c.signed("BTHD", 0)
	t := &recordTree{f: f, kind: c.u8()}
	t.node, t.record = int64(c.u32()), c.u16()
	depth := c.u16()
	c.skip(2)
	root, count := c.offset(), c.u16()
	c.length()
	c.checksum()
	switch {
	case c.err != nil:
		return c.err
	case t.kind != kind || t.record == 0 || t.node < 16 || depth > maxDepth:
		return damaged("its B-tree has the kind %d, and records of %d bytes", t.kind, t.record)
	case root == undefined || count == 0:
		return nil
	}
	most := uint64(t.node-10) / uint64(t.record)
	t.countBytes = encodedBytes(most)
	t.totalBytes = []int{0}
	total := most
	for range depth {
		pointer := f.offsets + t.countBytes + t.totalBytes[len(t.totalBytes)-1]
		if t.node < int64(10+pointer) {
			return damaged("the nodes of its B-tree are too small")
		}
		most = uint64(t.node-10-int64(pointer)) / uint64(t.record+pointer)
		if hi, product := bits.Mul64(most+1, total); hi > 0 || product > 1<<62 {
			total = 1 << 62
		} else {
			total = product + most
		}
		t.totalBytes = append(t.totalBytes, encodedBytes(total))
	}
	return t.walk(root, depth, count, visit)
}

type recordTree struct {
	f            *File
	kind, record int
	node         int64
	countBytes   int
	totalBytes   []int // of the number of records below a node, by its depth
}

func (t *recordTree) walk(address uint64, depth, count int, visit func(record []byte) error) error {
	size := int64(6 + count*t.record + 4)
	pointer := 0
	if depth > 0 {
		pointer = t.f.offsets + t.countBytes
		if depth > 1 {
			pointer += t.totalBytes[depth-1]
		}
		size += int64((count + 1) * pointer)
	}
	if size > t.node {
		return damaged("a node of its B-tree is too full")
	}
	c, err := t.f.block("B-tree", address, size)
	if err != nil {
		return err
	}
	c.signed(map[bool]string{true: "BTLF", false: "BTIN"}[depth == 0], 0)
	if kind := c.u8(); c.err == nil && kind != t.kind {
		return damaged("a node of its B-tree is of the kind %d", kind)
	}
	records := c.take(count * t.record)
	pointers := &cursor{f: t.f, b: c.take(pointer * (count + 1) * min(depth, 1)), what: "B-tree"}
	if c.checksum(); c.err != nil {
		return c.err
	}
	for i := 0; i <= count; i++ {
		if depth > 0 {
			child := pointers.offset()
			n := int(pointers.number(t.countBytes))
			if depth > 1 {
				pointers.skip(t.totalBytes[depth-1])
			}
			if pointers.err != nil {
				return pointers.err
			}
			if err := t.walk(child, depth-1, n, visit); err != nil {
				return err
			}
		}
		if i < count {
			if err := visit(records[i*t.record : (i+1)*t.record]); err != nil {
				return err
			}
		}
	}
	return nil
}
