package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// matVariable is an array to be written as a file.
type matVariable struct {
	name       string
	rows, cols int
	class      byte
	entries    int // of a sparse one
}

// checkVariableName refuses names that MATLAB cannot load.
func checkVariableName(name string) error {
	for i, r := range name {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) || i > 62 {
			return fmt.Errorf("%s is not a name for a MATLAB variable: begin with a letter, continue with letters, digits and _, up to 63", excerpt([]byte(name)))
		}
	}
	return nil
}

func floatClass(single bool) byte {
	if single {
		return classSingle
	}
	return classDouble
}

// element returns the type of a data element and the size of its numbers.
func (v matVariable) element() (kind uint32, size int) {
	switch v.class {
	case classSingle:
		return matSingle, 4
	case classInt64:
		return matInt64, 8
	}
	return matDouble, 8
}

// begin writes everything before the numbers, whose size with their tags and padding
// is given in bytes.
func (v matVariable) begin(w *bufio.Writer, numbers float64) error {
	name := (len(v.name) + 7) &^ 7
	size := 16 + 16 + float64(8+name) + numbers
	if size > math.MaxInt32 {
		return errors.New("an array of a .mat file holds less than 2 GiB: write .npy")
	}
	le := binary.LittleEndian
	// No date, so that the same array gives the same bytes.
	head := []byte("MATLAB 5.0 MAT-file, written by orthant")
	head = append(head, strings.Repeat(" ", 116-len(head))...)
	head = append(head, make([]byte, 8)...)
	head = append(le.AppendUint16(head, 0x0100), "IM"...)
	for _, word := range []uint32{
		matMatrix, uint32(size),
		matUint32, 8, uint32(v.class), uint32(v.entries),
		matInt32, 8, uint32(v.rows), uint32(v.cols),
		matInt8, uint32(len(v.name)),
	} {
		head = le.AppendUint32(head, word)
	}
	head = append(head, v.name...)
	_, err := w.Write(append(head, make([]byte, name-len(v.name))...))
	return err
}

// write writes a dense array. columns returns its numbers in parts, column by
// column.
func (v matVariable) write(w *bufio.Writer, columns func(put func([]float64) error) error) error {
	kind, size := v.element()
	bytes := float64(size) * float64(v.rows) * float64(v.cols)
	padded := 8 * math.Ceil(bytes/8)
	if err := v.begin(w, 8+padded); err != nil {
		return err
	}
	if err := writeTag(w, kind, int(bytes)); err != nil {
		return err
	}
	var word [8]byte
	err := columns(func(part []float64) error {
		for _, x := range part {
			if v.class == classSingle {
				binary.LittleEndian.PutUint32(word[:], math.Float32bits(float32(x)))
			} else {
				binary.LittleEndian.PutUint64(word[:], math.Float64bits(x))
			}
			if _, err := w.Write(word[:size]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = w.Write(make([]byte, int(padded-bytes)))
	return err
}

func writeTag(w *bufio.Writer, kind uint32, size int) error {
	tag := binary.LittleEndian.AppendUint32(nil, kind)
	_, err := w.Write(binary.LittleEndian.AppendUint32(tag, uint32(size)))
	return err
}

// writeMATMatrix writes a .mat file of one array; a sparse one stays sparse.
func writeMATMatrix(w *bufio.Writer, name string, m mat.Matrix, single bool) error {
	if a, ok := m.(*sparse.CSR); ok {
		return writeMATSparse(w, name, a)
	}
	rows, cols := m.Dims()
	v := matVariable{name: name, rows: rows, cols: cols, class: floatClass(single)}
	column := make([]float64, rows)
	return v.write(w, func(put func([]float64) error) error {
		for j := range cols {
			if err := put(mat.Col(column, j, m)); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeMATIntegers writes a .mat file of one array of class int64.
func writeMATIntegers(w *bufio.Writer, name string, v integers) error {
	bytes := 8 * float64(v.rows) * float64(v.cols)
	if err := (matVariable{name: name, rows: v.rows, cols: v.cols, class: classInt64}).begin(w, 8+bytes); err != nil {
		return err
	}
	if err := writeTag(w, matInt64, int(bytes)); err != nil {
		return err
	}
	var word [8]byte
	for j := range v.cols {
		for i := range v.rows {
			binary.LittleEndian.PutUint64(word[:], uint64(v.row(i)[j]))
			if _, err := w.Write(word[:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeMATSparse writes a sparse array of doubles, by compressed columns.
func writeMATSparse(w *bufio.Writer, name string, a *sparse.CSR) error {
	count, columns := a.NNZ(), a.Transposed()
	starts := make([]int32, len(columns.Ptr))
	for j, p := range columns.Ptr {
		starts[j] = int32(p)
	}
	// The capacity that the header declares must not be 0.
	v := matVariable{name: name, rows: a.Rows, cols: a.Cols, class: classSparse, entries: max(count, 1)}
	words := func(n int) int { return (4*n + 7) &^ 7 }
	if err := v.begin(w, 8+float64(words(count))+8+float64(words(a.Cols+1))+8+8*float64(count)); err != nil {
		return err
	}
	if err := writeElement(w, matInt32, columns.Col); err != nil {
		return err
	}
	if err := writeElement(w, matInt32, starts); err != nil {
		return err
	}
	return writeElement(w, matDouble, columns.Val)
}

// writeElement writes a data element with its padding.
func writeElement[T int32 | float64](w *bufio.Writer, kind uint32, v []T) error {
	size := binary.Size(v)
	if err := writeTag(w, kind, size); err != nil {
		return err
	}
	if err := writeNumbers(w, v); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, -size&7))
	return err
}

// writeVariable writes a .mat file of one array.
func (w *RowWriter) writeVariable() error {
	v := matVariable{name: w.o.loc.array, rows: w.done, cols: w.cols, class: floatClass(w.single)}
	return v.write(w.o.buffer, func(put func([]float64) error) error { return w.byColumns(put) })
}
