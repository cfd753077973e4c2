package disk

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// HasLocks reports whether the system's locks are known here.
const HasLocks = true

// lockedAt is the offset of the byte that is locked. Nobody may read or write what another has locked
// here, so it is one that no file reaches.
const lockedAt = 1<<63 - 2

func lock(f *os.File) error {
	at := windows.Overlapped{Offset: lockedAt & 0xffffffff, OffsetHigh: lockedAt >> 32}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}

// InUse reports whether an error of Lock means that another open file has the lock.
func InUse(err error) bool {
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING)
}

// NoLocks reports whether an error of Lock means that this file system has no locks.
func NoLocks(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, errors.ErrUnsupported)
}
