//go:build mpi

package main

/*
#cgo pkg-config: slepc PETSc ompi-c
#include <stdlib.h>
#include "calls.h"
*/
import "C"

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine/wording"
)

// processes are the processes of the job, of which this is number rank. MPI and PETSc are called from
// the main goroutine alone, which is locked to its thread.
type processes struct {
	rank, size int
	ended      *atomic.Bool // what is left to do is to leave
}

// libraryError is an error of PETSc, MUMPS or MPI. The other processes may not have it, so that
// the job can only be ended as a whole.
type libraryError struct{ text string }

func (e *libraryError) Error() string { return e.text }

// called makes an error of what a function of calls.h returns.
func called(code C.int) error {
	if code == 0 {
		return nil
	}
	text := C.GoString(C.message())
	if text == "" {
		text = "a call of PETSc failed"
	}
	return &libraryError{text}
}

// must is [called] where the job cannot go on.
func must(code C.int) {
	if err := called(code); err != nil {
		panic(err)
	}
}

// join begins MPI, PETSc and SLEPc. Their options are these, not the options of the command
// line. Without their handler of signals, Go's own stays.
func join() (processes, error) {
	args := []string{"orthant-mpi", "-no_signal_handler", "-skip_petscrc", "-options_left", "no"}
	argv := (*[1 << 10]*C.char)(C.calloc(C.size_t(len(args)+1), C.size_t(unsafe.Sizeof(uintptr(0)))))
	for i, arg := range args {
		argv[i] = C.CString(arg)
	}
	if err := called(C.start(C.int(len(args)), &argv[0])); err != nil {
		return processes{}, err
	}
	var rank, size C.int
	must(C.place(&rank, &size))
	return processes{int(rank), int(size), new(atomic.Bool)}, nil
}

// leave ends them, once all processes have come to it.
func (p processes) leave() { C.finish() }

// abort ends all processes at once.
func (p processes) abort(status int) { C.quit(C.int(status)) }

const (
	sum = iota
	largest
	least
)

// numbers combines numbers, place by place and in place.
func (p processes) numbers(how int, x []float64) []float64 {
	if len(x) > 0 {
		must(C.reduce_numbers((*C.double)(&x[0]), C.int(len(x)), C.int(how)))
	}
	return x
}

// number combines one number.
func (p processes) number(how int, x float64) float64 { return p.numbers(how, []float64{x})[0] }

// counts combines counts, place by place and in place.
func (p processes) counts(how int, x ...int64) []int64 {
	must(C.reduce_counts((*C.int64_t)(&x[0]), C.int(len(x)), C.int(how)))
	return x
}

// agree makes an error of one process the error of all: the one of the lowest rank.
func (p processes) agree(err error) error {
	if e, is := errors.AsType[*libraryError](err); is {
		panic(e)
	}
	first := int64(p.size)
	if err != nil {
		first = int64(p.rank)
	}
	if first = p.counts(least, first)[0]; first == int64(p.size) {
		return nil
	}
	about := make([]byte, 2048)
	if int(first) == p.rank {
		about[0] = byte(outcome.Status(err))
		copy(about[1:], wording.Error(err, outcome.Flags))
	}
	must(C.broadcast(unsafe.Pointer(&about[0]), C.int(len(about)), C.int(first)))
	end := 1
	for end < len(about) && about[end] != 0 {
		end++
	}
	return &agreed{int(about[0]), string(about[1:end])}
}

// agreed is the error of all processes.
type agreed struct {
	status int
	text   string
}

func (e *agreed) Error() string { return e.text }

// pointer is the first of some items; nil: there are none.
func pointer[T any](x []T) unsafe.Pointer {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Pointer(&x[0])
}

// width is the size of an item in bytes.
func width[T any]() C.int {
	var item T
	return C.int(unsafe.Sizeof(item))
}

// pass gives items to the process before this one and takes the items of the process after it.
func pass[T any](p processes, out, in []T) {
	to, from := (p.rank+p.size-1)%p.size, (p.rank+1)%p.size
	must(C.shift_around(pointer(out), C.int64_t(len(out)), pointer(in), C.int64_t(len(in)), C.int(to), C.int(from), width[T]()))
}

// send gives items to a process, which takes them by receive.
func send[T any](to int, x []T) {
	must(C.send_to(pointer(x), C.int64_t(len(x)), C.int(to), width[T]()))
}

func receive[T any](from int, x []T) {
	must(C.receive_from(pointer(x), C.int64_t(len(x)), C.int(from), width[T]()))
}

// exchange gives each process its items, per[q] groups of this many to process q in the order of
// the processes, and returns what it gets and how many groups from whom.
func exchange[T any](p processes, out []T, per []int, group int) (in []T, from []int) {
	give, take := make([]C.int, p.size), make([]C.int, p.size)
	for q, n := range per {
		give[q] = C.int(n)
	}
	ones, places := make([]C.int, p.size), make([]C.int, p.size)
	for q := range ones {
		ones[q], places[q] = 1, C.int(q)
	}
	must(C.scatter_all(pointer(give), &ones[0], &places[0], pointer(take), &ones[0], &places[0], width[C.int]()))
	from = make([]int, p.size)
	for q, n := range take {
		from[q] = int(n)
	}
	return exchanged(p, out, per, from, group), from
}

// exchanged is [exchange] where it is known how many groups come from whom.
func exchanged[T any](p processes, out []T, per, from []int, group int) []T {
	giveAt, give := starts(per)
	takeAt, take := starts(from)
	in := make([]T, group*int(takeAt[p.size]))
	must(C.scatter_all(pointer(out), &give[0], &giveAt[0], pointer(in), &take[0], &takeAt[0], C.int(group)*width[T]()))
	return in
}

// starts are counts with where each begins, and the end.
func starts(counts []int) (at, n []C.int) {
	at, n = make([]C.int, len(counts)+1), make([]C.int, len(counts))
	for q, c := range counts {
		n[q], at[q+1] = C.int(c), at[q]+C.int(c)
	}
	return at, n
}
