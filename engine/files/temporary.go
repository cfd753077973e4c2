package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/orthant-go/orthant/internal/disk"
)

// pending holds the outputs that have a temporary file, by target, and the targets
// next to which leftovers of other processes have been removed.
var pending = struct {
	sync.Mutex
	outputs map[string]*Output
	swept   map[string]bool
}{outputs: map[string]*Output{}, swept: map[string]bool{}}

// open makes the temporary file, after a look at what is at the target.
func (o *Output) open() error {
	if os.IsPathSeparator(o.loc.file[len(o.loc.file)-1]) {
		return errors.New("the path is that of a folder")
	}
	info, err := disk.Files().Stat(o.loc.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("a folder of that name is in the way")
	default:
		// A file that must not be written must not be replaced either.
		f, err := disk.Files().OpenFile(o.loc.file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			o.file = f
			return nil
		}
		f.Close()
	}
	if o.target, err = Resolve(o.loc.file); err != nil {
		return err
	}
	sweepTarget(o.target)
	return o.openTemporary(info)
}

// openTemporary makes the temporary file, with the permissions of the file that
// it is to replace, if there is one, or the permissions of any new file.
func (o *Output) openTemporary(old fs.FileInfo) error {
	pending.Lock()
	defer pending.Unlock()
	for target := range pending.outputs {
		if disk.SameName(target, o.target) {
			return errors.New("another output is being written to the same file: give each its own")
		}
	}
	folder, name := filepath.Split(o.target)
	for range 1000 {
		temp := filepath.Join(folder, fmt.Sprintf(".%s.tmp-%08x", shortened(name), rand.Uint32()))
		f, err := disk.Files().OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("there is no folder %s: make it first", o.folder())
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("no file can be made in the folder %s: %w", o.folder(), fs.ErrPermission)
		case err != nil:
			return err
		}
		mine, err := own(f, temp)
		if err == nil && mine && old != nil {
			err = f.Chmod(old.Mode().Perm())
		}
		if err != nil {
			f.Close()
			removeTemporary(temp, o.target)
			return err
		}
		if !mine {
			f.Close()
			continue
		}
		o.file, o.temp = f, temp
		pending.outputs[o.target] = o
		return nil
	}
	return errNoName
}

// removeTemporary removes the temporary file of a target. If that fails, the next
// output with the target tries again. The caller holds the lock.
func removeTemporary(temp, target string) {
	if err := disk.Files().Remove(temp); err != nil {
		delete(pending.swept, target)
	}
}

// folder names the folder of the target for a message, as the user gave it unless a
// link leads elsewhere.
func (o *Output) folder() string {
	given := filepath.Dir(o.loc.file)
	if resolved, err := Resolve(given); err == nil && resolved == filepath.Dir(o.target) {
		return given
	}
	return filepath.Dir(o.target)
}

var errNoName = errors.New("no name is free for a temporary file")

// DiscardAll abandons every output that has a temporary file, for a handler of
// interrupts that is about to end the program. It may run concurrently with any other
// function: an output is either committed before it or removed after it.
func DiscardAll() {
	pending.Lock()
	defer pending.Unlock()
	for _, o := range pending.outputs {
		o.abandon()
	}
}

// shortened shortens a file name so that the marks of a temporary file fit.
func shortened(name string) string { return name[:min(len(name), 200)] }

// A temporary file belongs to the process that holds its lock. The lock ends with the
// process, however that ends, and is visible from other containers and, on most network
// file systems, from other machines, where a process number has no meaning. Without
// locks the owner cannot be determined, and the file stays.

// temporaryName is the pattern of the names of temporary files.
var temporaryName = regexp.MustCompile(`^\.(.+)\.tmp-[0-9a-f]{8}$`)

// own locks a new temporary file. It returns false if
// another process has meanwhile taken the file for a leftover, and removes it.
func own(f disk.File, temp string) (bool, error) {
	switch err := f.Lock(); {
	case err == nil:
		return isAt(f, temp)
	case disk.InUse(err):
		return false, nil
	case disk.NoLocks(err):
		return true, nil
	default:
		return false, err
	}
}

// isAt reports whether a path still leads to an open file.
func isAt(f disk.File, path string) (bool, error) {
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := disk.Files().Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, there), err
}

// RemoveLeftovers removes the temporary files that a killed process left next to
// the given targets, or in them if they are folders: those that no living process
// owns. It reads every folder once.
func RemoveLeftovers(targets []string) error {
	byFolder := map[string]map[string]bool{} // by folder; nil: all in it
	var resolved []string
	for _, given := range targets {
		target, err := Resolve(given)
		if err != nil {
			return failure(given, OpCreate, err)
		}
		if info, err := disk.Files().Stat(target); err == nil && info.IsDir() {
			byFolder[target] = nil
			continue
		}
		resolved = append(resolved, target)
		folder, name := filepath.Dir(target), shortened(filepath.Base(target))
		if names, found := byFolder[folder]; !found {
			byFolder[folder] = map[string]bool{name: true}
		} else if names != nil {
			names[name] = true
		}
	}
	for folder, names := range byFolder {
		if err := sweep(folder, names); err != nil {
			return failure(folder, OpCreate, err)
		}
	}
	pending.Lock()
	defer pending.Unlock()
	for _, target := range resolved {
		pending.swept[target] = true
	}
	return nil
}

// sweepTarget removes leftovers of a target, once in the life of this process. Files that
// cannot be removed do no harm.
func sweepTarget(target string) {
	pending.Lock()
	swept := pending.swept[target]
	pending.Unlock()
	if swept || sweep(filepath.Dir(target), map[string]bool{shortened(filepath.Base(target)): true}) != nil {
		return
	}
	pending.Lock()
	pending.swept[target] = true
	pending.Unlock()
}

// sweep removes leftovers of targets with the given names from a folder; nil: of all targets.
func sweep(folder string, names map[string]bool) error {
	entries, err := disk.Files().ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		match := temporaryName.FindStringSubmatch(e.Name())
		if match == nil || !e.Type().IsRegular() || names != nil && !names[match[1]] {
			continue
		}
		if err := removeUnowned(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeUnowned removes a temporary file whose lock is free.
func removeUnowned(temp string) error {
	f, err := disk.Files().OpenFile(temp, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil // another user's
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if f.Lock() != nil {
		return nil
	}
	if there, err := isAt(f, temp); err != nil || !there {
		return err
	}
	return disk.Files().Remove(temp)
}
