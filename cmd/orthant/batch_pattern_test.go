package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/faults"
)

// Patterns match what they match for filepath.Glob.
func TestPatternsMatchAsGlob(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	for _, path := range []string{"a/x.npy", "a/y.npy", "b/x.npy", "b/deep/x.npy", ".hidden/x.npy", "x.npy", "[z].npy"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, "")
	}
	_ = os.Symlink("circle", "circle")
	for _, pattern := range []string{"*", "*.npy", "./*.npy", "*/x.npy", "*/*.npy", "*/*/x.npy", "a/[xy].npy", "[ab]/?.npy", "none/*.npy", "x.npy/*", `\[z\].npy`, "a//*",
		filepath.Join(root, "*"), filepath.Join(root, "*", "x.npy"), "../*/a/*", "circle/*", "*/*/*/*"} {
		want, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		got, err := files.Glob(pattern)
		slices.Sort(want)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", pattern, got, err, want)
		}
	}
	for _, pattern := range []string{"[", "a/[", "[/x.npy"} {
		if _, err := files.Glob(pattern); !errors.Is(err, filepath.ErrBadPattern) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// A folder that cannot be read to its end is an error, not a folder of fewer files.
func TestPatternsWithFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"a/x.npy", "b/x.npy", "b/y.npy"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, "")
	}
	var found []string
	var err error
	calls := faults.Every(t, faults.Passing, func() { found, err = files.Glob("*/*.npy") }, func(string) {
		if !errors.Is(err, syscall.EIO) || len(found) > 0 {
			t.Errorf("%q, %v", found, err)
		}
	})
	if err != nil || len(found) != 3 || len(calls) != 6 {
		t.Errorf("%d calls: %q, %v", len(calls), found, err)
	}
}

// The file of jobs may come from standard input, which may be missing, or break off.
func TestJobsFromStandardInput(t *testing.T) {
	inFolder(t, "40")
	for want, in := range map[string]io.Reader{
		"there is no standard input here; give a file of jobs": nil,
		"reading standard input: input/output error":           iotest.ErrReader(syscall.EIO),
		"standard input holds no jobs":                         strings.NewReader("\n"),
		"standard input, line 1: this is no JSON object":       strings.NewReader("x\n"),
	} {
		o := orthantReading(t, in, "batch", "-", "--out", "o")
		if o.status != exitUsage || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("status %d, %q, want %q", o.status, o.err, want)
		}
		if _, err := os.Stat("o"); err == nil {
			t.Error("the folder was made")
		}
	}
	jobs := `{"command": "embed", "method": "pca", "in": "x.npy", "out": "y.npy"}`
	if o := orthantReading(t, strings.NewReader(jobs), "batch", "-", "--out", "o", "--backend", "gonum", "-q"); o.status != exitDone {
		t.Errorf("status %d, %s", o.status, o.err)
	}
}
