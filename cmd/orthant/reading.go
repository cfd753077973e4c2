package main

import (
	"fmt"
	collector "runtime/metrics"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
)

// programBytes is what the process takes before it has read anything, with room for
// the runtime's own.
const programBytes = memory.Least

// fits refuses work that holds so many bytes at a time where the process would take more
// than the limit. what needs them, and what helps besides a higher limit.
func (inv *invocation) fits(what string, live int64, mend string) error {
	need := memory.Process(live)
	if inv.memory <= 0 || need <= int64(inv.memory) {
		return nil
	}
	return &inputError{Err: &overMemory{fmt.Errorf("%s about %s where --memory is %s; %s, or raise the limit", what, limits.FormatBytes(need), limits.FormatBytes(int64(inv.memory)), mend)}}
}

// reading are the options of every input of a run: within the limit of memory, beside
// the program and what inputs before it have left in memory. Of a run beside others
// nobody can tell what of the memory is its own: the batch accounts for all of them.
func (inv *invocation) reading() files.Options {
	o := files.Options{Stdin: inv.in, MaxBytes: int64(inv.memory), Delimiter: byte(inv.delimiter)}
	if o.MaxBytes < programBytes { // there is none, or the command does not work with data
		return o
	}
	o.Taken = programBytes
	if inv.beside == nil {
		held := heap()
		if inv.heapBefore == 0 {
			inv.heapBefore = max(held, smallHeap)
		}
		o.Taken += max(0, held-inv.heapBefore)
	}
	return o
}

// room is what of the limit is left for what is read, 0 where there is none.
func (inv *invocation) room() int64 {
	o := inv.reading()
	if o.MaxBytes == 0 {
		return 0
	}
	return max(1, o.MaxBytes-o.Taken)
}

// smallHeap is what of the heap counts as the program's.
const smallHeap = 8 << 20

// heap is what the heap holds, 0 where the runtime does not say.
func heap() int64 {
	objects := []collector.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	collector.Read(objects)
	if objects[0].Value.Kind() != collector.KindUint64 {
		return 0
	}
	return int64(objects[0].Value.Uint64())
}
