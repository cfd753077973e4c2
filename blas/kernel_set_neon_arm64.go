//go:build !noasm

package blas

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

// neonSet is the kernels of 128-bit vectors, which every arm64 has.
var neonSet = kernelSet{
	level:  isaNEON,
	usable: func() bool { return true },

	family64:   &neonFamily64,
	family32:   &neonFamily32,
	vectorized: true,

	direct:   true,
	axpy:     axpyNEON,
	axpyFour: axpyFourNEON,
	rankTwo:  rankTwoNEON,

	exp:            expNEON,
	gaussArguments: gaussArgumentsNEON,
	weigh:          weighNEON,
	multiply:       multiplyNEON,
	quotients:      quotientsNEON,
	roots:          rootsNEON,
	multiplyRatios: multiplyRatiosNEON,
	fixed40s:       fixedNEON,

	scan64:      scan64NEON,
	scan32:      scan32NEON,
	scanSquares: scanSquaresNEON,
	scanCodes:   scanCodesNEON,

	codes16: codesNEON,

	gatheredSquares: gatheredSquaresNEON,
	gatheredDots:    gatheredDotsNEON,
	prefetch:        prefetchNEON,
	pathsGather:     pathsGatherNEON,
	pathsScatter:    pathsScatterNEON,
	pathsMark:       pathsMarkNEON,

	largest: largestNEON,
	spmv:    spmvNEON,
	spmm4:   spmm4NEON,
	spmm8:   spmm8NEON,
	spmm16:  spmm16NEON,
	products: [3][4]productKernel{
		{productsWide8NEON, productsWide16NEON, productsWide24NEON, productsWide32NEON},
		{productsNear8NEON, productsNear16NEON, productsNear24NEON, productsNear32NEON},
		{productsShort8NEON, productsShort16NEON, productsShort24NEON, productsShort32NEON},
	},
	entryQuotients:        [3]quotientKernel{quotientsWideNEON, quotientsNearNEON, quotientsShortNEON},
	subtractRows:          [2]laneKernel{subtractRowsNext4NEON, subtractRowsNext8NEON},
	subtractRowsScattered: [2]scatteredLaneKernel{subtractRows4NEON, subtractRows8NEON},
	spreadRows:            [2]laneKernel{spreadRowsNext4NEON, spreadRowsNext8NEON},
	spreadRowsScattered:   [2]scatteredLaneKernel{spreadRows4NEON, spreadRows8NEON},

	signed:      signedNEON,
	grams2:      grams2NEON,
	grams3:      grams3NEON,
	ratio:       ratioNEON,
	ratioHalf:   ratioHalfNEON,
	quartic:     quarticNEON,
	quarticHalf: quarticHalfNEON,
}

// dotProductSet is neonSet with products of bytes by the instructions for them.
var dotProductSet = func() kernelSet {
	s := neonSet
	s.level, s.usable = isaDotProduct, func() bool { return cpuid.CPU.Supports(cpuid.ASIMDDP) }
	s.codes8 = [...]func(quads int, a, b *int8, next int, begin, c *int32, ldc int){codesDotProduct, codesDotProductTwo}
	s.codes16 = nil
	return s
}()

var neonFamily64 = family[float64]{
	lanes: 2, base: 4, rows: [5]int{0, 6, 6, 6, 6}, scratch: &scratch64, pack: packByFour(packFour64NEON),
	tiles: [5][maxRows + 1][2]tileFunc[float64]{
		1: {1: {tile64NEON_1x1, tile64NEON_1x1m}, 2: {tile64NEON_2x1, tile64NEON_2x1m}, 3: {tile64NEON_3x1, tile64NEON_3x1m},
			4: {tile64NEON_4x1, tile64NEON_4x1m}, 5: {tile64NEON_5x1, tile64NEON_5x1m}, 6: {tile64NEON_6x1, tile64NEON_6x1m}},
		2: {1: {tile64NEON_1x2, tile64NEON_1x2m}, 2: {tile64NEON_2x2, tile64NEON_2x2m}, 3: {tile64NEON_3x2, tile64NEON_3x2m},
			4: {tile64NEON_4x2, tile64NEON_4x2m}, 5: {tile64NEON_5x2, tile64NEON_5x2m}, 6: {tile64NEON_6x2, tile64NEON_6x2m}},
		3: {1: {tile64NEON_1x3, tile64NEON_1x3m}, 2: {tile64NEON_2x3, tile64NEON_2x3m}, 3: {tile64NEON_3x3, tile64NEON_3x3m},
			4: {tile64NEON_4x3, tile64NEON_4x3m}, 5: {tile64NEON_5x3, tile64NEON_5x3m}, 6: {tile64NEON_6x3, tile64NEON_6x3m}},
		4: {1: {tile64NEON_1x4, tile64NEON_1x4m}, 2: {tile64NEON_2x4, tile64NEON_2x4m}, 3: {tile64NEON_3x4, tile64NEON_3x4m},
			4: {tile64NEON_4x4, tile64NEON_4x4m}, 5: {tile64NEON_5x4, tile64NEON_5x4m}, 6: {tile64NEON_6x4, tile64NEON_6x4m}},
	},
}

var neonFamily32 = family[float32]{
	lanes: 4, base: 4, rows: [5]int{0, 6, 6, 6, 6}, scratch: &scratch32, pack: packByFour(packFour32NEON),
	tiles: [5][maxRows + 1][2]tileFunc[float32]{
		1: {1: {tile32NEON_1x1, tile32NEON_1x1m}, 2: {tile32NEON_2x1, tile32NEON_2x1m}, 3: {tile32NEON_3x1, tile32NEON_3x1m},
			4: {tile32NEON_4x1, tile32NEON_4x1m}, 5: {tile32NEON_5x1, tile32NEON_5x1m}, 6: {tile32NEON_6x1, tile32NEON_6x1m}},
		2: {1: {tile32NEON_1x2, tile32NEON_1x2m}, 2: {tile32NEON_2x2, tile32NEON_2x2m}, 3: {tile32NEON_3x2, tile32NEON_3x2m},
			4: {tile32NEON_4x2, tile32NEON_4x2m}, 5: {tile32NEON_5x2, tile32NEON_5x2m}, 6: {tile32NEON_6x2, tile32NEON_6x2m}},
		3: {1: {tile32NEON_1x3, tile32NEON_1x3m}, 2: {tile32NEON_2x3, tile32NEON_2x3m}, 3: {tile32NEON_3x3, tile32NEON_3x3m},
			4: {tile32NEON_4x3, tile32NEON_4x3m}, 5: {tile32NEON_5x3, tile32NEON_5x3m}, 6: {tile32NEON_6x3, tile32NEON_6x3m}},
		4: {1: {tile32NEON_1x4, tile32NEON_1x4m}, 2: {tile32NEON_2x4, tile32NEON_2x4m}, 3: {tile32NEON_3x4, tile32NEON_3x4m},
			4: {tile32NEON_4x4, tile32NEON_4x4m}, 5: {tile32NEON_5x4, tile32NEON_5x4m}, 6: {tile32NEON_6x4, tile32NEON_6x4m}},
	},
}

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

//go:noescape
func codesNEON(quads int, a, b *int16, c *int32, ldc int)

//go:noescape
func gaussArgumentsNEON(n int, c, least float64, x, t, dst *float64)

//go:noescape
func weighNEON(n int, p, x, t, u, v *float64)

//go:noescape
func multiplyNEON(n int, x, t, dst *float64)

//go:noescape
func quotientsNEON(n int, floor float64, x, t, dst *float64)

//go:noescape
func rootsNEON(n int, floor float64, x, dst *float64)

//go:noescape
func multiplyRatiosNEON(n int, floor, least float64, num, den, y *float64)

//go:noescape
func rankTwoNEON(n int, a float64, x *float64, b float64, y, row *float64)

//go:noescape
func fixedNEON(quads int, coarse *int32, fine *uint8, values *float64)

//go:noescape
func expNEON(sixteens int, x, dst *float64)

//go:noescape
func scan64NEON(eights int, v, h, r *float64, c, t float64, mask *uint64) uint64

//go:noescape
func scan32NEON(sixteens int, v, h, r *float32, c, t float32, mask *uint64) uint64

//go:noescape
func scanSquaresNEON(eights int, v, h, r *float64, c, t float64, mask *uint64) uint64

//go:noescape
func scanCodesNEON(sixteens int, v, h, r *int32, c, t int32, mask *uint64) uint64

//go:noescape
func largestNEON(eights int, col *int32) uint32

//go:noescape
func prefetchNEON(first *byte, lines, step int)

//go:noescape
func pathsGatherNEON(count int, at *int32, length, rows, best *float64)

//go:noescape
func pathsScatterNEON(count int, at *int32, length, from, rows *float64)

//go:noescape
func pathsMarkNEON(count int, at *int32, length, from, rows *float64, mark *bool)

//go:noescape
func packFour64NEON(quads int, src *float64, ld int, dst *float64, width int)

//go:noescape
func packFour32NEON(quads int, src *float32, ld int, dst *float32, width int)

//go:noescape
func signedNEON(rows, quads int, c *float64, ldc int, x, sums *float64)

//go:noescape
func grams2NEON(rows, ld int, x, y0, y1, out *float64)

//go:noescape
func grams3NEON(rows, ld int, x, y0, y1, y2, out *float64)

//go:noescape
func ratioNEON(rows, w, cols int, u, a, b, la, lb, floor, moved *float64)

//go:noescape
func ratioHalfNEON(rows, w, cols int, u, a, la, floor, moved *float64)

//go:noescape
func quarticNEON(rows, w, cols int, u, a, b, m, s, floor *float64, alpha float64, moved *float64)

//go:noescape
func quarticHalfNEON(rows, w, cols int, u, a, m, s, floor *float64, alpha float64, moved *float64)
