//go:build cgo

package main

/*
#include "orthant.h"

// Go cannot spell a pointer to const.
typedef const char const_char;

int orthantinternal_tell(uintptr_t progress, uintptr_t user, const char *phase, double done);
int orthantinternal_multiply(uintptr_t multiply, uintptr_t user, int transposed, int64_t width, const double *x, double *y);
*/
import "C"

import (
	"unsafe"

	"github.com/orthant-go/orthant/cmd/internal/library"
)

// orthantinternal_call calls a function of the header by its name. shim.c and problems.c do so once they know that the process is
// not a fork; at holds the arguments, 8 bytes each.
//
//export orthantinternal_call
func orthantinternal_call(name *C.const_char, at unsafe.Pointer) C.int {
	return C.int(library.Call(C.GoString((*C.char)(name)), at))
}

func init() {
	library.Version = version
	library.Caller.Tell = func(progress, user uintptr, phase string, done float64) int {
		said := append([]byte(phase), 0)
		return int(C.orthantinternal_tell(C.uintptr_t(progress), C.uintptr_t(user), (*C.char)(unsafe.Pointer(&said[0])), C.double(done)))
	}
	library.Caller.Multiply = func(multiply, user uintptr, transposed bool, width int, x, y []float64) int {
		way := C.int(0)
		if transposed {
			way = 1
		}
		return int(C.orthantinternal_multiply(C.uintptr_t(multiply), C.uintptr_t(user), way, C.int64_t(width),
			(*C.double)(unsafe.Pointer(&x[0])), (*C.double)(unsafe.Pointer(&y[0]))))
	}
}
