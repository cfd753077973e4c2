package disk

import (
	"errors"
	"io/fs"
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
