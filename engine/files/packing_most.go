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
// the content is unfolded to its end. 0: not known.
func (p packing) most(s source) int64 {
	f, ok := s.Reader.(inputFile)
	if !ok || s.size < 0 {
		return 0
	}
	if p == gzipped {
		return product(s.size, deflateRatio)
	}
	if s.size <= walkedFrames {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			return mostOfFrames(bufio.NewReaderSize(io.NewSectionReader(f, at, s.size), 1<<16))
		}
	}
	return product(s.size, zstdRatio)
}

// product is a · b, at most the largest number there is.
func product(a, b int64) int64 {
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// mostOfFrames adds up what frames say of their content, and blocks of those that do not. 0:
// they cannot be read, and decoding them will say why.
func mostOfFrames(r *bufio.Reader) int64 {
	var total int64
	for {
		start, err := r.Peek(zstd.HeaderMaxSize)
		if len(start) == 0 && errors.Is(err, io.EOF) {
			return total
		}
		var h zstd.Header
		if h.Decode(start) != nil {
			return 0
		}
		if !skipped(r, int64(h.HeaderSize)) {
			return 0
		}
		if h.Skippable {
			if !skipped(r, int64(h.SkippableSize)) {
				return 0
			}
			continue
		}
		content, whole := mostOfBlocks(r)
		if !whole {
			return 0
		}
		if h.HasFCS && h.FrameContentSize <= uint64(content) {
			content = int64(h.FrameContentSize)
		}
		if total += content; total < 0 || h.HasCheckSum && !skipped(r, 4) {
			return 0
		}
	}
}

// mostOfBlocks is the most that the blocks of a frame unfold to, and whether its last was found.
func mostOfBlocks(r *bufio.Reader) (content int64, whole bool) {
	const raw, repeated, compressed = 0, 1, 2
	for {
		var head [3]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return 0, false
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
			return 0, false
		}
		if !skipped(r, size) {
			return 0, false
		}
		if last {
			return content, true
		}
	}
}

// skipped passes over count bytes, and reports whether they were there.
func skipped(r *bufio.Reader, count int64) bool {
	n, err := r.Discard(int(count))
	return err == nil && n == int(count)
}
