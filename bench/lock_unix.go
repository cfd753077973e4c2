//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bench

import (
	"fmt"
	"os"
	"syscall"
)

// lock keeps a second run out of the folder for as long as the file is open.
func lock(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("bench: %s is in use by another run (%v); wait for it, or give another --out", file.Name(), err)
	}
	return nil
}
