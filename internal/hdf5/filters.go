package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// filter is a step that each chunk went through when it was written.
type filter struct {
	id     int
	values []uint32
}

// The numbers of filters.
const (
	deflate   = 1
	shuffle   = 2
	fletcher  = 3
	lzf       = 32000
	zstandard = 32015
)

var filterNames = map[int]string{
	deflate: "gzip", shuffle: "shuffle", fletcher: "fletcher32", 4: "szip", 5: "nbit", 6: "scaleoffset",
	305: "LZO", 307: "bzip2", lzf: "LZF", 32001: "blosc", 32004: "LZ4", 32008: "bitshuffle", 32013: "zfp", zstandard: "zstd", 32026: "blosc2",
}

func (f filter) name() string {
	if name, known := filterNames[f.id]; known {
		return name
	}
	return fmt.Sprintf("number %d", f.id)
}

// readFilters reads the pipeline of filters, all of which must be known.
func readFilters(c *cursor) ([]filter, error) {
	version, count := c.u8(), c.u8()
	if version == 1 {
		c.skip(6)
	} else if version != 2 && c.err == nil {
		return nil, damaged("version %d of a pipeline of filters is not known", version)
	}
	var all []filter
	for range count {
		f := filter{id: c.u16()}
		name := 0
		if version == 1 || f.id >= 256 {
			name = c.u16()
		}
		c.skip(2)
		values := c.u16()
		if version == 1 {
			name += -name & 7
		}
		c.skip(name)
		for range values {
			if v := c.u32(); c.err == nil {
				f.values = append(f.values, v)
			}
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		if c.err != nil {
			return nil, c.err
		}
		switch f.id {
		case deflate, shuffle, fletcher, lzf, zstandard:
		default:
			err := fmt.Errorf("its filter %s is not read here: write it again with gzip, as in h5repack -f GZIP=4 old.h5 new.h5", f.name())
			if f.id >= 256 { // h5repack leaves it as it is without a word of failure
				err = fmt.Errorf("%w, which needs the plugin of the filter (HDF5_PLUGIN_PATH)", err)
			}
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// unpacker undoes filters. It has buffers of its own, which hold one chunk each.
type unpacker struct {
	filters []filter
	most    int // bytes of a chunk
	a, b    []byte
	inflate io.ReadCloser
	zstd    *zstd.Decoder
}

// slack is what a filter may add to a chunk: checksums.
const slack = 64

// unpack returns the chunk that the stored bytes make, valid until the next call.
func (u *unpacker) unpack(p []byte, mask uint32) ([]byte, error) {
	for i := len(u.filters) - 1; i >= 0; i-- {
		f := u.filters[i]
		if mask>>min(i, 31)&1 != 0 {
			continue
		}
		var err error
		switch f.id {
		case deflate:
			p, err = u.from(p, u.openInflate)
		case zstandard:
			p, err = u.from(p, u.openZstd)
		case shuffle:
			p = u.unshuffle(p, f.values)
		case fletcher:
			p, err = checkFletcher(p)
		case lzf:
			p, err = u.fromLZF(p)
		}
		if err != nil {
			return nil, damaged("a chunk cannot be unpacked by %s (%w)", f.name(), err)
		}
	}
	return p, nil
}

// room is the buffer in which p is not.
func (u *unpacker) room(p []byte) []byte {
	if u.a == nil {
		u.a = make([]byte, u.most+slack)
	}
	if len(p) == 0 || &p[:1][0] != &u.a[0] {
		return u.a
	}
	if u.b == nil {
		u.b = make([]byte, u.most+slack)
	}
	return u.b
}

// from reads what a decoder makes of p, to its end.
func (u *unpacker) from(p []byte, open func(r io.Reader) (io.Reader, error)) ([]byte, error) {
	to := u.room(p)
	r, err := open(bytes.NewReader(p))
	if err != nil {
		return nil, err
	}
	n, err := io.ReadFull(r, to)
	switch {
	case err == nil:
		return nil, errors.New("it unfolds to more than a chunk")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		if n == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		// ReadFull gives io.ErrUnexpectedEOF for the proper end, too: what a decoder lacks, it says again.
		if _, again := r.Read(make([]byte, 1)); !errors.Is(again, io.EOF) {
			return nil, again
		}
		return to[:n], nil
	}
	return nil, err
}

func (u *unpacker) openInflate(r io.Reader) (io.Reader, error) {
	if u.inflate != nil {
		return u.inflate, u.inflate.(zlib.Resetter).Reset(r, nil)
	}
	var err error
	u.inflate, err = zlib.NewReader(r)
	return u.inflate, err
}

func (u *unpacker) openZstd(r io.Reader) (io.Reader, error) {
	if u.zstd != nil {
		return u.zstd, u.zstd.Reset(r)
	}
	var err error
	u.zstd, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(uint64(max(u.most, zstd.MinWindowSize))), zstd.WithDecoderMaxMemory(uint64(u.most+slack)))
	return u.zstd, err
}

// unshuffle puts the bytes of each element together. What is left over at the end was not shuffled.
func (u *unpacker) unshuffle(p []byte, values []uint32) []byte {
	if len(values) == 0 || values[0] < 2 || uint64(values[0]) > uint64(len(p)) {
		return p
	}
	size := int(values[0])
	n := len(p) / size
	to := u.room(p)
	if len(to) < len(p) {
		return p // more than a chunk, which is refused
	}
	to = to[:len(p)]
	switch size {
	case 4:
		a, b, c, d := p[:n], p[n:2*n], p[2*n:3*n], p[3*n:4*n]
		for i := range n {
			binary.LittleEndian.PutUint32(to[4*i:], uint32(a[i])|uint32(b[i])<<8|uint32(c[i])<<16|uint32(d[i])<<24)
		}
	default:
		for k := range size {
			from := p[k*n : (k+1)*n]
			for i, v := range from {
				to[i*size+k] = v
			}
		}
	}
	copy(to[n*size:], p[n*size:])
	return to
}

// checkFletcher verifies the checksum at the end of p, and removes it.
func checkFletcher(p []byte) ([]byte, error) {
	if len(p) < 4 {
		return nil, io.ErrUnexpectedEOF
	}
	p, said := p[:len(p)-4], binary.LittleEndian.Uint32(p[len(p)-4:])
	sum := fletcher32(p)
	turned := sum&0xff00ff00>>8 | sum&0x00ff00ff<<8 // as written by the library before 1.6.3
	if said != sum && said != turned {
		return nil, errors.New("its checksum is wrong")
	}
	return p, nil
}

// fletcher32 is the checksum of words of two bytes, the high one first.
func fletcher32(p []byte) uint32 {
	var a, b uint32
	for words := len(p) / 2; words > 0; {
		n := min(words, 360)
		words -= n
		for range n {
			a += uint32(p[0])<<8 | uint32(p[1])
			b += a
			p = p[2:]
		}
		a, b = a&0xffff+a>>16, b&0xffff+b>>16
	}
	if len(p) == 1 {
		a += uint32(p[0]) << 8
		b += a
		a, b = a&0xffff+a>>16, b&0xffff+b>>16
	}
	a, b = a&0xffff+a>>16, b&0xffff+b>>16
	return b<<16 | a
}

// fromLZF unpacks what LibLZF packed: runs of bytes, and copies of earlier ones.
func (u *unpacker) fromLZF(p []byte) ([]byte, error) {
	to, at := u.room(p), 0
	for len(p) > 0 {
		control := int(p[0])
		if p = p[1:]; control < 32 {
			n := control + 1
			if n > len(p) || n > len(to)-at {
				return nil, io.ErrUnexpectedEOF
			}
			at += copy(to[at:], p[:n])
			p = p[n:]
			continue
		}
		n := control >> 5
		if n == 7 {
			if len(p) == 0 {
				return nil, io.ErrUnexpectedEOF
			}
			n += int(p[0])
			p = p[1:]
		}
		if len(p) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		from := at - (control&31<<8 | int(p[0])) - 1
		p = p[1:]
		if n += 2; from < 0 || n > len(to)-at {
			return nil, errors.New("a copy from nowhere")
		}
		for range n {
			to[at] = to[from]
			at, from = at+1, from+1
		}
	}
	return to[:at], nil
}
