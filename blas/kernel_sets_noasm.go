//go:build (!amd64 && !arm64) || noasm

package blas

// assembly lists the sets of kernels in assembly of this build: none.
var assembly []*kernelSet

// No set of this build says that it has these.

const noAssembly = "blas: no assembly in this build"

func dotDirect(int, *float64, *float64) float64             { panic(noAssembly) }
func squaredDistanceDirect(int, *float64, *float64) float64 { panic(noAssembly) }
func axpyDirect(int, float64, *float64, *float64)           { panic(noAssembly) }
