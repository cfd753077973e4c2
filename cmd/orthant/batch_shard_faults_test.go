//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
)

// mergedOnce merges the two shards of a folder, and sees that each of the jobs was done once and
// has the outputs of the undisturbed batch.
func mergedOnce(t *testing.T, out string, outputs []string) {
	t.Helper()
	v := must(t, "batch", "merge", "--out", out, "--json").object(t)
	if v["ok"] != float64(len(outputs)) || v["not_done"] != 0.0 {
		t.Errorf("merged: %v", v)
	}
	all := 0
	for i := 1; i <= 2; i++ {
		times, _ := doneIn(t, filepath.Join(out, shard{i, 2}.journal()))
		for job, n := range times {
			if n != 1 {
				t.Errorf("%s was done %d times", job, n)
			}
		}
		all += len(times)
	}
	if all != len(outputs) {
		t.Errorf("%d jobs are done in all, of %d", all, len(outputs))
	}
	sameOutputs(t, out, "u", outputs, true)
	if left, _ := filepath.Glob(out + "/*.claim"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if left, _ := filepath.Glob(out + "/.*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Of two processes that are given the same shard one does it, and the other says so.
func TestShardGivenTwice(t *testing.T) {
	dir := inFolder(t, "")
	outputs := manyJobs(t, 60)
	must(t, "batch", "jobs.jsonl", "--out", "u", "-q")
	must(t, "batch", "jobs.jsonl", "--shard", "2/2", "--out", "o", "-q")
	type run struct {
		outcome
		err error
	}
	runs := make(chan run, 2)
	for range 2 {
		go func() {
			cmd := process(t, dir, "batch", "jobs.jsonl", "--shard", "1/2", "--out", "o", "--resume", "-q")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			runs <- run{outcome{status: cmd.ProcessState.ExitCode(), err: stderr.String()}, err}
		}()
	}
	first, second := <-runs, <-runs
	if first.status == exitDone {
		first, second = second, first
	}
	if second.status != exitDone {
		t.Fatalf("status %d, %s", second.status, second.outcome.err)
	}
	if first.status == exitDone {
		t.Skip("the one was done before the other began")
	}
	if first.status != exitUsage || strings.Count(first.outcome.err, "\n") != 1 || !strings.Contains(first.outcome.err, "in use by another run") && !strings.Contains(first.outcome.err, "shard 1/2 is being done by process") {
		t.Errorf("the second process: status %d, %q", first.status, first.outcome.err)
	}
	mergedOnce(t, "o", outputs)
}

// fullDisk has no room left for what is written under a folder after this many bytes.
type fullDisk struct {
	disk.FileSystem
	folder string
	room   *atomic.Int64
}

type fileOnAFullDisk struct {
	disk.File
	on fullDisk
}

func (d fullDisk) OpenFile(name string, flag int, mode fs.FileMode) (disk.File, error) {
	f, err := d.FileSystem.OpenFile(name, flag, mode)
	if err != nil || flag&(os.O_WRONLY|os.O_RDWR) == 0 || !strings.Contains(filepath.ToSlash(name), d.folder+"/") {
		return f, err
	}
	return fileOnAFullDisk{f, d}, nil
}

func (f fileOnAFullDisk) left(p []byte) error {
	if f.on.room.Add(-int64(len(p))) < 0 {
		return &fs.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return nil
}

func (f fileOnAFullDisk) Write(p []byte) (int, error) {
	if err := f.left(p); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f fileOnAFullDisk) WriteAt(p []byte, at int64) (int, error) {
	if err := f.left(p); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, at)
}

// A shared disk that runs full while a shard is done: the shard says so and its journal is right; once
// there is room again it goes on, and so does the merge.
func TestShardsOnAFullDisk(t *testing.T) {
	inFolder(t, "")
	outputs := manyJobs(t, 24)
	must(t, "batch", "jobs.jsonl", "--out", "u", "-q")
	args := []string{"batch", "jobs.jsonl", "--out", "o", "--resume", "-q", "--shard"}
	must(t, append(args, "2/2")...)
	full := func(room int64, args ...string) outcome {
		d := fullDisk{disk.Files(), "o", new(atomic.Int64)}
		d.room.Store(room)
		defer disk.Swap(d)()
		return orthant(t, args...)
	}
	// With no room at all, for the claim; with room for the claim and some of the jobs.
	for _, room := range []int64{0, 200, 12000} {
		o := full(room, append(args, "1/2")...)
		last := o.err[strings.LastIndex(strings.TrimSuffix(o.err, "\n"), "\n")+1:]
		if o.status != exitFailed || !strings.Contains(o.err, "no space left on device") || !strings.HasPrefix(last, "orthant batch: ") {
			t.Fatalf("%d bytes: status %d, %s", room, o.status, o.err)
		}
		sameOutputs(t, "o", "u", outputs, false)
		if _, err := os.Stat("o/journal.1-of-2.jsonl"); err == nil {
			times, _ := doneIn(t, "o/journal.1-of-2.jsonl")
			if room > 1000 && len(times) == 0 {
				t.Errorf("%d bytes: no job was done", room)
			}
			for job := range times {
				var j struct{ Out string }
				if err := json.Unmarshal([]byte(job), &j); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(filepath.Join("o", j.Out)); err != nil {
					t.Errorf("%d bytes: %s is done, and its output is not there", room, job)
				}
			}
		}
	}
	must(t, append(args, "1/2")...)
	if o := full(100, "batch", "merge", "--out", "o"); o.status != exitFailed || !strings.Contains(o.err, "no space left on device") || strings.Count(o.err, "\n") != 1 {
		t.Errorf("the merge: status %d, %s", o.status, o.err)
	}
	if _, err := os.Stat("o/journal.jsonl"); err == nil {
		t.Error("a merge that failed wrote a journal")
	}
	mergedOnce(t, "o", outputs)
}
