//go:build bench && unix

package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestInterruptedBenchKeepsWhatIsDone(t *testing.T) {
	dir := withoutData(t)
	cmd := process(t, dir, "bench", "run", "timing", "--quick", "--out", "r")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	deadline := time.After(2 * time.Minute)
	for tick := time.NewTicker(2 * time.Millisecond); ; {
		if text, _ := os.ReadFile("r/journal.jsonl"); bytes.Count(text, []byte("\n")) > 3 {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("nothing measured after two minutes: %s", &stderr)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if o := ended(t, cmd, &stderr); o.status != exitInterrupted || !strings.HasSuffix(o.err, "\northant: interrupted\n") {
		t.Fatalf("status %d, %q", o.status, o.err)
	}
	before := bytes.Count(read(t, "r/journal.jsonl"), []byte("\n"))
	resumed := process(t, dir, "bench", "run", "timing", "--quick", "--out", "r", "--quiet")
	if text, err := resumed.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	undisturbed := process(t, dir, "bench", "run", "timing", "--quick", "--out", "u", "--quiet")
	if text, err := undisturbed.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	after, want := bytes.Count(read(t, "r/journal.jsonl"), []byte("\n")), bytes.Count(read(t, "u/journal.jsonl"), []byte("\n"))
	if before >= want || after != want || len(benchRecords(t, "r")) != len(benchRecords(t, "u")) {
		t.Errorf("%d repeats when interrupted, %d in the end, undisturbed %d", before, after, want)
	}
}
