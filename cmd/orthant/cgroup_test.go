//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// memoryGroup makes a control group of so much memory below that of this process, or at
// the root of those that are seen here, and returns what puts a shell into it.
func memoryGroup(t *testing.T, version int, bytes int64) (enter string) {
	t.Helper()
	root, controller, limit := "/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes"
	if version == 2 {
		root, controller, limit = "/sys/fs/cgroup", "", "memory.max"
		if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err != nil {
			root = filepath.Join(root, "unified") // next to the groups of version 1
		}
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip("there are no control groups here: ", err)
	}
	above := root
	for line := range strings.Lines(string(own)) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 && parts[1] == controller {
			if at := filepath.Join(root, parts[2]); version == 1 && isFolder(at) {
				above = at
			}
		}
	}
	if _, err := os.Stat(filepath.Join(above, limit)); version == 1 && err != nil {
		t.Skipf("there are no memory groups of version %d here: %v", version, err)
	}
	group, err := os.MkdirTemp(above, "orthant-test-")
	if err != nil {
		t.Skipf("no control group of version %d can be made here: %v", version, err)
	}
	t.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	// Opened, not made: where the controller is not handed down there is no such file.
	f, err := os.OpenFile(filepath.Join(group, limit), os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(strconv.FormatInt(bytes, 10))
		f.Close()
	}
	if err != nil {
		t.Skipf("a control group of version %d cannot be given a limit of memory here: %v", version, err)
	}
	procs := filepath.Join(group, "cgroup.procs")
	if f, err = os.OpenFile(procs, os.O_WRONLY, 0); err != nil {
		t.Skipf("no process can be put into a control group of version %d here: %v", version, err)
	}
	f.Close()
	return "echo $$ >" + procs
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// In a control group the command knows what it may take, refuses in one line what does
// not fit, and is never killed.
func TestMemoryGroups(t *testing.T) {
	for version, name := range map[int]string{1: "version 1", 2: "version 2"} {
		t.Run(name, func(t *testing.T) {
			const limit = 384 << 20
			enter := memoryGroup(t, version, limit)
			inFolder(t, "12000")
			v := under(t, enter, "info", "--json").object(t)
			if v["memory_from"] != "cgroup" || v["memory_bytes"].(float64) > limit || v["memory_bytes"].(float64) < limit/2 {
				t.Errorf("info --json printed %v", v)
			}
			write(t, "y.npy", "old")
			for _, more := range [][]string{nil, {"--memory", "64GiB"}} {
				o := under(t, enter, append([]string{"embed", "--method", "isomap", "--in", "x.npy", "--out", "y.npy", "-q"}, more...)...)
				if o.status != exitUsage || !strings.Contains(o.err, "the limit is ") || strings.Count(o.err, "\n") != 1 {
					t.Errorf("%v: status %d, %q", more, o.status, o.err)
				}
			}
			if left := names(t, "."); strings.Join(left, " ") != "t.npy x.npy y.npy" || string(read(t, "y.npy")) != "old" {
				t.Errorf("left %v", left)
			}
			write(t, "jobs.jsonl", `{"command": "embed", "method": "isomap", "in": "x.npy", "out": "a.npy"}
{"command": "embed", "method": "pca", "in": "x.npy", "out": "b.npy"}
`)
			o := under(t, enter, "batch", "jobs.jsonl", "--out", "o", "--json")
			if v := o.object(t); o.status != exitFailed || v["ok"] != 1.0 || v["failed"] != 1.0 {
				t.Errorf("status %d, %v", o.status, v)
			}
			if o := under(t, enter, "embed", "--method", "lle", "--in", "x.npy", "--out", "y.npy", "-q"); o.status != exitDone || o.err != "" {
				t.Errorf("what fits: status %d, %q", o.status, o.err)
			}
			matrix(t, "y.npy")
		})
	}
}

// tasksGroup makes a control group of this many processes and threads, and returns what puts a shell into it.
func tasksGroup(t *testing.T, most string) (enter string) {
	t.Helper()
	group, err := os.MkdirTemp("/sys/fs/cgroup/pids", "orthant-test-")
	if err != nil {
		t.Skipf("no control group of processes can be made here: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(group, "pids.max"), []byte(most), 0o644); err != nil {
		t.Skipf("a control group cannot be given a limit of processes here: %v", err)
	}
	return "echo $$ >" + filepath.Join(group, "cgroup.procs")
}

// Where a control group lets too few threads start, the command ends in one line that names the limit.
func TestFewTasks(t *testing.T) {
	inFolder(t, "200")
	for _, args := range [][]string{{"info"}, {"embed", "--method", "ltsa", "--in", "x.npy", "--out", "y.npy", "-q"}} {
		if o := under(t, tasksGroup(t, "8"), args...); o.status != exitUsage || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "pids.max") {
			t.Errorf("%v: status %d, %q", args, o.status, o.err)
		}
		if o := under(t, tasksGroup(t, "500"), args...); o.status != exitDone {
			t.Errorf("%v within 500: status %d, %q", args, o.status, o.err)
		}
	}
}
