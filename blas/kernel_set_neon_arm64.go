//go:build !noasm

package blas

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

// neonSet is the kernels of 128-bit vectors, which every arm64 has. Matrix products are Go's.
var neonSet = kernelSet{
	level:  isaNEON,
	usable: func() bool { return true },

	family64: &genericFamily64,
	family32: &genericFamily32,

	direct:   true,
	axpy:     axpyNEON,
	axpyFour: axpyFourNEON,

	gatheredSquares: gatheredSquaresNEON,
	gatheredDots:    gatheredDotsNEON,
}

// dotProductSet is neonSet with products of bytes by the instructions for them.
var dotProductSet = func() kernelSet {
	s := neonSet
	s.level, s.usable = isaDotProduct, func() bool { return cpuid.CPU.Supports(cpuid.ASIMDDP) }
	s.codes8 = [...]func(quads int, a, b *int8, next int, begin, c *int32, ldc int){codesDotProduct, codesDotProductTwo}
	return s
}()

// codesDotProductTwo multiplies with two groups, one after the other.
func codesDotProductTwo(quads int, a, b *int8, next int, begin, c *int32, ldc int) {
	codesDotProduct(quads, a, b, next, begin, c, ldc)
	b, c = (*int8)(unsafe.Add(unsafe.Pointer(b), next)), (*int32)(unsafe.Add(unsafe.Pointer(c), 4*CodeGroup))
	codesDotProduct(quads, a, b, next, begin, c, ldc)
}

//go:noescape
func dotNEON(n int, x, y *float64) float64

//go:noescape
func squaredDistanceNEON(n int, x, y *float64) float64

//go:noescape
func axpyNEON(n int, a float64, x, y *float64)

//go:noescape
func axpyFourNEON(n int, a, x *float64, ld int, y *float64)

//go:noescape
func gatheredSquaresNEON(x, rows *float32, at *int32, width, count int, out *float32)

//go:noescape
func gatheredDotsNEON(x, rows *float32, at *int32, width, count int, out *float32)

//go:noescape
func codesDotProduct(quads int, a, b *int8, next int, begin, c *int32, ldc int)
