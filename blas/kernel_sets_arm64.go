//go:build !noasm

package blas

// assembly lists the sets of kernels in assembly of this build, the strongest last.
var assembly = []*kernelSet{&neonSet, &dotProductSet}

func dotDirect(n int, x, y *float64) float64 { return dotNEON(n, x, y) }

func squaredDistanceDirect(n int, x, y *float64) float64 { return squaredDistanceNEON(n, x, y) }

func axpyDirect(n int, a float64, x, y *float64) { axpyNEON(n, a, x, y) }
