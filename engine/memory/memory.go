package memory

import (
	"runtime/debug"

	"github.com/orthant-go/orthant/blas/limits"
)

// Program is what a process takes before it has any data, in bytes: its code, the
// runtime, and small things. Measured on every command and method with few samples.
const Program = program

// The collector needs room to work in, and the runtime lists what there is: a sixteenth
// of what is held at a time, and a little for stacks and buffers.
const (
	slackShare = 16
	slackLeast = 6 << 20
)

// Least is what a process takes that holds nothing.
const Least = Program + slackLeast

// Process is what a process takes at a peak at which this many bytes are held.
func Process(live int64) int64 { return Least + live + live/slackShare }

// Live is the most that may be held in a process that takes this many bytes, 0 at least.
func Live(process int64) int64 {
	live := (process - Least) / (slackShare + 1) * slackShare
	for Process(live+1) <= process { // what was rounded away, at most twice
		live++
	}
	return max(live, 0)
}

// ofRuntime is the part of Program that the runtime counts itself: a small heap, stacks.
const ofRuntime = 10 << 20

// Bound sets the runtime's limit of memory so that a process whose live data fit keeps
// within this many bytes: the collector then runs as often as that takes. A lower limit
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

// Available is what new work in this process could have without swapping, within its
// control groups and its own limits, in bytes; 0: not known, which bounds nothing.
func Available() int64 { return limits.Here().Free() }
