package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Sync brings a file to the disk. Some file systems cannot, and a result is not
// given up for that.
func Sync(f File) error {
	err := f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// SyncFolder brings the names in a folder to the disk: a file that was made or
// renamed is only then under its name when the power has failed. A folder that may
// be written but not read cannot be opened for that and is passed over.
func SyncFolder(name string) error {
	f, err := Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err = Sync(f); errors.Is(err, fs.ErrPermission) { // as Windows says of every folder
		return nil
	}
	return err
}

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
