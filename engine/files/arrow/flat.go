package arrow

import (
	"encoding/binary"
	"errors"
)

// The metadata of Arrow are FlatBuffers. The library takes the lengths of vectors in
// them on trust, and a damaged one could ask for more memory than there is; so all
// metadata of a file are walked through before it sees them. That also counts the
// rows, and tells a stream that breaks off from one that ends.

var errMetadata = errors.New("its metadata are damaged")

// flat walks through the tables of one buffer. left is what may still be visited: in
// a buffer as a program writes it everything is there once, and a damaged one must
// not have the same thing visited over and over.
type flat struct {
	buf  []byte
	left int
}

func newFlat(buf []byte) *flat { return &flat{buf, 4*len(buf) + 1024} }

// flatTable is a table: its place, and its fields' places relative to it.
type flatTable struct {
	*flat
	at     int
	fields []byte
}

// word reads 32 bits.
func (f *flat) word(at int) (int, error) {
	if at < 0 || at > len(f.buf)-4 {
		return 0, errMetadata
	}
	return int(binary.LittleEndian.Uint32(f.buf[at:])), nil
}

func (f *flat) visit(bytes int) error {
	if f.left -= bytes; f.left < 0 {
		return errMetadata
	}
	return nil
}

// table goes to the table that the offset at a place leads to.
func (f *flat) table(at int) (flatTable, error) {
	offset, err := f.word(at)
	if err != nil {
		return flatTable{}, err
	}
	t := flatTable{flat: f, at: at + offset}
	back, err := f.word(t.at)
	if err != nil {
		return t, err
	}
	fields := t.at - int(int32(back))
	if fields < 0 || fields > len(f.buf)-4 {
		return t, errMetadata
	}
	size := int(binary.LittleEndian.Uint16(f.buf[fields:]))
	if size < 4 || size > len(f.buf)-fields {
		return t, errMetadata
	}
	t.fields = f.buf[fields+4 : fields+size]
	return t, f.visit(8)
}

// field returns the place of a field, 0 where the table lacks it.
func (t flatTable) field(number int) int {
	if 2*number+2 > len(t.fields) {
		return 0
	}
	offset := int(binary.LittleEndian.Uint16(t.fields[2*number:]))
	if offset == 0 {
		return 0
	}
	return t.at + offset
}

// vector returns the place of the first element of a vector of so many bytes each,
// and their number.
func (t flatTable) vector(number, size int) (at, count int, err error) {
	if at = t.field(number); at == 0 {
		return 0, 0, nil
	}
	offset, err := t.word(at)
	if err != nil {
		return 0, 0, err
	}
	at += offset
	if count, err = t.word(at); err != nil {
		return 0, 0, err
	}
	if count > (len(t.buf)-at-4)/size {
		return 0, 0, errMetadata
	}
	return at + 4, count, t.visit(count * size)
}

// each visits the tables of a vector.
func (t flatTable) each(number int, visit func(flatTable) error) error {
	at, count, err := t.vector(number, 4)
	for i := 0; i < count && err == nil; i++ {
		var below flatTable
		if below, err = t.table(at + 4*i); err == nil {
			err = visit(below)
		}
	}
	return err
}

// long reads a field of 64 bits, 0 where the table lacks it.
func (t flatTable) long(number int) (int64, error) {
	at := t.field(number)
	if at == 0 {
		return 0, nil
	}
	if at > len(t.buf)-8 {
		return 0, errMetadata
	}
	return int64(binary.LittleEndian.Uint64(t.buf[at:])), nil
}
