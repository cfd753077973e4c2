// Package pages makes large slices whose memory the operating system is asked to hold in
// huge pages. A page is cleared and entered in the page table when it is first touched, so that
// with small pages a slice of a gigabyte takes a quarter of a million faults, and a search through
// it misses the cache of the page table at every step.
package pages

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

const (
	// huge is the size of a huge page, in bytes.
	huge = 1 << 21
	// least is the size of a slice from which huge pages are asked for.
	least = 2 * huge
	// roomy is the size of a slice for which it is worth a collection of unused memory first.
	roomy = 1 << 23
	// reused is the size from which it is worth to give unused memory back to the system, or to collect it for others.
	reused = 1 << 26
)

// Number is an element without pointers.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Make is make([]T, n), of zeros, with the advice to hold it in huge pages where it is
// large. Where the system knows no such advice it is make alone.
func Make[T Number](n int) []T {
	x := make([]T, n)
	Advise(x)
	return x
}

// Advise gives the same advice for an existing slice; memory that has been touched before stays in
// its pages.
func Advise[T Number](x []T) {
	if b := whole(x[:cap(x)]); b != nil {
		advise(b)
	}
}

// whole are the huge pages that a slice has to itself: those at its ends may belong to others,
// too. It is nil where the slice is too small to be worth it.
func whole[T Number](x []T) []byte {
	first, bytes := unsafe.Pointer(unsafe.SliceData(x)), uintptr(len(x))*unsafe.Sizeof(*new(T))
	if bytes < least {
		return nil
	}
	skip := -uintptr(first) & (huge - 1)
	return unsafe.Slice((*byte)(unsafe.Add(first, skip)), (bytes-skip)&^(huge-1))
}

// MakeAfterRelease is [Make], but for a large slice it first collects unused memory, and for a very large one gives it
// back to the system: what is given back splits huge pages, and is taken again in small ones.
func MakeAfterRelease[T Number](n int) []T {
	switch bytes := uintptr(n) * unsafe.Sizeof(*new(T)); {
	case bytes >= reused:
		debug.FreeOSMemory()
	case bytes >= roomy:
		runtime.GC()
	}
	return Make[T](n)
}

// ReleaseUnused gives unused memory back to the system, if this many bytes of it are known: the next
// allocations would not fit into that.
func ReleaseUnused(bytes int64) {
	if bytes >= reused {
		debug.FreeOSMemory()
	}
}

// Reuse collects unused memory, if this many bytes of it are known, for the next slices.
func Reuse(bytes int64) {
	if bytes >= reused {
		runtime.GC()
	}
}

// Release lets the system have the memory of a slice whose content is of no use any more:
// its pages cost nothing until they are written to again. Its content is then undefined.
func Release[T Number](x []T) {
	if b := whole(x); b != nil {
		release(b)
	}
}

// reservedBytes is the most that was reserved so far.
var reservedBytes atomic.Int64

// Reserve lets the heap lie in huge pages from here on, up to this many bytes: slices of any size are then in
// them, where [Make] has only large ones in them. The advice is for addresses, so it outlives the slices that it is
// given for, and less than was reserved before changes nothing. Memory is taken from the system when it is used, as always.
func Reserve(bytes int64) {
	for {
		before := reservedBytes.Load()
		if bytes <= before {
			return
		}
		if reservedBytes.CompareAndSwap(before, bytes) {
			break
		}
	}
	// In parts, as a slice that has some memory in it that was used before is cleared, and so taken, as a whole.
	var parts [][]byte
	for ; bytes > 0; bytes -= least {
		part := make([]byte, least)
		advise(part)
		parts = append(parts, part)
	}
	runtime.KeepAlive(parts)
	debug.FreeOSMemory()
}
