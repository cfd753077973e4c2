package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Save writes the model to w, in the format of docs/model-format.md, which
// [LoadModel] reads. Arrays are stored in the smallest of float64, float32 and
// bytes that loses nothing. The same model gives the same bytes.
func (m *Model) Save(w io.Writer) error {
	if m.extension == nil {
		return errors.New("model: it was neither fitted nor loaded")
	}
	h := modelHeader{Program: m.Program, Method: m.Method, Params: m.Params, Samples: m.Samples, Features: m.Features, Dim: m.Dim,
		Kind: m.extension.Kind, Numbers: m.extension.Numbers, Arrays: []modelArray{}}
	if h.Program == "" {
		h.Program = "orthant/engine"
	}
	var at int64
	for _, name := range slices.Sorted(maps.Keys(m.extension.Arrays)) {
		a := m.extension.Arrays[name]
		rows, cols := a.Dims()
		kind := narrowest(a)
		length := int64(rows) * int64(cols) * modelTypes[kind]
		h.Arrays = append(h.Arrays, modelArray{name, int64(rows), int64(cols), kind, at, length})
		at += aligned(length)
	}
	var header bytes.Buffer
	encoder := json.NewEncoder(&header)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(h); err != nil {
		return fmt.Errorf("model: its parameters cannot be written: %w", err)
	}
	text := header.Bytes()
	begin := aligned(int64(modelPreamble + len(text)))
	text = append(text, bytes.Repeat([]byte{' '}, int(begin)-modelPreamble-len(text))...)
	if len(text) > maxModelHeader {
		return fmt.Errorf("model: its header would take %d bytes where %d are the limit", len(text), maxModelHeader)
	}
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	version := uint32(plainVersion)
	if m.extension.Divided() {
		version = modelVersion // a program that knows none would not divide new samples
	}
	if _, err := both.Write(append(preamble(version, len(text), begin+h.dataLength()+sumSize), text...)); err != nil {
		return err
	}
	for _, a := range h.Arrays {
		if err := writeModelArray(both, m.extension.Arrays[a.Name], a); err != nil {
			return err
		}
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// narrowest returns the smallest type that holds every entry bit by bit.
func narrowest(a *mat.Dense) string {
	rows, _ := a.Dims()
	bytes, single := true, true
	for i := range rows {
		for _, v := range a.RawRowView(i) {
			bits := math.Float64bits(v)
			bytes = bytes && v >= 0 && v <= 255 && math.Float64bits(float64(uint8(v))) == bits
			single = single && math.Float64bits(float64(float32(v))) == bits
		}
		if !single && !bytes {
			return "<f8"
		}
	}
	if bytes {
		return "|u1"
	}
	return "<f4"
}

// writeModelArray writes the rows of an array and what aligns the next one.
func writeModelArray(w io.Writer, a *mat.Dense, about modelArray) error {
	const chunk = 1 << 16
	buffer := make([]byte, 0, chunk+8)
	for i := range int(about.Rows) {
		for _, v := range a.RawRowView(i) {
			switch about.Type {
			case "<f8":
				buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(v))
			case "<f4":
				buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(float32(v)))
			default:
				buffer = append(buffer, uint8(v))
			}
			if len(buffer) >= chunk {
				if _, err := w.Write(buffer); err != nil {
					return err
				}
				buffer = buffer[:0]
			}
		}
	}
	_, err := w.Write(append(buffer, make([]byte, aligned(about.Length)-about.Length)...))
	return err
}
