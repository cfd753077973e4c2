//go:build !noasm

package blas

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

// bestISA is the highest level that this CPU runs and that pays on it. 512-bit
// vectors are taken from the generation on that added VNNI: before, wide
// multiplications lowered the clock of the whole core. (cpuid has asked whether
// the operating system saves the registers.)
func bestISA() isaLevel {
	cpu := cpuid.CPU
	switch {
	case !cpu.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI2):
		return isaGeneric
	case cpu.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512BW, cpuid.AVX512VNNI):
		return isaAVX512
	}
	return isaAVX2
}

// hasFMA says whether math.FMA is an instruction here. Where it is not, the
// generic code multiplies and adds.
var hasFMA = cpuid.CPU.Supports(cpuid.FMA3)

// families64 and families32 list the kernels of each level.
var families64 = [...]*family[float64]{
	isaGeneric: &genericFamily64,
	isaAVX2: {
		lanes: 4, base: 2, rows: [4]int{0, 6, 6, 4}, scratch: &scratch64, pack: packRowsAVX2(packFour64AVX2),
		tiles: [4][maxRows + 1][2]tileFunc[float64]{
			1: {1: {tile64AVX2_1x1, tile64AVX2_1x1m}, 2: {tile64AVX2_2x1, tile64AVX2_2x1m}, 3: {tile64AVX2_3x1, tile64AVX2_3x1m},
				4: {tile64AVX2_4x1, tile64AVX2_4x1m}, 5: {tile64AVX2_5x1, tile64AVX2_5x1m}, 6: {tile64AVX2_6x1, tile64AVX2_6x1m}},
			2: {1: {tile64AVX2_1x2, tile64AVX2_1x2m}, 2: {tile64AVX2_2x2, tile64AVX2_2x2m}, 3: {tile64AVX2_3x2, tile64AVX2_3x2m},
				4: {tile64AVX2_4x2, tile64AVX2_4x2m}, 5: {tile64AVX2_5x2, tile64AVX2_5x2m}, 6: {tile64AVX2_6x2, tile64AVX2_6x2m}},
			3: {1: {tile64AVX2_1x3, tile64AVX2_1x3m}, 2: {tile64AVX2_2x3, tile64AVX2_2x3m}, 3: {tile64AVX2_3x3, tile64AVX2_3x3m},
				4: {tile64AVX2_4x3, tile64AVX2_4x3m}},
		},
	},
	isaAVX512: {
		lanes: 8, base: 2, rows: [4]int{0, 14, 14, 8}, scratch: &scratch64, pack: packRowsAVX2(packFour64AVX2),
		tiles: [4][maxRows + 1][2]tileFunc[float64]{
			1: both(tile64AVX512_1x1, tile64AVX512_2x1, tile64AVX512_3x1, tile64AVX512_4x1, tile64AVX512_5x1, tile64AVX512_6x1, tile64AVX512_7x1,
				tile64AVX512_8x1, tile64AVX512_9x1, tile64AVX512_10x1, tile64AVX512_11x1, tile64AVX512_12x1, tile64AVX512_13x1, tile64AVX512_14x1),
			2: both(tile64AVX512_1x2, tile64AVX512_2x2, tile64AVX512_3x2, tile64AVX512_4x2, tile64AVX512_5x2, tile64AVX512_6x2, tile64AVX512_7x2,
				tile64AVX512_8x2, tile64AVX512_9x2, tile64AVX512_10x2, tile64AVX512_11x2, tile64AVX512_12x2, tile64AVX512_13x2, tile64AVX512_14x2),
			3: both(tile64AVX512_1x3, tile64AVX512_2x3, tile64AVX512_3x3, tile64AVX512_4x3, tile64AVX512_5x3, tile64AVX512_6x3, tile64AVX512_7x3,
				tile64AVX512_8x3),
		},
	},
}

var families32 = [...]*family[float32]{
	isaGeneric: &genericFamily32,
	isaAVX2: {
		lanes: 8, base: 2, rows: [4]int{0, 6, 6, 4}, scratch: &scratch32, pack: packRowsAVX2(packFour32AVX2),
		tiles: [4][maxRows + 1][2]tileFunc[float32]{
			1: {1: {tile32AVX2_1x1, tile32AVX2_1x1m}, 2: {tile32AVX2_2x1, tile32AVX2_2x1m}, 3: {tile32AVX2_3x1, tile32AVX2_3x1m},
				4: {tile32AVX2_4x1, tile32AVX2_4x1m}, 5: {tile32AVX2_5x1, tile32AVX2_5x1m}, 6: {tile32AVX2_6x1, tile32AVX2_6x1m}},
			2: {1: {tile32AVX2_1x2, tile32AVX2_1x2m}, 2: {tile32AVX2_2x2, tile32AVX2_2x2m}, 3: {tile32AVX2_3x2, tile32AVX2_3x2m},
				4: {tile32AVX2_4x2, tile32AVX2_4x2m}, 5: {tile32AVX2_5x2, tile32AVX2_5x2m}, 6: {tile32AVX2_6x2, tile32AVX2_6x2m}},
			3: {1: {tile32AVX2_1x3, tile32AVX2_1x3m}, 2: {tile32AVX2_2x3, tile32AVX2_2x3m}, 3: {tile32AVX2_3x3, tile32AVX2_3x3m},
				4: {tile32AVX2_4x3, tile32AVX2_4x3m}},
		},
	},
	isaAVX512: {
		lanes: 16, base: 2, rows: [4]int{0, 14, 14, 8}, scratch: &scratch32, pack: packRowsAVX2(packFour32AVX2),
		tiles: [4][maxRows + 1][2]tileFunc[float32]{
			1: both(tile32AVX512_1x1, tile32AVX512_2x1, tile32AVX512_3x1, tile32AVX512_4x1, tile32AVX512_5x1, tile32AVX512_6x1, tile32AVX512_7x1,
				tile32AVX512_8x1, tile32AVX512_9x1, tile32AVX512_10x1, tile32AVX512_11x1, tile32AVX512_12x1, tile32AVX512_13x1, tile32AVX512_14x1),
			2: both(tile32AVX512_1x2, tile32AVX512_2x2, tile32AVX512_3x2, tile32AVX512_4x2, tile32AVX512_5x2, tile32AVX512_6x2, tile32AVX512_7x2,
				tile32AVX512_8x2, tile32AVX512_9x2, tile32AVX512_10x2, tile32AVX512_11x2, tile32AVX512_12x2, tile32AVX512_13x2, tile32AVX512_14x2),
			3: both(tile32AVX512_1x3, tile32AVX512_2x3, tile32AVX512_3x3, tile32AVX512_4x3, tile32AVX512_5x3, tile32AVX512_6x3, tile32AVX512_7x3,
				tile32AVX512_8x3),
		},
	},
}

// both lists kernels whose masked form serves whole vectors at the same speed.
func both[T float](tiles ...tileFunc[T]) (t [maxRows + 1][2]tileFunc[T]) {
	for i, f := range tiles {
		t[i+1] = [2]tileFunc[T]{f, f}
	}
	return t
}

// packRowsAVX2 is packRows with four rows and four columns at a time by a
// kernel; what is left over at the end is taken once more with what precedes it.
func packRowsAVX2[T float](four func(quads int, src *T, ld int, dst *T, width int)) func(rows, k int, src []T, ld int, dst []T, width int) {
	return func(rows, k int, src []T, ld int, dst []T, width int) {
		if rows < 4 || k < 4 {
			packRows(rows, k, src, ld, dst, width)
			return
		}
		for i := 0; i < rows; i += 4 {
			i := min(i, rows-4)
			four(k/4, &src[i*ld], ld, &dst[i], width)
			if k%4 > 0 {
				four(1, &src[i*ld+k-4], ld, &dst[(k-4)*width+i], width)
			}
		}
	}
}

// In all of these n is a positive multiple of the width of the vectors, 4 or 8.

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
func gaussWeightsAVX512(n int, c float64, x, t, p, u, v *float64)

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
func pathsMarkAVX512(count int, at *int32, length, from, rows *float64, mark *bool)

// rankTwoAVX2 subtracts a·x + b·y from row. n is a multiple of 4, and above 0.
//
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
