package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// helices is a file of this many jobs, and of one that reads what another writes.
func helices(t *testing.T, count int) {
	t.Helper()
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, `{"command": "generate", "name": "helix", "samples": 40, "seed": %d, "out": "h%d.npy"}`+"\n", i, i)
	}
	text.WriteString(`{"command": "embed", "method": "pca", "in": "{out}/h3.npy", "out": "y3.npy"}` + "\n")
	write(t, "jobs.jsonl", text.String())
}

// Shards make together what one batch makes, each job once, and the merged journal is one
// that --resume takes.
func TestBatchShards(t *testing.T) {
	inFolder(t, "")
	helices(t, 30)
	must(t, "batch", "jobs.jsonl", "--out", "whole", "-q")
	total := 0.0
	for i := 1; i <= 4; i++ {
		v := must(t, "batch", "jobs.jsonl", "--shard", fmt.Sprintf("%d/4", i), "--out", "o", "--json").object(t)
		if v["shard"] != fmt.Sprintf("%d/4", i) || v["failed"] != 0.0 {
			t.Errorf("shard %d says %v", i, v)
		}
		total += v["ok"].(float64)
	}
	if total != 31 {
		t.Errorf("%v jobs in all shards", total)
	}
	v := must(t, "batch", "merge", "--out", "o", "--json").object(t)
	if v["jobs"] != 31.0 || v["ok"] != 31.0 || v["not_done"] != 0.0 || v["shards"] != 4.0 {
		t.Errorf("merged: %v", v)
	}
	records, lines := recordsIn(t, "o")
	if len(records) != 31 || lines != 31 {
		t.Errorf("%d records on %d lines", len(records), lines)
	}
	for i, r := range records {
		if r.Line != i+1 {
			t.Errorf("job %d is of line %d", i, r.Line)
		}
	}
	for i := range 30 {
		name := fmt.Sprintf("h%d.npy", i)
		if !bytes.Equal(read(t, "o/"+name), read(t, "whole/"+name)) {
			t.Errorf("%s differs from that of the whole batch", name)
		}
	}
	if v := must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "--json").object(t); v["skipped"] != 31.0 {
		t.Errorf("after the merge: %v", v)
	}
	if left, _ := filepath.Glob("o/*.claim"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A job that is added, or moved to another line, moves no other to another shard, and a job
// goes with what it reads.
func TestShardsByIdentity(t *testing.T) {
	of := func(jobs []*job) map[string]int {
		where := map[string]int{}
		for i := 1; i <= 5; i++ {
			own, err := shard{i, 5}.own(jobs)
			if err != nil {
				t.Fatal(err)
			}
			for at, j := range own {
				if _, twice := where[string(j.text)]; twice {
					t.Errorf("%s is in two shards", j.text)
				}
				where[string(j.text)] = i
				for _, other := range j.after {
					if other >= at {
						t.Errorf("%s waits for job %d, its own number being %d", j.text, other, at)
					}
				}
			}
		}
		if len(where) != len(jobs) {
			t.Errorf("%d of %d jobs are in shards", len(where), len(jobs))
		}
		return where
	}
	made := func(count int, chained bool) []*job {
		var jobs []*job
		for i := range count {
			jobs = append(jobs, &job{text: fmt.Appendf(nil, "job %d", i)})
		}
		if chained {
			for i := range 3 {
				jobs = append(jobs, &job{text: fmt.Appendf(nil, "reader %d", i), task: task{after: []int{i + 7}}})
			}
			jobs = append(jobs, &job{text: []byte("reader of a reader"), task: task{after: []int{count}}})
		}
		return jobs
	}
	before, after, chained := of(made(200, false)), of(made(201, false)), of(made(200, true))
	for text, i := range before {
		if after[text] != i || chained[text] != i {
			t.Errorf("%s moves from shard %d to %d and %d", text, i, after[text], chained[text])
		}
	}
	if chained["reader 0"] != chained["job 7"] || chained["reader of a reader"] != chained["job 7"] {
		t.Errorf("readers are in %d and %d, what they read in %d", chained["reader 0"], chained["reader of a reader"], chained["job 7"])
	}
	count := map[int]int{}
	for _, i := range before {
		count[i]++
	}
	for i := 1; i <= 5; i++ {
		if count[i] < 20 || count[i] > 60 {
			t.Errorf("shard %d has %d of 200 jobs", i, count[i])
		}
	}
}

func TestShardWords(t *testing.T) {
	inFolder(t, "")
	helices(t, 4)
	clean := func() {
		for _, name := range []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP", "JOB_COMPLETION_INDEX"} {
			t.Setenv(name, "")
		}
	}
	for _, c := range []struct{ flags, variables, want string }{
		{"--shard 2/3", "", "2/3"},
		{"--worker-index 0 --total-workers 5", "", "1/5"},
		{"--shard auto", "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=5", "3/4"},
		{"--shard auto", "SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_COUNT=5 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=2", "5/5"},
		{"--shard auto --shards 8", "JOB_COMPLETION_INDEX=0", "1/8"},
		{"", "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=5", ""},
		{"--shard 0/3", "", "there is no such part"},
		{"--shard 4/3", "", "there is no such part"},
		{"--shard 3", "", "give I/N, such as 3/8, or auto"},
		{"--shard 1/2 --worker-index 1", "", "say the same"},
		{"--worker-index 1", "", "go together"},
		{"--worker-index 3 --total-workers 3", "", "an index from 0 to one less than the workers"},
		{"--shards 3", "", "--shards is for --shard auto and --plan"},
		{"--shard auto", "", "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
		{"--shard auto", "JOB_COMPLETION_INDEX=2", "give --shards N"},
		{"--shard auto --shards 2", "JOB_COMPLETION_INDEX=2", "there is no such part"},
		{"--shard auto", "SLURM_ARRAY_TASK_ID=x", `is "x"; it has to be a whole number`},
		{"--shard auto", "SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=2", "in steps of 2"},
		{"--shard auto", "SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1", "there is no such part"},
	} {
		clean()
		for _, pair := range strings.Fields(c.variables) {
			name, value, _ := strings.Cut(pair, "=")
			t.Setenv(name, value)
		}
		out := filepath.Join(t.TempDir(), "o")
		o := orthant(t, append([]string{"batch", "jobs.jsonl", "--out", out, "--json"}, strings.Fields(c.flags)...)...)
		if strings.Contains(c.want, " ") {
			if o.status != exitUsage || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
				t.Errorf("%s %s: status %d, %q; want %q", c.variables, c.flags, o.status, o.err, c.want)
			}
			continue
		}
		if got, _ := o.object(t)["shard"].(string); got != c.want {
			t.Errorf("%s %s: shard %q, want %q", c.variables, c.flags, got, c.want)
		}
	}
}

// What does not belong together is not merged, and says why; what is missing is named.
func TestMergeRefuses(t *testing.T) {
	inFolder(t, "")
	helices(t, 12)
	shards := func(out string, of int, which ...int) {
		t.Helper()
		for _, i := range which {
			must(t, "batch", "jobs.jsonl", "--shard", fmt.Sprintf("%d/%d", i, of), "--out", out, "-q")
		}
	}
	refused := func(out, want string) {
		t.Helper()
		before := ""
		if text, err := os.ReadFile(out + "/journal.jsonl"); err == nil {
			before = string(text)
		}
		o := orthant(t, "batch", "merge", "--out", out)
		if o.status != exitUsage || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %q; want %q", out, o.status, o.err, want)
		}
		if text, err := os.ReadFile(out + "/journal.jsonl"); err == nil && string(text) != before {
			t.Errorf("%s: a refused merge wrote a journal", out)
		}
	}
	shards("missing", 3, 1, 3)
	refused("missing", "1 shard not there yet: 2/3; do them first")
	shards("twofold", 2, 1, 2)
	shards("twofold", 3, 1)
	refused("twofold", "are parts of 2 and of 3")
	must(t, "batch", "jobs.jsonl", "--out", "plain", "-q")
	refused("plain", "holds no journal of a shard")
	refused("none", "no such file or directory")

	// The file of jobs changes between two shards: the one that was done before does its new
	// part, and then all is well.
	shards("changed", 2, 1)
	helices(t, 14)
	shards("changed", 2, 2)
	refused("changed", "are of different jobs (13 and 15)")
	must(t, "batch", "jobs.jsonl", "--shard", "1/2", "--out", "changed", "--resume", "-q")
	if v := must(t, "batch", "merge", "--out", "changed", "--json").object(t); v["ok"] != 15.0 {
		t.Errorf("after the change: %v", v)
	}
	// And where jobs go, their records are not merged.
	helices(t, 9)
	for i := 1; i <= 2; i++ {
		must(t, "batch", "jobs.jsonl", "--shard", fmt.Sprintf("%d/2", i), "--out", "changed", "--resume", "-q")
	}
	refused("changed", "holds the journal of another batch")
	if err := os.Remove("changed/journal.jsonl"); err != nil {
		t.Fatal(err)
	}
	if v := must(t, "batch", "merge", "--out", "changed", "--json").object(t); v["ok"] != 10.0 || v["jobs"] != 10.0 {
		t.Errorf("with fewer jobs: %v", v)
	}

	// Another version, or another instruction set.
	shards("mixed", 2, 1, 2)
	text := string(read(t, "mixed/journal.2-of-2.jsonl"))
	first, rest, _ := strings.Cut(text, "\n")
	var h shardHeader
	if err := json.Unmarshal([]byte(first), &h); err != nil {
		t.Fatal(err)
	}
	h.ISA = "another"
	changed, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	write(t, "mixed/journal.2-of-2.jsonl", string(changed)+"\n"+rest)
	refused("mixed", "whose last bits may differ; give --accept-mixed")
	must(t, "batch", "merge", "--out", "mixed", "--accept-mixed")

	// A job that is not done, and one that failed.
	lines := strings.SplitAfter(text, "\n")
	write(t, "mixed/journal.2-of-2.jsonl", strings.Join(lines[:len(lines)-2], ""))
	if o := orthant(t, "batch", "merge", "--out", "mixed"); o.status != exitUsage || !strings.Contains(o.err, "holds the journal of another batch") {
		t.Errorf("a journal with more jobs than the shards: status %d, %s", o.status, o.err)
	}
	if err := os.Remove("mixed/journal.jsonl"); err != nil {
		t.Fatal(err)
	}
	if o := orthant(t, "batch", "merge", "--out", "mixed"); o.status != exitFailed || !strings.Contains(o.err, "1 job of 10 are not done") {
		t.Errorf("a job left: status %d, %s", o.status, o.err)
	}
}

// A claim of a process that is gone is taken over, one of a process that lives is not.
func TestShardClaims(t *testing.T) {
	inFolder(t, "")
	helices(t, 4)
	defer func(b, g time.Duration) { beat, gone = b, g }(beat, gone)
	beat, gone = 20*time.Millisecond, 100*time.Millisecond
	if err := os.Mkdir("o", 0o777); err != nil {
		t.Fatal(err)
	}
	claimed := func(by claimant) {
		t.Helper()
		text, err := json.Marshal(by)
		if err != nil {
			t.Fatal(err)
		}
		write(t, "o/journal.1-of-2.jsonl.claim", string(text)+"\n..")
	}
	run := func() outcome {
		return orthant(t, "batch", "jobs.jsonl", "--shard", "1/2", "--out", "o", "--resume", "-q")
	}
	for what, by := range map[string]claimant{
		"another machine":      {Host: "elsewhere", PID: 1, Space: "another"},
		"no such process here": {Host: "here", PID: 1 << 30, Space: processSpace()},
		"written to the half":  {},
	} {
		if claimed(by); by.PID == 0 {
			write(t, "o/journal.1-of-2.jsonl.claim", "")
		}
		if o := run(); o.status != exitDone {
			t.Errorf("%s: status %d, %s", what, o.status, o.err)
		}
		if left, _ := filepath.Glob("o/*.claim"); len(left) > 0 {
			t.Errorf("%s: left %v", what, left)
		}
	}
	if processSpace() != "" {
		claimed(claimant{Host: "here", PID: os.Getppid(), Space: processSpace()})
		if o := run(); o.status != exitUsage || !strings.Contains(o.err, "shard 1/2 is being done by process") {
			t.Errorf("of a living process: status %d, %s", o.status, o.err)
		}
	}
	// One that grows is alive, wherever.
	claimed(claimant{Host: "elsewhere", PID: 1, Space: "another"})
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(beat / 4):
				f, err := os.OpenFile("o/journal.1-of-2.jsonl.claim", os.O_WRONLY|os.O_APPEND, 0)
				if err == nil {
					_, _ = f.WriteString(".")
					f.Close()
				}
			}
		}
	}()
	if o := run(); o.status != exitUsage || !strings.Contains(o.err, "process 1 on elsewhere") {
		t.Errorf("of a living process elsewhere: status %d, %s", o.status, o.err)
	}
	close(stop)
	<-stopped
}

// A process whose claim another has taken over stops.
func TestShardClaimLost(t *testing.T) {
	inFolder(t, "")
	c, err := claimShard(t.Context(), "journal.1-of-2.jsonl", shard{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.renew(); err != nil {
		t.Fatal(err)
	}
	write(t, "journal.1-of-2.jsonl.claim", `{"host":"elsewhere","pid":3}`+"\n")
	if err := c.renew(); status(err) != exitFailed || !strings.Contains(err.Error(), "another process has taken shard 1/2 over") {
		t.Errorf("got %v", err)
	}
	c.release()
	if _, err := os.Stat("journal.1-of-2.jsonl.claim"); err != nil {
		t.Error("it removed the claim of the other")
	}
}

// A plan makes nothing, and knows the time once jobs of the kind are in a journal.
func TestBatchPlan(t *testing.T) {
	inFolder(t, "")
	helices(t, 30)
	v := must(t, "batch", "jobs.jsonl", "--out", "o", "--plan", "--json").object(t)
	if v["jobs"] != 31.0 || v["seconds"] != nil || v["shards"] != 8.0 || !strings.Contains(v["slurm"].(string), "--array=1-8 ") {
		t.Errorf("before: %v", v)
	}
	if _, err := os.Stat("o"); err == nil {
		t.Error("it made the folder")
	}
	must(t, "batch", "jobs.jsonl", "--out", "o", "--shard", "1/4", "-q")
	v = must(t, "batch", "jobs.jsonl", "--out", "o", "--plan", "--shards", "5", "--json").object(t)
	if s, _ := v["seconds"].(float64); !(s > 0) || v["shards"] != 5.0 || v["largest_job_bytes"].(float64) < smallestJob {
		t.Errorf("after a shard: %v", v)
	}
	if o := must(t, "batch", "jobs.jsonl", "--out", "o", "--plan"); !strings.Contains(o.err, "on one core, by the journals in o") || !strings.Contains(o.err, "sbatch --array=1-1 ") {
		t.Errorf("it says %s", o.err)
	}
}

// A job that takes longer than it may has failed, and the others go on; what jobs say is kept.
func TestBatchTimeoutAndLog(t *testing.T) {
	inFolder(t, "300")
	write(t, "jobs.jsonl", `{"command": "factorize", "method": "nmf", "in": "x.npy", "rank": 3, "out-w": "w.npy", "iterations": 100000000, "tolerance": 0, "set": {"shift": "columns"}}
{"command": "embed", "method": "pca", "in": "x.npy", "out": "y.npy", "neighbors": 5}
`)
	o := orthant(t, "batch", "jobs.jsonl", "--out", "o", "--timeout", "1s", "--log", "said", "--workers", "1")
	records, _ := recordsIn(t, "o")
	if o.status != exitFailed || records[0].Status != jobFailed || !strings.Contains(records[0].Error, "stopped after 1s (--timeout)") || records[1].Status != jobDone {
		t.Fatalf("status %d, %+v, %+v", o.status, records[0], records[1])
	}
	if text := string(read(t, "said/job-000000.log")); !strings.Contains(text, "stopped after 1s") || !strings.HasPrefix(text, "orthant factorize ") {
		t.Errorf("the log of the first: %s", text)
	}
	if text := string(read(t, "said/job-000001.log")); !strings.Contains(text, "neighbors does nothing") || !strings.Contains(text, "ok, exit status 0") {
		t.Errorf("the log of the second: %s", text)
	}
	if o := orthant(t, "batch", "jobs.jsonl", "--out", "p", "--timeout", "-1s"); o.status != exitUsage {
		t.Errorf("a negative time: status %d, %s", o.status, o.err)
	}
}

// Who takes what did not converge has status 0, and the journal says it all the same.
func TestBatchAcceptUnconverged(t *testing.T) {
	inFolder(t, "")
	write(t, "p.csv", positive(60, 5))
	write(t, "jobs.jsonl", `{"command": "factorize", "method": "nmf", "in": "p.csv", "rank": 2, "out-w": "w.npy", "tolerance": 1e-300}`)
	must(t, "batch", "jobs.jsonl", "--out", "o", "-q", "--accept-unconverged")
	if records, _ := recordsIn(t, "o"); records[0].Status != jobNotConverged {
		t.Errorf("the journal says %s", records[0].Status)
	}
	if o := orthant(t, "batch", "jobs.jsonl", "--out", "o", "-q", "--resume"); o.status != exitNotConverged {
		t.Errorf("without the word: status %d", o.status)
	}
}
