package limits

import (
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// System is where limits are read.
type System struct {
	Root   fs.FS                    // with proc and the mounts of control groups; nil: the kernel is not asked
	Getenv func(name string) string // nil: an empty environment
	CPUs   int                      // that the runtime found; 0: not known
	Procs  int                      // GOMAXPROCS; 0: not known
	Bound  int                      // that the program has set for all runs ([Bound]); 0: none
	Calls  func() []Memory          // bounds of the memory of a system that is asked by calls; nil: none
}

// Getenv reads the environment. A library inside another program sets it to that program's
// function: Go keeps the environment of the program's start.
var Getenv = os.Getenv

// Here is the system of this process. Linux provides the files that are read here, Windows is asked by calls.
func Here() System {
	s := System{Getenv: Getenv, CPUs: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0), Bound: int(bounded.Load())}
	if runtime.GOOS == "linux" {
		s.Root = os.DirFS("/")
	}
	s.Calls = memoryByCalls
	return s
}

// text is the text of a file below the root; empty if the file does not exist.
func (s System) text(file string) string {
	if s.Root == nil || !fs.ValidPath(file) {
		return ""
	}
	b, err := fs.ReadFile(s.Root, file)
	if err != nil {
		return ""
	}
	return string(b)
}

// field is what follows a name in a file of lines "name value".
func (s System) field(file, name string) string {
	for line := range strings.Lines(s.text(file)) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// kibibytes is such a value in kB, in bytes; 0 where it is not there.
func (s System) kibibytes(file, name string) int64 {
	v, known := whole(strings.TrimSuffix(s.field(file, name), "kB"))
	if !known || v >= endless>>10 {
		return 0
	}
	return v << 10
}

// whole reads a number that is not negative.
func whole(text string) (v int64, known bool) {
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return v, err == nil && v >= 0
}

// Limits are all bounds that were found, and the rest that they leave together.
type Limits struct {
	Threads     int    `json:"threads"`
	ThreadsFrom string `json:"threads_from"`
	MemoryBytes int64  `json:"memory_bytes"` // 0: not known
	MemoryFrom  string `json:"memory_from"`
	Bounds      struct {
		Threads []Threads `json:"threads"`
		Memory  []Memory  `json:"memory"`
	} `json:"limits"`
}

// Limits returns the limits of a process with this requested number of threads and memory limit in
// bytes; 0: not requested.
func (s System) Limits(threads int, memory int64) (Limits, error) {
	l := Limits{Threads: 1, ThreadsFrom: unknown, MemoryFrom: unknown}
	var err error
	l.Bounds.Threads, err = s.Threads(threads)
	l.Bounds.Memory = s.Memory(memory)
	if least, known := minOf(l.Bounds.Threads, Threads.bound); known {
		l.Threads, l.ThreadsFrom = least.Count, least.Source
	}
	if least, known := minOf(l.Bounds.Memory, Memory.bound); known {
		l.MemoryBytes, l.MemoryFrom = least.Free, least.Source
	}
	return l, err
}

// Most is the remaining memory in bytes, whatever was requested; 0: not known.
func (l Limits) Most() int64 {
	given := slices.DeleteFunc(slices.Clone(l.Bounds.Memory), func(m Memory) bool { return m.Source == asked })
	least, _ := minOf(given, Memory.bound)
	return least.Free
}

const unknown = "not known"

// minOf is the first of the least bounds.
func minOf[T any](bounds []T, size func(T) int64) (least T, known bool) {
	if len(bounds) == 0 {
		return least, false
	}
	return slices.MinFunc(bounds, func(a, b T) int {
		switch x, y := size(a), size(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}), true
}
