package memory

import "runtime/debug"

// Program is what a process takes before it has any data, in bytes: its code, the
// runtime, and small things. Measured on every command and method with few samples.
const Program = program

// ofRuntime is the part of Program that the runtime counts itself: a small heap, stacks.
const ofRuntime = 10 << 20

// Bound sets the runtime's limit of memory so that a process whose live data fit keeps
// within so many bytes: the collector then runs as often as that takes. A lower limit
// that is in effect stays. 0 changes nothing.
func Bound(bytes int64) {
	if bytes <= 0 {
		return
	}
	limit := max(bytes-(Program-ofRuntime), 2*ofRuntime)
	if before := debug.SetMemoryLimit(-1); limit < before {
		debug.SetMemoryLimit(limit)
	}
}
