package engine

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/orthant-go/orthant/sparse"
)

// modelCompressed is the same of an array in compressed rows: where its rows start among
// the entries (<i8, one more than rows), the columns of the entries (<i4) and their values,
// one after the other, each padded.
type modelCompressed struct {
	Name    string `json:"name"`
	Rows    int64  `json:"rows"`
	Cols    int64  `json:"cols"`
	Entries int64  `json:"entries"`
	Type    string `json:"type"` // of the values
	Offset  int64  `json:"offset"`
	Length  int64  `json:"length"`
}

// lengthOf is the length of an array in compressed rows.
func (a modelCompressed) lengthOf() int64 {
	return aligned(8*(a.Rows+1)) + aligned(4*a.Entries) + aligned(modelTypes[a.Type]*a.Entries)
}

// writeModelCompressed writes an array in compressed rows.
func writeModelCompressed(w io.Writer, a *sparse.CSR, about modelCompressed) error {
	out := newModelWriter(w)
	for _, p := range a.Ptr {
		if err := out.put(binary.LittleEndian.AppendUint64(out.buffer, uint64(p))); err != nil {
			return err
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	for _, j := range a.Col {
		if err := out.put(binary.LittleEndian.AppendUint32(out.buffer, uint32(j))); err != nil {
			return err
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	if err := out.numbers(a.Val, about.Type); err != nil {
		return err
	}
	return out.end()
}

// compressed reads an array in compressed rows.
func (l *modelReader) compressed(about modelCompressed) (*sparse.CSR, error) {
	a := &sparse.CSR{Rows: int(about.Rows), Cols: int(about.Cols)}
	var err error
	if a.Ptr, err = readAligned(l, a.Rows+1, 8, func(data []int, from []byte) []int {
		for ; len(from) > 0; from = from[8:] {
			data = append(data, int(binary.LittleEndian.Uint64(from)))
		}
		return data
	}); err != nil {
		return nil, err
	}
	if a.Col, err = readAligned(l, int(about.Entries), 4, func(data []int32, from []byte) []int32 {
		for ; len(from) > 0; from = from[4:] {
			data = append(data, int32(binary.LittleEndian.Uint32(from)))
		}
		return data
	}); err != nil {
		return nil, err
	}
	a.Val, err = readAligned(l, int(about.Entries), int(modelTypes[about.Type]), func(data []float64, from []byte) []float64 {
		return appendNumbers(data, from, about.Type)
	})
	return a, err
}

// checkCompressed refuses compressed rows that are none: starts that do not ascend to the
// number of entries, and columns that do not ascend in a row.
func checkCompressed(name string, a *sparse.CSR) error {
	if a.Ptr[0] != 0 || a.Ptr[a.Rows] != len(a.Col) {
		return fmt.Errorf("the rows of the array %q do not span its entries", name)
	}
	for i := range a.Rows {
		if a.Ptr[i+1] < a.Ptr[i] || a.Ptr[i+1] > len(a.Col) {
			return fmt.Errorf("row %d (counting from 1) of the array %q ends before it starts", i+1, name)
		}
		last := int32(-1)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if j <= last || int(j) >= a.Cols {
				return fmt.Errorf("the columns of row %d (counting from 1) of the array %q do not ascend within %d", i+1, name, a.Cols)
			}
			last = j
		}
	}
	return nil
}
