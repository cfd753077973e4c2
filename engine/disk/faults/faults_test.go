package faults

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/engine/disk"
)

// Every call of a run fails once, and the last run is untouched.
func TestEvery(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "made", "x")
	for how, left := range map[How]int64{Passing: 5, Lasting: 3} { // half of a write that failed comes first
		var called []string
		var err error
		calls := Every(t, how, func() {
			if err = os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			err = writeTwice(path)
		}, func(call string) {
			called = append(called, call)
			if err == nil {
				t.Error("the run was none the wiser")
			}
		})
		want := []string{"call 1, mkdir made", "call 2, open " + filepath.Base(folder), "call 3, fsync " + filepath.Base(folder), "call 4, open x", "call 5, write x", "call 6, fsync x"}
		if !slices.Equal(called, want) || calls != len(want) || err != nil {
			t.Errorf("%d calls, failed %q, want %q; the last run: %v", calls, called, want, err)
		}
		restore := disk.Swap(Nth(5, how))
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		if writeTwice(path) == nil {
			t.Error("a write that failed was none")
		}
		restore()
		if info, err := os.Stat(path); err != nil || info.Size() != left {
			t.Errorf("%v: %v left (%v), want %d bytes", how, info, err, left)
		}
	}
}

// writeTwice writes, and tries again where that fails.
func writeTwice(path string) error {
	if err := disk.MakeFolders(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := disk.Files().OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write([]byte("four")); err != nil {
		_, _ = f.Write([]byte("one"))
		return err
	}
	return f.Sync()
}
