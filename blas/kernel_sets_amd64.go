//go:build !noasm

package blas

// assembly lists the sets of kernels in assembly of this build, the strongest last.
var assembly = []*kernelSet{&avx2Set, &avx512Set}
