package bench

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/blas"
)

// thisMachine describes where the program runs.
func thisMachine() Machine {
	host, _ := os.Hostname()
	return Machine{
		Host: host, OS: systemName(), CPU: blas.Describe(blas.MustSelect("")).CPU,
		Cores: runtime.NumCPU(), Memory: fieldOf("/proc/meminfo", "MemTotal:"),
	}
}

// systemName is the name that the distribution gives itself, where there is one.
func systemName() string {
	name := runtime.GOOS
	if text, err := os.ReadFile("/etc/os-release"); err == nil {
		for line := range strings.Lines(string(text)) {
			if quoted, found := strings.CutPrefix(line, "PRETTY_NAME="); found {
				name = strings.Trim(strings.TrimSpace(quoted), `"`)
			}
		}
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		name += ", " + runtime.GOOS + " " + strings.TrimSpace(string(kernel))
	}
	return name + ", " + runtime.GOARCH
}

// availableMemory is what new work could have without swapping; 0: not known.
func availableMemory() int64 { return fieldOf("/proc/meminfo", "MemAvailable:") }

// peakOfThis returns the largest resident size of this process so far. The
// resource usage that the system keeps is of no use where it runs in a child: on
// Linux it begins with the peak of the parent. 0: not known.
func peakOfThis() int64 { return fieldOf("/proc/self/status", "VmHWM:") }

// fieldOf reads a number of kB from a file of the kernel, in bytes; 0 where it
// is not there.
func fieldOf(path, name string) int64 {
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
