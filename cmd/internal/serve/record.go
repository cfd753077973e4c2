package serve

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/orthant-go/orthant/cmd/internal/library"
)

// A record is a call in a mapped file:
//
//	64 bytes   the name of a function of orthant.h, with zeros behind it
//	8 bytes    the number of its arguments
//	8 bytes    the number of its pointers
//	8 bytes    where the list of pointers begins in the file
//	8 bytes    each argument: a whole number, a handle, or a pointer
//
// The list has two words of 8 bytes for each pointer that is not NULL, be it an argument or a field of a structure: where the
// pointer is in this file, and the number of the file to which it points. There it is a place in that file, which is
// replaced by an address. All structures have the layout that orthant.h has on the 64-bit machine.
const (
	nameBytes  = 64
	headBytes  = nameBytes + 3*8
	mostOfThem = 1 << 20 // pointers
)

// file is a file that both sides have mapped.
type file struct {
	memory []byte
	failed error // it could not be mapped
	unmap  func() error
}

// files are those that are mapped, by number.
type files struct {
	mu   sync.Mutex
	list map[int64]*file
}

// of returns a file that is mapped.
func (f *files) of(number int64) (*file, error) {
	f.mu.Lock()
	one := f.list[number]
	f.mu.Unlock()
	if one == nil {
		return nil, fmt.Errorf("there is no mapped file %d", number)
	}
	return one, one.failed
}

func (f *files) enter(number, size int64, name string, remove bool) {
	one := &file{}
	one.memory, one.unmap, one.failed = mapped(name, size, remove)
	if one.failed != nil {
		one.failed = fmt.Errorf("%s cannot be mapped: %w", name, one.failed)
	}
	f.mu.Lock()
	f.list[number] = one
	f.mu.Unlock()
}

func (f *files) leave(number int64) {
	f.mu.Lock()
	one := f.list[number]
	delete(f.list, number)
	f.mu.Unlock()
	if one != nil && one.unmap != nil {
		one.unmap() // an address range of our own: it does not fail
	}
}

// called carries out the record at a place of a file.
func (f *files) called(number, at int64) (status int32, err error) {
	in, err := f.of(number)
	if err != nil {
		return 0, err
	}
	name, arguments, err := f.placed(in.memory, at)
	if err != nil {
		return 0, err
	}
	return library.Call(name, arguments), nil
}

// placed makes addresses of the pointers of a record, and returns the name of its function and where its arguments are.
func (f *files) placed(memory []byte, at int64) (name string, arguments unsafe.Pointer, err error) {
	size := int64(len(memory))
	if at < 0 || at%8 != 0 || at > size-headBytes {
		return "", nil, fmt.Errorf("a record at %d of %d bytes", at, size)
	}
	word := func(at int64) int64 { return int64(binary.LittleEndian.Uint64(memory[at:])) }
	name = string(bytes.TrimRight(memory[at:at+nameBytes], "\x00"))
	count, pointers, list := word(at+nameBytes), word(at+nameBytes+8), word(at+nameBytes+16)
	if wanted := int64(library.Arguments(name)); wanted == 0 || count != wanted || size-at-headBytes < 8*count {
		return "", nil, fmt.Errorf("%q is no function of orthant.h that takes %d arguments", name, count)
	}
	if pointers < 0 || pointers > mostOfThem || list < 0 || list%8 != 0 || list > size-16*pointers {
		return "", nil, fmt.Errorf("%d pointers, listed at %d of %d bytes", pointers, list, size)
	}
	for i := range pointers {
		place, to := word(list+16*i), word(list+16*i+8)
		into, err := f.of(to)
		if err != nil {
			return "", nil, err
		}
		if place < 0 || place%8 != 0 || place > size-8 {
			return "", nil, fmt.Errorf("a pointer at %d of %d bytes", place, size)
		}
		offset := word(place)
		if offset < 0 || offset >= int64(len(into.memory)) {
			return "", nil, fmt.Errorf("a pointer to %d of %d bytes", offset, len(into.memory))
		}
		*(*unsafe.Pointer)(unsafe.Pointer(&memory[place])) = unsafe.Pointer(&into.memory[offset])
	}
	return name, unsafe.Pointer(&memory[at+headBytes]), nil
}

// words are the numbers of 8 bytes at the beginning of a file.
func words(memory []byte, count int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(slices.Clip(memory)))), count)
}
