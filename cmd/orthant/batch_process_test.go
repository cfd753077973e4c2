//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/blas"
)

// sameOutputs sees that every output in a folder is that of an undisturbed batch.
// Some may be missing yet, but none half-written.
func sameOutputs(t *testing.T, folder, undisturbed string, outputs []string, all bool) {
	t.Helper()
	for _, name := range outputs {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if os.IsNotExist(err) && !all {
			continue
		}
		if err != nil || !bytes.Equal(got, read(t, filepath.Join(undisturbed, name))) {
			t.Errorf("%s differs from the undisturbed one (%v)", name, err)
		}
	}
}

// TestKilledBatch kills a batch over and over at random moments, until it is done.
// What was recorded as finished is there, is whole, and is never done again.
func TestKilledBatch(t *testing.T) {
	dir := inFolder(t, "")
	outputs := manyJobs(t, 60)
	begin := time.Now()
	if text, err := process(t, dir, "batch", "jobs.jsonl", "--out", "u", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	whole := time.Since(begin)
	random := blas.NewStream(11)
	total := 0
	for round := range 4 {
		out := fmt.Sprintf("o%d", round)
		finished, kills := map[int]bool{}, 0
		for ended := false; !ended; {
			cmd := process(t, dir, "batch", "jobs.jsonl", "--out", out, "--resume", "-q")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// It ends some time, as every job that is recorded is kept; where the machine
			// has become slower meanwhile, by the longer and longer times that it is given.
			after := random.Uniform() * 0.35 * (1 + float64(kills)/10) * float64(whole)
			moment := time.AfterFunc(time.Duration(after), func() { cmd.Process.Kill() })
			ended = cmd.Wait() == nil
			moment.Stop()
			if !ended {
				kills++
				total++
			}
			if _, err := os.Stat(filepath.Join(out, batchJournal)); err != nil && !ended {
				continue // killed before it began
			}
			journal := read(t, filepath.Join(out, batchJournal))
			write(t, filepath.Join(out, batchJournal), string(journal[:bytes.LastIndexByte(journal, '\n')+1]))
			records, lines := recordsIn(t, out)
			if lines != len(records) {
				t.Fatalf("%d lines for %d jobs: a finished one was done again", lines, len(records))
			}
			for i := range finished {
				if records[i] == nil {
					t.Fatalf("job %d was finished and is lost", i)
				}
			}
			for i, r := range records {
				if finished[i] = true; r.Status != jobDone {
					t.Fatalf("job %d: %+v", i, r)
				}
				if _, err := os.Stat(filepath.Join(out, outputs[i])); err != nil {
					t.Fatalf("job %d is finished, its output is not there", i)
				}
			}
			sameOutputs(t, out, "u", outputs, false)
			if !ended { // what a kill in the midst of a write would leave
				write(t, filepath.Join(out, batchJournal), string(journal)+`{"index": 3, "st`)
			}
		}
		sameOutputs(t, out, "u", outputs, true)
		if left := names(t, out); len(left) != len(outputs)+1 {
			t.Errorf("left %v", left)
		}
	}
	if total == 0 {
		t.Error("no batch was killed")
	}
	t.Logf("killed %d times", total)
}

// A journal that cannot be written ends the batch: what it does not record would be
// done in vain.
func TestBatchEndsWithItsJournal(t *testing.T) {
	inFolder(t, "")
	manyJobs(t, 30)
	b := &batch{invocation: newInvocation(streams{out: new(bytes.Buffer), err: new(bytes.Buffer)}), out: "o"}
	b.quiet, b.progress = true, "never"
	if err := errors.Join(b.begin(), b.load("jobs.jsonl", pflag.NewFlagSet("", pflag.ContinueOnError)), b.open(t.Context()), b.prepare(), b.journal.Close()); err != nil {
		t.Fatal(err)
	}
	err := b.work(t.Context())
	if status(err) != exitFailed || !strings.Contains(err.Error(), "writing o/journal.jsonl: file already closed") {
		t.Errorf("status %d, %v", status(err), err)
	}
	if written := names(t, "o"); len(written) > 10 {
		t.Errorf("all the same it went on: %v", written)
	}
}
