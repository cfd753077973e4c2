package main

import (
	"errors"
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

// Standard input may break off.
func TestJobsFromStandardInput(t *testing.T) {
	inFolder(t, "")
	o := orthantReading(t, iotest.ErrReader(syscall.EIO), "batch", "-", "--out", "o")
	if _, err := os.Stat("o"); o.status != exitUsage || !strings.Contains(o.err, "reading standard input: input/output error") || strings.Count(o.err, "\n") != 1 || err == nil {
		t.Errorf("status %d, %q, %v", o.status, o.err, err)
	}
}
