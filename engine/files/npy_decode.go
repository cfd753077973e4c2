package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"unsafe"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// decoder converts the data of an array as it is read. If the file has
// the type of the destination, bytes are read directly into place; everything else
// goes through a buffer that stays in the cache.
type decoder[D element] struct {
	r       io.Reader
	dtype   dtype
	direct  bool
	convert func(dst []D, src []byte) error
	words   []uint64 // the buffer, aligned for every type
	done    int64    // bytes read
	total   int64    // bytes declared
}

// decoderBuffer is the size of the buffer in words of eight bytes.
const decoderBuffer = 1 << 13

func newDecoder[D element](r io.Reader, t dtype, total int64) *decoder[D] {
	d := &decoder[D]{r: r, dtype: t, total: total, convert: conversion[D](t)}
	_, floats := any(*new(D)).(float64)
	d.direct = t.size == 8 && !t.swap && (floats && t.kind == 'f' || !floats && t.kind == 'i')
	if !d.direct {
		d.words = make([]uint64, min(decoderBuffer, (total+7)/8))
	}
	return d
}

// fill reads the next len(dst) elements.
func (d *decoder[D]) fill(dst []D) error {
	if d.direct {
		return d.read(bytesOf(dst))
	}
	buffer := bytesOf(d.words)
	size := d.dtype.size
	for len(dst) > 0 {
		n := min(len(dst), len(buffer)/size)
		chunk := buffer[:n*size]
		if err := d.read(chunk); err != nil {
			return err
		}
		if d.dtype.swap {
			swapBytes(chunk, size)
		}
		if err := d.convert(dst[:n], chunk); err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

func (d *decoder[D]) read(p []byte) error {
	n, err := readFull(d.r, p)
	d.done += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return truncated(d.done, d.total)
	}
	return err
}

// conversion returns the function that widens elements of type t, in the
// machine's byte order and aligned.
func conversion[D element](t dtype) func(dst []D, src []byte) error {
	switch {
	case t.kind == 'f' && t.size == 2:
		return fromHalf[D]
	case t.kind == 'f' && t.size == 4:
		return fromFloats[float32, D]
	case t.kind == 'f':
		return fromFloats[float64, D]
	case t.kind == 'b':
		return fromBool[D]
	case t.kind == 'i' && t.size == 1:
		return widen[int8, D]
	case t.kind == 'i' && t.size == 2:
		return widen[int16, D]
	case t.kind == 'i' && t.size == 4:
		return widen[int32, D]
	case t.kind == 'i':
		return widen[int64, D]
	case t.size == 1:
		return widen[uint8, D]
	case t.size == 2:
		return widen[uint16, D]
	case t.size == 4:
		return widen[uint32, D]
	}
	return fromUint64[D]
}

type stored interface {
	neighbors.Number | int64 | uint64
}

func widen[S stored, D element](dst []D, src []byte) error {
	for i, v := range viewOf[S](src)[:len(dst)] {
		dst[i] = D(v)
	}
	return nil
}

// fromFloats converts to int64, and refuses numbers with a fraction.
func fromFloats[S float32 | float64, D element](dst []D, src []byte) error {
	if _, floats := any(*new(D)).(float64); floats {
		return widen[S](dst, src)
	}
	for i, v := range viewOf[S](src)[:len(dst)] {
		if err := checkWhole(float64(v)); err != nil {
			return err
		}
		dst[i] = D(v)
	}
	return nil
}

func checkWhole(v float64) error {
	if v != math.Trunc(v) || math.Abs(v) >= 1<<63 {
		return fmt.Errorf("an entry is %v, and no whole number", v)
	}
	return nil
}

// fromUint64 refuses numbers beyond int64; as float64 they are only rounded.
func fromUint64[D element](dst []D, src []byte) error {
	_, floats := any(*new(D)).(float64)
	for i, v := range viewOf[uint64](src)[:len(dst)] {
		if !floats && v > math.MaxInt64 {
			return errors.New("an entry is beyond the largest int64, 2⁶³ − 1")
		}
		dst[i] = D(v)
	}
	return nil
}

func fromBool[D element](dst []D, src []byte) error {
	for i, v := range src[:len(dst)] {
		dst[i] = 0
		if v != 0 {
			dst[i] = 1
		}
	}
	return nil
}

func fromHalf[D element](dst []D, src []byte) error {
	_, floats := any(*new(D)).(float64)
	for i, half := range viewOf[neighbors.Float16](src)[:len(dst)] {
		v := half.Float64()
		if !floats {
			if err := checkWhole(v); err != nil {
				return err
			}
		}
		dst[i] = D(v)
	}
	return nil
}

// swapBytes reverses the bytes of every element in place.
func swapBytes(p []byte, size int) {
	switch size {
	case 2:
		for i, v := range viewOf[uint16](p) {
			viewOf[uint16](p)[i] = bits.ReverseBytes16(v)
		}
	case 4:
		for i, v := range viewOf[uint32](p) {
			viewOf[uint32](p)[i] = bits.ReverseBytes32(v)
		}
	case 8:
		for i, v := range viewOf[uint64](p) {
			viewOf[uint64](p)[i] = bits.ReverseBytes64(v)
		}
	}
}

// bytesOf and viewOf return the same memory as bytes and as numbers. The bytes
// for viewOf must be aligned for T, as in a decoder's buffer.
func bytesOf[T stored](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

func viewOf[T stored](p []byte) []T {
	var one T
	n := len(p) / int(unsafe.Sizeof(one))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&p[0])), n)
}
