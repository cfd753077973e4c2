package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// page is a page of values taken apart.
type page struct {
	count                    int
	encoding                 format.Encoding
	repetitions, definitions runs // where the column has such levels
	data                     []byte
}

// The bytes that a page may take: what is fixed or padding, and for each value its
// levels and itself.
const (
	pageOverhead   = 1 << 20
	bytesOfValue   = 16
	dictionaryFold = 1024 // its entries differ, so no codec folds them further
)

// oldDictionary is what writers of version 1 call a dictionary and the places in it.
const oldDictionary format.Encoding = 2

// open takes a page of either version apart.
func (c *column) open(h *format.PageHeader, body []byte) (page, error) {
	if h.Type == format.DataPageV2 {
		return c.openSecond(h, body)
	}
	if !h.DataPageHeader.Valid {
		return page{}, parquet.ErrMissingPageHeader
	}
	v := &h.DataPageHeader.V
	p := page{encoding: v.Encoding}
	var err error
	if p.count, err = c.pages.take(v.NumValues); err != nil {
		return p, err
	}
	if p.data, err = c.pages.unfold(body, h.UncompressedPageSize, pageOverhead+bytesOfValue*p.count); err != nil {
		return p, err
	}
	if most := c.MaxRepetitionLevel(); most > 0 {
		if p.repetitions, p.data, err = cutLevels(p.data, v.RepetitionLevelEncoding, most); err != nil {
			return p, err
		}
	}
	if most := c.MaxDefinitionLevel(); most > 0 {
		p.definitions, p.data, err = cutLevels(p.data, v.DefinitionLevelEncoding, most)
	}
	return p, err
}

// openSecond takes a page of the second version apart, whose levels are not compressed.
func (c *column) openSecond(h *format.PageHeader, body []byte) (page, error) {
	if !h.DataPageHeaderV2.Valid {
		return page{}, parquet.ErrMissingPageHeader
	}
	v := &h.DataPageHeaderV2.V
	p := page{encoding: v.Encoding}
	repetitions, levels := int(v.RepetitionLevelsByteLength), int(v.RepetitionLevelsByteLength)+int(v.DefinitionLevelsByteLength)
	if repetitions < 0 || levels < repetitions || levels > len(body) {
		return p, errLevels
	}
	p.repetitions = newRuns(body[:repetitions], c.MaxRepetitionLevel())
	p.definitions = newRuns(body[repetitions:levels], c.MaxDefinitionLevel())
	p.data = body[levels:]
	var err error
	if p.count, err = c.pages.take(v.NumValues); err != nil {
		return p, err
	}
	if v.IsCompressed.Valid && !v.IsCompressed.V || len(p.data) == 0 {
		p.data, err = c.pages.keep(p.data)
		return p, err
	}
	p.data, err = c.pages.unfold(p.data, h.UncompressedPageSize, pageOverhead+bytesOfValue*p.count)
	return p, err
}

var errLevels = errors.New("a page is shorter than its levels: the file is damaged")

// cutLevels splits off the levels before what else a page holds.
func cutLevels(data []byte, coded format.Encoding, most int) (runs, []byte, error) {
	if coded != format.RLE {
		return runs{}, nil, fmt.Errorf("its levels are encoded by %s, which is not supported: write it with a newer library", coded)
	}
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return runs{}, nil, errLevels
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	return newRuns(data[4:end], most), data[end:], nil
}

func newRuns(data []byte, most int) runs { return runs{rest: data, width: bits.Len(uint(most))} }

// readDictionary reads the values that pages name by their places.
func (c *column) readDictionary(h *format.PageHeader, body []byte) error {
	if !h.DictionaryPageHeader.Valid {
		return parquet.ErrMissingPageHeader
	}
	v := &h.DictionaryPageHeader.V
	if v.Encoding != format.Plain && v.Encoding != oldDictionary {
		return fmt.Errorf("its dictionary is encoded by %s, which is not supported: write it without", v.Encoding)
	}
	data, err := c.pages.unfold(body, h.UncompressedPageSize, pageOverhead+dictionaryFold*len(body))
	if err != nil {
		return err
	}
	if v.NumValues < 0 {
		return errRuns
	}
	c.entries = int(v.NumValues)
	kept, err := c.pages.memory.Grow("a dictionary", c.pages.buffers.kept, len(data))
	if err != nil {
		return err
	}
	copy(kept, data)
	c.pages.buffers.kept = kept
	c.dict, err = c.decode(format.Plain, kept, c.entries)
	return err
}

// decode turns the bytes of n values into numbers, where they are if they are plain.
func (c *column) decode(coded format.Encoding, data []byte, n int) (none encoding.Values, err error) {
	var memory []byte
	size := n * valueBytes[c.kind]
	if c.kind == parquet.Boolean {
		size = (n + 7) / 8
	}
	switch coded {
	case format.Plain:
		if len(data) < size {
			return none, errRuns
		}
		data = data[:size]
		memory = data
	case format.DeltaBinaryPacked:
		if err := checkDelta(data, n); err != nil {
			return none, err
		}
	case format.ByteStreamSplit:
		if len(data) != size {
			return none, errRuns
		}
	default:
		return none, fmt.Errorf("its values are encoded by %s, which is not supported: write it with encoding PLAIN", coded)
	}
	if coded != format.Plain {
		if memory, err = c.pages.memory.Grow("the values of a page", c.pages.buffers.decoded, size); err != nil {
			return none, err
		}
		c.pages.buffers.decoded = memory
	}
	values, err := c.Type().Decode(c.Type().NewValues(memory, nil), data, parquet.LookupEncoding(coded))
	if err == nil && values.Size() < int64(size) {
		err = errRuns
	}
	return values, err
}

var valueBytes = map[parquet.Kind]int{parquet.Int32: 4, parquet.Int64: 8, parquet.Float: 4, parquet.Double: 8}

// checkDelta looks at what stands before differences: the length of a block, the
// number of its parts and that of all values.
func checkDelta(data []byte, n int) error {
	var head [3]uint64
	for i := range head {
		v, length := binary.Uvarint(data)
		if length <= 0 {
			return errRuns
		}
		head[i], data = v, data[length:]
	}
	// A block takes two bytes at least.
	if block, values := head[0], head[2]; block > 1<<16 || values != uint64(n) || values > 1+block*uint64(1+len(data)/2) {
		return errRuns
	}
	return nil
}
