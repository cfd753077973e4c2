package memory

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// Total is all memory that the system has; 0 where the kernel does not say.
func Total() int64 { return kernelBytes("/proc/meminfo", "MemTotal:") }

// Peak is the largest resident size of this process so far; 0 where the kernel
// does not say. What it counts as the process's resource usage begins with the
// peak of the one that started it.
func Peak() int64 { return PeakOf(os.Getpid()) }

// BeginPeak has [Peak] begin anew from what is resident now, and reports whether the kernel does that.
func BeginPeak() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// Resident is the resident size of this process; 0 where the kernel does not say.
func Resident() int64 { return kernelBytes("/proc/self/status", "VmRSS:") }

// PeakOf is the peak of another process; 0 also where there is none.
func PeakOf(pid int) int64 { return kernelBytes("/proc/"+strconv.Itoa(pid)+"/status", "VmHWM:") }

// kernelBytes reads a number of kB from a file of the kernel, in bytes; 0 where it
// is not there.
func kernelBytes(path, name string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), name); found {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
