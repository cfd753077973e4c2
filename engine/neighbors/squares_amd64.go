package neighbors

import "github.com/klauspost/cpuid/v2"

// lanes tells whether the processor has the instructions of the loops in
// assembly. A variable so that tests can compare both ways.
var lanes = cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3)

//go:noescape
func squaresAVX2(x, rows *float32, at *int32, width, count int, out *float32)

//go:noescape
func dotsAVX2(x, rows *float32, at *int32, width, count int, out *float32)
