package faults

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/must"
)

// Every call of a run fails once, and the last run is untouched.
func TestEvery(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "made", "x")
	for how, left := range map[How]int64{Passing: 5, Lasting: 3} { // half of a write that failed comes first
		var called []string
		var err error
		calls := Every(t, how, func() {
			must.Do(t, os.RemoveAll(filepath.Dir(path)))
			err = writeTwice(path)
		}, func(call string) {
			called = append(called, call)
			if err == nil {
				t.Error("the run was none the wiser")
			}
		})
		base := filepath.Base(folder)
		want := []string{"stat made", "stat " + base, "mkdir made", "open " + base, "fsync " + base, "open x", "write x", "fsync x"}
		if !slices.Equal(calls, want) || len(called) != len(want) || err != nil {
			t.Errorf("calls %q, failed %q, want %q; the last run: %v", calls, called, want, err)
		}
		restore := disk.Swap(Nth(7, how))
		must.Do(t, os.RemoveAll(filepath.Dir(path)))
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

// A read that fails gives nothing; a short one gives half, and an error after that.
func TestReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	text := bytes.Repeat([]byte("12345678"), 100)
	must.Do(t, os.WriteFile(path, text, 0o666))
	for how, want := range map[How]int{Passing: 512, Short: 512 + 144, Lasting: 512} {
		restore := disk.Swap(Nth(3, how)) // open, read 512 bytes of 800, read
		f, err := disk.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 0, 2048)
		for err == nil {
			var n int
			n, err = f.Read(got[len(got) : len(got)+512])
			got = got[:len(got)+n]
		}
		f.Close()
		restore()
		if !errors.Is(err, syscall.EIO) || !bytes.Equal(got, text[:want]) {
			t.Errorf("%v: %d bytes, %v", how, len(got), err)
		}
	}
	for how, want := range map[How]int{Passing: 0, Short: 4} {
		restore := disk.Swap(Nth(2, how))
		f := must.Get(disk.Open(path))(t)
		if n, err := f.ReadAt(make([]byte, 8), 8); n != want || !errors.Is(err, syscall.EIO) {
			t.Errorf("%v: ReadAt gave %d bytes, %v", how, n, err)
		}
		if got, err := io.ReadAll(f); err != nil || len(got) != len(text) {
			t.Errorf("%v: then %d bytes, %v", how, len(got), err)
		}
		f.Close()
		restore()
	}
}

// Whatever looks at names fails in its turn, and a folder gives half of its names then.
func TestLooks(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a", "b"} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), nil, 0o666))
	}
	path := filepath.Join(folder, "a")
	var got []error
	names := 0
	calls := Every(t, Passing, func() {
		_, first := disk.Files().Stat(path)
		_, second := disk.Files().Lstat(path)
		list, third := disk.Files().ReadDir(folder)
		names, got = len(list), []error{first, second, third}
	}, func(call string) {
		failed := slices.IndexFunc(got, func(err error) bool { return err != nil })
		if want := []string{"call 1, stat a", "call 2, stat a", "call 3, readdir " + filepath.Base(folder)}; failed < 0 || want[failed] != call || !errors.Is(got[failed], syscall.EIO) {
			t.Errorf("%s: %v", call, got)
		}
		if strings.Contains(call, "readdir") != (names == 1) {
			t.Errorf("%s: %d names", call, names)
		}
	})
	if len(calls) != 3 || names != 2 {
		t.Errorf("calls %q, %d names", calls, names)
	}
}
