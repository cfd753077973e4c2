package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/orthant-go/orthant/internal/disk"
)

// maxLinks is the maximal number of symbolic links in a path, as in Linux.
const maxLinks = 40

// Resolve returns the absolute path of the file that an output with the given path would
// become. Symbolic links are followed, also to a file that does not exist,
// and folders that do not exist are kept as named. Two paths name
// the same file if Resolve returns the same for both.
func Resolve(path string) (string, error) {
	path, err := absolute(path)
	if err != nil {
		return "", err
	}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	at, links := root, 0
	for ahead := parts(path[len(root)-1:]); len(ahead) > 0; {
		name := ahead[0]
		ahead = ahead[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		target, err := disk.Files().Readlink(next)
		if errors.Is(err, syscall.EIO) { // whether it is a link cannot be found out
			return "", err
		}
		if err != nil { // it is not a link, or does not exist
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("the path leads through too many symbolic links (a circle?)")
		}
		if filepath.IsAbs(target) {
			root = filepath.VolumeName(target) + string(filepath.Separator)
			at, target = root, target[len(root)-1:]
		}
		ahead = append(parts(target), ahead...)
	}
	return at, nil
}

// absolute puts the current folder before a relative path.
func absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	if filepath.VolumeName(path) != "" || path != "" && os.IsPathSeparator(path[0]) {
		return filepath.Abs(path) // Windows: \x is on the drive of the current folder, C:x in the current folder of a drive
	}
	here, err := os.Getwd()
	return here + string(filepath.Separator) + path, err // not cleaned: a ".." behind a link goes up from its target
}

// Resolver is Resolve for many paths in few folders: it follows the links to a folder once.
// The zero value is ready to use. It is not safe for concurrent use.
type Resolver struct{ folders map[string]string }

// Resolve is Resolve for a path, with the state of the folders at their first use.
func (r *Resolver) Resolve(path string) (string, error) {
	folder, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return Resolve(path)
	}
	at, known := r.folders[folder]
	if !known {
		var err error
		if at, err = Resolve(folder); err != nil {
			return "", err
		}
		if r.folders == nil {
			r.folders = map[string]string{}
		}
		r.folders[folder] = at
	}
	next := filepath.Join(at, name)
	if _, err := disk.Files().Readlink(next); err == nil || errors.Is(err, syscall.EIO) {
		return Resolve(path)
	}
	return next, nil
}

// parts splits a path at its separators.
func parts(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }
