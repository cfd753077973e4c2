package engine

import (
	"encoding/binary"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
)

// writeModelArray writes the rows of an array and what aligns the next one.
func writeModelArray(w io.Writer, a *mat.Dense, about modelArray) error {
	out := newModelWriter(w)
	for i := range int(about.Rows) {
		if err := out.numbers(a.RawRowView(i), about.Type); err != nil {
			return err
		}
	}
	return out.end()
}

// modelWriter writes numbers in chunks, and aligns what follows.
type modelWriter struct {
	w       io.Writer
	buffer  []byte
	written int64
}

const modelChunk = 1 << 16

func newModelWriter(w io.Writer) *modelWriter {
	return &modelWriter{w: w, buffer: make([]byte, 0, modelChunk+8)}
}

// put takes the buffer with more in it, and writes it once it is full.
func (o *modelWriter) put(buffer []byte) error {
	if o.buffer = buffer; len(buffer) < modelChunk {
		return nil
	}
	return o.flush()
}

func (o *modelWriter) flush() error {
	_, err := o.w.Write(o.buffer)
	o.written += int64(len(o.buffer))
	o.buffer = o.buffer[:0]
	return err
}

// numbers writes numbers as a type.
func (o *modelWriter) numbers(x []float64, kind string) error {
	for _, v := range x {
		buffer := o.buffer
		switch kind {
		case "<f8":
			buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(v))
		case "<f4":
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(float32(v)))
		default:
			buffer = append(buffer, uint8(v))
		}
		if err := o.put(buffer); err != nil {
			return err
		}
	}
	return nil
}

// end writes what is left, and zeros up to the alignment.
func (o *modelWriter) end() error {
	total := o.written + int64(len(o.buffer))
	o.buffer = append(o.buffer, make([]byte, aligned(total)-total)...)
	err := o.flush()
	o.written = 0
	return err
}
