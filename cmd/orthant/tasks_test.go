//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
