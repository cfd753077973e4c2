//go:build !noasm

package blas

// assembly lists the sets of kernels in assembly of this build, the strongest last.
var assembly = []*kernelSet{&avx2Set, &avx512Set}

func dotDirect(n int, x, y *float64) float64 { return dotAVX2(n, x, y) }

func squaredDistanceDirect(n int, x, y *float64) float64 { return squaredDistanceAVX2(n, x, y) }

func axpyDirect(n int, a float64, x, y *float64) { axpyAVX2(n, a, x, y) }
