package faults

import (
	"errors"
	"io/fs"

	"github.com/orthant-go/orthant/engine/disk"
)

// file is an open file whose calls count. It embeds no more than an interface, so that
// no call finds a way around it. Close does not count: a process that ends closes all.
type file struct {
	disk.File
	system *fileSystem
}

func (f *file) call(what string) error { return f.system.call(what, f.Name()) }

func (f *file) Read(p []byte) (int, error) {
	if err := f.call("read"); err != nil {
		return 0, err
	}
	return f.File.Read(p)
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
