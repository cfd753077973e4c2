package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/memory"
)

// system is where the limits of this process are read.
var system = limits.Here

// resident is what this process has taken.
var resident = memory.Resident

// boundRuntime holds the runtime to a limit of memory, in a process that is the
// command's own.
var boundRuntime = func(bytes int64) {}

// bound puts the limits of the process into effect: of threads and of memory the least
// of what was asked for and what there is. A run beside others keeps to what the
// process was given when it began.
func (inv *invocation) bound() error {
	if inv.beside != nil {
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
	return inv.checkMemory()
}

// bindMemory lowers the limit of memory to what there is.
func (inv *invocation) bindMemory() {
	if inv.most > 0 && (inv.memory == 0 || inv.memory > inv.most) {
		inv.memory = inv.most
	}
}

// checkMemory refuses a limit that the program alone exceeds, of commands that work with
// data.
func (inv *invocation) checkMemory() error {
	for _, idle := range []string{"orthant info", "orthant methods", "orthant version", "orthant bench", "orthant-bench"} {
		if strings.HasPrefix(inv.command, idle) {
			return nil
		}
	}
	if inv.memory > 0 && inv.memory < memory.Least {
		return wrong("the limit is %s (--memory), and the program alone takes %s; give more", limits.FormatBytes(int64(inv.memory)), limits.FormatBytes(memory.Least))
	}
	return nil
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
