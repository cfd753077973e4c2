package arrow

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// The metadata of Arrow are FlatBuffers. The library takes the lengths of vectors in
// them on trust, and a damaged one could ask for more memory than there is; so all
// metadata of a file are walked through before it sees them. That also counts the
// rows, and distinguishes a truncated stream from a complete one.

var errMetadata = errors.New("its metadata are damaged")

// pairs checks keys and values: both fields of the tables of a vector are strings.
func (t flatTable) pairs(number int) error {
	return t.each(number, func(pair flatTable) error {
		_, _, key := pair.vector(0, 1)
		_, _, value := pair.vector(1, 1)
		return errors.Join(key, value)
	})
}

// schema checks a Schema.
func (t flatTable) schema() error {
	if err := t.each(1, func(f flatTable) error { return f.column(0) }); err != nil {
		return err
	}
	if _, _, err := t.vector(3, 8); err != nil {
		return err
	}
	return t.pairs(2)
}

// deepest bounds how far columns are nested.
const deepest = 32

// column checks a Field and its children.
func (t flatTable) column(depth int) error {
	if depth > deepest {
		return errMetadata
	}
	if _, _, err := t.vector(0, 1); err != nil {
		return err
	}
	const union = 14 // the only type with a vector of its own
	if kind, what := t.field(2), t.field(3); kind > 0 && what > 0 && kind < len(t.buf) && t.buf[kind] == union {
		below, err := t.table(what)
		if err != nil {
			return err
		}
		if _, _, err := below.vector(1, 4); err != nil {
			return err
		}
	}
	if err := t.each(5, func(f flatTable) error { return f.column(depth + 1) }); err != nil {
		return err
	}
	return t.pairs(6)
}

// batch checks a RecordBatch and returns its rows.
func (t flatTable) batch() (int64, error) {
	for _, v := range []struct{ number, size int }{{1, 16}, {2, 16}, {4, 8}} {
		if _, _, err := t.vector(v.number, v.size); err != nil {
			return 0, err
		}
	}
	rows, err := t.long(0)
	if rows < 0 || rows > math.MaxInt>>8 {
		return 0, errMetadata
	}
	return rows, err
}

// The kinds of messages.
const (
	kindSchema     = 1
	kindDictionary = 2
	kindBatch      = 3
)

// message checks a Message and returns the rows of a record batch and the length of
// the body that follows.
func message(buf []byte) (kind byte, rows, body int64, err error) {
	t, err := newFlat(buf).table(0)
	if err != nil {
		return 0, 0, 0, err
	}
	if at := t.field(1); at > 0 && at < len(buf) {
		kind = buf[at]
	}
	if body, err = t.long(3); err != nil || body < 0 {
		return 0, 0, 0, errMetadata
	}
	if err := t.pairs(4); err != nil {
		return 0, 0, 0, err
	}
	header, err := t.table(t.field(2))
	if err != nil {
		return 0, 0, 0, err
	}
	switch kind {
	case kindSchema:
		err = header.schema()
	case kindDictionary:
		var below flatTable
		if below, err = header.table(header.field(1)); err == nil {
			_, err = below.batch()
		}
	case kindBatch:
		rows, err = header.batch()
	}
	return kind, rows, body, err
}

// readMessage reads the metadata of the message at a place in the file and checks
// them. end is where its body begins; io.EOF is the mark of the end.
func readMessage(file *io.SectionReader, at int64) (kind byte, rows, body, end int64, err error) {
	size, at, err := messageLength(file, at)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	if size > file.Size()-at {
		return 0, 0, 0, 0, errTruncated
	}
	buf := make([]byte, size)
	if _, err := file.ReadAt(buf, at); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, 0, 0, err
	}
	kind, rows, body, err = message(buf)
	end = at + size
	if err == nil && body > file.Size()-end {
		err = errTruncated
	}
	return kind, rows, body, end, err
}

var errTruncated = errors.New("the file ends early (truncated?)")

// messageLength reads the length before a message, which since 2019 has a mark before it.
func messageLength(file *io.SectionReader, at int64) (size, behind int64, err error) {
	var word [4]byte
	for range 2 {
		if n, err := file.ReadAt(word[:], at); n < 4 {
			if errors.Is(err, io.EOF) {
				err = errTruncated
			}
			return 0, 0, err
		}
		at += 4
		if word != [4]byte{0xff, 0xff, 0xff, 0xff} {
			break
		}
	}
	size = int64(int32(binary.LittleEndian.Uint32(word[:])))
	switch {
	case size == 0:
		return 0, at, io.EOF
	case size < 4:
		return 0, 0, errMetadata
	}
	return size, at, nil
}

// checkStream walks through a stream and returns its number of rows.
func checkStream(file *io.SectionReader) (rows int64, err error) {
	for at := int64(0); ; {
		kind, n, body, end, err := readMessage(file, at)
		switch {
		case errors.Is(err, io.EOF) && at > 0:
			return rows, nil
		case err != nil:
			return 0, err
		case at == 0 && kind != kindSchema:
			return 0, errMetadata
		}
		rows += n
		at = end + body
	}
}

// fileMark begins and ends the file format.
const fileMark = "ARROW1"

// checkFile walks through what the footer of a file leads to and returns its number
// of rows.
func checkFile(file *io.SectionReader) (rows int64, err error) {
	var end [10]byte
	if file.Size() < 8+10 {
		return 0, errTruncated
	}
	if _, err := file.ReadAt(end[:], file.Size()-10); err != nil {
		return 0, err
	}
	size := int64(int32(binary.LittleEndian.Uint32(end[:])))
	if string(end[4:]) != fileMark || size <= 0 || size > file.Size()-8-10 {
		return 0, errTruncated
	}
	footer := make([]byte, size)
	if _, err := file.ReadAt(footer, file.Size()-10-size); err != nil {
		return 0, err
	}
	t, err := newFlat(footer).table(0)
	if err != nil {
		return 0, err
	}
	schema, err := t.table(t.field(1))
	if err == nil {
		err = schema.schema()
	}
	if err == nil {
		err = t.pairs(4)
	}
	for _, number := range []int{2, 3} {
		const block = 24 // the place, the length of the metadata, the length of the body
		at, count, other := t.vector(number, block)
		if err = errors.Join(err, other); err != nil {
			return 0, err
		}
		for ; count > 0; count-- {
			place, length := int64(binary.LittleEndian.Uint64(footer[at:])), int64(int32(binary.LittleEndian.Uint32(footer[at+8:])))
			stored := int64(binary.LittleEndian.Uint64(footer[at+16:]))
			if place < 0 || place > file.Size() || length < 0 || length > file.Size()-place || stored < 0 || stored > file.Size()-place-length {
				return 0, errMetadata
			}
			_, n, body, _, err := readMessage(file, place)
			if errors.Is(err, io.EOF) || err == nil && body != stored {
				err = errMetadata
			}
			if err != nil {
				return 0, err
			}
			rows += n
			at += block
		}
	}
	return rows, nil
}

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

// vector returns the place of the first element of a vector of this many bytes each,
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
