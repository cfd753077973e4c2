package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"weak"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/faults"
)

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
		t.Errorf("%d lines of the journal are not records", refused)
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

// A batch tries no remedies unless a job asks for them.
func TestBatchNamesRemedies(t *testing.T) {
	inFolder(t, "")
	orthant(t, "generate", "swiss-roll", "--samples", "800", "--seed", "1", "--out", "x.npy")
	job := `{"command": "embed", "method": "neml", "in": "x.npy", "neighbors": 15, "out": "%s.npy"%s}` + "\n"
	write(t, "jobs.jsonl", fmt.Sprintf(job, "named", "")+fmt.Sprintf(job, "tried", `, "set": {"remedies": "tried"}`))
	orthant(t, "batch", "jobs.jsonl", "--out", "out")
	journal := string(read(t, "out/journal.jsonl"))
	if !strings.Contains(journal, "not tried: trials are off") || !strings.Contains(journal, "take --neighbors 10") {
		t.Error(journal)
	}
	if !bytes.Equal(read(t, "out/named.npy"), read(t, "out/tried.npy")) {
		t.Error("trials change the coordinates")
	}
}

func TestBatchPlaceholders(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"{stem}-y.npy", "a-y.npy"}, {"{folder}/{name}.png", "d/a.npy.png"}, {"{out}/{stem}", "o/a"}, {"plain {X}.npy", "plain {X}.npy"},
	} {
		if got, err := (placeholders{out: "o", file: "d/a.npy"}).fill("out", c.path); err != nil || got != c.want {
			t.Errorf("%q is %q (%v), want %q", c.path, got, err, c.want)
		}
	}
	// A match is taken as it is, braces and all.
	if got, err := (placeholders{file: "{x}.npy", pattern: "in", match: "{x}.npy"}).fill("in", "*.npy"); err != nil || got != "{x}.npy" {
		t.Errorf("%q (%v)", got, err)
	}
	for name, want := range map[string]string{"a.npy": "a", "a.b.csv": "a.b", "a.csv.gz": "a", "a.npy.ZST": "a", "a": "a"} {
		if got := stem(name); got != want {
			t.Errorf("the stem of %q is %q, want %q", name, got, want)
		}
	}
}

func FuzzJobLines(f *testing.F) {
	for _, text := range []string{`{"command": "embed", "in": "x.npy", "out": "{stem}.npy", "set": {"gamma": 1e-4}}`, `{"command": "generate", "name": "helix"}`, `{`, `{"set": [[]]}`, "\n{}\n", `{"command": "embed", "in": "[", "threads": -1}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := readJobLines("-", strings.NewReader(text), 0)
		if err != nil {
			if status(err) != exitUsage {
				t.Errorf("%q: %v is not the user's to mend", text, err)
			}
			return
		}
		m := newJobMaker("o", nil)
		for _, l := range lines {
			jobs, err := m.jobs(l)
			if err == nil && len(jobs) == 0 || err != nil && status(err) != exitUsage {
				t.Errorf("%q: %d jobs, %v", text, len(jobs), err)
			}
		}
	})
}

// Patterns match what they match for filepath.Glob.
func TestPatternsMatchAsGlob(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	for _, path := range []string{"a/x.npy", "a/y.npy", "b/x.npy", "b/deep/x.npy", ".hidden/x.npy", "x.npy", "[z].npy"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, "")
	}
	_ = os.Symlink("circle", "circle")
	for _, pattern := range []string{"*", "*.npy", "./*.npy", "*/x.npy", "*/*.npy", "*/*/x.npy", "a/[xy].npy", "[ab]/?.npy", "none/*.npy", "x.npy/*", `\[z\].npy`, "a//*",
		filepath.Join(root, "*"), filepath.Join(root, "*", "x.npy"), "../*/a/*", "circle/*", "*/*/*/*"} {
		if runtime.GOOS == "windows" && strings.Contains(pattern, `\[`) {
			continue // \ is no escape there
		}
		want, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		got, err := files.Glob(pattern)
		slices.Sort(want)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", pattern, got, err, want)
		}
	}
	for _, pattern := range []string{"[", "a/[", "[/x.npy"} {
		if _, err := files.Glob(pattern); !errors.Is(err, filepath.ErrBadPattern) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// A folder that cannot be read to its end is an error, not a folder of fewer files.
func TestPatternsWithFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"a/x.npy", "b/x.npy", "b/y.npy"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, "")
	}
	var found []string
	var err error
	calls := faults.Every(t, faults.Passing, func() { found, err = files.Glob("*/*.npy") }, func(string) {
		if !errors.Is(err, syscall.EIO) || len(found) > 0 {
			t.Errorf("%q, %v", found, err)
		}
	})
	if err != nil || len(found) != 3 || len(calls) != 6 {
		t.Errorf("%d calls: %q, %v", len(calls), found, err)
	}
}

// Standard input may break off.
func TestJobsFromStandardInput(t *testing.T) {
	inFolder(t, "")
	o := orthantReading(t, iotest.ErrReader(syscall.EIO), "batch", "-", "--out", "o")
	if _, err := os.Stat("o"); o.status != exitUsage || !strings.Contains(o.err, "reading standard input: input/output error") || strings.Count(o.err, "\n") != 1 || err == nil {
		t.Errorf("status %d, %q, %v", o.status, o.err, err)
	}
}

func TestSharedFilesAreReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &sharedFiles{kept: map[string]*sharedFile{}}
	a, b := &job{args: []string{"--graph=" + path}}, &job{args: []string{"--graph=" + path, "--out=y"}}
	s.expect(a)
	s.expect(b)
	reads := 0
	read := func() (int, error) { reads++; return reads, nil }
	if _, err := sharing(s, path, func() (int, error) { return 0, os.ErrClosed }); err == nil {
		t.Error("the error of a reader was lost")
	}
	for range 3 {
		if v, err := sharing(s, path, read); v != 1 || err != nil {
			t.Errorf("read %d, %v", v, err)
		}
	}
	if err := os.WriteFile(path, []byte("longer"), 0o644); err != nil {
		t.Fatal(err)
	}
	if v, _ := sharing(s, path, read); v != 2 {
		t.Errorf("a file that changed gave %d", v)
	}
	s.release(a)
	if s.kept[path] == nil {
		t.Error("dropped before its last user")
	}
	if s.release(b); s.kept[path] != nil {
		t.Error("kept after its last user")
	}
}

// doneIn counts how often each job of a shard is recorded as done, of whatever starts.
// Every line must be whole.
func doneIn(t *testing.T, path string) (times map[string]int, starts int) {
	t.Helper()
	times = map[string]int{}
	if refused := files.JournalLines(read(t, path), func(line []byte) error {
		if _, err := readHeader(line); err == nil {
			starts++
			return nil
		}
		r, err := readRecord(line)
		if err == nil && r.Status == jobDone {
			times[string(r.Job)]++
		}
		return err
	}); refused > 0 {
		t.Errorf("%d lines of %s are not records", refused, path)
	}
	return times, starts
}
