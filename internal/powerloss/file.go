package powerloss

import (
	"bytes"
	"io"

	"github.com/orthant-go/orthant/internal/disk"
)

// file is an open file whose changes are recorded.
type file struct {
	disk.File
	recording *Recording
	path      string
	node      *node
	appends   bool
}

// record does something to the file and notes it, if it went well, before anybody else
// does.
func (f *file) record(c call, do func() error) error {
	f.recording.mu.Lock()
	defer f.recording.mu.Unlock()
	err := do()
	if err == nil {
		c.path, c.node = f.path, f.node
		f.recording.calls = append(f.recording.calls, c)
	}
	return err
}

func (f *file) Write(p []byte) (n int, err error) {
	whence := io.SeekCurrent
	if f.appends {
		whence = io.SeekEnd
	}
	at, err := f.Seek(0, whence)
	if err != nil {
		return 0, err
	}
	err = f.record(call{what: "write", at: at, data: bytes.Clone(p)}, func() (err error) {
		n, err = f.File.Write(p)
		return err
	})
	return n, err
}

func (f *file) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.record(call{what: "write", at: at, data: bytes.Clone(p)}, func() (err error) {
		n, err = f.File.WriteAt(p, at)
		return err
	})
	return n, err
}

func (f *file) Truncate(size int64) error {
	return f.record(call{what: "truncate", at: size}, func() error { return f.File.Truncate(size) })
}

func (f *file) Sync() error {
	what := "fsync"
	if f.node.folder {
		what = "sync"
	}
	return f.record(call{what: what}, f.File.Sync)
}
