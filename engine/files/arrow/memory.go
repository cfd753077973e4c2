package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/orthant-go/orthant/engine/files"
)

// bounded refuses to take memory that the bytes of the file make unlikely, as sizes in
// the file are not to be trusted, or that there is no room for. Only a panic
// can stop the library.
type bounded struct {
	memory.Allocator
	most int
	room *files.Memory
}

func (b bounded) take(size int) {
	if size < 0 || size > b.most {
		panic(fmt.Sprintf("a part of it claims %d bytes", size))
	}
	if err := b.room.Take("a batch of rows", size); err != nil {
		panic(err)
	}
}

func (b bounded) Allocate(size int) []byte {
	b.take(size)
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	b.take(size) // both are there while one is copied
	defer b.room.Give(len(old))
	return b.Allocator.Reallocate(size, old)
}

func (b bounded) Free(old []byte) {
	b.room.Give(len(old))
	b.Allocator.Free(old)
}

// tooLarge turns the panic of an allocation that there is no room for into its error.
// Every other is for the caller, as is what the library has made an error of.
func tooLarge(err *error) {
	p := recover()
	if e, is := p.(error); is && files.IsTooLarge(e) {
		*err = e
	} else if p != nil {
		panic(p)
	}
}

// maxRatio is how far a packed buffer may unfold beyond freeBytes.
const (
	maxRatio  = 1024
	freeBytes = 64 << 20
)
