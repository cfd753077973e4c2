package parquet

import (
	"encoding/binary"
	"errors"
)

// Levels, places in a dictionary and some booleans come as runs of one value
// between stretches of packed bits. A run of a few bytes may represent 2³¹ values,
// so they are produced on request and are never in memory together.

var errRuns = errors.New("a page holds fewer values than its header claims: the file is damaged")

type runs struct {
	rest  []byte
	width int // of a value in bits, up to 32

	value  int32 // of the present run …
	left   int   // … and how often it is still to come
	packed int   // or the packed values left
	bits   uint64
	have   int // bits
}

// next fills dst.
func (r *runs) next(dst []int32) error {
	if r.width == 0 { // a single value needs no bits
		clear(dst)
		return nil
	}
	for len(dst) > 0 {
		n := len(dst)
		switch {
		case r.left > 0:
			n = min(n, r.left)
			for i := range dst[:n] {
				dst[i] = r.value
			}
			r.left -= n
		case r.packed > 0:
			n = min(n, r.packed)
			r.unpack(dst[:n])
			r.packed -= n
		default:
			n = 0
			if err := r.begin(); err != nil {
				return err
			}
		}
		dst = dst[n:]
	}
	return nil
}

// begin reads the header of a run or a stretch.
func (r *runs) begin() error {
	head, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return errRuns
	}
	r.rest = r.rest[n:]
	if count := head >> 1; head&1 == 1 {
		if count > uint64(len(r.rest)/r.width) { // it comes in groups of eight values
			return errRuns
		}
		r.packed, r.bits, r.have = 8*int(count), 0, 0
		return nil
	}
	size := (r.width + 7) / 8
	if size > len(r.rest) || head>>1 > 1<<32 {
		return errRuns
	}
	var value [4]byte
	copy(value[:], r.rest[:size])
	r.value, r.left, r.rest = int32(binary.LittleEndian.Uint32(value[:])), int(head>>1), r.rest[size:]
	return nil
}

// unpack takes values whose bits begin has found to be there.
func (r *runs) unpack(dst []int32) {
	mask := uint64(1)<<r.width - 1
	for i := range dst {
		for r.have < r.width {
			r.bits |= uint64(r.rest[0]) << r.have
			r.have += 8
			r.rest = r.rest[1:]
		}
		dst[i] = int32(r.bits & mask)
		r.bits >>= r.width
		r.have -= r.width
	}
}
