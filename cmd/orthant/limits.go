package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	collector "runtime/metrics"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
)

// system is where the limits of this process are read.
var system = limits.Here

// resident is what this process has taken.
var resident = memory.Resident

// boundRuntime holds the runtime to a limit of memory, in a process that is the
// command's own.
var boundRuntime = func(bytes int64) {}

// reserve lets the heap lie in huge pages, in a process that is the command's own: an embedding of 20 000 samples
// would otherwise spend a quarter of its time on faults of small pages.
var reserve = func(bytes int64) {}

// reserved is how much of the heap, and reservedShare the part of the limit of memory that it may be.
const reserved, reservedShare = 64 << 20, 4

// bound puts the limits of the process into effect: of threads and of memory the least
// of what was asked for and what there is. A run next to others keeps to what the
// process was given when it began.
func (inv *invocation) bound() error {
	if inv.ownClock != nil {
		inv.threads = limits.ForProcess(inv.threads)
		inv.bindMemory()
		return inv.checkMemory()
	}
	l, err := system().Limits(inv.threads, int64(inv.memory))
	if err != nil {
		return &inputError{Err: err}
	}
	inv.limits, inv.threads = l, l.Threads
	if free := l.Most(); free > 0 {
		// What this process has taken by now is not free, and is counted as the program's.
		inv.most = byteSize(free + min(resident(), memory.Program))
	}
	inv.bindMemory()
	limits.Choose(inv.threads)
	boundRuntime(int64(inv.memory))
	if n := min(inv.threads, runtime.NumCPU()); n != runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(n)
	}
	if err := inv.checkMemory(); err != nil || inv.idle() {
		return err
	}
	bytes := int64(reserved)
	if inv.memory > 0 {
		bytes = min(bytes, int64(inv.memory)/reservedShare)
	}
	reserve(bytes)
	return nil
}

// bindMemory lowers the limit of memory to what there is.
func (inv *invocation) bindMemory() {
	if inv.most > 0 && (inv.memory == 0 || inv.memory > inv.most) {
		inv.memory = inv.most
	}
}

// idle reports whether the command works without data.
func (inv *invocation) idle() bool {
	for _, name := range []string{"orthant info", "orthant methods", "orthant version", "orthant bench", "orthant-bench"} {
		if strings.HasPrefix(inv.command, name) {
			return true
		}
	}
	return false
}

// checkMemory refuses a limit that the program alone exceeds, of commands that work with
// data.
func (inv *invocation) checkMemory() error {
	if inv.memory > 0 && inv.memory < memory.Least && !inv.idle() {
		return wrong("the limit is %s (--memory), and the program alone takes %s; give more", limits.FormatBytes(int64(inv.memory)), limits.FormatBytes(memory.Least))
	}
	return nil
}

// collectSooner trades processor time for memory where memory is what runs out:
// on many samples, or wide ones, the heap is a few large arrays, cheap to collect, and twice
// their size would be gigabytes.
func (inv *invocation) collectSooner(x mat.Matrix) { inv.collectAt(x, 25) }

// collectAt has the heap collected once it is this many per cent larger than what is held.
func (inv *invocation) collectAt(x mat.Matrix, percent int) {
	const manySamples, manyEntries = 100_000, 1 << 24
	if n, m := x.Dims(); (n >= manySamples || n*m >= manyEntries) && os.Getenv("GOGC") == "" && inv.ownClock == nil {
		debug.SetGCPercent(percent)
	}
}

// writeLimits prints what this process may take and who says so.
func writeLimits(w io.Writer, l limits.Limits) {
	line(w, "threads", "%d (%s)", l.Threads, l.ThreadsFrom)
	for _, b := range l.Bounds.Threads {
		fmt.Fprintf(w, "  %-41s %d\n", named(b.Source, b.File), b.Count)
	}
	if l.MemoryBytes == 0 {
		line(w, "memory", "not known: nothing is refused without --memory")
		return
	}
	line(w, "memory", "%s (%s)", limits.FormatBytes(l.MemoryBytes), l.MemoryFrom)
	for _, b := range l.Bounds.Memory {
		size := limits.FormatBytes(b.Free)
		if b.Free < b.Limit {
			size += " free of " + limits.FormatBytes(b.Limit)
		}
		fmt.Fprintf(w, "  %-41s %s\n", named(b.Source, b.File), size)
	}
}

// named is a source with the file that says so.
func named(source, file string) string {
	if file == "" {
		return source
	}
	return source + " (" + file + ")"
}

// programBytes is what the process takes before it has read anything, with room for
// the runtime's own.
const programBytes = memory.Least

// fits refuses work that holds this many bytes at a time where the process would take more
// than the limit. what needs them, and what helps besides a higher limit.
func (inv *invocation) fits(what string, live int64, mend string) error {
	need := memory.Process(live)
	if inv.memory <= 0 || need <= int64(inv.memory) {
		return nil
	}
	return &inputError{Err: &overMemory{fmt.Errorf("%s about %s where --memory is %s; %s, or raise the limit", what, limits.FormatBytes(need), limits.FormatBytes(int64(inv.memory)), mend)}}
}

// overMemory is the refusal of a command whose work would exceed the limit.
type overMemory struct{ error }

// reading are the options of every input of a run: within the limit of memory, less
// the program and what earlier inputs occupy. For a run next to others
// its own share of the memory is unknown: the batch accounts for all of them.
func (inv *invocation) reading() files.Options {
	o := files.Options{Stdin: inv.in, MaxBytes: int64(inv.memory),
		Delimiter: byte(inv.text.delimiter), Comment: inv.text.comment, Booleans: inv.text.booleans, Thousands: byte(inv.text.thousands), Note: inv.noted}
	if o.MaxBytes < programBytes { // there is none, or the command does not work with data
		return o
	}
	o.Taken = programBytes
	if inv.ownClock == nil {
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
