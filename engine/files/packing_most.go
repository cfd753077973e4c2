package files

import (
	"bufio"
	"errors"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

const (
	// deflateRatio is the most that deflate unfolds to, over what it takes: 258 bytes from two bits.
	deflateRatio = 1032
	// zstdRatio is that of zstd: a block of 128 KiB from its header and one byte.
	zstdRatio = zstdBlock / 4
	zstdBlock = 128 << 10
	// walkedFrames is the length up to which a zstd file is walked block by block, without
	// unfolding any; a longer one cannot claim much that it does not hold.
	walkedFrames = 16 << 20
)

// most is the largest content that a packed file can have, by its length, and of zstd by the
// headers of its frames and blocks. A header of an array that claims more is refused before
// the content is unfolded to its end. 0: not known. The error is one of reading.
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
			return mostOfFrames(bufio.NewReaderSize(io.NewSectionReader(f, at, s.size), 1<<16))
		}
	}
	return product(s.size, zstdRatio), nil
}

// product is a · b, at most the largest number there is.
func product(a, b int64) int64 {
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// mostOfFrames adds up what frames say of their content, and blocks of those that do not. 0:
// they cannot be read as frames, and decoding them will say why.
func mostOfFrames(r *bufio.Reader) (int64, error) {
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
		content, err := mostOfBlocks(r)
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

// notCut leaves out the errors of files that are cut off or no frames: decoding words these.
func notCut(err error) (int64, error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errReserved) {
		return 0, nil
	}
	return 0, err
}

// mostOfBlocks is the most that the blocks of a frame unfold to.
func mostOfBlocks(r *bufio.Reader) (content int64, err error) {
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

// skip passes over count bytes.
func skip(r *bufio.Reader, count int64) error {
	_, err := r.Discard(int(count))
	return err
}
