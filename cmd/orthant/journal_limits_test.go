//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hugeFile makes a file of 3 GiB that takes no room.
func hugeFile(t *testing.T, path string) {
	t.Helper()
	write(t, path, "")
	if err := os.Truncate(path, 3<<30); err != nil {
		t.Fatal(err)
	}
}

// boundedRun runs the command in a process under a limit of memory, which it must keep, and ends it
// after a minute.
func boundedRun(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	const limit = 300 << 20
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], append(args, "--memory", fmt.Sprint(limit))...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, commandEnvironment(), &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- peakUntil(cmd.Process.Pid, ended) }()
	_ = cmd.Wait()
	close(ended)
	if ctx.Err() != nil {
		t.Fatalf("%v: it hangs", args)
	}
	if took := <-peak; took > limit {
		t.Errorf("%v: it took %d MiB", args, took>>20)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// peakUntil is the peak of the resident memory of a process until it has ended, as Linux shows it while the process is
// there: what is reported at its end begins with the peak of the process that started it.
func peakUntil(pid int, ended <-chan struct{}) (peak int64) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
			var kibibytes int64
			if _, err := fmt.Sscan(after, &kibibytes); err == nil {
				peak = max(peak, kibibytes<<10)
			}
		}
		select {
		case <-ended:
			return peak
		case <-time.After(time.Millisecond):
		}
	}
}

// journalOf writes a journal of n records of jobs, each with text of the given length.
func journalOf(t *testing.T, path string, records, text int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	defer b.Flush()
	b.WriteString(`{"kind":"batch-shard","shard":1,"of":1,"jobs":1,"own":[],"index":[]}` + "\n")
	for i := range records {
		fmt.Fprintf(b, `{"index":%d,"line":1,"job":{"command":"generate","name":"helix","out":"%d"},"status":"ok","result":"`, i, i)
		for range text {
			b.WriteByte('x')
		}
		b.WriteString("\"}\n")
	}
}

// Journals, claims and reports of any size are read or refused within --memory.
func TestJournalsWithinMemory(t *testing.T) {
	dir := inFolder(t, "200")
	write(t, "jobs.jsonl", `{"command": "generate", "name": "helix", "samples": 9, "out": "h.npy"}`+"\n")
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "-q")
	const journal = "o/journal.1-of-1.jsonl"
	commands := map[string]string{"merge": "batch merge --out o", "plan": "batch jobs.jsonl --out o --plan", "resume": "batch jobs.jsonl --shard 1/1 --out o --resume -q"}
	for name, journalIs := range map[string]struct {
		make func()
		says string // of merge
		want map[string]int
	}{
		"zeros":         {func() { hugeFile(t, journal) }, "line 1 is longer than", map[string]int{"merge": exitUsage, "plan": exitDone, "resume": exitUsage}},
		"a long line":   {func() { journalOf(t, journal, 1, 64<<20) }, "line 2 is longer than", map[string]int{"merge": exitUsage, "plan": exitDone, "resume": exitUsage}},
		"many records":  {func() { journalOf(t, journal, 400_000, 10) }, "the journal in o takes", map[string]int{"merge": exitUsage, "plan": exitDone, "resume": exitUsage}},
		"large results": {func() { journalOf(t, journal, 1000, 40_000) }, "not done", map[string]int{"plan": exitDone, "resume": exitDone}},
		"unfolding": {func() {
			write(t, journal, `{"inputs":[`+strings.Repeat("{},", 1<<20)+`{}],"job":{},"status":"ok"}`+"\n")
		}, "", map[string]int{"plan": exitDone}},
	} {
		if testing.Short() && (name == "many records" || name == "large results") {
			continue
		}
		for command, args := range commands {
			if err := os.RemoveAll("o"); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir("o", 0o777); err != nil {
				t.Fatal(err)
			}
			journalIs.make()
			before, _ := os.Stat(journal)
			o := boundedRun(t, dir, strings.Fields(args)...)
			if want, given := journalIs.want[command]; given && o.status != want || o.status != exitDone && o.status != exitUsage && o.status != exitFailed {
				t.Errorf("%s of %s: status %d, %.300q", command, name, o.status, o.err)
			}
			if command == "merge" && !strings.Contains(o.err, journalIs.says) {
				t.Errorf("merge of %s: %.300q", name, o.err)
			}
			if after, err := os.Stat(journal); o.status == exitUsage && (err != nil || after.Size() != before.Size()) {
				t.Errorf("%s of %s changed the journal", command, name)
			}
		}
	}
	hugeFile(t, "o/"+batchJournal)
	if o := boundedRun(t, dir, "batch", "jobs.jsonl", "--out", "o", "--resume"); o.status != exitUsage || !strings.Contains(o.err, "line 1 is longer than") {
		t.Errorf("zeros for the journal of a batch: status %d, %.300q", o.status, o.err)
	}
	hugeFile(t, "report.json")
	for _, report := range []string{"report.json", "/dev/zero"} {
		o := boundedRun(t, dir, "verify", "--in", "x.npy", "--embedding", "y.npy", "--report", report)
		if o.status != exitUsage || !strings.Contains(o.err, "the text is longer than") {
			t.Errorf("report %s: status %d, %.300q", report, o.status, o.err)
		}
	}
	hugeFile(t, "names.txt")
	write(t, "counts.csv", strings.Repeat("1,2,3\n4,1,0\n0,2,5\n", 10))
	for _, names := range []string{"names.txt", "/dev/zero"} {
		o := boundedRun(t, dir, "factorize", "--method", "nmf", "--in", "counts.csv", "--rank", "2:3", "--runs", "4", "--consensus", "--out", "runs", "--sample-names", names)
		if o.status != exitUsage || !strings.Contains(o.err, "the text is longer than") {
			t.Errorf("names %s: status %d, %.300q", names, o.status, o.err)
		}
	}
}

// A named pipe in the place of a journal or of a claim is refused at once.
func TestPipesForJournals(t *testing.T) {
	dir := inFolder(t, "")
	write(t, "jobs.jsonl", `{"command": "generate", "name": "helix", "samples": 9, "out": "h.npy"}`+"\n")
	for _, name := range []string{"journal.1-of-1.jsonl", "journal.1-of-1.jsonl.claim", batchJournal} {
		if err := os.RemoveAll("o"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir("o", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo("o/"+name, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{"batch jobs.jsonl --out o --resume", "batch jobs.jsonl --shard 1/1 --out o --resume", "batch merge --out o"} {
			reads := strings.Contains(args, "--shard") != (name == batchJournal) || strings.Contains(args, "merge") && !strings.HasSuffix(name, claimSuffix)
			o := boundedRun(t, dir, strings.Fields(args)...)
			if reads && (o.status != exitUsage || strings.Count(o.err, "\n") != 1) {
				t.Errorf("%s with a pipe for %s: status %d, %.300q", args, name, o.status, o.err)
			}
		}
		if o := boundedRun(t, dir, "batch", "jobs.jsonl", "--out", "o", "--plan"); o.status != exitDone {
			t.Errorf("a plan with a pipe for %s: status %d, %.300q", name, o.status, o.err)
		}
	}
}
