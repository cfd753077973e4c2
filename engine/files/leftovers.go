package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/orthant-go/orthant/internal/disk"
)

// A temporary file belongs to the process that holds its lock. The lock goes with the
// process, however that ends, and is seen from other containers and, on most network
// file systems, from other machines, where the number of a process says nothing. Where
// there are no locks nobody can tell, and the file stays.

// temporaryName is what the names of temporary files look like.
var temporaryName = regexp.MustCompile(`^\.(.+)\.tmp-[0-9a-f]{8}$`)

// own takes the lock of a temporary file that was just made. It is false for one that
// another process has taken for a leftover meanwhile, and removes.
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

// isAt tells whether a path still leads to an open file.
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

// RemoveLeftovers removes the temporary files that a killed process left beside
// these targets, or in them where they are folders: those that no living process
// owns. It reads every folder once.
func RemoveLeftovers(targets []string) error {
	beside := map[string]map[string]bool{} // by folder; nil: all in it
	var resolved []string
	for _, given := range targets {
		target, err := Resolve(given)
		if err != nil {
			return failure(given, OpCreate, err)
		}
		if info, err := disk.Files().Stat(target); err == nil && info.IsDir() {
			beside[target] = nil
			continue
		}
		resolved = append(resolved, target)
		folder, name := filepath.Dir(target), shortened(filepath.Base(target))
		if names, found := beside[folder]; !found {
			beside[folder] = map[string]bool{name: true}
		} else if names != nil {
			names[name] = true
		}
	}
	for folder, names := range beside {
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

// sweepBeside removes leftovers of a target, once in the life of this process. What
// cannot be removed is in nobody's way.
func sweepBeside(target string) {
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

// sweep removes leftovers of targets of these names from a folder; nil: of all.
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

// removeUnowned removes a temporary file whose lock nobody has.
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
