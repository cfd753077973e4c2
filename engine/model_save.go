package engine

import (
	"bytes"
	"crypto/sha256"
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
	for _, name := range slices.Sorted(maps.Keys(m.extension.Compressed)) {
		a := m.extension.Compressed[name]
		about := modelCompressed{Name: name, Rows: int64(a.Rows), Cols: int64(a.Cols), Entries: int64(a.NNZ()), Type: narrowestOf(a.Val), Offset: at}
		about.Length = about.lengthOf()
		h.Compressed = append(h.Compressed, about)
		at += about.Length
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
	switch {
	case m.extension.Standardized():
		version = modelVersion // a program that knows none would not standardise new samples
	case m.extension.Penalised():
		version = penalisedVersion // a program that knows none would not penalise new samples
	case m.extension.Smoothed():
		version = smoothedVersion // a program that knows none would not smooth new samples
	case len(h.Compressed) > 0:
		version = compressedVersion
	case m.extension.Divided():
		version = dividedVersion // a program that knows none would not divide new samples
	}
	if _, err := both.Write(append(preamble(version, len(text), begin+h.dataLength()+sumSize), text...)); err != nil {
		return err
	}
	for _, a := range h.Arrays {
		if err := writeModelArray(both, m.extension.Arrays[a.Name], a); err != nil {
			return err
		}
	}
	for _, a := range h.Compressed {
		if err := writeModelCompressed(both, m.extension.Compressed[a.Name], a); err != nil {
			return err
		}
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// narrowest returns the smallest type that holds every entry bit by bit.
func narrowest(a *mat.Dense) string {
	rows, _ := a.Dims()
	kind := "|u1"
	for i := range rows {
		if kind = wider(kind, narrowestOf(a.RawRowView(i))); kind == "<f8" {
			break
		}
	}
	return kind
}

// narrowestOf is [narrowest] of numbers.
func narrowestOf(x []float64) string {
	bytes, single := true, true
	for _, v := range x {
		bits := math.Float64bits(v)
		bytes = bytes && v >= 0 && v <= 255 && math.Float64bits(float64(uint8(v))) == bits
		single = single && math.Float64bits(float64(float32(v))) == bits
		if !single && !bytes {
			return "<f8"
		}
	}
	if bytes {
		return "|u1"
	}
	return "<f4"
}

// wider is the type that holds the entries of both; a byte is held by any.
func wider(a, b string) string {
	if modelTypes[b] > modelTypes[a] {
		return b
	}
	return a
}
