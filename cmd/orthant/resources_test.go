//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// under runs a real process of the command after a line of the shell, such as one that
// takes away what it may use.
func under(t *testing.T, line string, args ...string) outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	cmd := exec.Command("sh", append([]string{"-c", line + ` && exec "$0" "$@"`, self}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = commandEnvironment(), &out, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := ended(t, cmd, &stderr)
	o.out = out.String()
	if testing.CoverMode() != "" { // which has something to say of its own files
		lines := slices.DeleteFunc(strings.SplitAfter(o.err, "\n"), func(line string) bool { return strings.Contains(line, "coverage ") || line == "\n" })
		o.err = strings.Join(lines, "")
	}
	return o
}

// limited runs a command under a limit that is raised until it ends well: then its outputs
// are as they should be, and before that there are none of them, no leftovers, and a line
// that names a file and says why.
func limited(t *testing.T, c faulty, why string, limits []string) {
	t.Helper()
	prepareFaults(t, c)
	refused := 0
	for _, limit := range limits {
		c.asBefore(t)
		o := under(t, limit, append(strings.Fields(c.args), "-q")...)
		fresh := c.fresh(t)
		if left := leftovers(t); len(left) > 0 {
			t.Errorf("%s: left %v", limit, left)
		}
		if o.status == exitDone {
			if len(fresh) != len(c.outputs) || refused == 0 {
				t.Errorf("%s: status 0 after %d refusals, new are %v", limit, refused, fresh)
			}
			return
		}
		if refused == 0 && len(fresh) == 0 && (strings.HasPrefix(o.err, "runtime: ") || o.status == exitUsage && strings.HasPrefix(o.err, "orthant: the limit of open files is below 8")) {
			continue // too little for the runtime itself, or for the command to begin
		}
		refused++
		want := exitUsage
		if strings.Contains(o.err, ": writing ") {
			want = exitFailed
		}
		named := slices.ContainsFunc(slices.Concat(c.outputs, c.inputs()), func(path string) bool { return strings.Contains(o.err, path+": ") })
		if o.status != want || len(fresh) > 0 || !named || !strings.HasSuffix(o.err, why+"\n") || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, new are %v, %q", limit, o.status, fresh, o.err)
		}
	}
	t.Errorf("%q is too little", limits[len(limits)-1])
}

// doubled gives a line of the shell with numbers that become larger.
func doubled(line string, from, to int) (list []string) {
	for n := from; n <= to; n *= 2 {
		list = append(list, fmt.Sprintf(line, n))
	}
	return list
}

// A file that may not become as large as it should is not there.
func TestFileSizeLimits(t *testing.T) {
	for _, name := range []string{"embed", "factorize", "transform", "in place", "packed"} {
		t.Run(name, func(t *testing.T) {
			limited(t, faultyCommands[name], "file too large", append([]string{"ulimit -f 0"}, doubled("ulimit -f %d", 1, 1<<12)...))
		})
	}
}

// With too few files to have open at once, the file that is one too many is named.
func TestOpenFileLimits(t *testing.T) {
	for _, name := range []string{"embed", "factorize", "transform", "npz", "rows"} {
		t.Run(name, func(t *testing.T) {
			var limits []string
			for n := 6; n < 32; n++ {
				limits = append(limits, fmt.Sprintf("ulimit -n %d", n))
			}
			limited(t, faultyCommands[name], "too many open files", limits)
		})
	}
}

// A batch whose journal or outputs may not become as large as they should says so, and
// --resume does the rest.
func TestBatchWithFileSizeLimits(t *testing.T) {
	inFolder(t, "40")
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "x.npy", "out": "y.npy", "model": "m.model"}
{"command": "generate", "name": "helix", "samples": 400, "out": "h.csv"}
`)
	must(t, "batch", "jobs.jsonl", "--out", "want", "-q")
	seen := map[string]bool{}
	for _, limit := range append([]string{"ulimit -f 0"}, doubled("ulimit -f %d", 1, 64)...) {
		if err := os.RemoveAll("o"); err != nil {
			t.Fatal(err)
		}
		o := under(t, limit, "batch", "jobs.jsonl", "--out", "o", "--workers", "1", "-q")
		switch {
		case o.status == exitDone:
			seen["done"] = true
		case o.status == exitFailed && strings.Contains(o.err, "writing o/journal.jsonl: file too large"):
			seen["journal"] = true
		case o.status == exitFailed && strings.Contains(o.err, ": file too large") && strings.Contains(o.err, "of 2 failed"):
			seen["job"] = true
		default:
			t.Errorf("%s: status %d, %q", limit, o.status, o.err)
		}
		must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "-q")
		for _, path := range []string{"y.npy", "m.model", "h.csv"} {
			if !bytes.Equal(read(t, filepath.Join("o", path)), read(t, filepath.Join("want", path))) {
				t.Errorf("%s: %s differs after --resume", limit, path)
			}
		}
		if left, _ := filepath.Glob("o/.*"); len(left) > 0 {
			t.Errorf("%s: left %v", limit, left)
		}
	}
	if len(seen) != 3 {
		t.Errorf("what came of it was only %v", seen)
	}
}
