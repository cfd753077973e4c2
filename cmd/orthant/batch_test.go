package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"weak"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/engine/files"
)

// rolls draws this many swiss rolls into x-1.npy, x-2.npy, …
func rolls(t *testing.T, count, samples int) {
	t.Helper()
	for i := 1; i <= count; i++ {
		must(t, "generate", "swiss-roll", "--samples", strconv.Itoa(samples), "--seed", strconv.Itoa(i), "--out", fmt.Sprintf("x-%d.npy", i), "-q")
	}
}

// recordsIn returns the records of a batch's journal by index; later ones replace
// earlier ones. Every line must be whole.
func recordsIn(t *testing.T, folder string) (last map[int]*record, lines int) {
	t.Helper()
	last = map[int]*record{}
	text := read(t, filepath.Join(folder, batchJournal))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		t.Errorf("the journal ends in a torn line")
	}
	if refused := files.JournalLines(text, func(line []byte) error {
		r, err := readRecord(line)
		if err == nil {
			last[r.Index] = r
			lines++
		}
		return err
	}); refused > 0 {
		t.Errorf("%d lines of the journal are no records", refused)
	}
	return last, lines
}

func TestBatchRecordsPanics(t *testing.T) {
	dir := inFolder(t, "")
	boom := func(inv *invocation) *cobra.Command {
		return &cobra.Command{Use: "boom", RunE: func(*cobra.Command, []string) error {
			if _, err := inv.create("y.npy"); err != nil {
				return err
			}
			panic("a bug\nin two lines")
		}}
	}
	early := func(*invocation) *cobra.Command { panic("a bug\nin two lines") }
	b := &batch{invocation: newInvocation(streams{}), jobs: []*job{{command: "boom", make: boom}, {command: "boom", make: early}}}
	for at, threads := range []int{1, 2, 1, 2} {
		r := b.perform(t.Context(), start{at / 2, threads}, 0)
		if r == nil || r.Status != jobFailed || r.ExitCode != exitFailed || r.Error != "orthant boom: internal error: a bug in two lines" {
			t.Errorf("%+v", r)
		}
	}
	if left := names(t, dir); len(left) > 0 || b.company.running.Load() != 0 {
		t.Errorf("left %v, %d running", left, b.company.running.Load())
	}
}

// Nothing keeps what a job held after its end: neither the libraries nor the batch.
func TestBatchForgetsItsJobs(t *testing.T) {
	inFolder(t, "")
	for _, original := range subcommands() {
		var held weak.Pointer[invocation]
		j := &job{make: func(inv *invocation) *cobra.Command {
			held = weak.Make(inv)
			return original.make(inv)
		}}
		j.command = original.name
		b := &batch{invocation: newInvocation(streams{}), jobs: []*job{j}}
		if r := b.perform(t.Context(), start{0, 1}, 0); r == nil || r.ExitCode != exitUsage {
			t.Errorf("%s without its flags: %+v", j.command, r)
		}
		runtime.GC()
		runtime.GC()
		if held.Value() != nil {
			t.Errorf("%s: the run is still held after its end", j.command)
		}
	}
}

func TestJobEstimates(t *testing.T) {
	inFolder(t, "")
	rolls(t, 1, 3000)
	must(t, "generate", "swiss-roll", "--samples", "3000", "--out", "x.csv")
	m := newJobMaker("o", nil)
	need := func(text string) int64 {
		t.Helper()
		l := &jobLine{number: 1, values: map[string]any{}}
		if err := l.parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		jobs, err := m.jobs(l)
		if err != nil {
			t.Fatal(err)
		}
		return jobs[0].estimate() - smallestJob
	}
	const data = 3000 * 3 * 8
	for text, want := range map[string][2]int64{
		`{"command": "embed", "in": "none.npy"}`:                                                                       {0, 0},
		`{"command": "embed", "method": "pca", "in": "x-1.npy"}`:                                                       {2 * data, 6 * data},
		`{"command": "embed", "method": "pca", "in": "x.csv"}`:                                                         {2 * data, 20 * data},
		`{"command": "embed", "method": "lle", "in": "x-1.npy", "neighbors": 10}`:                                      {5e6, 3e7},
		`{"command": "embed", "method": "isomap", "in": "x-1.npy"}`:                                                    {36e6, 80e6},
		`{"command": "embed", "method": "isomap", "in": "x-1.npy", "set": {"landmarks": 20}}`:                          {5e5, 25e6},
		`{"command": "generate", "name": "helix", "samples": 100000, "out": "h.npy"}`:                                  {2e6, 1e8},
		`{"command": "evaluate", "metric": "trustworthiness", "in": "x-1.npy", "embedding": "x-1.npy", "neighbors":5}`: {2 * data, 6 * data},
	} {
		if got := need(text); got < want[0] || got > want[1] {
			t.Errorf("%s: %d bytes, want %v", text, got, want)
		}
	}
}

func TestBatchPace(t *testing.T) {
	c := &tally{Jobs: 2000, OK: 490, Failed: 10, Skipped: 500}
	if got, want := pace(c, 5), "1000/2000, 10 failed, 100/s, 10s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := pace(&tally{Jobs: 3}, 0); got != "0/3" {
		t.Errorf("%q", got)
	}
}
