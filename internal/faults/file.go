package faults

import (
	"errors"
	"io"
	"io/fs"

	"github.com/orthant-go/orthant/internal/disk"
)

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
