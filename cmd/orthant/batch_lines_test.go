package main

import (
	"os"
	"strings"
	"testing"
)

// Whatever is wrong with a jobs file is found before anything is done, and said
// with the line.
func TestBatchRefusesWrongJobs(t *testing.T) {
	inFolder(t, "")
	rolls(t, 2, 60)
	good := `{"command": "embed", "method": "pca", "in": "x-1.npy", "out": "good.npy"}` + "\n"
	for _, c := range []struct{ jobs, want string }{
		{"", "jobs.jsonl holds no jobs"},
		{"\n\n", "holds no jobs"},
		{good + `{"command": "embed"`, "line 2: the object does not end on its line"},
		{good + "\n" + `[1]`, "line 3: this is no JSON object"},
		{`{"command": "embed"} {}`, "line 1: there is something after the object"},
		{`{"command": "embed", "in": "a", "in": "b"}`, `line 1: "in" is given twice`},
		{`{"command": "factorize", "out-w": "a", "out_w": "b"}`, `"out-w" is given twice`},
		{good + `{"command": "embed", "method": "lle", "set": {"gamma": 1, "eta": 2, "gamma": 3}}`, `line 2: "gamma" is given twice; keep one of them`},
		{`{"command": "embed", "method": "lle", "set": {"gamma": 1, "\u0067amma": 3}}`, `line 1: "gamma" is given twice`},
		{`{"command": embed}`, "line 1: this is no JSON"},
		{`{"in": "x-1.npy"}`, `line 1: "command" is missing; the commands are generate, embed`},
		{`{"command": "embd"}`, `line 1: "embd" is no command for a job (did you mean "embed"?); there are generate`},
		{`{"command": 5}`, "5 is no command for a job; there are generate, embed"},
		{`{"command": "batch"}`, `"batch" is no command for a job`},
		{`{"command": "bench"}`, `"bench" is no command for a job`},
		{good + `{"command": "embed", "method": "pca", "neighbours": 5}`, `line 2: embed has no key "neighbours" (did you mean "neighbors"?)`},
		{`{"command": "embed", "k": 5}`, `embed has no key "k" (did you mean "neighbors"?)`},
		{`{"command": "embed", "--dim": 5}`, `embed has no key "--dim" (did you mean "dim"?)`},
		{`{"command": "embed", "name": "helix"}`, `embed has no key "name"`},
		{`{"command": "embed", "xyzzy": 5}`, `embed has no key "xyzzy"; it has method, neighbors,`},
		{`{"command": "embed", "neighbors": "ten"}`, `line 1: neighbors is "ten"; give a whole number`},
		{`{"command": "embed", "neighbors": 10.5}`, `neighbors is 10.5; give a whole number`},
		{`{"command": "embed", "tolerance": "small"}`, `tolerance is "small"; give a number`},
		{`{"command": "embed", "float32": "yes please"}`, "float32 is \"yes please\"; give true or false"},
		{`{"command": "embed", "neighbors": null}`, "neighbors is null; give a string, a number, true or false"},
		{`{"command": "embed", "neighbors": {"k": 3}}`, `neighbors is {"k":3}; give a string`},
		{`{"command": "embed", "memory": "lots"}`, "memory is \"lots\"; give a size such as 4GiB"},
		{`{"command": "embed", "set": 5}`, `set is 5; give an object`},
		{`{"command": "embed", "set": {"gamma": [1]}}`, `set: gamma is [1]; give a string`},
		{`{"command": "embed", "set": ["gamma=1", {"gamma": 1}]}`, `set is {"gamma":1}; give a string`},
		{`{"command": "embed", "set": [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26]]}`, `set is [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22…; give a string`},
		{`{"command": "embed", "dim": 2, 5: 6}`, "JSON"},
		{`{"command": "embed", "set": "gamma"}`, `set is "gamma"; give key=value`},
		{`{"command": "embed", "in": "-"}`, `in: "-" is standard input or output, which the jobs of a batch do not have`},
		{`{"command": "embed", "out": "-"}`, `out: "-" is standard input`},
		{`{"command": "embed", "out": ""}`, "out: the path is empty"},
		{good + good, "lines 1 and 2 would both write "},
		{good + `{"command": "neighbors", "in": "x-1.npy", "out-distances": "./sub/../good.npy"}`, "lines 1 and 2 would both write "},
		{`{"command": "embed", "in": "x-1.npy", "out": "a.npz:x"}` + "\n" + `{"command": "embed", "in": "x-1.npy", "out": "a.npz:y"}`, "lines 1 and 2 would both write "},
		{`{"command": "generate", "out": "a.npy", "out-params": "a.npy"}`, "two outputs of the job are the same file"},
		{`{"command": "embed", "in": "x-?.npy", "out": "y.npy"}`, "line 1: several of its jobs would write "},
		{`{"command": "embed", "in": "{out}/x.npy", "out": "x.npy"}`, "would replace the input of the same job"},
		{`{"command": "embed", "in": "x-1.npy", "plot": "journal.jsonl"}`, "is the journal of the batch"},
		{`{"command": "embed", "in": "{out}/a.npy", "out": "b.npy"}` + "\n" + `{"command": "embed", "in": "{out}/b.npy", "out": "a.npy"}`, "line 1: the job reads what others write that wait for it in turn"},
		{`{"command": "embed", "in": "none-*.npy"}`, `in is "none-*.npy", which matches no file`},
		{`{"command": "embed", "in": "none-[.npy"}`, `which is no pattern`},
		{`{"command": "embed", "in": "x-*.npy", "labels": "*.npy"}`, "both in and labels are patterns"},
		{`{"command": "embed", "in": "{stem}-*.npy"}`, "{stem} takes its name from a match"},
		{`{"command": "embed", "in": "x-1.npy", "out": "{steam}.npy"}`, `out: "{steam}" has no meaning (did you mean "{stem}"?); there are`},
		{`{"command": "generate", "name": "helix", "out": "{stem}.npy"}`, "out: {stem} has no input to take its name from"},
	} {
		write(t, "jobs.jsonl", c.jobs)
		o := orthant(t, "batch", "jobs.jsonl", "--out", "o")
		if o.status != exitUsage || strings.Count(o.err, "\n") != 1 || !strings.HasPrefix(o.err, "orthant batch: ") || !strings.Contains(o.err, c.want) {
			t.Errorf("%s\nstatus %d: %s\nwant %q", c.jobs, o.status, o.err, c.want)
		}
		if _, err := os.Stat("o"); err == nil {
			t.Fatalf("%s\nthe folder is made", c.jobs)
		}
	}
	write(t, "jobs.jsonl", good)
	write(t, "file", "")
	for _, c := range []struct{ args, want string }{
		{"batch", "give one file of jobs"},
		{"batch jobs.jsonl", "--out is missing"},
		{"batch jobs.jsonl --out o --workers 0", "--workers is 0"},
		{"batch none.jsonl --out o", "reading none.jsonl: no such file or directory"},
		{"batch jobs.jsonl --out file", "--out: mkdir file"},
		{"batch jobs.jsonl --out o --workes 3", "did you mean \"--workers\"?"},
	} {
		if o := orthant(t, strings.Fields(c.args)...); o.status != exitUsage || !strings.Contains(o.err, c.want) {
			t.Errorf("%s: status %d, %s", c.args, o.status, o.err)
		}
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

// A file whose name looks like a pattern is meant by it; arrays of archives keep
// their name.
func TestBatchPatterns(t *testing.T) {
	inFolder(t, "")
	must(t, "generate", "helix", "--samples", "30", "--out", "a[1].npz:points", "-q")
	must(t, "generate", "helix", "--samples", "30", "--out", "a1.npz:points", "-q")
	must(t, "generate", "helix", "--samples", "30", "--out", ".a1.npz:points", "-q")
	if err := os.Mkdir("ab.npz", 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "a[1].npz:points", "out": "one-{stem}.npy"}
{"command": "embed", "method": "pca", "in": "*.npz:points", "out": "all-{stem}.npy"}
`)
	must(t, "batch", "jobs.jsonl", "--out", "o")
	if got := strings.Join(names(t, "o"), " "); got != "all-a1.npy all-a[1].npy journal.jsonl one-a[1].npy" {
		t.Errorf("wrote %s", got)
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
