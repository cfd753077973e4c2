package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// matVariableHeader is what a file says about a variable before its numbers.
type matVariableHeader struct {
	name    string
	class   byte
	complex bool
	logical bool
	dims    []int
	start   int64 // of its element in the file
	packed  bool
}

// The classes of variables.
const (
	classCell   = 1
	classSparse = 5
	classDouble = 6
	classSingle = 7
	classInt64  = 14
	classUint64 = 15
)

// obstacle says why a variable is no matrix of numbers, "" where it is one.
func (h matVariableHeader) obstacle() string {
	switch {
	case h.complex:
		return "is complex: save its real part or magnitudes"
	case h.class == classCell:
		return "is a cell array: convert it with cell2mat"
	case h.class == 2:
		return "is a struct: save its fields as variables (save -struct)"
	case h.class == 3 || h.class > classUint64 || h.class == 0:
		return "is an object (a table, a string, a date, a function): save its numbers as a matrix"
	case h.class == 4:
		return "is text: convert it with double"
	case len(h.dims) > 2:
		return fmt.Sprintf("has %d dimensions: reshape it to two, one sample a row", len(h.dims))
	}
	return ""
}

// matElements reads elements within bounds.
type matElements struct {
	r     io.Reader
	order binary.ByteOrder
	left  int64 // bytes of the variable, or −1
	sized bool  // left is what the file really holds
	pad   int64 // bytes between the element read last and the next
}

var errMATShort = errors.New("the data end within a variable (truncated?)")

// readTag reads the tag of an element. Up to four bytes of data come with it.
func (e *matElements) readTag() (kind uint32, size int64, small []byte, err error) {
	var t [8]byte
	if _, err := io.CopyN(io.Discard, e, e.pad); err != nil {
		return 0, 0, nil, matShort(err)
	}
	e.pad = 0
	if _, err := io.ReadFull(e, t[:]); err != nil {
		return 0, 0, nil, matShort(err)
	}
	first := e.order.Uint32(t[:])
	if n := first >> 16; n != 0 {
		if n > 4 {
			return 0, 0, nil, fmt.Errorf("a small element claims %d bytes: the file is damaged", n)
		}
		return first & 0xffff, int64(n), t[4 : 4+n], nil
	}
	size = int64(e.order.Uint32(t[4:]))
	if e.left >= 0 && size > e.left {
		return 0, 0, nil, errMATShort
	}
	return first, size, nil, nil
}

func (e *matElements) Read(p []byte) (int, error) {
	if e.left >= 0 && int64(len(p)) > e.left {
		p = p[:e.left]
		if len(p) == 0 {
			return 0, io.EOF
		}
	}
	n, err := e.r.Read(p)
	if e.left >= 0 {
		e.left -= int64(n)
	}
	return n, err
}

func matShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errMATShort
	}
	return err
}

// readSmall reads an element of a header, of at most so many bytes.
func (e *matElements) readSmall(most int64) (kind uint32, data []byte, err error) {
	kind, size, data, err := e.readTag()
	if err != nil || data != nil {
		return kind, data, err
	}
	if size > most {
		return 0, nil, fmt.Errorf("an element of the header claims %d bytes: the file is damaged", size)
	}
	data = make([]byte, (size+7)&^7)
	if _, err := io.ReadFull(e, data); err != nil {
		return 0, nil, matShort(err)
	}
	return kind, data[:size], nil
}

// readHeader reads the header of a variable, up to its numbers.
func (e *matElements) readHeader() (h matVariableHeader, err error) {
	kind, data, err := e.readSmall(64)
	if err != nil {
		return h, err
	}
	if kind != matUint32 || len(data) != 8 {
		return h, errors.New("a variable does not begin with its flags: the file is damaged")
	}
	flags := e.order.Uint32(data)
	h.class, h.complex, h.logical = byte(flags), flags&0x800 != 0, flags&0x200 != 0
	if h.class == 17 { // an opaque object has no dimensions
		if _, data, err = e.readSmall(1 << 12); err == nil {
			h.name = string(data)
		}
		return h, err
	}
	if kind, data, err = e.readSmall(1 << 10); err != nil {
		return h, err
	}
	if kind != matInt32 || len(data) < 8 || len(data)%4 != 0 {
		return h, errors.New("a variable without dimensions: the file is damaged")
	}
	cells := 1.0
	for ; len(data) > 0; data = data[4:] {
		n := int32(e.order.Uint32(data))
		if n < 0 {
			return h, fmt.Errorf("a dimension of %d: the file is damaged", n)
		}
		h.dims = append(h.dims, int(n))
		cells *= float64(n)
	}
	if cells > math.MaxInt/16 && h.class != classSparse {
		return h, fmt.Errorf("dimensions of %v are beyond any memory: the file is damaged", h.dims)
	}
	if _, data, err = e.readSmall(1 << 12); err != nil {
		return h, err
	}
	h.name = string(data)
	return h, nil
}
