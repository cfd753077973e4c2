package files

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/klauspost/compress/zstd"
)

// packing is the compression of a file of any format, recognised by a second
// extension and, for standard input, by the first bytes.
type packing int

const (
	unpacked packing = iota
	gzipped
	zstandard
)

func (p packing) String() string { return [...]string{"uncompressed", "gzip", "zstd"}[p] }

func packingOf(extension string) packing {
	switch extension {
	case ".gz":
		return gzipped
	case ".zst":
		return zstandard
	}
	return unpacked
}

// sniff recognises the compression by the first bytes of a file. No uncompressed format
// begins with them.
func sniff(start []byte) packing {
	switch {
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		return gzipped
	case bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return zstandard
	}
	return unpacked
}

// sniffLength is the number of bytes that sniff needs.
const sniffLength = 4

// The memory of a zstd decoder is the window that the file requests. The
// zstd command itself requires a flag beyond largeWindow, and every decoder must
// accept smallWindow.
const (
	smallWindow = 8 << 20
	largeWindow = 128 << 20
)

// unpack returns the content of a compressed source, whose length is unknown. It
// returns its own error for truncated data: io.ErrUnexpectedEOF
// would look like the end of a text.
func (p packing) unpack(s source, b budget) (source, error) {
	if p == unpacked {
		return s, nil
	}
	u := &unpacker{packing: p}
	out := source{Reader: u, size: -1, close: s.close}
	most, err := p.most(s)
	if err != nil {
		return out, u.explain(err)
	}
	out.most = most
	if p == gzipped {
		r, err := gzip.NewReader(s.Reader)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return out, errors.New("the file is empty")
			}
			return out, u.explain(err)
		}
		u.r = r
		return out, nil
	}
	start := bufio.NewReaderSize(s.Reader, 1<<16)
	window := uint64(largeWindow)
	if b.bounded() { // the window of the first frame, if it fits into a quarter of the memory
		most := max(smallWindow, min(largeWindow, uint64(b.left()/(4*windowCopies))))
		first, err := firstWindow(start)
		if err != nil {
			return out, u.explain(err)
		}
		window = max(smallWindow, min(first, most))
		out.window = windowCopies * float64(window)
	}
	r, err := zstd.NewReader(start, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return out, u.explain(err)
	}
	u.r = r
	out.close = func() error { r.Close(); return s.Close() }
	return out, nil
}

// windowCopies is the memory of a decoder in windows, including its blocks.
const windowCopies = 1.25

// firstWindow returns the window that the first frame requests.
func firstWindow(r *bufio.Reader) (uint64, error) {
	start, err := r.Peek(zstd.HeaderMaxSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	var h zstd.Header
	switch {
	case h.Decode(start) != nil:
		return 0, nil // decoding it will say what is wrong
	case h.SingleSegment:
		return h.FrameContentSize, nil
	}
	return h.WindowSize, nil
}

// unpacker words the errors of a decompressor.
type unpacker struct {
	r       io.Reader
	packing packing
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		err = u.explain(err)
	}
	return n, err
}

func (u *unpacker) explain(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s data end early (truncated?)", u.packing)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		return fmt.Errorf("these are not %s data, or something else follows them", u.packing)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return errors.New("its zstd window is larger than the memory allows: compress it without its long mode")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return fmt.Errorf("the checksum of the %s data is wrong: the file is damaged", u.packing)
	case corrupt, u.packing == zstandard:
		return fmt.Errorf("the %s data are damaged (%w)", u.packing, err)
	}
	return err
}

// unpackInput examines the first bytes of standard input, which has no name to
// show its compression.
func unpackInput(s source, b budget) (source, error) {
	var start [sniffLength]byte
	if f, ok := s.Reader.(inputFile); ok && s.size >= 0 {
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return s, err
		}
		n, err := f.ReadAt(start[:], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return s, err
		}
		return sniff(start[:n]).unpack(s, b)
	}
	n, err := io.ReadFull(s.Reader, start[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return s, err
	}
	s.Reader = io.MultiReader(bytes.NewReader(start[:n]), s.Reader)
	return sniff(start[:n]).unpack(s, b)
}

// checkPlain refuses a file that is compressed without the extension for it.
func checkPlain(f io.ReaderAt) error {
	var start [sniffLength]byte
	n, err := f.ReadAt(start[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if p := sniff(start[:n]); p != unpacked {
		return fmt.Errorf("the file is compressed by %s: add %s to its name", p, [...]string{gzipped: ".gz", zstandard: ".zst"}[p])
	}
	return nil
}

// pack returns a writer that compresses to w. The same content gives the same bytes.
func (p packing) pack(w io.Writer) (io.WriteCloser, error) {
	if p == gzipped {
		return gzip.NewWriter(w), nil
	}
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
}

const (
	// deflateRatio is the largest compression ratio of deflate: 258 bytes from two bits.
	deflateRatio = 1032
	// zstdRatio is the largest compression ratio of zstd: a block of 128 KiB from its header and one byte.
	zstdRatio = zstdBlock / 4
	zstdBlock = 128 << 10
	// walkedFrames is the length up to which the blocks of a zstd file are enumerated without
	// decompression; a longer file cannot claim much more than it holds.
	walkedFrames = 16 << 20
)

// most returns an upper bound of the content of a compressed file, from its length, and for zstd from the
// headers of its frames and blocks. An array header that claims more is refused before
// the content is decompressed to its end. 0: unknown. The error is an error of reading.
func (p packing) most(s source) (int64, error) {
	f, ok := s.Reader.(inputFile)
	if !ok || s.size < 0 {
		return 0, nil
	}
	if p == gzipped {
		return product(s.size, deflateRatio), nil
	}
	if s.size <= walkedFrames {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			return maxOfFrames(bufio.NewReaderSize(io.NewSectionReader(f, at, s.size), 1<<16))
		}
	}
	return product(s.size, zstdRatio), nil
}

// product returns a · b, saturating at the largest number.
func product(a, b int64) int64 {
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// maxOfFrames sums the declared contents of frames, and the bounds of blocks for frames without one. 0:
// they are not valid frames, and decoding reports the error.
func maxOfFrames(r *bufio.Reader) (int64, error) {
	var total int64
	for {
		start, err := r.Peek(zstd.HeaderMaxSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if len(start) == 0 {
			return total, nil
		}
		var h zstd.Header
		if h.Decode(start) != nil {
			return 0, nil
		}
		if err := skip(r, int64(h.HeaderSize)); err != nil {
			return notCut(err)
		}
		if h.Skippable {
			if err := skip(r, int64(h.SkippableSize)); err != nil {
				return notCut(err)
			}
			continue
		}
		content, err := maxOfBlocks(r)
		if err != nil {
			return notCut(err)
		}
		if h.HasFCS && h.FrameContentSize <= uint64(content) {
			content = int64(h.FrameContentSize)
		}
		if total += content; total < 0 {
			return 0, nil
		}
		if h.HasCheckSum {
			if err := skip(r, 4); err != nil {
				return notCut(err)
			}
		}
	}
}

// errReserved is a kind of block that the format does not have.
var errReserved = errors.New("a reserved kind of block")

// notCut drops the errors of files that are truncated or are not frames: decoding reports these.
func notCut(err error) (int64, error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errReserved) {
		return 0, nil
	}
	return 0, err
}

// maxOfBlocks returns an upper bound of the content of the blocks of a frame.
func maxOfBlocks(r *bufio.Reader) (content int64, err error) {
	const raw, repeated, compressed = 0, 1, 2
	for {
		var head [3]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return 0, err
		}
		block := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
		last, kind, size := block&1 == 1, block>>1&3, block>>3
		switch kind {
		case raw:
			content += size
		case repeated:
			content, size = content+size, 1
		case compressed:
			content += zstdBlock
		default:
			return 0, errReserved
		}
		if err := skip(r, size); err != nil {
			return 0, err
		}
		if last {
			return content, nil
		}
	}
}

// skip skips count bytes.
func skip(r *bufio.Reader, count int64) error {
	_, err := r.Discard(int(count))
	return err
}
