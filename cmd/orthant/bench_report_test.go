//go:build bench

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/orthant-go/orthant/bench"
)

func init() {
	madeData["results"] = func(t *testing.T, a []string) { recordsOf(t, a[0], floats(a[1:])...) } // FOLDER SECONDS…
}

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
