//go:build unix

package serve

import (
	"os"
	"syscall"
)

// mapped maps a file for reading and writing, and removes its name if requested.
func mapped(name string, size int64, remove bool) (memory []byte, unmap func() error, err error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if remove {
		os.Remove(name) // who gave the name removes it too
	}
	memory, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return memory, func() error { return syscall.Munmap(memory) }, nil
}
