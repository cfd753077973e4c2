// Package disk is where the program asks the operating system about files: inputs,
// outputs, their temporary files, journals, locks and the folders around them. Tests
// swap it for one whose calls fail (package faults) or are written down (package
// powerloss). No file is mapped into memory: every byte comes by a read.
package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// FileSystem finds, makes, moves and removes files. Its methods are as in package os.
type FileSystem interface {
	OpenFile(name string, flag int, mode fs.FileMode) (File, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Mkdir(name string, mode fs.FileMode) error
	Rename(from, to string) error
	Link(from, to string) error // fails where to is there
	Remove(name string) error
}

// File is an open file or folder.
type File interface {
	io.ReadWriteCloser
	io.Seeker
	io.ReaderAt
	io.WriterAt
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Sync() error
	Truncate(size int64) error

	// Lock keeps others out for as long as the file is open, and does not wait:
	// [InUse] and [NoLocks] distinguish its errors.
	Lock() error
}

// system is the operating system's file system.
type system struct{}

func (system) OpenFile(name string, flag int, mode fs.FileMode) (File, error) {
	f, err := openFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (system) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (system) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (system) Readlink(name string) (string, error)       { return os.Readlink(name) }
func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

func (system) Mkdir(name string, mode fs.FileMode) error { return os.Mkdir(name, mode) }
func (system) Rename(from, to string) error              { return rename(from, to) }
func (system) Link(from, to string) error                { return os.Link(from, to) }
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

// Open opens a file to be read.
func Open(name string) (File, error) { return Files().OpenFile(name, os.O_RDONLY, 0) }

// OpenRegular opens a regular file to be read, and refuses anything else: opening a named
// pipe would wait for its writer, and a device may have no end.
func OpenRegular(name string) (File, fs.FileInfo, error) {
	info, err := Files().Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := Open(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // it is another by now
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

var errNotRegular = errors.New("not a regular file")

// IsNotRegular reports whether an error is the refusal of [OpenRegular].
func IsNotRegular(err error) bool { return errors.Is(err, errNotRegular) }
