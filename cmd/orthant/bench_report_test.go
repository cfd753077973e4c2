//go:build bench

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
)

// recordsOf fills a folder as a run of the suite backends would, with a case that
// took this many seconds.
func recordsOf(t *testing.T, dir string, seconds ...float64) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	s := map[string]bench.Statistics{"total": {Median: seconds[len(seconds)/2], Values: seconds}}
	var text []byte
	for _, r := range []bench.Record{
		{Suite: "backends", Case: "gemm/n=64/native", Command: "orthant-bench run backends/gemm/n=64/native", Threads: 1, CPUSeconds: s, Seconds: s,
			Quality: map[string]bench.Statistics{"gflops": {Median: 12.5}, "residual": {Median: 1e-15}}, Accuracy: []bench.Accuracy{bench.Shown("residual")}},
		{Suite: "backends", Case: "gemm/n=64/openblas", Missing: "backend openblas: it is not in this build"},
	} {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	write(t, filepath.Join(dir, "records.jsonl"), string(text))
}

func TestBenchReport(t *testing.T) {
	inFolder(t, "")
	recordsOf(t, "run", 0.1, 0.2, 0.3)
	o := must(t, "bench", "report", "run", "--reproduction", "claims.md", "--json")
	v := o.object(t)
	if n := len(v["files"].([]any)); n != 3 {
		t.Errorf("%d files written: %v", n, v["files"])
	}
	if verdicts := v["verdicts"].(map[string]any); verdicts["cannot be checked"] == nil {
		t.Errorf("verdicts %v: without OpenBLAS its claim cannot be checked", verdicts)
	}
	for file, word := range map[string]string{
		"run/report.html": `<a href="#r-backends-gemm-n=64-native">12.5</a><small>residual 1.0e-15</small>`,
		"run/report.md":   "In all rows: gonum not run; native / openblas –.\n\n| operation | order | native | openblas |\n| --- | ---: | ---: | ---: |\n| Gemm, C = AB | 64 | 12.5, residual 1.0e-15 | not at hand |",
		"claims.md":       "- verdict: **cannot be checked**\n- why: backend openblas",
	} {
		if text := string(read(t, file)); !strings.Contains(text, word) {
			t.Errorf("%s lacks %q", file, word)
		}
	}
	must(t, "bench", "report", "run", "--out", "one.html", "-q")
	if _, err := os.Stat("one.html"); err != nil {
		t.Error(err)
	}
}

func TestBenchReportRefuses(t *testing.T) {
	inFolder(t, "")
	recordsOf(t, "run", 1)
	write(t, "file", "")
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	for line, word := range map[string]string{
		"bench report":                             "give one folder",
		"bench report nowhere":                     "there is no records.jsonl",
		"bench report empty":                       "there is no records.jsonl",
		"bench report file":                        "reading the records",
		"bench report run --out page.pdf":          ".html or .md",
		"bench report run --out nowhere/page.html": "nowhere",
		"bench compare run":                        "give two folders",
		"bench compare run nowhere":                "there is no records.jsonl",
		"bench compare nowhere run":                "there is no records.jsonl",
		"bench compare run run --metric speed":     "cpu, wall, memory",
		"bench compare run run --threshold -1":     "--threshold",
		"bench compare run run --threshold NaN":    "--threshold",
	} {
		o := orthant(t, strings.Fields(line)...)
		if o.status != exitUsage || !strings.Contains(o.err, word) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %q; want 2 and one line with %q", line, o.status, o.err, word)
		}
	}
}

func TestBenchCompare(t *testing.T) {
	inFolder(t, "")
	recordsOf(t, "old", 1.00, 1.01, 1.02, 1.03, 1.04)
	recordsOf(t, "slow", 1.50, 1.51, 1.52, 1.53, 1.54)
	recordsOf(t, "few", 9, 9, 9)
	for _, c := range []struct {
		line   string
		status int
		word   string
	}{
		{"bench compare old slow", exitDone, "+49.02%"},
		{"bench compare old slow --fail-on-regression", exitFailed, "p=0.008 n=5+5"},
		{"bench compare old slow --fail-on-regression --threshold 60", exitDone, "+49.02%"},
		{"bench compare slow old --fail-on-regression", exitDone, "-32.89%"},
		{"bench compare old old --fail-on-regression", exitDone, "~"},
		{"bench compare old few --fail-on-regression", exitDone, "too few repeats to tell (5 and 3, needs 4)"},
		{"bench compare old slow --metric wall", exitDone, "geometric mean"},
		{"bench compare old slow --metric memory", exitDone, "no case is in both runs"},
	} {
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != c.status || !strings.Contains(o.out, c.word) {
			t.Errorf("%s: status %d, want %d with %q:\n%s%s", c.line, o.status, c.status, c.word, o.out, o.err)
		}
		if c.status == exitFailed && !strings.Contains(o.err, "1 case became significantly worse in cpu, by more than 5 %") {
			t.Errorf("%s says %q", c.line, o.err)
		}
	}
	v := orthant(t, "bench", "compare", "old", "slow", "--json", "--fail-on-regression")
	if object := v.object(t); v.status != exitFailed || object["regressions"] != 1.0 {
		t.Errorf("--json: status %d, %v", v.status, object)
	}
}
