package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/solvers"
)

// system is where the limits of this process are read.
var system = limits.Here

// boundRuntime holds the runtime to a limit of memory, in a process that is the
// command's own.
var boundRuntime = func(bytes int64) {}

// bound puts the limits of the process into effect: of threads and of memory the least
// of what was asked for and what there is. A run beside others keeps to what the
// process was given when it began.
func (inv *invocation) bound() error {
	if inv.beside != nil {
		inv.threads = limits.ForProcess(inv.threads)
		if inv.most > 0 && (inv.memory == 0 || inv.memory > inv.most) {
			inv.memory = inv.most
		}
		return nil
	}
	l, err := system().Limits(inv.threads, int64(inv.memory))
	if err != nil {
		return &inputError{err}
	}
	inv.limits, inv.most = l, byteSize(l.Most())
	inv.threads, inv.memory = l.Threads, byteSize(l.MemoryBytes)
	limits.Choose(inv.threads)
	boundRuntime(l.MemoryBytes)
	if n := min(inv.threads, runtime.NumCPU()); n != runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(n)
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
	line(w, "memory", "%s (%s)", solvers.FormatBytes(l.MemoryBytes), l.MemoryFrom)
	for _, b := range l.Bounds.Memory {
		size := solvers.FormatBytes(b.Free)
		if b.Free < b.Limit {
			size += " free of " + solvers.FormatBytes(b.Limit)
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
