//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"fmt"
	"os"
	"syscall"
)

// lock keeps other processes out for as long as the file is open.
func lock(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("in use by another run (%w); wait for it, or give another --out", err)
	}
	return nil
}
