package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

const npyMagic = "\x93NUMPY"

// maxHeader bounds the text of a header; for a numeric array it is below 200
// bytes.
const maxHeader = 1 << 16

// dtype is a NumPy type of numbers: kind f, i, u or b with its size in bytes.
type dtype struct {
	kind byte
	size int
	swap bool // the file's byte order is not this machine's
}

// npyHeader is the header of an .npy file.
type npyHeader struct {
	dtype   dtype
	fortran bool
	shape   []int
	rows    int // of the matrix that the shape describes
	cols    int
	length  int64 // of the header itself, in bytes
}

var nativeLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// readNPYHeader reads the header up to the first byte of data.
func readNPYHeader(r io.Reader) (npyHeader, error) {
	h, err := readNPYShape(r)
	if err == nil && (h.rows == 0 || h.cols == 0) {
		err = fmt.Errorf("the array is empty: shape %s", h.shapeText())
	}
	return h, err
}

// readNPYShape is readNPYHeader for an array that may be empty, as the parts of a sparse matrix may be.
func readNPYShape(r io.Reader) (npyHeader, error) {
	var start [12]byte
	if n, err := io.ReadFull(r, start[:10]); err != nil {
		return npyHeader{}, shortHeader(start[:n], err)
	}
	if string(start[:6]) != npyMagic {
		return npyHeader{}, notNPY(start[:10])
	}
	major := start[6]
	var length, prefix int
	switch major {
	case 1:
		length, prefix = int(binary.LittleEndian.Uint16(start[8:])), 10
	case 2, 3:
		if _, err := io.ReadFull(r, start[10:12]); err != nil {
			return npyHeader{}, shortHeader(start[:10], err)
		}
		length, prefix = int(min(binary.LittleEndian.Uint32(start[8:]), math.MaxInt32)), 12
	default:
		return npyHeader{}, fmt.Errorf("version %d.%d of the .npy format is not known (1 to 3 are)", major, start[7])
	}
	if length > maxHeader {
		return npyHeader{}, fmt.Errorf("the header claims a length of %d bytes: the file is damaged", length)
	}
	text := make([]byte, length)
	if n, err := io.ReadFull(r, text); err != nil {
		return npyHeader{}, shortHeader(append(start[:prefix], text[:n]...), err)
	}
	h := npyHeader{length: int64(prefix + length)}
	if err := h.parse(string(text)); err != nil {
		return npyHeader{}, err
	}
	return h, h.setDims()
}

// shortHeader is the error of a file that ends within its header.
func shortHeader(got []byte, err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if len(got) == 0 {
		return errors.New("the file is empty")
	}
	if n := min(len(got), len(npyMagic)); string(got[:n]) != npyMagic[:n] {
		return notNPY(got)
	}
	return errors.New("the file ends within its header (truncated?)")
}

func notNPY(start []byte) error {
	if bytes.HasPrefix(start, []byte("PK\x03\x04")) {
		return errors.New("not an .npy file but a zip archive: name it .npz")
	}
	return fmt.Errorf("not an .npy file: it begins with %s", excerpt(start))
}

// parse reads the header's text, a Python dictionary with the keys descr,
// fortran_order and shape.
func (h *npyHeader) parse(text string) error {
	p := pyParser{rest: text}
	seen := map[string]bool{}
	err := p.dictionary(func(key string) error {
		seen[key] = true
		switch key {
		case "descr":
			descr, err := p.text()
			if err != nil {
				return errors.New("the array is structured (several fields): save the fields as a plain array of numbers")
			}
			h.dtype, err = parseDtype(descr)
			return err
		case "fortran_order":
			var err error
			h.fortran, err = p.boolean()
			return err
		case "shape":
			var err error
			h.shape, err = p.shape()
			return err
		}
		return fmt.Errorf("the header has the unknown key %s", excerpt([]byte(key)))
	})
	if err != nil {
		return err
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return fmt.Errorf("the header lacks the key %q: the file is damaged", key)
		}
	}
	return nil
}

// parseDtype reads a type such as "<f8".
func parseDtype(descr string) (dtype, error) {
	rest := strings.TrimLeft(descr, "<>=|")
	if len(descr)-len(rest) > 1 || rest == "" {
		return dtype{}, fmt.Errorf("the data type %s is not known", excerpt([]byte(descr)))
	}
	switch rest[0] {
	case 'c':
		return dtype{}, fmt.Errorf("complex numbers (%s) are not supported: save the real part or the magnitudes", descr)
	case 'O':
		return dtype{}, errors.New("the array holds Python objects: save it with .astype(float)")
	case 'U', 'S', 'a':
		return dtype{}, fmt.Errorf("the array holds text (%s), not numbers: encode it as integers first", descr)
	case 'M', 'm':
		return dtype{}, fmt.Errorf("the array holds dates or durations (%s): save it with .astype(float)", descr)
	}
	t := dtype{kind: rest[0]}
	switch rest {
	case "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1":
		t.size = int(rest[1] - '0')
	default:
		return dtype{}, fmt.Errorf("the data type %s is not supported: save the array as float64", excerpt([]byte(descr)))
	}
	t.swap = t.size > 1 && (descr[0] == '<' && !nativeLittle || descr[0] == '>' && nativeLittle)
	return t, nil
}

// setDims computes the rows and columns. It refuses arrays that are not a matrix or are
// larger than a machine could hold.
func (h *npyHeader) setDims() error {
	h.rows, h.cols = 1, 1
	switch len(h.shape) {
	case 0:
	case 1:
		h.rows = h.shape[0]
	case 2:
		h.rows, h.cols = h.shape[0], h.shape[1]
	default:
		return fmt.Errorf("the array has %d dimensions, shape %s: reshape it to two, one sample a row", len(h.shape), h.shapeText())
	}
	if h.cols > 0 && h.rows > math.MaxInt/16/h.cols {
		return fmt.Errorf("the shape %s is beyond any memory: the file is damaged", h.shapeText())
	}
	return nil
}

// shapeText renders the shape as NumPy does.
func (h *npyHeader) shapeText() string {
	parts := make([]string, len(h.shape))
	for i, n := range h.shape {
		parts[i] = strconv.Itoa(n)
	}
	if len(parts) == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// writeNPYHeader writes the header of version 1, padded so that the data begins
// at a multiple of 64 bytes and may be mapped.
func writeNPYHeader(w io.Writer, descr string, shape []int) error {
	return writeNPYHeaderPadded(w, descr, shape, 0)
}

// writeNPYHeaderPadded is writeNPYHeader with a header of at least the given number of bytes,
// a multiple of 64.
func writeNPYHeaderPadded(w io.Writer, descr string, shape []int, least int) error {
	h := npyHeader{shape: shape}
	text := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + h.shapeText() + ", }"
	const prefix = 10
	pad := max(63-(prefix+len(text))%64, least-1-prefix-len(text))
	text += strings.Repeat(" ", pad) + "\n"
	head := append([]byte(npyMagic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(text))) // two numbers: far below 65536
	_, err := w.Write(append(head, text...))
	return err
}

// pyParser reads the few Python literals that occur in the header of an .npy
// file.
type pyParser struct{ rest string }

var errHeader = errors.New("the header is not a Python dictionary of descr, fortran_order and shape: the file is damaged")

// take skips white space and then, if it follows, the given text.
func (p *pyParser) take(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	rest, found := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return found
}

// dictionary reads {key: value, …} to the end of the text, and calls value to read
// each value.
func (p *pyParser) dictionary(value func(key string) error) error {
	if !p.take("{") {
		return errHeader
	}
	for !p.take("}") {
		key, err := p.text()
		if err != nil || !p.take(":") {
			return errHeader
		}
		if err := value(key); err != nil {
			return err
		}
		if p.take(",") {
			continue
		}
		if !p.take("}") {
			return errHeader
		}
		break
	}
	if p.take(""); p.rest != "" {
		return errHeader
	}
	return nil
}

// text reads a string without escapes, in either kind of quotes.
func (p *pyParser) text() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.take(quote) {
			s, rest, found := strings.Cut(p.rest, quote)
			if !found {
				return "", errHeader
			}
			p.rest = rest
			return s, nil
		}
	}
	return "", errHeader
}

func (p *pyParser) boolean() (bool, error) {
	switch {
	case p.take("True"):
		return true, nil
	case p.take("False"):
		return false, nil
	}
	return false, errHeader
}

// shape reads a tuple of sizes: (), (3,), (3, 4).
func (p *pyParser) shape() ([]int, error) {
	if !p.take("(") {
		return nil, errHeader
	}
	shape := []int{}
	for !p.take(")") {
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "+-0123456789"))
		text := p.rest[:digits]
		if digits == 0 {
			return nil, errHeader
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("the shape holds %s, which is not the size of an array: the file is damaged", excerpt([]byte(text)))
		}
		shape = append(shape, n)
		p.rest = p.rest[digits:]
		p.take("L") // as Python 2 wrote its long integers
		if p.take(",") {
			continue
		}
		if !p.take(")") {
			return nil, errHeader
		}
		break
	}
	return shape, nil
}
