//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package disk

import (
	"errors"
	"os"
)

// HasLocks reports whether this program knows the system's locks.
const HasLocks = false

func lock(*os.File) error { return errors.ErrUnsupported }

// InUse reports whether a lock failed because another has it.
func InUse(error) bool { return false }

// NoLocks reports whether a lock failed because there are none.
func NoLocks(err error) bool { return errors.Is(err, errors.ErrUnsupported) }
