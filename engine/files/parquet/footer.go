package parquet

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/orthant-go/orthant/engine/files"
)

// The footer is a Thrift structure in the compact protocol. The library takes the
// lengths of lists in it on trust, and a damaged one could ask for more memory than
// there is; so they are compared with the bytes that are left before it sees them.

var errFooter = errors.New("its metadata are damaged")

// footerBytes is about what a byte of the footer takes, here and in the library.
const footerBytes = 44

// checkFooter walks through the footer of a file, whose frame has been checked.
func checkFooter(file *io.SectionReader, m *files.Memory) error {
	var end [8]byte
	if _, err := file.ReadAt(end[:], file.Size()-8); err != nil {
		return err
	}
	size := int(binary.LittleEndian.Uint32(end[:]))
	if err := m.Take("what describes the columns", footerBytes*size); err != nil {
		return err
	}
	footer := make([]byte, size)
	if _, err := file.ReadAt(footer, file.Size()-8-int64(len(footer))); err != nil {
		return err
	}
	w := thrift{rest: footer}
	return w.structure(0)
}

// thrift walks through a structure.
type thrift struct{ rest []byte }

// The types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt16  = 4
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// deepest bounds how far structures are nested; in Parquet they are six deep.
const deepest = 32

func (w *thrift) byte() (byte, error) {
	if len(w.rest) == 0 {
		return 0, errFooter
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b, nil
}

// count reads the length of something that takes at least a byte for each.
func (w *thrift) count() (int, error) {
	v, n := binary.Uvarint(w.rest)
	if n <= 0 || v > uint64(len(w.rest)-n) {
		return 0, errFooter
	}
	w.rest = w.rest[n:]
	return int(v), nil
}

func (w *thrift) skip(n int) error {
	if n > len(w.rest) {
		return errFooter
	}
	w.rest = w.rest[n:]
	return nil
}

func (w *thrift) varint() error {
	_, n := binary.Uvarint(w.rest)
	if n <= 0 {
		return errFooter
	}
	return w.skip(n)
}

func (w *thrift) structure(depth int) error {
	for {
		head, err := w.byte()
		if err != nil {
			return err
		}
		if head == 0 {
			return nil
		}
		if head>>4 == 0 { // the number of the field follows
			if err := w.varint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

func (w *thrift) value(kind byte, depth int) error {
	switch {
	case depth > deepest:
		return errFooter
	case kind == thriftTrue || kind == thriftFalse || kind == thriftByte:
		return w.skip(1)
	case kind >= thriftInt16 && kind <= thriftInt64:
		return w.varint()
	case kind == thriftDouble:
		return w.skip(8)
	case kind == thriftBinary:
		n, err := w.count()
		if err != nil {
			return err
		}
		return w.skip(n)
	case kind == thriftList || kind == thriftSet:
		return w.list(depth)
	case kind == thriftMap:
		return w.pairs(depth)
	case kind == thriftStruct:
		return w.structure(depth + 1)
	}
	return errFooter
}

func (w *thrift) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	n := int(head >> 4)
	if n == 15 {
		if n, err = w.count(); err != nil {
			return err
		}
	}
	for range n {
		if err := w.value(head&15, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *thrift) pairs(depth int) error {
	n, err := w.count()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := w.byte()
	for range n {
		if err == nil {
			err = w.value(kinds>>4, depth+1)
		}
		if err == nil {
			err = w.value(kinds&15, depth+1)
		}
	}
	return err
}
