//go:build !amd64 || noasm

package blas

import (
	"runtime"
	"unsafe"

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

func gaussArgumentsAVX2(int, float64, float64, *float64, *float64, *float64) { panic(noAssembly) }
func weighAVX2(int, *float64, *float64, *float64, *float64, *float64)        { panic(noAssembly) }
func multiplyAVX2(int, *float64, *float64, *float64)                         { panic(noAssembly) }
func quotientsAVX2(int, float64, *float64, *float64, *float64)               { panic(noAssembly) }
func rootsAVX2(int, float64, *float64, *float64)                             { panic(noAssembly) }
func multiplyRatiosAVX2(int, float64, float64, *float64, *float64, *float64) { panic(noAssembly) }

func gaussWeightsAVX512(int, float64, *float64, *float64, *float64, *float64, *float64) {
	panic(noAssembly)
}

func fixedAVX2(quads int, coarse *int32, fine *uint8, values *float64) { panic("unreachable") }

func gatheredSquaresAVX2(x, rows *float32, at *int32, width, count int, out *float32) {
	panic("unreachable")
}

func gatheredDotsAVX2(x, rows *float32, at *int32, width, count int, out *float32) {
	panic("unreachable")
}

func pathsGatherAVX2(count int, at *int32, length, rows, best *float64) { panic("unreachable") }

func pathsScatterAVX2(count int, at *int32, length, from, rows *float64) { panic("unreachable") }

func pathsMarkAVX2(count int, at *int32, length, from, rows *float64, mark *bool) {
	panic("unreachable")
}

func pathsMarkAVX512(count int, at *int32, length, from, rows *float64, mark *bool) {
	panic("unreachable")
}

func rankTwoAVX2(n int, a float64, x *float64, b float64, y, row *float64) { panic(noAssembly) }

func productsWide8(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsWide16(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsWide24(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsWide32(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func quotientsWide(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, *float64, *float64, int) {
	panic(noAssembly)
}

func productsNear8(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsNear16(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsNear24(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsNear32(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func quotientsNear(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, *float64, *float64, int) {
	panic(noAssembly)
}

func productsShort8(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsShort16(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsShort24(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func productsShort32(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, int, *float64, int, int) {
	panic(noAssembly)
}

func quotientsShort(int, *int, unsafe.Pointer, unsafe.Pointer, *float64, *float64, *float64, int) {
	panic(noAssembly)
}
