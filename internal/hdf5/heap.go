package hdf5

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// fractalHeap holds links and attributes of large groups.
type fractalHeap struct {
	f                        *File
	address                  uint64
	idBytes                  int
	offsetBytes, lengthBytes int
	checked                  bool // direct blocks have checksums
	width                    uint64
	start, most              uint64 // sizes of direct blocks
	root                     uint64
	rows                     int // of the root; 0: it is a direct block
}

func (f *File) openHeap(address uint64) (*fractalHeap, error) {
	c, err := f.block("fractal heap", address, int64(4+1+2+2+1+4+2+2+2+2+4+3*f.offsets+12*f.lengths))
	if err != nil {
		return nil, err
	}
	c.signed("FRHP", 0)
	h := &fractalHeap{f: f, address: address, idBytes: c.u16()}
	filters := c.u16()
	h.checked = c.u8()&2 != 0
	largest := c.u32()
	c.length()
	c.offset()
	c.length()
	c.offset()
	for range 8 {
		c.length()
	}
	h.width = uint64(c.u16())
	h.start, h.most = c.length(), c.length()
	bitsOfHeap := c.u16()
	c.skip(2)
	h.root = c.offset()
	h.rows = c.u16()
	if filters > 0 {
		return nil, errors.New("a heap with filters is not read here: copy the file by h5repack")
	}
	if c.checksum(); c.err != nil {
		return nil, c.err
	}
	if bits.OnesCount64(h.start) != 1 || bits.OnesCount64(h.most) != 1 || bits.OnesCount64(h.width) != 1 || h.start > h.most || h.most > 1<<32 || bitsOfHeap > 64 || h.idBytes < 2 || h.rows > 64 {
		return nil, damaged("its fractal heap has blocks from %d to %d bytes", h.start, h.most)
	}
	h.offsetBytes = (bitsOfHeap + 7) / 8
	h.lengthBytes = min((bits.Len64(h.most)-1+7)/8, encodedBytes(uint64(largest)))
	return h, nil
}

// object returns an object by its id.
func (h *fractalHeap) object(id []byte) (*cursor, error) {
	switch id[0] >> 4 & 3 {
	case 0:
	case 2: // within the id
		n := int(id[0]&15) + 1
		if h.idBytes > 17 {
			return nil, errors.New("a heap with long ids is not read here: copy the file by h5repack")
		}
		if n > len(id)-1 {
			return nil, damaged("an object of its heap is too short")
		}
		return &cursor{f: h.f, b: id[1 : 1+n], what: "heap"}, nil
	default:
		return nil, errors.New("a huge object of a heap is not read here: copy the file by h5repack")
	}
	c := &cursor{f: h.f, b: id[1:], what: "heap"}
	at, n := c.number(h.offsetBytes), c.number(h.lengthBytes)
	if c.err != nil {
		return nil, c.err
	}
	block, rows := h.root, h.rows
	for depth := 0; rows > 0; depth++ {
		if depth > maxDepth {
			return nil, damaged("its fractal heap leads in circles")
		}
		var err error
		if block, rows, at, err = h.child(block, rows, at); err != nil {
			return nil, err
		}
	}
	head := uint64(5 + h.f.offsets + h.offsetBytes)
	if at < head || n > h.most || at > h.most {
		return nil, damaged("an object of its heap lies in the head of a block")
	}
	return h.f.block("heap", block+at, int64(n))
}

// child finds the block below an indirect block that holds a place of the heap, the number of its rows, 0 for a direct
// block, and the place within it.
func (h *fractalHeap) child(address uint64, rows int, at uint64) (block uint64, below int, within uint64, err error) {
	direct := bits.Len64(h.most) - bits.Len64(h.start) + 2 // rows of direct blocks
	row, size, first := 0, h.start, uint64(0)
	for ; ; row++ {
		if row > 1 {
			size *= 2
		}
		if row >= rows || size > 1<<56 {
			return 0, 0, 0, damaged("an object of its heap is beyond the heap")
		}
		if at < first+h.width*size {
			break
		}
		first += h.width * size
	}
	column := (at - first) / size
	c, err := h.f.block("fractal heap", address, int64(5+h.f.offsets+h.offsetBytes))
	if err != nil {
		return 0, 0, 0, err
	}
	if c.signed("FHIB", 0); c.err != nil {
		return 0, 0, 0, c.err
	}
	entry := uint64(row)*h.width + column
	at -= first + column*size
	if c, err = h.f.block("fractal heap", address+uint64(len(c.b))+entry*uint64(h.f.offsets), int64(h.f.offsets)); err != nil {
		return 0, 0, 0, err
	}
	block = c.offset()
	if row >= direct {
		below = bits.Len64(size) - bits.Len64(h.start*h.width) + 1
		if below < 1 {
			return 0, 0, 0, damaged("its fractal heap has an indirect block without rows")
		}
	}
	return block, below, at, c.err
}

// globalHeap is a collection of texts of variable length.
type globalHeap map[uint32][]byte

// collection reads a global heap.
func (f *File) collection(address uint64) (globalHeap, error) {
	head := int64(8 + f.lengths)
	c, err := f.block("global heap", address, head)
	if err != nil {
		return nil, err
	}
	c.signed("GCOL", 1)
	c.skip(3)
	size := c.length()
	if c.err != nil {
		return nil, c.err
	}
	if size < uint64(head) || size > uint64(f.size) {
		return nil, damaged("a global heap has %d bytes", size)
	}
	if c, err = f.block("global heap", address+uint64(head), int64(size)-head); err != nil {
		return nil, err
	}
	heap := globalHeap{}
	for len(c.b)-c.at >= 8+f.lengths {
		index := uint32(c.u16())
		c.skip(6)
		n := c.length()
		if index == 0 {
			break
		}
		if n > uint64(len(c.b)) {
			return nil, damaged("an object of a global heap is too long")
		}
		heap[index] = c.take(int(n))
		c.skip(min(-int(n)&7, len(c.b)-c.at))
		if c.err != nil {
			return nil, c.err
		}
	}
	return heap, nil
}

// heaps are global heaps that were read, the last ones.
type heaps struct {
	f    *File
	held map[uint64]globalHeap
}

// text returns what an element of variable length refers to.
func (h *heaps) text(element []byte) ([]byte, error) {
	n := binary.LittleEndian.Uint32(element)
	c := &cursor{f: h.f, b: element[4:], what: "global heap"}
	address, index := c.offset(), c.u32()
	if n == 0 || c.err != nil || address == 0 || address == undefined {
		return nil, c.err
	}
	heap, held := h.held[address]
	if !held {
		var err error
		if heap, err = h.f.collection(address); err != nil {
			return nil, err
		}
		const most = 64
		if h.held == nil || len(h.held) >= most {
			h.held = map[uint64]globalHeap{}
		}
		h.held[address] = heap
	}
	text, ok := heap[index]
	if !ok || uint64(n) > uint64(len(text)) {
		return nil, damaged("a text is not in its global heap")
	}
	return text[:n], nil
}
