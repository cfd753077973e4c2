package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

var errUnfolds = errors.New("it unfolds to more than its header claims")

// maxUnfolded is how many bytes one byte may at most unpack to, where memory is
// taken before the bytes come.
var maxUnfolded = map[format.CompressionCodec]int{format.Snappy: 32, format.Lz4Raw: 256, format.Zstd: 1 << 16}

// checkFold refuses a size that the packed bytes cannot unfold to.
func checkFold(codec format.CompressionCodec, packed, size int) error {
	if most, bound := maxUnfolded[codec]; bound && size > most*packed+1<<10 {
		return fmt.Errorf("a page of %d bytes claims to unfold to %d: the file is damaged", packed, size)
	}
	return nil
}

// decoders are what all columns of a file use after each other.
type decoders struct {
	gzip   gzip.Reader
	brotli brotli.Reader
	window int // that brotli has by now
}

// decompress unfolds src, to size bytes at most, into the memory of dst if that is
// large enough. The library's own codecs are not asked: they go on taking memory
// for as long as damaged bytes ask for it.
func (d *decoders) decompress(codec format.CompressionCodec, dst, src []byte, size int) ([]byte, error) {
	var err error
	switch codec {
	case format.Uncompressed:
		return src, nil
	case format.Snappy:
		dst, err = unsnap(dst, src, size)
	case format.Lz4Raw:
		dst = room(dst, size)
		n := 0
		if n, err = lz4.UncompressBlock(src, dst); err == nil {
			dst = dst[:n]
		}
	case format.Gzip:
		if err = d.gzip.Reset(bytes.NewReader(src)); err == nil {
			dst, err = unfold(&d.gzip, dst, size)
		}
	case format.Brotli:
		if err = d.brotli.Reset(bytes.NewReader(src)); err == nil {
			dst, err = unfold(&d.brotli, dst, size)
		}
	case format.Zstd:
		var d *zstd.Decoder
		if d, err = zstdDecoder(); err == nil {
			dst, err = d.DecodeAll(src, room(dst, size)[:0:size])
		}
	default:
		return nil, fmt.Errorf("it is compressed by %s, which is not supported: write it with snappy or zstd", codec)
	}
	if err != nil {
		return nil, fmt.Errorf("a page is no %s data (%w): the file is damaged", codec, err)
	}
	return dst, nil
}

// zstdDecoder never gives more than the memory it is handed.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

func unsnap(dst, src []byte, size int) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err == nil && n > size {
		err = errUnfolds
	}
	if err != nil {
		return nil, err
	}
	return snappy.Decode(room(dst, n), src)
}

// unfold takes memory as the bytes come.
func unfold(r io.Reader, dst []byte, size int) ([]byte, error) {
	for dst = dst[:0]; ; {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, max(1<<12, min(len(dst), size-len(dst))))
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst) > size:
			return nil, errUnfolds
		case errors.Is(err, io.EOF):
			return dst, nil
		case err != nil:
			return nil, err
		}
	}
}

// room returns a slice of n bytes, in the memory of b if that is large enough.
// Memory of its own lies where numbers of 64 bits may.
func room(b []byte, n int) []byte {
	if cap(b) < n {
		b = make([]byte, max(n, 16), (max(n, 16)+7)/8*8)
	}
	return b[:n]
}
