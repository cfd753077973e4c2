package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// systemFile is a file that may be renamed and removed while it is open, as elsewhere: package os
// opens files without FILE_SHARE_DELETE.
type systemFile struct {
	*os.File
	appends bool
}

// Write moves to the end of a file that is appended to. Its handle may write anywhere, because one
// that may only append cannot cut a torn line off.
func (f systemFile) Write(p []byte) (int, error) {
	if f.appends {
		if _, err := f.Seek(0, io.SeekEnd); err != nil {
			return 0, err
		}
	}
	return f.File.Write(p)
}

// openFile is os.OpenFile with other sharing. It knows the flags that this program uses.
func openFile(name string, flag int, mode fs.FileMode) (systemFile, error) {
	handle, err := createFile(name, flag, mode)
	if err != nil {
		return systemFile{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return systemFile{os.NewFile(uintptr(handle), name), flag&os.O_APPEND != 0}, nil
}

func createFile(name string, flag int, mode fs.FileMode) (syscall.Handle, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return syscall.InvalidHandle, err
	}
	if name == "" {
		return syscall.InvalidHandle, syscall.ERROR_FILE_NOT_FOUND
	}
	access := uint32(syscall.GENERIC_READ)
	attributes := uint32(syscall.FILE_ATTRIBUTE_NORMAL)
	switch flag & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR) {
	case os.O_WRONLY:
		access = syscall.GENERIC_WRITE
	case os.O_RDWR:
		access |= syscall.GENERIC_WRITE
	default:
		attributes |= syscall.FILE_FLAG_BACKUP_SEMANTICS // for folders
	}
	if mode&syscall.S_IWRITE == 0 && flag&os.O_CREATE != 0 {
		attributes |= syscall.FILE_ATTRIBUTE_READONLY
	}
	how := uint32(syscall.OPEN_EXISTING)
	switch {
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		how = syscall.CREATE_NEW
		attributes |= syscall.FILE_FLAG_OPEN_REPARSE_POINT // a link is a file that is there
	case flag&os.O_CREATE != 0:
		how = syscall.OPEN_ALWAYS
	}
	const sharing = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE
	handle, err := syscall.CreateFile(path, access, sharing, nil, how, attributes, 0)
	if err != nil {
		if found, other := os.Stat(name); err == syscall.ERROR_ACCESS_DENIED && other == nil && found.IsDir() {
			err = syscall.EISDIR
		}
		return syscall.InvalidHandle, err
	}
	if flag&os.O_TRUNC != 0 {
		if err := syscall.Ftruncate(handle, 0); err != nil {
			syscall.CloseHandle(handle)
			return syscall.InvalidHandle, err
		}
	}
	return handle, nil
}

// patience is how long a rename waits for other programs, such as scanners of new files and
// indexers, to close the target.
const patience = 2 * time.Second

// errSharing is ERROR_SHARING_VIOLATION.
const errSharing = syscall.Errno(32)

// rename replaces the target also while a scanner has a short look at it.
func rename(from, to string) error {
	for began, pause := time.Now(), time.Millisecond; ; pause *= 2 {
		err := os.Rename(from, to)
		if err == nil || !errors.Is(err, syscall.ERROR_ACCESS_DENIED) && !errors.Is(err, errSharing) {
			return err
		}
		if info, other := os.Stat(to); other == nil && info.IsDir() || time.Since(began) > patience {
			if other == nil && !info.IsDir() {
				err = fmt.Errorf("%w; another program may have the file open; close it there", err)
			}
			return err
		}
		time.Sleep(pause)
	}
}
