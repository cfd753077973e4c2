//go:build !amd64 || noasm

package blas

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

func bestISA() isaLevel { return isaGeneric }

// hasFMA says whether math.FMA is an instruction here. Where it is not, the
// generic code multiplies and adds.
var hasFMA = runtime.GOARCH != "386" && runtime.GOARCH != "arm" && (runtime.GOARCH != "amd64" || cpuid.CPU.Supports(cpuid.FMA3))

var families64 = [...]*family[float64]{isaGeneric: &genericFamily64}

var families32 = [...]*family[float32]{isaGeneric: &genericFamily32}

// The kernels of this build are never asked for, because isa stays generic.

const noAssembly = "blas: no assembly in this build"

func dotAVX2(int, *float64, *float64) float64                    { panic(noAssembly) }
func squaredDistanceAVX2(int, *float64, *float64) float64        { panic(noAssembly) }
func axpyAVX2(int, float64, *float64, *float64)                  { panic(noAssembly) }
func axpyAVX512(int, float64, *float64, *float64)                { panic(noAssembly) }
func axpyFourAVX2(int, *float64, *float64, int, *float64)        { panic(noAssembly) }
func expAVX2(int, *float64, *float64)                            { panic(noAssembly) }
func largestAVX2(int, *int32) uint32                             { panic(noAssembly) }
func spmvAVX2(int, *int, *int32, *float64, *float64, *float64)   { panic(noAssembly) }
func spmm4AVX2(int, *int, *int32, *float64, *float64, *float64)  { panic(noAssembly) }
func spmm8AVX2(int, *int, *int32, *float64, *float64, *float64)  { panic(noAssembly) }
func spmm16AVX2(int, *int, *int32, *float64, *float64, *float64) { panic(noAssembly) }

func scan64AVX2(int, *float64, *float64, *float64, float64, float64, *uint64) uint64 {
	panic(noAssembly)
}
func scanSquaresAVX2(int, *float64, *float64, *float64, float64, float64, *uint64) uint64 {
	panic(noAssembly)
}
func scan32AVX2(int, *float32, *float32, *float32, float32, float32, *uint64) uint64 {
	panic(noAssembly)
}

func signedAVX2(int, int, *float64, int, *float64, *float64)                { panic(noAssembly) }
func signedAVX512(int, *float64, int, *float64, *float64)                   { panic(noAssembly) }
func grams2AVX2(int, int, *float64, *float64, *float64, *float64)           { panic(noAssembly) }
func grams3AVX2(int, int, *float64, *float64, *float64, *float64, *float64) { panic(noAssembly) }
func ratioAVX2(int, int, int, *float64, *float64, *float64, *float64, *float64, *float64, *float64) {
	panic(noAssembly)
}
func ratioHalfAVX2(int, int, int, *float64, *float64, *float64, *float64, *float64) {
	panic(noAssembly)
}
func quarticAVX2(int, int, int, *float64, *float64, *float64, *float64, *float64, *float64, float64, *float64) {
	panic(noAssembly)
}
func quarticHalfAVX2(int, int, int, *float64, *float64, *float64, *float64, *float64, float64, *float64) {
	panic(noAssembly)
}

func subtractRows4AVX2(int, int, int, *float64, *float64, *float64, *int32) { panic(noAssembly) }
func subtractRows8AVX2(int, int, int, *float64, *float64, *float64, *int32) { panic(noAssembly) }
func subtractRowsNext4AVX2(int, int, int, *float64, *float64, *float64)     { panic(noAssembly) }
func subtractRowsNext8AVX2(int, int, int, *float64, *float64, *float64)     { panic(noAssembly) }
func spreadRows4AVX2(int, int, int, *float64, *float64, *float64, *int32)   { panic(noAssembly) }
func spreadRows8AVX2(int, int, int, *float64, *float64, *float64, *int32)   { panic(noAssembly) }
func spreadRowsNext4AVX2(int, int, int, *float64, *float64, *float64)       { panic(noAssembly) }
func spreadRowsNext8AVX2(int, int, int, *float64, *float64, *float64)       { panic(noAssembly) }

func subtractRows8AVX512(int, int, int, *float64, *float64, *float64, *int32) { panic(noAssembly) }
func subtractRowsNext8AVX512(int, int, int, *float64, *float64, *float64)     { panic(noAssembly) }
func spreadRows8AVX512(int, int, int, *float64, *float64, *float64, *int32)   { panic(noAssembly) }
func spreadRowsNext8AVX512(int, int, int, *float64, *float64, *float64)       { panic(noAssembly) }

func codes1AVX512(int, *int8, *int8, int, *int32, *int32, int)                { panic(noAssembly) }
func codes2AVX512(int, *int8, *int8, int, *int32, *int32, int)                { panic(noAssembly) }
func codesAVX2(int, *int16, *int16, *int32, int)                              { panic(noAssembly) }
func scanCodesAVX2(int, *int32, *int32, *int32, int32, int32, *uint64) uint64 { panic(noAssembly) }
