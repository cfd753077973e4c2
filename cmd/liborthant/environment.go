//go:build cgo

package main

/*
#include <stdlib.h>
*/
import "C"

import (
	"sync"
	"unsafe"

	"github.com/orthant-go/orthant/blas/limits"
)

// Go knows the environment at the start of the process. Variables that the program sets later,
// before its first call, count too: os.environ in Python, setenv in C. They are read once, within
// that call, since other threads may write to the environment at any time.
func init() {
	var mu sync.Mutex
	known := map[string]string{}
	limits.Getenv = func(name string) string {
		mu.Lock()
		defer mu.Unlock()
		text, read := known[name]
		if !read {
			c := C.CString(name)
			defer C.free(unsafe.Pointer(c))
			text = C.GoString(C.getenv(c))
			known[name] = text
		}
		return text
	}
}
