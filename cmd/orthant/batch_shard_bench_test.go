package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// manySmallJobs writes 20 000 jobs over 20 files of 500 samples, and returns the folder.
func manySmallJobs(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	b.Chdir(dir)
	var text strings.Builder
	for i := range 20 {
		quietly(b, "generate", "swiss-roll", "--samples", "500", "--seed", fmt.Sprint(i+1), "--out", fmt.Sprintf("x%d.npy", i))
	}
	for i := range 20000 {
		fmt.Fprintf(&text, `{"command": "embed", "method": "le", "in": "x%d.npy", "neighbors": %d, "out": "y%02d/y%05d.npy"}`+"\n", i%20, 8+i/20%8, i/1000, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "jobs.jsonl"), []byte(text.String()), 0o666); err != nil {
		b.Fatal(err)
	}
	return dir
}

func quietly(b *testing.B, args ...string) {
	b.Helper()
	if err := run(b.Context(), args, streams{out: new(strings.Builder), err: os.Stderr}); err != nil {
		b.Fatalf("%v: %v", args, err)
	}
}

// BenchmarkShardStart is what a shard of four takes before its jobs, of 20 000: the file is read and
// checked, shared out, and the journal opened.
func BenchmarkShardStart(b *testing.B) {
	manySmallJobs(b)
	for i := 0; b.Loop(); i++ {
		s := &batch{invocation: newInvocation(streams{out: new(bytes.Buffer), err: new(bytes.Buffer)}), out: fmt.Sprintf("o%d", i), shard: shard{1, 4}}
		s.quiet, s.progress = true, "never"
		if err := errors.Join(s.begin(), s.load("jobs.jsonl", pflag.NewFlagSet("", pflag.ContinueOnError)), s.open(b.Context()), s.prepare(), s.journal.Close()); err != nil {
			b.Fatal(err)
		}
		s.claim.release()
	}
}
