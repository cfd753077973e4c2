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

// Go knows the environment as the process began with it. What the program has set since,
// before its first call, counts too: os.environ in Python, setenv in C. It is read once,
// within that call, since others may write to it at any time.
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
