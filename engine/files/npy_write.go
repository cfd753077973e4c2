package files

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// writeNPYHeader writes the header of version 1, padded so that the data begins
// at a multiple of 64 bytes and may be mapped.
func writeNPYHeader(w io.Writer, descr string, shape []int) error {
	return writeNPYHeaderPadded(w, descr, shape, 0)
}

// writeNPYHeaderPadded is writeNPYHeader with a header of at least so many bytes,
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

// writeNPYMatrix writes m in C order, little endian.
func writeNPYMatrix(w *bufio.Writer, m mat.Matrix, single bool) error {
	rows, cols := m.Dims()
	descr := "<f8"
	if single {
		descr = "<f4"
	}
	if err := writeNPYHeader(w, descr, []int{rows, cols}); err != nil {
		return err
	}
	if r, ok := m.(mat.RawMatrixer); ok && !single && nativeLittle {
		if raw := r.RawMatrix(); raw.Stride == cols {
			_, err := w.Write(bytesOf(raw.Data[:rows*cols]))
			return err
		}
	}
	row := rowReader(m)
	var line []byte
	for i := range rows {
		line = line[:0]
		for _, v := range row(i) {
			if single {
				line = binary.LittleEndian.AppendUint32(line, math.Float32bits(float32(v)))
			} else {
				line = binary.LittleEndian.AppendUint64(line, math.Float64bits(v))
			}
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// writeNPYIntegers writes int64, little endian, with the shape given.
func writeNPYIntegers(w *bufio.Writer, shape []int, v []int64) error {
	if err := writeNPYHeader(w, "<i8", shape); err != nil {
		return err
	}
	if nativeLittle {
		_, err := w.Write(bytesOf(v))
		return err
	}
	var word [8]byte
	for _, x := range v {
		binary.LittleEndian.PutUint64(word[:], uint64(x))
		if _, err := w.Write(word[:]); err != nil {
			return err
		}
	}
	return nil
}
