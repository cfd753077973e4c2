package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
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

// A batch computes what single commands do, to the bit, whatever the number of
// workers and threads, and the journal holds what they print.
func TestBatchIsManyCommands(t *testing.T) {
	inFolder(t, "")
	rolls(t, 3, 120)
	write(t, "jobs.jsonl", `{"command": "embed", "method": "lle", "in": "x-*.npy", "out": "{stem}-y.npy", "neighbors": 10}
{"command": "embed", "method": "neml", "in": "x-1.npy", "out": "sub/n.csv", "model": "m.model", "plot": "p.png", "neighbors": 14, "dim": 3, "set": {"gamma": 1e-4}}

{"command": "transform", "model": "{out}/m.model", "in": "x-2.npy", "out": "t.npy"}
{"command": "cluster", "method": "kmeans", "in": "x-3.npy", "clusters": 3, "out": "l.npy", "set": ["restarts=3"], "seed": 7, "json": true}
{"command": "factorize", "method": "nmf", "in": "x-1.npy", "rank": 2, "out-w": "w.npy", "out_h": "h.npy", "iterations": 5, "set": "shift=columns"}
{"command": "neighbors", "in": "x-1.npy", "neighbors": 4, "out-indices": "i.npy"}
{"command": "generate", "name": "helix", "samples": 50, "out": "helix.npy"}
{"command": "evaluate", "metric": "trustworthiness", "in": "x-1.npy", "embedding": "{out}/x-1-y.npy"}
`)
	singles := [][]string{
		{"embed", "--method=lle", "--in=x-1.npy", "--out=s/x-1-y.npy", "--neighbors=10"},
		{"embed", "--method=lle", "--in=x-2.npy", "--out=s/x-2-y.npy", "--neighbors=10"},
		{"embed", "--method=lle", "--in=x-3.npy", "--out=s/x-3-y.npy", "--neighbors=10"},
		{"embed", "--method=neml", "--in=x-1.npy", "--out=s/sub/n.csv", "--model=s/m.model", "--plot=s/p.png", "--neighbors=14", "--dim=3", "--set=gamma=1e-4"},
		{"transform", "--model=s/m.model", "--in=x-2.npy", "--out=s/t.npy"},
		{"cluster", "--method=kmeans", "--in=x-3.npy", "--clusters=3", "--out=s/l.npy", "--set=restarts=3", "--seed=7"},
		{"factorize", "--method=nmf", "--in=x-1.npy", "--rank=2", "--out-w=s/w.npy", "--out-h=s/h.npy", "--iterations=5", "--set=shift=columns"},
		{"neighbors", "--in=x-1.npy", "--neighbors=4", "--out-indices=s/i.npy"},
		{"generate", "helix", "--samples=50", "--out=s/helix.npy"},
		{"evaluate", "--metric=trustworthiness", "--in=x-1.npy", "--embedding=s/x-1-y.npy"},
	}
	if err := os.MkdirAll("s/sub", 0o777); err != nil {
		t.Fatal(err)
	}
	var value any
	for _, args := range singles {
		v := must(t, append(args, "--json")...).object(t)
		value = v["value"]
	}
	for _, workers := range []string{"1", "2", "5"} {
		out := "b" + workers
		o := must(t, "batch", "jobs.jsonl", "--out", out, "--workers", workers)
		if !strings.Contains(o.err, "10: 10 ok, 0 failed") || o.out != "" {
			t.Errorf("printed %q and %q", o.out, o.err)
		}
		records, lines := recordsIn(t, out)
		if len(records) != 10 || lines != 10 {
			t.Fatalf("%d records on %d lines", len(records), lines)
		}
		for i, r := range records {
			if r.Status != jobDone || r.ExitCode != 0 || r.Error != "" || r.Seconds <= 0 || r.Threads < 1 || len(r.Result) == 0 {
				t.Errorf("record %d: %+v", i, r)
			}
			if runtime.GOOS == "linux" && r.Threads == 1 && r.CPU == nil {
				t.Errorf("record %d: the processor time of a single thread is not known", i)
			}
		}
		var report map[string]any
		if err := json.Unmarshal(records[9].Result, &report); err != nil || report["value"] != value {
			t.Errorf("evaluate found %v, alone %v (%v)", report["value"], value, err)
		}
		for _, name := range []string{"x-1-y.npy", "x-2-y.npy", "x-3-y.npy", "sub/n.csv", "m.model", "p.png", "t.npy", "l.npy", "w.npy", "h.npy", "i.npy", "helix.npy"} {
			if !bytes.Equal(read(t, filepath.Join(out, name)), read(t, filepath.Join("s", name))) {
				t.Errorf("%s workers: %s differs from that of the single command", workers, name)
			}
		}
		if left, _ := filepath.Glob(out + "/.*"); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	}
}

func TestBatchOneBadJobDoesNotStopTheRest(t *testing.T) {
	inFolder(t, "")
	rolls(t, 2, 60)
	write(t, "bad.csv", "1,2\n3,x\n")
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "nowhere.npy", "out": "a.npy"}
{"command": "embed", "method": "pca", "in": "bad.csv", "out": "b.npy"}
{"command": "embed", "method": "pca", "in": "x-1.npy", "out": "c.npy"}
{"command": "embed", "method": "pcaa", "in": "x-1.npy", "out": "d.npy"}
{"command": "embed", "method": "pca", "in": "{out}/a.npy", "out": "e.npy"}
{"command": "evaluate", "metric": "dev", "truth": "x-1.npy", "embedding": "{out}/e.npy"}
{"command": "embed", "method": "pca", "in": "x-2.npy", "out": "f.npy", "neighbors": 5}
`)
	o := orthant(t, "batch", "jobs.jsonl", "--out", "o", "--json")
	v := o.object(t)
	for key, want := range map[string]any{"jobs": 7.0, "ok": 2.0, "failed": 5.0, "skipped": 0.0, "not_converged": 0.0} {
		if v[key] != want {
			t.Errorf("%s is %v, want %v", key, v[key], want)
		}
	}
	if o.status != exitFailed || len(v["failures"].([]any)) != 5 || v["jobs_per_second"].(float64) <= 0 {
		t.Errorf("status %d, %v", o.status, v)
	}
	for _, said := range []string{"line 1 (nowhere.npy) failed: orthant embed: reading nowhere.npy", "line 2 (bad.csv) failed", `unknown method "pcaa"`, "orthant batch: 5 jobs of 7 failed, the first on line 1; o/journal.jsonl"} {
		if !strings.Contains(o.err, said) {
			t.Errorf("standard error lacks %q: %s", said, o.err)
		}
	}
	records, _ := recordsIn(t, "o")
	for i, want := range []int{exitUsage, exitUsage, exitDone, exitUsage, exitFailed, exitFailed, exitDone} {
		if r := records[i]; r.ExitCode != want || (r.Status == jobDone) != (want == exitDone) || (r.Error == "") != (want == exitDone) {
			t.Errorf("record %d: %+v", i, r)
		}
	}
	if !strings.Contains(records[5].Error, "not run: a job that writes its input failed, line 1") {
		t.Errorf("the job after a failed one: %q", records[5].Error)
	}
	if w := records[6].Warnings; len(w) != 1 || !strings.Contains(w[0], "no neighbourhoods") {
		t.Errorf("warnings %q", w)
	}
	if got := names(t, "o"); !slices.Equal(got, []string{"c.npy", "f.npy", "journal.jsonl"}) {
		t.Errorf("left %v", got)
	}
	// The failed ones run again, and those that waited for them.
	must(t, "generate", "swiss-roll", "--samples", "60", "--out", "nowhere.npy", "-q")
	v = orthant(t, "batch", "jobs.jsonl", "--out", "o", "--json", "--resume").object(t)
	if v["skipped"] != 2.0 || v["ok"] != 3.0 || v["failed"] != 2.0 {
		t.Errorf("after --resume: %v", v)
	}
}

// A panic is the failure of its job alone, and leaves none of its outputs.
// Of many failed jobs the first are told of one by one; the report lists up to twenty.
func TestBatchTellsOfTheFirstFailures(t *testing.T) {
	inFolder(t, "")
	var jobs strings.Builder
	for i := range 25 {
		fmt.Fprintf(&jobs, `{"command": "embed", "method": "pca", "in": "nowhere-%d.npy", "out": "%d.npy"}`+"\n", i, i)
	}
	write(t, "jobs.jsonl", jobs.String())
	o := orthant(t, "batch", "jobs.jsonl", "--out", "o", "--json", "--threads", "1")
	if o.status != exitFailed {
		t.Errorf("status %d", o.status)
	}
	if n := strings.Count(o.err, ") failed: "); n != shownFailures {
		t.Errorf("%d failures told of, want %d:\n%s", n, shownFailures, o.err)
	}
	if n := strings.Count(o.err, "further failures are only in o/"+batchJournal); n != 1 {
		t.Errorf("the others are mentioned %d times:\n%s", n, o.err)
	}
	var report struct {
		Failed   int
		Failures []failure
	}
	if err := json.Unmarshal([]byte(o.out), &report); err != nil || report.Failed != 25 || len(report.Failures) != listedFailures || report.Failures[19].Index != 19 {
		t.Errorf("report %+v, error %v", report, err)
	}
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

func TestBatchResume(t *testing.T) {
	inFolder(t, "")
	rolls(t, 3, 60)
	jobs := `{"command": "embed", "method": "pca", "in": "x-?.npy", "out": "{stem}-y.npy"}
{"command": "embed", "method": "pca", "dim": 1, "in": "{out}/x-1-y.npy", "out": "z.npy"}
`
	write(t, "jobs.jsonl", jobs)
	must(t, "batch", "jobs.jsonl", "--out", "o", "--resume") // nothing to resume is no error
	if o := orthant(t, "batch", "jobs.jsonl", "--out", "o"); o.status != exitUsage || !strings.Contains(o.err, "--resume") || !strings.Contains(o.err, "--out another folder") {
		t.Errorf("a second run: status %d, %q", o.status, o.err)
	}
	resumed := func(skipped, ok float64, args ...string) {
		t.Helper()
		v := must(t, append([]string{"batch", "jobs.jsonl", "--out", "o", "--resume", "--json"}, args...)...).object(t)
		if v["skipped"] != skipped || v["ok"] != ok {
			t.Errorf("%v skipped, %v ok; want %v and %v", v["skipped"], v["ok"], skipped, ok)
		}
	}
	resumed(4, 0)
	// An output is gone.
	if err := os.Remove("o/x-2-y.npy"); err != nil {
		t.Fatal(err)
	}
	resumed(3, 1)
	// An input has changed; what reads the output of that job runs, too.
	if err := os.Chtimes("x-1.npy", time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	resumed(2, 2)
	// The job has changed; places in the file do not matter.
	write(t, "jobs.jsonl", "\n"+strings.Replace(jobs, `"dim": 1`, `"dim": 2`, 1))
	resumed(3, 1)
	resumed(4, 0)
	// Another seed is another job.
	resumed(0, 4, "--seed", "5")
	resumed(4, 0, "--seed", "5")
	// A torn line is cut off, and its job done again.
	text := read(t, "o/journal.jsonl")
	write(t, "o/journal.jsonl", string(text[:len(text)-20]))
	write(t, "o/.z.npy.tmp-0123abcd", "half")
	resumed(3, 1, "--seed", "5")
	recordsIn(t, "o")
	if got := names(t, "o"); slices.Contains(got, ".z.npy.tmp-0123abcd") {
		t.Errorf("left %v", got)
	}
}

// The outputs of the day before are no inputs of today.
func TestBatchPatternsPassOverOutputs(t *testing.T) {
	inFolder(t, "")
	rolls(t, 2, 60)
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "x-*.npy", "out": "{stem}-y.npy"}`)
	must(t, "batch", "jobs.jsonl", "--out", ".")
	if v := must(t, "batch", "jobs.jsonl", "--out", ".", "--resume", "--json").object(t); v["jobs"] != 2.0 || v["skipped"] != 2.0 {
		t.Errorf("%v", v)
	}
}

func TestBatchReadsStandardInput(t *testing.T) {
	inFolder(t, "60")
	jobs := "\ufeff" + `{"command": "embed", "method": "pca", "in": "x.npy", "out": "y.npy"}` // no newline at the end
	o := orthantReading(t, strings.NewReader(jobs), "batch", "-", "--out", "o/p", "--quiet")
	if o.status != exitDone || o.err != "" || o.out != "" {
		t.Errorf("status %d, %q, %q", o.status, o.out, o.err)
	}
	matrix(t, "o/p/y.npy")
}

// Where nothing failed but something did not converge, the status is that of a
// single command.
func TestBatchWithoutConvergence(t *testing.T) {
	inFolder(t, "")
	write(t, "p.csv", positive(60, 5))
	write(t, "jobs.jsonl", `{"command": "factorize", "method": "nmf", "in": "p.csv", "rank": 2, "out-w": "w.npy", "tolerance": 1e-300}`)
	for _, args := range [][]string{{}, {"--resume"}} {
		o := orthant(t, append([]string{"batch", "jobs.jsonl", "--out", "o"}, args...)...)
		if o.status != exitNotConverged || !strings.Contains(o.err, "1 job of 1 did not converge") {
			t.Errorf("%v: status %d, %q", args, o.status, o.err)
		}
	}
	if r, lines := recordsIn(t, "o"); r[0].Status != jobNotConverged || r[0].ExitCode != exitNotConverged || lines != 1 {
		t.Errorf("%+v on %d lines", r[0], lines)
	}
	matrix(t, "o/w.npy")
}

func TestBatchSharesMemory(t *testing.T) {
	inFolder(t, "")
	rolls(t, 1, 3000)
	write(t, "jobs.jsonl", `{"command": "embed", "method": "isomap", "in": "x-1.npy", "out": "a.npy", "memory": "1MiB"}
{"command": "embed", "method": "isomap", "in": "x-1.npy", "out": "b.npy"}
{"command": "embed", "method": "pca", "in": "x-1.npy", "out": "c.npy"}
`)
	o := orthant(t, "batch", "jobs.jsonl", "--out", "o", "--memory", "60MiB", "--json")
	records, _ := recordsIn(t, "o")
	if o.status != exitFailed || records[2].Status != jobDone {
		t.Errorf("status %d, %+v", o.status, records[2])
	}
	for i, limit := range []string{"1.00 MiB", "60.0 MiB"} {
		if r := records[i]; r.ExitCode != exitUsage || !strings.Contains(r.Error, "MiB") {
			t.Errorf("job %d, limit %s: %d, %q", i, limit, r.ExitCode, r.Error)
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
	inFolder(t, "60")
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "x.npy", "out": "y.npy"}`)
	if o := must(t, "batch", "jobs.jsonl", "--out", "o", "--progress", "always"); !strings.Contains(o.err, "\rbatch") || !strings.Contains(o.err, " 1/1, ") {
		t.Errorf("no progress: %q", o.err)
	}
}
