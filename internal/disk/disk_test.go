package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
	"github.com/orthant-go/orthant/internal/must"
)

// stubborn is a file system that refuses some things for good.
type stubborn struct {
	disk.FileSystem
	open, sync, mkdir error
}

type stubbornFile struct {
	disk.File
	sync error
}

func (s stubborn) OpenFile(name string, flag int, mode fs.FileMode) (disk.File, error) {
	f, err := s.FileSystem.OpenFile(name, flag, mode)
	if err == nil && s.open != nil {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: s.open}
	}
	return stubbornFile{f, s.sync}, err
}

func (f stubbornFile) Sync() error {
	if f.sync != nil {
		return f.sync
	}
	return f.File.Sync()
}

// Mkdir fails after another process has made the folder.
func (s stubborn) Mkdir(name string, mode fs.FileMode) error {
	err := s.FileSystem.Mkdir(name, mode)
	if err == nil {
		err = s.mkdir
	}
	return err
}

// A folder that may not be read, or not be brought to the disk, is passed over; a failing
// disk is not.
func TestSyncFolder(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		open, sync error
		want       error
	}{
		{nil, nil, nil}, {fs.ErrPermission, nil, nil}, {syscall.EIO, nil, syscall.EIO}, {nil, syscall.EINVAL, nil}, {nil, errors.ErrUnsupported, nil},
		{nil, fs.ErrPermission, nil}, {nil, syscall.EIO, syscall.EIO},
	} {
		restore := disk.Swap(stubborn{disk.Files(), c.open, c.sync, nil})
		err := disk.SyncFolder(folder)
		restore()
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Another process may be faster; a folder that could not be brought to the disk is not
// there; and a file is not a folder.
func TestMakeFolders(t *testing.T) {
	folder := t.TempDir()
	restore := disk.Swap(stubborn{disk.Files(), nil, nil, fs.ErrExist})
	if err := disk.MakeFolders(filepath.Join(folder, "a", "b")); err != nil {
		t.Error(err)
	}
	restore()
	restore = disk.Swap(stubborn{disk.Files(), nil, syscall.EIO, nil})
	path := filepath.Join(folder, "c")
	err := disk.MakeFolders(path)
	restore()
	if e, ok := errors.AsType[*fs.PathError](err); !ok || e.Path != path || e.Err != syscall.EIO {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder that was refused is there")
	}
	must.Do(t, os.WriteFile(path, nil, 0o666))
	for _, name := range []string{path, filepath.Join(path, "below")} {
		if err := disk.MakeFolders(name); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	restore = disk.Swap(faults.Nth(1, faults.Passing))
	defer restore()
	if err := disk.MakeFolders(folder); !errors.Is(err, syscall.EIO) {
		t.Errorf("a folder that could not be looked at: %v", err)
	}
}

// A lock keeps other open files out, if they are of the same process.
func TestLocks(t *testing.T) {
	if !disk.HasLocks {
		t.Skip("this system's locks are not known")
	}
	path := filepath.Join(t.TempDir(), "x")
	open := func() disk.File {
		f := must.Get(disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666))(t)
		return f
	}
	first, second := open(), open()
	defer second.Close()
	must.Do(t, first.Lock())
	if err := second.Lock(); !disk.InUse(err) || disk.NoLocks(err) {
		t.Errorf("a second lock: %v", err)
	}
	first.Close()
	if err := second.Lock(); err != nil {
		t.Error(err)
	}
	if !disk.NoLocks(syscall.ENOLCK) || disk.InUse(syscall.ENOLCK) {
		t.Error("that there are no locks is not known")
	}
}
