package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	compact "github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/orthant-go/orthant/engine/files"
)

// A page begins with a header, a Thrift structure as the footer is one. What it
// claims is compared with the bytes of the file, and with the values that the row
// group still owes, before memory is taken for it.

// pages gives the pages of a column within a row group, one after the other.
type pages struct {
	file    *io.SectionReader
	at, end int64 // the bytes that are left
	codec   format.CompressionCodec
	values  int // that are still to come

	memory   *files.Memory
	decoders *decoders
	scratch  *[]byte  // for headers and what is compressed, which all columns share
	buffers  *buffers // for what is still read from after other columns had their turn
}

// buffers are the memory of a column, while it has some.
type buffers struct {
	own     []byte // a page
	kept    []byte // the dictionary
	decoded []byte // values that are not plain
}

func (b *buffers) empty() bool { return b.own == nil && b.kept == nil && b.decoded == nil }

// largestHeader bounds the header of a page, some tens of bytes for a column of numbers.
const largestHeader = 1 << 20

// begin turns to a row group.
func (p *pages) begin(chunk *format.ColumnChunk, values int) error {
	m := &chunk.MetaData
	switch {
	case chunk.FilePath != "":
		return fmt.Errorf("its values are in another file, %q: write a file that holds them all", chunk.FilePath)
	case chunk.CryptoMetadata.Value != nil:
		return errors.New("it is encrypted: write it without encryption")
	}
	p.codec, p.values = m.Codec, values
	p.at = m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		p.at = m.DictionaryPageOffset
	}
	if p.at < int64(len(magic)) || m.TotalCompressedSize < 0 || m.TotalCompressedSize > p.file.Size()-p.at {
		return errors.New("its place is outside of the file: the file is damaged")
	}
	p.end = p.at + m.TotalCompressedSize
	return nil
}

// next returns the header of the next page and what follows it, which is good
// until next is called again. The end is io.EOF.
func (p *pages) next() (*format.PageHeader, []byte, error) {
	if p.at == p.end {
		return nil, nil, io.EOF
	}
	h, err := p.header()
	if err != nil {
		return nil, nil, err
	}
	size := int64(h.CompressedPageSize)
	if size < 0 || size > p.end-p.at || h.UncompressedPageSize < 0 {
		return nil, nil, fmt.Errorf("a page claims %d bytes, %d unfolded, where %d are left: the file is damaged",
			size, h.UncompressedPageSize, p.end-p.at)
	}
	memory := p.scratch
	if p.codec == format.Uncompressed {
		memory = &p.buffers.own
	}
	body, err := p.memory.Grow("a page", *memory, int(size))
	if err != nil {
		return nil, nil, err
	}
	*memory = body
	if err := readAt(p.file, body, p.at); err != nil {
		return nil, nil, err
	}
	p.at += size
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(body) {
		return nil, nil, errors.New("the checksum of a page is wrong: the file is damaged")
	}
	return h, body, nil
}

// header reads as far as the header goes, which it does not say itself.
func (p *pages) header() (*format.PageHeader, error) {
	for size := int64(256); ; size *= 4 {
		window, err := p.memory.Grow("the header of a page", *p.scratch, int(min(size, p.end-p.at)))
		if err != nil {
			return nil, err
		}
		*p.scratch = window
		if err := readAt(p.file, window, p.at); err != nil {
			return nil, err
		}
		walk := thrift{rest: window}
		if walk.structure(0) != nil {
			if size < min(largestHeader, p.end-p.at) {
				continue
			}
			return nil, errors.New("the header of a page is damaged")
		}
		length := len(window) - len(walk.rest)
		h := new(format.PageHeader)
		if err := compact.Unmarshal(new(compact.CompactProtocol), window[:length], h); err != nil {
			return nil, fmt.Errorf("the header of a page is damaged (%w)", err)
		}
		p.at += int64(length)
		return h, nil
	}
}

// take accounts for the values of a page.
func (p *pages) take(count int32) (int, error) {
	if count < 0 || int(count) > p.values {
		return 0, fmt.Errorf("a page claims %d values where %d are left: the file is damaged", count, p.values)
	}
	p.values -= int(count)
	return int(count), nil
}

// unfold decompresses what a page holds, of which the header claims this many bytes
// and the format allows at most this many.
func (p *pages) unfold(body []byte, claimed int32, most int) ([]byte, error) {
	if p.codec == format.Uncompressed {
		return body, nil
	}
	if claimed == 0 {
		return nil, nil
	}
	if int(claimed) > most {
		return nil, fmt.Errorf("a page claims to unfold to %d bytes, more than its values can take: the file is damaged", claimed)
	}
	if err := checkFold(p.codec, len(body), int(claimed)); err != nil {
		return nil, err
	}
	if p.memory.Bounded() { // one byte more, to see the end
		own, err := p.memory.Grow("a page", p.buffers.own, int(claimed)+1)
		if err != nil {
			return nil, err
		}
		p.buffers.own = own
	}
	if window := min(brotliWindow, 2*int(claimed)+1<<20); p.codec == format.Brotli && window > p.decoders.window {
		if err := p.memory.Take("the window of brotli", window-p.decoders.window); err != nil {
			return nil, err
		}
		p.decoders.window = window
	}
	content, err := p.decoders.decompress(p.codec, p.buffers.own, body, int(claimed))
	if err == nil && cap(content) > cap(p.buffers.own) {
		p.buffers.own = content
	}
	return content, err
}

// brotliWindow is what a decoder of brotli takes at most.
const brotliWindow = 17 << 20

// keep is unfold for what is not compressed although the codec is one.
func (p *pages) keep(body []byte) ([]byte, error) {
	if p.codec != format.Uncompressed {
		own, err := p.memory.Grow("a page", p.buffers.own, len(body))
		if err != nil {
			return nil, err
		}
		copy(own, body)
		p.buffers.own, body = own, own
	}
	return body, nil
}

// readAt reads all of b.
func readAt(file *io.SectionReader, b []byte, at int64) error {
	n, err := file.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	return err
}

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

// checkDelta checks the header of differences: the length of a block, the
// number of its parts and the number of all values.
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
