//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package disk

import (
	"errors"
	"os"
	"syscall"
)

// HasLocks reports whether this program knows the system's locks.
const HasLocks = true

func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// InUse reports whether a lock failed because another has it.
func InUse(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }

// NoLocks reports whether a lock failed because the file system has none, as network
// file systems may.
func NoLocks(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, errors.ErrUnsupported)
}
