// Package disk is where the program asks the operating system about what it writes:
// outputs, their temporary files, journals, locks and the folders around them. Tests
// swap it for one whose calls fail (package faults).
package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
)

// FileSystem makes, moves and removes files.
type FileSystem interface {
	OpenFile(name string, flag int, mode fs.FileMode) (File, error)
	Mkdir(name string, mode fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
}

// File is an open file or folder.
type File interface {
	io.ReadWriteCloser
	io.Seeker
	io.WriterAt
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Sync() error
	Truncate(size int64) error

	// Lock keeps others out for as long as the file is open, and does not wait:
	// [InUse] and [NoLocks] tell its errors apart.
	Lock() error
}

// system is the operating system's file system.
type system struct{}

type systemFile struct{ *os.File }

func (system) OpenFile(name string, flag int, mode fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return systemFile{f}, nil
}

func (system) Mkdir(name string, mode fs.FileMode) error { return os.Mkdir(name, mode) }
func (system) Rename(from, to string) error              { return os.Rename(from, to) }
func (system) Remove(name string) error                  { return os.Remove(name) }

func (f systemFile) Lock() error { return lock(f.File) }

var current atomic.Pointer[FileSystem]

// Swap puts another file system in the place of the present one, which restore puts
// back. It is for tests.
func Swap(other FileSystem) (restore func()) {
	before := current.Swap(&other)
	return func() { current.Store(before) }
}

// Files returns the file system in use.
func Files() FileSystem {
	if swapped := current.Load(); swapped != nil {
		return *swapped
	}
	return system{}
}

// MakeFolders makes a folder and those above it, and brings them to the disk.
func MakeFolders(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(path)
	if above != path {
		if err := MakeFolders(above); err != nil {
			return err
		}
	}
	if err := Files().Mkdir(path, 0o777); err != nil {
		if info, other := os.Stat(path); other == nil && info.IsDir() {
			return nil // another process was faster
		}
		return err
	}
	if err := SyncFolder(above); err != nil {
		_ = Files().Remove(path)
		return &fs.PathError{Op: "mkdir", Path: path, Err: cause(err)}
	}
	return nil
}

// cause returns an error without the call and the path.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
