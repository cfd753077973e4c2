package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// MakeFolders makes a folder and those above it, and brings them to the disk.
func MakeFolders(path string) error {
	switch info, err := Files().Stat(path); {
	case err == nil && info.IsDir():
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return &fs.PathError{Op: "mkdir", Path: path, Err: cause(err)}
	}
	above := filepath.Dir(path)
	if above != path {
		if err := MakeFolders(above); err != nil {
			return err
		}
	}
	if err := Files().Mkdir(path, 0o777); err != nil {
		if info, other := Files().Stat(path); other == nil && info.IsDir() {
			return nil // another process was faster
		}
		return err
	}
	if err := SyncFolder(above); err != nil {
		_ = Files().Remove(path)
		return &fs.PathError{Op: "mkdir", Path: path, Err: cause(err)}
	}
	return nil
}

// cause returns an error without the call and the path.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
