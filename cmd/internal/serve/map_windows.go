package serve

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapped maps memory that has a name: on Windows it needs no file.
func mapped(name string, size int64, _ bool) (memory []byte, unmap func() error, err error) {
	wide, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, nil, err
	}
	h, err := windows.CreateFileMapping(windows.InvalidHandle, nil, windows.PAGE_READWRITE, uint32(uint64(size)>>32), uint32(uint64(size)), wide)
	if h == 0 {
		return nil, nil, err
	}
	defer windows.CloseHandle(h) // the view keeps it
	at, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ|windows.FILE_MAP_WRITE, 0, 0, uintptr(size))
	if err != nil {
		return nil, nil, err
	}
	memory = unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), int(size))
	return memory, func() error { return windows.UnmapViewOfFile(at) }, nil
}
