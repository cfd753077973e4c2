package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

// Two paths are those of one file where links make them so, whether it exists or not.
func TestBatchSeesThroughLinks(t *testing.T) {
	inFolder(t, "60")
	for _, path := range []string{"o/sub", "elsewhere"} {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	symlink(t, "journal.jsonl", "o/j.npy")
	symlink(t, "sub", "o/link")
	symlink(t, filepath.Join("..", "x.npy"), "o/x.npy")
	symlink(t, filepath.Join("..", "elsewhere", "z.npy"), "o/z.npy")
	const embed = `{"command": "embed", "method": "pca", "in": "x.npy", `
	for _, c := range []struct{ jobs, want string }{
		{embed + `"out": "j.npy"}`, "line 1: "},
		{embed + `"out": "j.npy"}`, "is the journal of the batch"},
		{embed + `"out": "link/y.npy"}` + "\n" + embed + `"out": "sub/y.npy"}`, "lines 1 and 2 would both write "},
		{embed + `"out": "sub/new/y.npy"}` + "\n" + embed + `"out": "link/new/y.npy"}`, "lines 1 and 2 would both write "},
		{embed + `"out": "link/y.npy", "model": "sub/y.npy"}`, "two outputs of the job are the same file"},
		{embed + `"out": "x.npy"}`, "would replace the input of the same job"},
		{embed + `"out": "../x.npy"}`, `line 1: out: "../x.npy" leaves o, the folder of the batch; name a file in it, or give an absolute path`},
		{embed + `"out": "sub/../../y.npz:a"}`, `"sub/../../y.npz:a" leaves o`},
		{embed + `"out": "..", "model": "m"}`, `".." leaves o`},
		{`{"command": "cluster", "method": "kmeans", "in": "x.npy", "clusters": 2, "out-embeddings": "../parts"}`, `out-embeddings: "../parts" leaves o`},
	} {
		write(t, "jobs.jsonl", c.jobs)
		o := orthant(t, "batch", "jobs.jsonl", "--out", "o")
		if o.status != exitUsage || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, c.want) {
			t.Errorf("%s\nstatus %d: %s\nwant %q", c.jobs, o.status, o.err, c.want)
		}
	}
	if got := strings.Join(names(t, "o"), " "); got != "j.npy link sub x.npy z.npy" {
		t.Errorf("the folder holds %s", got)
	}
	// A job waits for what it reads by a link, and what it writes by one goes there.
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "dim": 1, "in": "{out}/link/y.npy", "out": "z.npy"}
{"command": "embed", "method": "pca", "in": "x.npy", "out": "../o/sub/y.npy"}
`)
	must(t, "batch", "jobs.jsonl", "--out", "o", "--workers", "2")
	matrix(t, "elsewhere/z.npy")
	if v := must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "--json").object(t); v["skipped"] != 2.0 {
		t.Errorf("%v", v)
	}
}

// An output that is not what the job left there is made again, and what reads it.
func TestBatchResumeLooksAtOutputs(t *testing.T) {
	inFolder(t, "60")
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "x.npy", "out": "y.npy", "model": "m.model"}
{"command": "embed", "method": "pca", "dim": 1, "in": "{out}/y.npy", "out": "z.npy"}
{"command": "cluster", "method": "kmeans", "in": "x.npy", "clusters": 2, "out-embeddings": "parts"}
`)
	must(t, "batch", "jobs.jsonl", "--out", "o")
	resumed := func(why string, skipped, ok float64) {
		t.Helper()
		v := must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "--json").object(t)
		if v["skipped"] != skipped || v["ok"] != ok {
			t.Errorf("%s: %v skipped, %v ok; want %v and %v", why, v["skipped"], v["ok"], skipped, ok)
		}
		if v := must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "--json").object(t); v["skipped"] != 3.0 {
			t.Errorf("%s: once more %v skipped", why, v["skipped"])
		}
	}
	resumed("untouched", 3, 0)
	changed := func(path string) string {
		text := read(t, path)
		text[len(text)-1] ^= 1
		return string(text)
	}
	whole := string(read(t, "o/z.npy"))
	for _, c := range []struct {
		why, path, text string
		skipped         float64
	}{
		{"emptied", "o/z.npy", "", 2},
		{"cut", "o/z.npy", whole[:len(whole)-8], 2},
		{"a bit changed", "o/z.npy", changed("o/z.npy"), 2},
		{"the model emptied", "o/m.model", "", 1},
		{"an input of another job changed", "o/y.npy", changed("o/y.npy"), 1},
		{"a part emptied", "o/parts/cluster-001.npy", "", 2},
		{"the index changed", "o/parts/index.json", "{}", 2},
	} {
		write(t, c.path, c.text)
		resumed(c.why, c.skipped, 3-c.skipped)
	}
	if string(read(t, "o/z.npy")) != whole {
		t.Error("made again it is another")
	}
	// What else is in the folder of the parts is nobody's affair, and the folder of the
	// batch may move.
	write(t, "o/parts/notes.txt", "mine")
	resumed("a file beside the parts", 3, 0)
	// A journal of an earlier version knows no sums.
	text := string(read(t, "o/journal.jsonl"))
	var old strings.Builder
	for line := range strings.Lines(text) {
		before, after, found := strings.Cut(line, `"written":[`)
		_, after, closed := strings.Cut(after, `],`)
		if !found || !closed {
			t.Fatalf("no files in the record %s", line)
		}
		old.WriteString(before + after)
	}
	write(t, "o/journal.jsonl", old.String())
	resumed("an old journal", 3, 0)
	write(t, "o/z.npy", "")
	resumed("an old journal, emptied", 2, 1)
}

// The rest of a record is repaired even where the journal holds nothing else, and a
// journal of something else is refused.
func TestBatchResumeOfATornJournal(t *testing.T) {
	inFolder(t, "60")
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "x.npy", "out": "y.npy"}`)
	must(t, "batch", "jobs.jsonl", "--out", "o")
	record := string(read(t, "o/journal.jsonl"))
	for _, text := range []string{
		record[:20],                      // cut by a kill
		record[:20] + record[:50] + "\n", // a full disk, and then not
		record[:20] + record,
		record[:4] + record,
	} {
		write(t, "o/journal.jsonl", text)
		if strings.HasSuffix(text, "\n") {
			if o := orthant(t, "batch", "jobs.jsonl", "--out", "o"); o.status != exitUsage || !strings.Contains(o.err, "holds the journal of an earlier batch") {
				t.Errorf("%q without --resume: status %d, %s", text, o.status, o.err)
			}
		}
		if v := must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "--json").object(t); v["ok"] != 1.0 {
			t.Errorf("%q: %v", text, v)
		}
		if v := must(t, "batch", "jobs.jsonl", "--out", "o", "--resume", "--json").object(t); v["skipped"] != 1.0 {
			t.Errorf("%q, once more: %v", text, v)
		}
	}
	write(t, "o/journal.jsonl", "{\"key\": \"of a suite\"}\n")
	if o := orthant(t, "batch", "jobs.jsonl", "--out", "o", "--resume"); o.status != exitUsage || !strings.Contains(o.err, "is not the journal of a batch") {
		t.Errorf("status %d, %s", o.status, o.err)
	}
}
