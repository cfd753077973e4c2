package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// The file of a model, all numbers little-endian; docs/model-format.md is the
// reference.
//
//	0   8  modelMagic
//	8   4  the version of the format: 1; 2 for a fit to samples that were divided; 3 with
//	       arrays in compressed rows; 4 of a fit to samples that were smoothed; 5 with a penalty
//	       on the coordinates of new samples; 6 of a fit to samples that were standardised
//	12  4  the length of the header
//	16  8  the length of the whole file
//	24  8  zero
//	32     the header, JSON, padded with spaces so that the data begins at a multiple of 64
//	       the arrays, each padded with zeros to a multiple of 64 bytes
//	       the SHA-256 sum of all that comes before it, 32 bytes
const (
	modelMagic        = "\x93ORTHANT"
	modelVersion      = 6 // the latest: of a fit to samples that were standardised
	penalisedVersion  = 5 // with a penalty on the coordinates of new samples
	smoothedVersion   = 4 // of a fit to samples that were smoothed
	compressedVersion = 3 // of a model with arrays in compressed rows
	dividedVersion    = 2 // of a fit to samples that were divided
	plainVersion      = 1 // of a model that has none of these
	modelPreamble     = 32
	modelAlignment    = 64

	// maxModelHeader bounds the header, which takes some 2 KiB.
	maxModelHeader = 1 << 20
)

// modelHeader is the header's JSON.
type modelHeader struct {
	Program  string             `json:"program"`
	Method   string             `json:"method"`
	Params   map[string]any     `json:"params"`
	Samples  int                `json:"samples"`
	Features int                `json:"features"`
	Dim      int                `json:"dim"`
	Kind     string             `json:"kind"`
	Numbers  map[string]float64 `json:"numbers"`
	Arrays   []modelArray       `json:"arrays"`

	Compressed []modelCompressed `json:"compressed,omitempty"` // behind the others
}

// modelArray says where an array is and how it is stored. Offsets count from the
// beginning of the file's data.
type modelArray struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Cols   int64  `json:"cols"`
	Type   string `json:"type"` // <f8, <f4 or |u1, as NumPy writes them
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
}

// modelTypes are the sizes of the entries of an array.
var modelTypes = map[string]int64{"<f8": 8, "<f4": 4, "|u1": 1}

func aligned(n int64) int64 { return (n + modelAlignment - 1) &^ (modelAlignment - 1) }

// dataLength returns the bytes of all arrays.
func (h *modelHeader) dataLength() int64 {
	var total int64
	for _, a := range h.Arrays {
		total += aligned(a.Length)
	}
	for _, a := range h.Compressed {
		total += a.Length
	}
	return total
}

// preamble is what comes before the header.
func preamble(version uint32, headerLength int, fileLength int64) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(modelMagic), version)
	b = binary.LittleEndian.AppendUint32(b, uint32(headerLength))
	b = binary.LittleEndian.AppendUint64(b, uint64(fileLength))
	return binary.LittleEndian.AppendUint64(b, 0)
}

// check refuses a header that does not describe a file of this length: its
// arrays follow each other without gaps and fill the data exactly, so that no
// memory is taken that the file's length does not vouch for.
func (h *modelHeader) check(data int64) error {
	if h.Method == "" || h.Samples < 1 || h.Features < 1 || h.Dim < 1 {
		return errors.New("its method or its sizes are missing")
	}
	var at int64
	seen := map[string]bool{}
	for _, a := range h.Arrays {
		size, known := modelTypes[a.Type]
		switch {
		case !known:
			return fmt.Errorf("the array %q has the unknown type %q", a.Name, a.Type)
		case seen[a.Name]:
			return fmt.Errorf("the array %q comes twice", a.Name)
		case a.Rows < 1 || a.Cols < 1 || a.Rows > math.MaxInt32 || a.Cols > math.MaxInt32 || a.Rows > data/a.Cols/size+1 || a.Length != a.Rows*a.Cols*size:
			return fmt.Errorf("the array %q of %d × %d is not one of %d bytes", a.Name, a.Rows, a.Cols, a.Length)
		case a.Offset != at || a.Length > data-at:
			return fmt.Errorf("the array %q is not within the data", a.Name)
		}
		seen[a.Name] = true
		at += aligned(a.Length)
	}
	for _, a := range h.Compressed {
		_, known := modelTypes[a.Type]
		switch {
		case !known:
			return fmt.Errorf("the array %q has the unknown type %q", a.Name, a.Type)
		case seen[a.Name]:
			return fmt.Errorf("the array %q comes twice", a.Name)
		case a.Rows < 1 || a.Cols < 1 || a.Rows > math.MaxInt32 || a.Cols > math.MaxInt32 || a.Entries < 0 || a.Entries > data || a.Length != a.lengthOf():
			return fmt.Errorf("the array %q of %d × %d with %d entries is not one of %d bytes", a.Name, a.Rows, a.Cols, a.Entries, a.Length)
		case a.Offset != at || a.Length > data-at:
			return fmt.Errorf("the array %q is not within the data", a.Name)
		}
		seen[a.Name] = true
		at += a.Length
	}
	if at != data {
		return fmt.Errorf("its arrays take %d bytes and there are %d", at, data)
	}
	return nil
}

// wholeParams gives whole numbers of a header, which JSON does not tell from
// others, their type.
func wholeParams(params map[string]any) map[string]any {
	for key, v := range params {
		number, ok := v.(json.Number)
		if !ok {
			continue
		}
		if i, err := number.Int64(); err == nil {
			params[key] = int(i)
		} else if f, err := number.Float64(); err == nil {
			params[key] = f
		}
	}
	return params
}

const sumSize = sha256.Size
