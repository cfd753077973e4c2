// Package powerloss writes down what a program asks of the file system, and makes of it
// every state in which a loss of power may leave a folder, for tests of what a program
// finds there afterwards.
//
// The disk that it supposes promises as little as POSIX does. What was written to a file
// is there after an fsync of the file; until then any of it may be missing, or be zeros
// where the file became longer. A file that was made, renamed or removed is so after an
// fsync of its folder; until then any of these may be missing, in any order, but a rename
// is never half done.
package powerloss

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
)

// Recording is a file system that writes down what is done in a folder.
type Recording struct {
	disk.FileSystem
	folder string
	before map[string]*node // by the path in the folder
	mu     sync.Mutex
	names  map[string]*node
	calls  []call
}

// node is a file or a folder, whatever its name is.
type node struct {
	folder bool
	text   []byte // when the recording began
}

// call is something done to a file or to the names in a folder.
type call struct {
	what string // write, truncate, fsync; make, rename, remove; sync: the folder's fsync; mark
	path string
	to   string // rename
	node *node
	at   int64 // write, truncate
	data []byte
}

// Record runs what is to be recorded. It may mark the time at which something was done.
func Record(t *testing.T, folder string, run func(mark func(name string))) *Recording {
	t.Helper()
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	r := &Recording{FileSystem: disk.Files(), folder: folder, before: map[string]*node{}, names: map[string]*node{}}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		n := &node{folder: err == nil && d.IsDir()}
		if err == nil && !n.folder {
			n.text, err = os.ReadFile(path)
		}
		name, _ := r.within(path)
		r.before[name], r.names[name] = n, n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Swap(r)()
	run(func(name string) { r.note(call{what: "mark", path: name}) })
	return r
}

// within returns the path of a file in the folder.
func (r *Recording) within(path string) (string, bool) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	name, err := filepath.Rel(r.folder, absolute)
	return name, err == nil && filepath.IsLocal(name)
}

func (r *Recording) note(c call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

// OpenFile records that a file is made. None is emptied by being opened.
func (r *Recording) OpenFile(path string, flag int, mode fs.FileMode) (disk.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := r.FileSystem.OpenFile(path, flag, mode)
	name, ours := r.within(path)
	if err != nil || !ours {
		return f, err
	}
	n := r.names[name]
	if n == nil {
		n = &node{}
		r.names[name] = n
		r.calls = append(r.calls, call{what: "make", path: name, node: n})
	}
	return &file{File: f, recording: r, path: name, node: n, appends: flag&os.O_APPEND != 0}, nil
}

// Mkdir records that a folder is made.
func (r *Recording) Mkdir(path string, mode fs.FileMode) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.FileSystem.Mkdir(path, mode)
	if name, ours := r.within(path); ours && err == nil {
		n := &node{folder: true}
		r.names[name] = n
		r.calls = append(r.calls, call{what: "make", path: name, node: n})
	}
	return err
}

// Rename records a file's new name.
func (r *Recording) Rename(from, to string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.FileSystem.Rename(from, to)
	old, ours := r.within(from)
	if name, also := r.within(to); ours && also && err == nil {
		r.calls = append(r.calls, call{what: "rename", path: old, to: name, node: r.names[old]})
		r.names[name] = r.names[old]
		delete(r.names, old)
	}
	return err
}

// Link records that a file has another name.
func (r *Recording) Link(from, to string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.FileSystem.Link(from, to)
	old, ours := r.within(from)
	if name, also := r.within(to); ours && also && err == nil {
		r.calls = append(r.calls, call{what: "make", path: name, node: r.names[old]})
		r.names[name] = r.names[old]
	}
	return err
}

// Remove records that a file is gone.
func (r *Recording) Remove(path string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.FileSystem.Remove(path)
	if name, ours := r.within(path); ours && err == nil {
		r.calls = append(r.calls, call{what: "remove", path: name, node: r.names[name]})
		delete(r.names, name)
	}
	return err
}

func (c call) String() string { return strings.TrimSpace(c.what + " " + filepath.Base(c.path)) }

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
