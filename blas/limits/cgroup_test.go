package limits_test

import (
	"testing"

	"github.com/orthant-go/orthant/blas/limits"
)

// What may still be started is the least over the groups of a process, of both versions.
func TestTasks(t *testing.T) {
	const p1 = "sys/fs/cgroup/pids/"
	pids := with(bare, "proc/self/cgroup", "5:pids:/pod/box\n", "proc/self/mountinfo", "36 31 0:33 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n")
	for name, c := range map[string]struct {
		files map[string]string
		free  int64
		file  string
	}{
		"no group":    {bare, 0, ""},
		"no bound":    {with(nested, v2+"pod/box/pids.max", "max\n", v2+"pod/box/pids.current", "3\n"), 0, ""},
		"version 2":   {with(nested, v2+"pod/box/pids.max", "8\n", v2+"pod/box/pids.current", "3\n"), 5, "/" + v2 + "pod/box/pids.max"},
		"above":       {with(nested, v2+"pod/box/pids.max", "8\n", v2+"pod/box/pids.current", "3\n", v2+"pod/pids.max", "20\n", v2+"pod/pids.current", "18\n"), 2, "/" + v2 + "pod/pids.max"},
		"version 1":   {with(pids, p1+"pod/box/pids.max", "8\n", p1+"pod/box/pids.current", "7\n"), 1, "/" + p1 + "pod/box/pids.max"},
		"beyond":      {with(pids, p1+"pod/box/pids.max", "8\n", p1+"pod/box/pids.current", "9\n"), 0, "/" + p1 + "pod/box/pids.max"},
		"not counted": {with(pids, p1+"pod/box/pids.max", "8\n"), 0, ""},
	} {
		free, file, known := limits.System{Root: tree(c.files)}.Tasks()
		if known != (c.file != "") || known && (free != c.free || file != c.file) {
			t.Errorf("%s: %d, %q, %v; want %d, %q", name, free, file, known, c.free, c.file)
		}
	}
}
