package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/orthant-go/orthant/internal/disk"
)

// Glob lists the files that a pattern matches. Unlike filepath.Glob it returns an error
// if a folder could not be read completely, since files would be missing.
func Glob(pattern string) (found []string, err error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, err
	}
	above, name := filepath.Split(pattern)
	// Windows has two separators, and both may stand in a pattern.
	if trimmed := strings.TrimRightFunc(above[len(filepath.VolumeName(above)):], func(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(uint8(r)) }); trimmed != "" {
		above = filepath.VolumeName(above) + trimmed
	}
	folders := []string{above}
	if above == "" {
		folders[0] = "."
	}
	if strings.ContainsAny(above, `*?[`) {
		if folders, err = Glob(above); err != nil {
			return nil, err
		}
	}
	for _, folder := range folders {
		names, err := namesIn(folder)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if matched, _ := filepath.Match(name, n); matched { // the pattern is valid
				found = append(found, filepath.Join(folder, n))
			}
		}
	}
	return found, nil
}

// namesIn lists the entries of a folder; nothing if it is not a folder, or not
// readable.
func namesIn(folder string) (names []string, err error) {
	info, err := disk.Files().Stat(folder)
	if err == nil && !info.IsDir() {
		return nil, nil
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = disk.Files().ReadDir(folder)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ELOOP) {
		return nil, nil
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
