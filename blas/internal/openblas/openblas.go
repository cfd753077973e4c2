//go:build openblas && cgo

// Package openblas links OpenBLAS and LAPACKE and sets them up. It stands apart
// from package blas because a package with Go assembly cannot use cgo.
package openblas

// #cgo LDFLAGS: -lopenblas -llapacke
// extern void openblas_set_num_threads(int);
// extern char *openblas_get_config(void);
// extern char *openblas_get_corename(void);
import "C"

// SetThreads sets the number of threads that one call may use, for the whole
// process.
func SetThreads(n int) { C.openblas_set_num_threads(C.int(n)) }

// Version is what the library says of its build and of the CPU.
func Version() string {
	return C.GoString(C.openblas_get_config()) + ", core " + C.GoString(C.openblas_get_corename())
}
