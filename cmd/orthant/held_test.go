package main

import (
	"runtime/debug"
	"testing"

	"github.com/orthant-go/orthant/engine/memory"
)

// fuzzedLimit is the limit of memory under which files of an enemy are read.
const fuzzedLimit = 200 << 20

// heldToLimit measures what work adds to the resident memory of this process, as the kernel counts it:
// of a process of the command with that limit it is all but its program.
func heldToLimit(t testing.TB) func(t *testing.T, work func()) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	memory.Bound(fuzzedLimit)
	return func(t *testing.T, work func()) {
		resets, began := memory.BeginPeak(), memory.Resident()
		work()
		if took := memory.Peak() - began; resets && took > fuzzedLimit-memory.Program {
			t.Errorf("it took %d MiB more than the %d before it", took>>20, began>>20)
		}
	}
}
