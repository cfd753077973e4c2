package blas

import "github.com/klauspost/cpuid/v2"

// hasFMA says whether math.FMA is an instruction here. Where it is not, the
// generic code multiplies and adds.
var hasFMA = cpuid.CPU.Supports(cpuid.FMA3)
