//go:build !noasm

package blas

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

// avx2Set is the kernels of 256-bit vectors.
var avx2Set = kernelSet{
	level:  isaAVX2,
	usable: hasAVX2,

	family64:   &avx2Family64,
	family32:   &avx2Family32,
	vectorized: true,

	direct:   true,
	axpy:     axpyAVX2,
	axpyFour: axpyFourAVX2,
	rankTwo:  rankTwoAVX2,

	exp:            expAVX2,
	gaussArguments: gaussArgumentsAVX2,
	weigh:          weighAVX2,
	multiply:       multiplyAVX2,
	quotients:      quotientsAVX2,
	roots:          rootsAVX2,
	multiplyRatios: multiplyRatiosAVX2,
	fixed40s:       fixedAVX2,

	scan64:      scan64AVX2,
	scan32:      scan32AVX2,
	scanSquares: scanSquaresAVX2,
	scanCodes:   scanCodesAVX2,

	codes16: codesAVX2,

	gatheredSquares: gatheredSquaresAVX2,
	gatheredDots:    gatheredDotsAVX2,
	prefetch:        prefetchAVX2,
	pathsGather:     pathsGatherAVX2,
	pathsScatter:    pathsScatterAVX2,
	pathsMark:       pathsMarkAVX2,

	largest: largestAVX2,
	spmv:    spmvAVX2,
	spmm4:   spmm4AVX2,
	spmm8:   spmm8AVX2,
	spmm16:  spmm16AVX2,
	products: [3][4]productKernel{
		{productsWide8, productsWide16, productsWide24, productsWide32},
		{productsNear8, productsNear16, productsNear24, productsNear32},
		{productsShort8, productsShort16, productsShort24, productsShort32},
	},
	entryQuotients:        [3]quotientKernel{quotientsWide, quotientsNear, quotientsShort},
	subtractRows:          [2]laneKernel{subtractRowsNext4AVX2, subtractRowsNext8AVX2},
	subtractRowsScattered: [2]scatteredLaneKernel{subtractRows4AVX2, subtractRows8AVX2},
	spreadRows:            [2]laneKernel{spreadRowsNext4AVX2, spreadRowsNext8AVX2},
	spreadRowsScattered:   [2]scatteredLaneKernel{spreadRows4AVX2, spreadRows8AVX2},

	signed:      signedAVX2,
	grams2:      grams2AVX2,
	grams3:      grams3AVX2,
	ratio:       ratioAVX2,
	ratioHalf:   ratioHalfAVX2,
	quartic:     quarticAVX2,
	quarticHalf: quarticHalfAVX2,
}

func hasAVX2() bool { return cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI2) }

var avx2Family64 = family[float64]{
	lanes: 4, base: 2, rows: [5]int{0, 6, 6, 4}, scratch: &scratch64, pack: packByFour(packFour64AVX2),
	packA: packRows64AVX2_6, packB: packRows64AVX2_8,
	tiles: [5][maxRows + 1][2]tileFunc[float64]{
		1: {1: {tile64AVX2_1x1, tile64AVX2_1x1m}, 2: {tile64AVX2_2x1, tile64AVX2_2x1m}, 3: {tile64AVX2_3x1, tile64AVX2_3x1m},
			4: {tile64AVX2_4x1, tile64AVX2_4x1m}, 5: {tile64AVX2_5x1, tile64AVX2_5x1m}, 6: {tile64AVX2_6x1, tile64AVX2_6x1m}},
		2: {1: {tile64AVX2_1x2, tile64AVX2_1x2m}, 2: {tile64AVX2_2x2, tile64AVX2_2x2m}, 3: {tile64AVX2_3x2, tile64AVX2_3x2m},
			4: {tile64AVX2_4x2, tile64AVX2_4x2m}, 5: {tile64AVX2_5x2, tile64AVX2_5x2m}, 6: {tile64AVX2_6x2, tile64AVX2_6x2m}},
		3: {1: {tile64AVX2_1x3, tile64AVX2_1x3m}, 2: {tile64AVX2_2x3, tile64AVX2_2x3m}, 3: {tile64AVX2_3x3, tile64AVX2_3x3m},
			4: {tile64AVX2_4x3, tile64AVX2_4x3m}},
	},
}

var avx2Family32 = family[float32]{
	lanes: 8, base: 2, rows: [5]int{0, 6, 6, 4}, scratch: &scratch32, pack: packByFour(packFour32AVX2),
	tiles: [5][maxRows + 1][2]tileFunc[float32]{
		1: {1: {tile32AVX2_1x1, tile32AVX2_1x1m}, 2: {tile32AVX2_2x1, tile32AVX2_2x1m}, 3: {tile32AVX2_3x1, tile32AVX2_3x1m},
			4: {tile32AVX2_4x1, tile32AVX2_4x1m}, 5: {tile32AVX2_5x1, tile32AVX2_5x1m}, 6: {tile32AVX2_6x1, tile32AVX2_6x1m}},
		2: {1: {tile32AVX2_1x2, tile32AVX2_1x2m}, 2: {tile32AVX2_2x2, tile32AVX2_2x2m}, 3: {tile32AVX2_3x2, tile32AVX2_3x2m},
			4: {tile32AVX2_4x2, tile32AVX2_4x2m}, 5: {tile32AVX2_5x2, tile32AVX2_5x2m}, 6: {tile32AVX2_6x2, tile32AVX2_6x2m}},
		3: {1: {tile32AVX2_1x3, tile32AVX2_1x3m}, 2: {tile32AVX2_2x3, tile32AVX2_2x3m}, 3: {tile32AVX2_3x3, tile32AVX2_3x3m},
			4: {tile32AVX2_4x3, tile32AVX2_4x3m}},
	},
}

//go:noescape
func gaussArgumentsAVX2(n int, c, least float64, x, t, dst *float64)

//go:noescape
func weighAVX2(n int, p, x, t, u, v *float64)

//go:noescape
func multiplyAVX2(n int, x, t, dst *float64)

//go:noescape
func quotientsAVX2(n int, floor float64, x, t, dst *float64)

//go:noescape
func rootsAVX2(n int, floor float64, x, dst *float64)

//go:noescape
func multiplyRatiosAVX2(n int, floor, least float64, num, den, y *float64)

//go:noescape
func fixedAVX2(quads int, coarse *int32, fine *uint8, values *float64)

//go:noescape
func gatheredSquaresAVX2(x, rows *float32, at *int32, width, count int, out *float32)

//go:noescape
func gatheredDotsAVX2(x, rows *float32, at *int32, width, count int, out *float32)

//go:noescape
func pathsGatherAVX2(count int, at *int32, length, rows, best *float64)

//go:noescape
func pathsScatterAVX2(count int, at *int32, length, from, rows *float64)

//go:noescape
func pathsMarkAVX2(count int, at *int32, length, from, rows *float64, mark *bool)

//go:noescape
func rankTwoAVX2(n int, a float64, x *float64, b float64, y, row *float64)

//go:noescape
func productsWide8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsWide16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsWide24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsWide32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func quotientsWide(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)

//go:noescape
func productsNear8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsNear16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsNear24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsNear32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func quotientsNear(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)

//go:noescape
func productsShort8(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsShort16(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsShort24(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func productsShort32(rows int, ptr *int, col, val unsafe.Pointer, x *float64, ldx int, y *float64, ldy int, add int)

//go:noescape
func quotientsShort(rows int, ptr *int, col, val unsafe.Pointer, a, b, y *float64, ld int)

// prefetchAVX2 asks for lines of the cache, the first of which holds the first byte; the others follow step bytes apart.
//
//go:noescape
func prefetchAVX2(first *byte, lines, step int)
