package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orthant-go/orthant/internal/disk"
)

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
	// One that grows is alive, wherever, also where each look at it takes longer than a claim takes to be stale.
	for _, slow := range []time.Duration{0, gone + beat} {
		claimed(claimant{Host: "elsewhere", PID: 1, Space: "another"})
		restore := disk.Swap(growing{disk.Files(), slow})
		if o := run(); o.status != exitUsage || !strings.Contains(o.err, "process 1 on elsewhere") {
			t.Errorf("of a living process elsewhere, looks taking %v: status %d, %s", slow, o.status, o.err)
		}
		restore()
	}
}

// growing is a file system whose claims have grown by a byte at each look, each of which takes some time.
type growing struct {
	disk.FileSystem
	slow time.Duration
}

func (g growing) OpenFile(name string, flag int, mode fs.FileMode) (disk.File, error) {
	if strings.HasSuffix(name, claimSuffix) && flag == os.O_RDONLY {
		time.Sleep(g.slow)
		if f, err := g.FileSystem.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_, _ = f.Write([]byte("."))
			f.Close()
		}
	}
	return g.FileSystem.OpenFile(name, flag, mode)
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
