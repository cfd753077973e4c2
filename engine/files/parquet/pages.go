package parquet

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

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

// unfold decompresses what a page holds, of which the header claims so many bytes
// and the format allows at most so many.
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
