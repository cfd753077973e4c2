//go:build openblas && cgo

// Package openblas links OpenBLAS and LAPACKE and sets them up. It is separate from package blas
// because a package with Go assembly cannot use cgo.
package openblas

// #cgo LDFLAGS: -lopenblas -llapacke
// extern void openblas_set_num_threads(int);
// extern int blas_thread_shutdown_(void);
// extern char *openblas_get_config(void);
// extern char *openblas_get_corename(void);
import "C"

// SetThreads makes every call run on n threads, for the whole process; on its caller's alone where n is 1. The threads
// that the library started when it was loaded are ended then: they would spin for a while (0.1 s of processor
// time in a short run).
func SetThreads(n int) {
	C.openblas_set_num_threads(C.int(n))
	if n == 1 {
		C.blas_thread_shutdown_()
	}
}

// Version is the library's description of its build and of the CPU.
func Version() string {
	return C.GoString(C.openblas_get_config()) + ", core " + C.GoString(C.openblas_get_corename())
}
