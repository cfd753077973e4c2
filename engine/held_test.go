package engine

import (
	"runtime/debug"
	"testing"

	"github.com/orthant-go/orthant/engine/memory"
)

// heldTo measures what work adds to the resident memory of this process, as the kernel counts it: of
// a process of the command with that limit it is all but its program. The runtime is held to the limit
// as the command holds it.
func heldTo(t testing.TB, limit int64) func(t *testing.T, work func()) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	memory.Bound(limit)
	return func(t *testing.T, work func()) {
		resets, began := memory.BeginPeak(), memory.Resident()
		work()
		if took := memory.Peak() - began; resets && took > limit-memory.Program {
			t.Errorf("it took %d MiB more than the %d before it, beyond a limit of %d with the program's %d", took>>20, began>>20, limit>>20, int64(memory.Program)>>20)
		}
	}
}
