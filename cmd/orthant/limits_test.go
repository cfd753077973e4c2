package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/orthant-go/orthant/blas/limits"
)

// within has the command find itself on a machine of files.
func within(t *testing.T, files map[string]string) {
	t.Helper()
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	before := system
	system = func() limits.System {
		return limits.System{Root: root, Getenv: os.Getenv, CPUs: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0)}
	}
	size := resident
	resident = func() int64 { return 0 } // of a process that is the test's
	t.Cleanup(func() { system, resident = before, size })
}

// box is a container of 300 MB.
var box = map[string]string{
	"proc/meminfo":        "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n",
	"proc/self/cgroup":    "4:memory:/box\n",
	"proc/self/mountinfo": "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
	"sys/fs/cgroup/memory/box/memory.limit_in_bytes": "314572800\n",
}

// unset leaves the environment without a number of threads.
func unset(t *testing.T) {
	t.Setenv("ORTHANT_NUM_THREADS", "")
	t.Setenv("OMP_NUM_THREADS", "")
}

func TestInfoTellsLimits(t *testing.T) {
	unset(t)
	within(t, box)
	v := must(t, "info", "--json").object(t)
	if v["memory_bytes"] != 314572800.0 || v["memory_from"] != "cgroup" || v["threads"] != float64(min(runtime.NumCPU(), runtime.GOMAXPROCS(0))) || v["limits"] == nil {
		t.Errorf("info --json printed %v", v)
	}
	text := must(t, "info").out
	for _, part := range []string{"300.0 MiB (cgroup)", "cgroup (/sys/fs/cgroup/memory/box/memory.limit_in_bytes)", "available (/proc/meminfo)", "affinity mask"} {
		if !strings.Contains(text, part) {
			t.Errorf("info lacks %q:\n%s", part, text)
		}
	}
	v = must(t, "info", "--json", "--threads", "1", "--memory", "1MiB").object(t)
	if v["threads"] != 1.0 || v["threads_from"] != "--threads" || v["memory_bytes"] != 1048576.0 || v["memory_from"] != "--memory" {
		t.Errorf("asked for less, it printed %v", v)
	}
	within(t, nil)
	if text := must(t, "info").out; !strings.Contains(text, "memory     not known") {
		t.Errorf("where nothing is known it says\n%s", text)
	}
}

// What does not fit into the container is refused before it begins, also where --memory
// promises more, alone and in a batch.
func TestContainerBoundsMemory(t *testing.T) {
	dir := inFolder(t, "10000")
	within(t, box)
	for _, more := range [][]string{nil, {"--memory", "64GiB"}} {
		o := orthant(t, append([]string{"embed", "--method", "isomap", "--in", "x.npy", "--out", "y.npy"}, more...)...)
		if o.status != exitUsage || !strings.Contains(o.err, "the limit is 300.0 MiB") || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%v: status %d, %q", more, o.status, o.err)
		}
	}
	if left := names(t, dir); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
	write(t, "jobs.jsonl", `{"command": "embed", "method": "isomap", "in": "x.npy", "out": "a.npy"}
{"command": "embed", "method": "isomap", "in": "x.npy", "out": "b.npy", "memory": "64GiB"}
{"command": "embed", "method": "pca", "in": "x.npy", "out": "c.npy", "threads": 1000}`)
	o := orthant(t, "batch", "jobs.jsonl", "--out", "o", "--json", "--memory", "64GiB")
	if v := o.object(t); o.status != exitFailed || v["failed"] != 2.0 || v["ok"] != 1.0 || v["memory_bytes"] != 314572800.0 {
		t.Errorf("status %d, %v", o.status, v)
	}
	journal := string(read(t, "o/journal.jsonl"))
	if n := strings.Count(journal, "the limit is 300.0 MiB"); n != 2 {
		t.Errorf("%d jobs were refused by the container:\n%s", n, journal)
	}
	for line := range strings.Lines(journal) {
		if r, err := readRecord([]byte(line)); err != nil || r.Threads < 1 || r.Threads > runtime.NumCPU() {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// Without a word of the kernel nothing is refused.
func TestUnknownMemoryBoundsNothing(t *testing.T) {
	inFolder(t, "300")
	within(t, nil)
	must(t, "embed", "--method", "isomap", "--in", "x.npy", "--out", "y.npy")
	must(t, "neighbors", "--in", "x.npy", "--out-indices", "i.npy")
	must(t, "embed", "--method", "lle", "--in", "x.npy", "--out", "y.npy", "--model", "m.model")
	must(t, "transform", "--model", "m.model", "--in", "x.npy", "--out", "z.npy")
	write(t, "jobs.jsonl", `{"command": "embed", "method": "isomap", "in": "x.npy", "out": "a.npy"}`)
	must(t, "batch", "jobs.jsonl", "--out", "o")
}

// The number of threads: --threads, else ORTHANT_NUM_THREADS, else OMP_NUM_THREADS, and
// never more than there are cores.
func TestThreadsOfTheEnvironment(t *testing.T) {
	inFolder(t, "60")
	threads := func(args ...string) any {
		return must(t, append([]string{"embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "--json"}, args...)...).object(t)["threads"]
	}
	all := float64(runtime.NumCPU())
	for _, c := range []struct {
		own, openMP string
		asked       string
		want        float64
	}{
		{"1", "", "0", 1}, {"", "1,4", "0", 1}, {"1", "4", "0", 1}, {"1", "", "2", min(2, all)}, {"1000", "1", "0", all}, {"", "x", "1000", all},
	} {
		t.Setenv("ORTHANT_NUM_THREADS", c.own)
		t.Setenv("OMP_NUM_THREADS", c.openMP)
		if got := threads("--threads", c.asked); got != c.want {
			t.Errorf("%+v: %v threads", c, got)
		}
	}
	for _, text := range []string{"abc", "0", "-1"} {
		t.Setenv("ORTHANT_NUM_THREADS", text)
		if got := threads("--threads", "1"); got != 1.0 {
			t.Errorf("%q beside --threads 1: %v threads", text, got)
		}
	}
}

// In little address space, work is refused in one line, and no work ends in the
// runtime's own words.
func TestAddressSpaceBoundsMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the address space of " + runtime.GOOS + " is not asked for")
	}
	dir := inFolder(t, "40000")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kib, args string
		status    int
	}{
		{"2100000", "info", exitDone},
		{"2100000", "embed --method isomap --in x.npy --out y.npy", exitUsage},
		{"2100000", "embed --method isomap --in x.npy --out y.npy --memory 64GiB", exitUsage},
	} {
		var stderr strings.Builder
		args := append([]string{"-c", "ulimit -v " + c.kib + `; exec "$0" "$@"`, self}, strings.Fields(c.args)...)
		cmd := exec.Command("sh", args...)
		cmd.Dir, cmd.Env, cmd.Stderr = dir, commandEnvironment(), &stderr
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != c.status || strings.Contains(stderr.String(), "fatal error") {
			t.Errorf("%s in %s KiB: status %d, %.300q", c.args, c.kib, got, stderr.String())
		}
	}
}
