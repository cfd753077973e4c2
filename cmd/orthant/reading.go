package main

import (
	collector "runtime/metrics"

	"github.com/orthant-go/orthant/engine/files"
)

// programBytes is what the process takes before it has read anything, with room for
// the runtime's own: 21 to 23 MiB are collector. A limit below that is no limit of what
// is read.
const programBytes = 32 << 20

// reading are the options of every input of a run: within the limit of memory, beside
// the program and what inputs before it have left in memory.
func (inv *invocation) reading() files.Options {
	o := files.Options{Stdin: inv.in, MaxBytes: int64(inv.memory)}
	if o.MaxBytes > programBytes {
		o.Taken = programBytes + beyondStart()
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

// beyondStart is what the heap holds beyond what every run has on it.
func beyondStart() int64 {
	heap := []collector.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	collector.Read(heap)
	if heap[0].Value.Kind() != collector.KindUint64 {
		return 0
	}
	return max(0, int64(heap[0].Value.Uint64())-smallHeap)
}
