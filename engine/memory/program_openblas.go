//go:build openblas && cgo

package memory

// OpenBLAS brings its code, and buffers of every thread.
const program = 55 << 20
