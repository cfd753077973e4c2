package faults

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/orthant-go/orthant/internal/disk"
)

// IgnoringCase is the present file system, whose names below an absolute folder ignore case, as the usual ones of Windows
// and macOS do: a file keeps the name that it is made with, and is found by that name in any case.
func IgnoringCase(below string) disk.FileSystem { return ignoringCase{disk.Files(), below} }

type ignoringCase struct {
	disk.FileSystem
	below string
}

// at is the path by which the file system below knows a path.
func (f ignoringCase) at(path string) string {
	absolute, err := filepath.Abs(path)
	rest, is := strings.CutPrefix(absolute, f.below)
	if err != nil || !is {
		return path
	}
	at := f.below
	for name := range strings.SplitSeq(rest, string(filepath.Separator)) {
		entries, _ := f.FileSystem.ReadDir(at)
		for _, e := range entries {
			if strings.EqualFold(e.Name(), name) {
				name = e.Name()
				break
			}
		}
		at = filepath.Join(at, name)
	}
	return at
}

func (f ignoringCase) OpenFile(name string, flag int, mode fs.FileMode) (disk.File, error) {
	return f.FileSystem.OpenFile(f.at(name), flag, mode)
}
func (f ignoringCase) Stat(name string) (fs.FileInfo, error)  { return f.FileSystem.Stat(f.at(name)) }
func (f ignoringCase) Lstat(name string) (fs.FileInfo, error) { return f.FileSystem.Lstat(f.at(name)) }
func (f ignoringCase) Readlink(name string) (string, error)   { return f.FileSystem.Readlink(f.at(name)) }
func (f ignoringCase) ReadDir(name string) ([]fs.DirEntry, error) {
	return f.FileSystem.ReadDir(f.at(name))
}
func (f ignoringCase) Mkdir(name string, mode fs.FileMode) error {
	return f.FileSystem.Mkdir(f.at(name), mode)
}
func (f ignoringCase) Rename(from, to string) error { return f.FileSystem.Rename(f.at(from), f.at(to)) }
func (f ignoringCase) Link(from, to string) error   { return f.FileSystem.Link(f.at(from), f.at(to)) }
func (f ignoringCase) Remove(name string) error     { return f.FileSystem.Remove(f.at(name)) }
