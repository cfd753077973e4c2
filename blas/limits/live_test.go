package limits_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/internal/must"
)

// On this machine memory and cores are reported.
func TestHere(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		if free := limits.Here().Free(); free != 0 {
			t.Errorf("%d bytes are free on %s, whose kernel is not asked", free, runtime.GOOS)
		}
		t.Skip("the kernel of " + runtime.GOOS + " is not asked")
	}
	l, err := limits.Here().Limits(1, 0)
	if err != nil || l.MemoryBytes < 4096 || l.MemoryBytes > 1<<50 || l.Threads != 1 || l.ThreadsFrom != "--threads" {
		t.Errorf("%+v, %v", l, err)
	}
}

// The least limit of memory of the groups of version 1 is the one that the kernel sums
// up itself.
func TestMemoryOfLiveVersion1(t *testing.T) {
	group := ""
	own, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(own)) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 && parts[1] == "memory" {
			group = parts[2]
		}
	}
	stat, err := os.ReadFile(filepath.Join("/sys/fs/cgroup/memory", group, "memory.stat"))
	if group == "" || err != nil {
		t.Skip("no control groups of version 1 with the memory controller at their usual place")
	}
	want, found := int64(-1), false
	for line := range strings.Lines(string(stat)) {
		if text, is := strings.CutPrefix(line, "hierarchical_memory_limit "); is {
			want = must.Get(strconv.ParseInt(strings.TrimSpace(text), 10, 64))(t)
			found = true
		}
	}
	if !found {
		t.Skip("the kernel does not sum up the limits")
	}
	got := int64(1) << 60
	for _, m := range limits.Here().Memory(0) {
		if m.Source == "cgroup" {
			got = min(got, m.Limit)
		}
	}
	if got != min(want, 1<<60) {
		t.Errorf("the least limit is %d, by the kernel %d", got, want)
	}
}

// A limit of the process holds whatever is requested, is reported by its name, and can be removed.
func TestBound(t *testing.T) {
	all, procs := limits.ForProcess(0), runtime.GOMAXPROCS(0)
	limits.Bound(1)
	defer limits.Bound(0)
	if got := []int{limits.ForProcess(0), limits.ForProcess(8), runtime.GOMAXPROCS(0)}; got[0] != 1 || got[1] != 1 || got[2] != 1 {
		t.Errorf("limited to 1: %v", got)
	}
	if l, err := limits.Here().Limits(8, 0); err != nil || l.Threads != 1 || (l.ThreadsFrom != "set_num_threads" && all > 1) {
		t.Errorf("%+v, %v", l, err)
	}
	limits.Bound(1 << 20)
	if n := limits.ForProcess(1 << 20); n < all || n > runtime.NumCPU() {
		t.Errorf("limited to many: %d", n)
	}
	limits.Bound(0)
	if limits.ForProcess(0) != all || runtime.GOMAXPROCS(0) != procs {
		t.Errorf("the limit is taken back: %d threads and GOMAXPROCS %d", limits.ForProcess(0), runtime.GOMAXPROCS(0))
	}
}
