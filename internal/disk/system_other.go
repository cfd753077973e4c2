//go:build !windows

package disk

import (
	"io/fs"
	"os"
)

type systemFile struct{ *os.File }

func openFile(name string, flag int, mode fs.FileMode) (systemFile, error) {
	f, err := os.OpenFile(name, flag, mode)
	return systemFile{f}, err
}

func rename(from, to string) error { return os.Rename(from, to) }
