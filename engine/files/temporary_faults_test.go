package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
	"github.com/orthant-go/orthant/internal/must"
)

// odd is a file system that behaves oddly towards names that hold some text.
type odd struct {
	disk.FileSystem
	text                         string
	open, readlink, lock, remove error
	lockAs                       func(path string) // what happens between the making and the lock
}

type oddFile struct {
	disk.File
	odd odd
}

// removesAtOnce reports whether a file that is open loses its name when it is removed, and not when it is closed, as under wine.
func removesAtOnce(t *testing.T) bool {
	path := filepath.Join(t.TempDir(), "x")
	f := must.Get(disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666))(t)
	defer f.Close()
	must.Do(t, os.Remove(path))
	_, err := os.Lstat(path)
	return err != nil
}

func (o odd) at(name string, err error) error {
	if err != nil && strings.Contains(filepath.Base(name), o.text) {
		return &fs.PathError{Op: "odd", Path: name, Err: err}
	}
	return nil
}

func (o odd) OpenFile(name string, flag int, mode fs.FileMode) (disk.File, error) {
	if err := o.at(name, o.open); err != nil {
		return nil, err
	}
	f, err := o.FileSystem.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return oddFile{f, o}, nil
}

func (o odd) Readlink(name string) (string, error) {
	if err := o.at(name, o.readlink); err != nil {
		return "", err
	}
	return o.FileSystem.Readlink(name)
}

func (o odd) Remove(name string) error {
	if err := o.at(name, o.remove); err != nil {
		return err
	}
	return o.FileSystem.Remove(name)
}

func (f oddFile) Lock() error {
	if strings.Contains(filepath.Base(f.Name()), f.odd.text) {
		if f.odd.lockAs != nil {
			f.odd.lockAs(f.Name())
		}
		if f.odd.lock != nil {
			return f.odd.lock
		}
	}
	return f.File.Lock()
}

// under runs something on an odd file system.
func under(o odd, run func() error) error {
	o.FileSystem = disk.Files()
	defer disk.Swap(o)()
	return run()
}

// No name for a temporary file, no permission to make one, no answer of the disk, and a
// sweeper that takes every one of them: each is an error that names the output, and leaves
// nothing.
func TestCreateOnAnOddDisk(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.npy")
	create := func() error {
		o, err := Create(path, nil)
		if err == nil {
			o.Discard()
		}
		return err
	}
	for want, o := range map[string]odd{
		"no name is free for a temporary file": {text: ".tmp-", open: fs.ErrExist},
		"no file can be made in the folder":    {text: ".tmp-", open: fs.ErrPermission},
		"input/output error":                   {text: "x.npy", readlink: syscall.EIO},
		"bad file descriptor":                  {text: ".tmp-", lock: syscall.EBADF},
	} {
		wantError(t, under(o, create), OpCreate, path, want)
		onlyFiles(t, folder)
	}
	gone := 0
	sweeper := odd{text: ".tmp-", lockAs: func(path string) {
		if gone < 3 {
			gone++
			_ = os.Remove(path)
		}
	}}
	if err := under(sweeper, create); removesAtOnce(t) && (err != nil || gone != 3) {
		t.Errorf("after %d temporary files were taken for leftovers: %v", gone, err)
	}
	wantError(t, under(odd{text: ".tmp-", lock: lockedTwice(t)}, create), OpCreate, path, "no name is free")
	for _, name := range namesOf(t, folder) { // each is the other process's to remove
		if !temporaryName.MatchString(name) {
			t.Errorf("left %s", name)
		}
	}
}

func namesOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries := must.Get(os.ReadDir(folder))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Leftovers that cannot be opened, locked or removed stay, and only what the disk itself
// refuses is an error.
func TestLeftoversOnAnOddDisk(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.npy")
	temp := filepath.Join(folder, ".x.npy.tmp-01234567")
	for _, c := range []struct {
		odd  odd
		want string
	}{
		{odd{text: ".tmp-", open: fs.ErrPermission}, ""}, {odd{text: ".tmp-", open: fs.ErrNotExist}, ""}, {odd{text: ".tmp-", open: syscall.EIO}, "input/output error"},
		{odd{text: ".tmp-", lock: lockedTwice(t)}, ""}, {odd{text: ".tmp-", lock: syscall.ENOLCK}, ""}, {odd{text: ".tmp-", remove: syscall.EIO}, "input/output error"},
		{odd{text: "x.npy", readlink: syscall.EIO}, "input/output error"},
	} {
		must.Do(t, os.WriteFile(temp, nil, 0o666))
		err := under(c.odd, func() error { return RemoveLeftovers([]string{path}) })
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.odd, err)
		}
		onlyFiles(t, folder, filepath.Base(temp))
	}
	// One that others remove meanwhile, one that others replace, and one that is removed.
	for at := range 2 {
		if !removesAtOnce(t) {
			break
		}
		sweeper := odd{text: ".tmp-", lockAs: func(path string) {
			_ = os.Remove(path)
			if at == 1 {
				_ = os.WriteFile(path, []byte("another"), 0o666)
			}
		}}
		if err := under(sweeper, func() error { return RemoveLeftovers([]string{path}) }); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(temp); (err == nil) != (at == 1) {
			t.Errorf("%d: %v", at, err)
		}
		must.Do(t, os.WriteFile(temp, nil, 0o666))
	}
	if err := RemoveLeftovers([]string{path}); err != nil {
		t.Error(err)
	}
	onlyFiles(t, folder)
}

// Whichever call fails while leftovers are removed, that is an error or they are gone.
func TestRemoveLeftoversWithFaults(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.npy")
	temp := filepath.Join(folder, ".x.npy.tmp-01234567")
	var err error
	faults.Every(t, faults.Passing, func() {
		must.Do(t, os.WriteFile(temp, nil, 0o666))
		err = RemoveLeftovers([]string{path})
	}, func(call string) {
		_, there := os.Stat(temp)
		switch gone := errors.Is(there, fs.ErrNotExist); {
		case strings.Contains(call, "lock"): // unobservable
			if err != nil || gone {
				t.Errorf("without locks: %v, gone: %v", err, gone)
			}
		case (err == nil) != gone:
			t.Errorf("%v, gone: %v", err, gone)
		}
	})
	onlyFiles(t, folder)
}

// A torn line of a journal that cannot be cut off, and rows that cannot wait in a file.
func TestJournalAndRowsOnAnOddDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	must.Do(t, os.WriteFile(path, []byte("1\n2"), 0o666))
	calls := faults.Nth(0, faults.Passing)
	restore := disk.Swap(calls)
	j, _, err := OpenJournal(path, Options{}, noLine)
	restore()
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	for at, call := range calls.Calls() {
		if !strings.HasPrefix(call, "truncate") {
			continue
		}
		must.Do(t, os.WriteFile(path, []byte("1\n2"), 0o666))
		restore := disk.Swap(faults.Nth(at+1, faults.Passing))
		_, _, err := OpenJournal(path, Options{}, noLine)
		restore()
		wantError(t, err, OpCreate, path, "cutting a torn line off: no space left on device")
		wantContent(t, path, "1\n2")
	}
	if err := under(odd{text: "orthant-rows-", open: fs.ErrExist}, func() error { _, err := newSpool(); return err }); !errors.Is(err, errNoName) {
		t.Error(err)
	}
}

func noLine([]byte) error { return nil }
