package files

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The layout of level 5 .mat files is defined in MathWorks, "MAT-File Format",
// chapter 1: a header of 128 bytes, then one data element for each variable,
// which may be compressed by zlib. An element is a tag of type and length followed by its
// bytes, padded to a multiple of eight; up to four bytes fit
// into the tag.

// The types of data elements.
const (
	matInt8       = 1
	matInt32      = 5
	matUint32     = 6
	matSingle     = 7
	matDouble     = 9
	matInt64      = 12
	matMatrix     = 14
	matCompressed = 15
)

// matTypes are those that hold numbers, as types of NumPy.
var matTypes = map[uint32]dtype{
	1: {kind: 'i', size: 1}, 2: {kind: 'u', size: 1}, 3: {kind: 'i', size: 2}, 4: {kind: 'u', size: 2}, 5: {kind: 'i', size: 4},
	6: {kind: 'u', size: 4}, 7: {kind: 'f', size: 4}, 9: {kind: 'f', size: 8}, 12: {kind: 'i', size: 8}, 13: {kind: 'u', size: 8},
}

// matHeader is the length of the header of a file.
const matHeader = 128

// matFile reads the elements of a file one after the other. It allocates no more than
// the available bytes justify.
type matFile struct {
	source
	order binary.ByteOrder
	at    int64     // bytes read
	file  inputFile // for skipping; nil: not seekable
}

// openMAT opens a file and reads its header.
func openMAT(loc location, o Options) (*matFile, error) {
	f, _, err := openRegular(loc.file, "a .mat file")
	if err != nil {
		return nil, err
	}
	f.Close()
	s, err := openContent(loc, o)
	if err != nil {
		return nil, err
	}
	m := &matFile{source: s}
	if f, ok := s.Reader.(inputFile); ok && s.size >= 0 {
		m.file = f
	}
	if err := m.readHeader(); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *matFile) Read(p []byte) (int, error) {
	n, err := m.source.Read(p)
	m.at += int64(n)
	return n, err
}

// readHeader reads the first 128 bytes: text, and the byte order at their end.
func (m *matFile) readHeader() error {
	var h [matHeader]byte
	n, err := io.ReadFull(m, h[:])
	start := h[:n]
	switch short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); {
	case err != nil && !short:
		return err
	case n == 0:
		return errors.New("the file is empty")
	case bytes.HasPrefix(start, []byte("MATLAB 7.3")) || bytes.HasPrefix(start, []byte("\x89HDF")):
		return errors.New("it is of version 7.3 (HDF5), which is read in any order: unpack it first, or, if it is not packed, it is cut off")
	case n >= 4 && bytes.IndexByte(start[:4], 0) >= 0:
		return errors.New(`not a .mat file of level 5: save one of level 4 again with save(…, "-v6")`)
	case short:
		return errors.New("the file ends within its header (truncated?), or is no .mat file")
	}
	switch string(h[126:128]) {
	case "IM":
		m.order = binary.LittleEndian
	case "MI":
		m.order = binary.BigEndian
	default:
		return fmt.Errorf("not a .mat file: it begins with %s", excerpt(start))
	}
	if version := m.order.Uint16(h[124:]); version != 0x0100 {
		return fmt.Errorf("version %#04x of the .mat format is not known (level 5 is 0x0100)", version)
	}
	return nil
}

// swapped reports whether the byte order differs from this machine's.
func (m *matFile) swapped() bool { return (m.order == binary.LittleEndian) != nativeLittle }

// next begins the next variable of the file, if there is one. end is the start of the
// variable after it.
func (m *matFile) next() (h matVariableHeader, e *matElements, end int64, err error) {
	start := m.at
	top := &matElements{r: m, order: m.order, left: -1}
	var one [1]byte
	switch _, err := io.ReadFull(m, one[:]); {
	case errors.Is(err, io.EOF):
		return h, nil, 0, io.EOF
	case err != nil:
		return h, nil, 0, matShort(err)
	}
	top.r = io.MultiReader(bytes.NewReader(one[:]), m)
	kind, size, small, err := top.readTag()
	if err != nil {
		return h, nil, 0, err
	}
	end = start + 8 + size
	if m.size >= 0 && end > m.size {
		return h, nil, 0, truncated(m.size-start, 8+size)
	}
	if small != nil || kind != matMatrix && kind != matCompressed {
		return h, nil, 0, fmt.Errorf("element of type %d where a variable belongs: the file is damaged", kind)
	}
	e = &matElements{r: m, order: m.order, left: size, sized: m.size >= 0}
	if kind == matCompressed {
		packed, err := zlib.NewReader(io.LimitReader(m, size))
		if err != nil {
			return h, nil, 0, matPacked(err)
		}
		e = &matElements{r: matInflated{packed}, order: m.order, left: -1}
		inner, size, small, err := e.readTag()
		if err != nil {
			return h, nil, 0, err
		}
		if small != nil || inner != matMatrix {
			return h, nil, 0, fmt.Errorf("element of type %d where a variable belongs: the file is damaged", inner)
		}
		e.left = size
	}
	if h, err = e.readHeader(); err != nil {
		return h, nil, 0, err
	}
	h.start, h.packed = start, kind == matCompressed
	return h, e, end, nil
}

// matInflated words the errors of zlib.
type matInflated struct{ r io.Reader }

func (z matInflated) Read(p []byte) (int, error) {
	n, err := z.r.Read(p)
	if err != nil && err != io.EOF {
		err = matPacked(err)
	}
	return n, err
}

func matPacked(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errMATShort
	}
	if errors.Is(err, zlib.ErrChecksum) {
		return errors.New("the checksum of a compressed variable is wrong: the file is damaged")
	}
	return fmt.Errorf("a compressed variable is damaged (%w)", err)
}

// skip skips to a later position.
func (m *matFile) skip(to int64) error {
	if m.file != nil {
		if _, err := m.file.Seek(to, io.SeekStart); err != nil {
			return err
		}
		m.at = to
		return nil
	}
	_, err := io.CopyN(io.Discard, m, to-m.at)
	return matShort(err)
}

// matVariableHeader is the description of a variable before its numbers.
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

// obstacle explains why a variable is not a matrix of numbers; "": it is one.
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
	sized bool  // left is confirmed by the file
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

// readSmall reads an element of a header, of no more than most bytes.
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
