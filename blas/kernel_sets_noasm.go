//go:build !amd64 || noasm

package blas

// assembly lists the sets of kernels in assembly of this build: none.
var assembly []*kernelSet
