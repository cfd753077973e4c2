package main

import (
	"strings"
	"testing"
)

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
