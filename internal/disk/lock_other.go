//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package disk

import (
	"errors"
	"os"
)

// HasLocks tells whether this program knows the system's locks.
const HasLocks = false

func lock(*os.File) error { return errors.ErrUnsupported }

// InUse tells whether a lock failed because another has it.
func InUse(error) bool { return false }

// NoLocks tells whether a lock failed because there are none.
func NoLocks(err error) bool { return errors.Is(err, errors.ErrUnsupported) }
