// Package faults is a file system whose n-th call fails, for tests of what a program
// leaves behind then.
package faults

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
)

// How is what a fault is like.
type How int

// A passing fault is a single call that fails. A short one is a fault of a read alone, which
// gives half of its bytes before the next one of the file fails. After a lasting one
// nothing works any more, not even the removal of files: what is left then is what a
// killed process leaves, whose files the system closes.
const (
	Passing How = iota
	Short
	Lasting
)

// fileSystem counts the calls to another file system and has some of them fail. Reading
// a link does not count: that is one call for every part of every path.
type fileSystem struct {
	disk.FileSystem
	mu     sync.Mutex
	how    How
	at     int
	calls  []string
	failed string // the first call that failed
}

// Every runs attempt with its first call to the file system failing, then with its
// second, … until a run passes untouched, and gives each of the others to check,
// with the call that failed. It returns the calls that an untouched run makes.
func Every(t *testing.T, how How, attempt func(), check func(call string)) (calls []string) {
	t.Helper()
	var untouched []string // the calls of an attempt of which none failed
	for at := 1; ; at++ {
		for how == Short && at < len(untouched) && !strings.HasPrefix(untouched[at-1], "read ") {
			at++ // none but reads can be short
		}
		f := Nth(at, how)
		func() {
			defer disk.Swap(f)()
			attempt()
		}()
		if at > len(f.calls) {
			return f.calls
		}
		if f.failed == "" { // a call that knows no short fault
			untouched = f.calls
			continue
		}
		check(fmt.Sprintf("call %d, %s", at, f.failed))
		if t.Failed() {
			t.Fatalf("at call %d, %s", at, f.failed)
		}
	}
}

// Nth returns the present file system with the n-th call failing; 0: none.
func Nth(n int, how How) *fileSystem {
	if n == 0 {
		n = math.MaxInt
	}
	return &fileSystem{FileSystem: disk.Files(), how: how, at: n}
}

// Calls returns what was called so far, as in "open x.npy".
func (f *fileSystem) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// errOf are the errors of calls; of those without one it is a failure of the device.
var errOf = map[string]error{"write": syscall.ENOSPC, "lock": syscall.ENOLCK, "truncate": syscall.ENOSPC}

// call counts a call, and returns the error that it is to fail with.
func (f *fileSystem) call(what, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, what+" "+filepath.Base(name))
	if f.how == Short && what != "read" {
		return nil
	}
	if n := len(f.calls); n < f.at || n > f.at && f.how != Lasting {
		return nil
	}
	if f.failed == "" {
		f.failed = f.calls[len(f.calls)-1]
	}
	return failure(what, name)
}

func failure(what, name string) error {
	err := errOf[what]
	if err == nil {
		err = syscall.EIO
	}
	return &fs.PathError{Op: what, Path: name, Err: err}
}

func (f *fileSystem) OpenFile(name string, flag int, mode fs.FileMode) (disk.File, error) {
	if err := f.call("open", name); err != nil {
		return nil, err
	}
	inner, err := f.FileSystem.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return &file{File: inner, system: f}, nil
}

func (f *fileSystem) Stat(name string) (fs.FileInfo, error) {
	if err := f.call("stat", name); err != nil {
		return nil, err
	}
	return f.FileSystem.Stat(name)
}

func (f *fileSystem) Lstat(name string) (fs.FileInfo, error) {
	if err := f.call("stat", name); err != nil {
		return nil, err
	}
	return f.FileSystem.Lstat(name)
}

// ReadDir gives half of the names where it fails, as it may.
func (f *fileSystem) ReadDir(name string) ([]fs.DirEntry, error) {
	err := f.call("readdir", name)
	list, other := f.FileSystem.ReadDir(name)
	if err != nil {
		return list[:len(list)/2], err
	}
	return list, other
}

func (f *fileSystem) Mkdir(name string, mode fs.FileMode) error {
	if err := f.call("mkdir", name); err != nil {
		return err
	}
	return f.FileSystem.Mkdir(name, mode)
}

func (f *fileSystem) Rename(from, to string) error {
	if err := f.call("rename", to); err != nil {
		return err
	}
	return f.FileSystem.Rename(from, to)
}

func (f *fileSystem) Link(from, to string) error {
	if err := f.call("link", to); err != nil {
		return err
	}
	return f.FileSystem.Link(from, to)
}

func (f *fileSystem) Remove(name string) error {
	if err := f.call("remove", name); err != nil {
		return err
	}
	return f.FileSystem.Remove(name)
}

// file is an open file whose calls count. It embeds no more than an interface, so that
// no call finds a way around it. Close does not count: a process that ends closes all.
type file struct {
	disk.File
	system *fileSystem
	short  bool // the last read was: the next one fails
}

func (f *file) call(what string) error { return f.system.call(what, f.Name()) }

func (f *file) Read(p []byte) (int, error) {
	err := f.call("read")
	if f.short {
		f.short = false
		return 0, failure("read", f.Name())
	}
	if err != nil && f.system.how == Short {
		n, _ := f.File.Read(p)
		half := (n + 1) / 2
		if _, e := f.File.Seek(int64(half-n), io.SeekCurrent); e == nil && n > 0 {
			f.short = true
			return half, nil
		}
	}
	if err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// ReadAt may not read less without an error.
func (f *file) ReadAt(p []byte, at int64) (n int, err error) {
	if err = f.call("read"); err == nil {
		return f.File.ReadAt(p, at)
	}
	if f.system.how == Short {
		n, _ = f.File.ReadAt(p, at)
	}
	return n / 2, err
}

func (f *file) Stat() (fs.FileInfo, error) {
	if err := f.call("stat"); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

// Write writes half of it where it fails, as on a disk that becomes full.
func (f *file) Write(p []byte) (int, error) {
	if err := f.call("write"); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *file) WriteAt(p []byte, at int64) (int, error) {
	if err := f.call("write"); err != nil {
		n, _ := f.File.WriteAt(p[:len(p)/2], at)
		return n, err
	}
	return f.File.WriteAt(p, at)
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	if err := f.call("seek"); err != nil {
		return 0, err
	}
	return f.File.Seek(offset, whence)
}

func (f *file) Chmod(mode fs.FileMode) error {
	if err := f.call("chmod"); err != nil {
		return err
	}
	return f.File.Chmod(mode)
}

func (f *file) Sync() error {
	if err := f.call("fsync"); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *file) Truncate(size int64) error {
	if err := f.call("truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *file) Lock() error {
	if err := f.call("lock"); err != nil {
		return errors.Unwrap(err) // the system's locks know no path
	}
	return f.File.Lock()
}
