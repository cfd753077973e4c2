package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/must"
)

// A file is renamed and removed while it is open and locked, as an output is when it is committed, and
// others read it meanwhile.
func TestOpenFilesMove(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
	must.Do(t, os.WriteFile(to, []byte("old"), 0o666))
	f := must.Get(disk.Files().OpenFile(from, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666))(t)
	defer f.Close()
	if disk.HasLocks {
		must.Do(t, f.Lock())
	}
	must.Get(f.Write([]byte("new")))(t)
	if text := must.Get(os.ReadFile(from))(t); string(text) != "new" {
		t.Errorf("while the file is locked, others read %q", text)
	}
	must.Do(t, disk.Files().Rename(from, to))
	if text := must.Get(os.ReadFile(to))(t); string(text) != "new" {
		t.Errorf("after the rename there is %q", text)
	}
	other := must.Get(disk.Open(to))(t)
	defer other.Close()
	must.Do(t, disk.Files().Remove(to))
	if text := must.Get(io.ReadAll(other))(t); string(text) != "new" {
		t.Errorf("a removed file that is open has %q", text)
	}
	f.Close()
	other.Close()
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after it is closed, a removed file: %v", err)
	}
	if err := disk.Files().Rename(filepath.Join(folder, "none"), to); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A file that is appended to is cut, and what is written next follows, wherever its reader has been.
func TestAppending(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, want := range []string{"one\ntwo\n", "one\ntwo\ntwo\n"} {
		f := must.Get(disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666))(t)
		if want == "one\ntwo\n" {
			must.Get(f.Write([]byte("one\n")))(t)
		}
		size := must.Get(f.Seek(0, io.SeekEnd))(t)
		must.Get(f.Write([]byte("torn")))(t)
		must.Do(t, f.Truncate(size))
		must.Get(f.Seek(0, io.SeekStart))(t)
		must.Get(f.Write([]byte("two\n")))(t)
		f.Close()
		if text := must.Get(os.ReadFile(path))(t); string(text) != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

// The flags of the calls mean what they mean in package os, also in a folder deeper than the 260 characters that
// older programs of Windows can name.
func TestFlags(t *testing.T) {
	folder := filepath.Join(t.TempDir(), strings.Repeat("a", 120), strings.Repeat("b", 120), strings.Repeat("c", 120))
	must.Do(t, disk.MakeFolders(folder))
	path := filepath.Join(folder, "x")
	open := func(flag int) error {
		f, err := disk.Files().OpenFile(path, flag, 0o666)
		if err == nil {
			f.Close()
		}
		return err
	}
	if err := open(os.O_RDONLY); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	must.Do(t, open(os.O_WRONLY|os.O_CREATE|os.O_EXCL))
	if err := open(os.O_WRONLY | os.O_CREATE | os.O_EXCL); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	must.Do(t, os.WriteFile(path, []byte("text"), 0o666))
	must.Do(t, open(os.O_RDWR|os.O_CREATE))
	if info := must.Get(disk.Files().Stat(path))(t); info.Size() != 4 {
		t.Errorf("opened for writing it has %d bytes", info.Size())
	}
	must.Do(t, open(os.O_WRONLY|os.O_TRUNC))
	if info := must.Get(disk.Files().Stat(path))(t); info.Size() != 0 {
		t.Errorf("truncated it has %d bytes", info.Size())
	}
	if f, err := disk.Files().OpenFile(folder, os.O_WRONLY, 0); err == nil {
		f.Close()
		t.Error("a folder was opened for writing")
	}
	if err := disk.Files().Rename(path, folder); err == nil {
		t.Error("a file replaced a folder")
	}
}
