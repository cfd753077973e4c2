//go:build !noasm

package blas

import "github.com/klauspost/cpuid/v2"

// avx512Set is avx2Set with 512-bit vectors where they pay.
var avx512Set = func() kernelSet {
	s := avx2Set
	s.level, s.usable = isaAVX512, hasAVX512
	s.family64, s.family32 = &avx512Family64, &avx512Family32
	s.axpy = axpyAVX512
	s.gaussWeights = gaussWeightsAVX512
	s.codes16 = nil // bytes are four times as fast as numbers, with VNNI
	s.codes8 = [...]func(quads int, a, b *int8, next int, begin, c *int32, ldc int){codes1AVX512, codes2AVX512}
	s.pathsMark = pathsMarkAVX512
	s.subtractRows[1], s.subtractRowsScattered[1] = subtractRowsNext8AVX512, subtractRows8AVX512
	s.spreadRows[1], s.spreadRowsScattered[1] = spreadRowsNext8AVX512, spreadRows8AVX512
	s.signedFour = signedAVX512
	return s
}()

// hasAVX512 reports whether 512-bit vectors pay. They are taken from the generation on that
// added VNNI: before, wide multiplications lowered the clock of the whole core. (cpuid has asked
// whether the operating system saves the registers.)
func hasAVX512() bool {
	return hasAVX2() && cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512BW, cpuid.AVX512VNNI)
}

var avx512Family64 = family[float64]{
	lanes: 8, base: 2, rows: [5]int{0, 14, 14, 8}, scratch: &scratch64, pack: packByFour(packFour64AVX2),
	packA: packRows64AVX2_14, packB: packRows64AVX2_16,
	tiles: [5][maxRows + 1][2]tileFunc[float64]{
		1: both(tile64AVX512_1x1, tile64AVX512_2x1, tile64AVX512_3x1, tile64AVX512_4x1, tile64AVX512_5x1, tile64AVX512_6x1, tile64AVX512_7x1,
			tile64AVX512_8x1, tile64AVX512_9x1, tile64AVX512_10x1, tile64AVX512_11x1, tile64AVX512_12x1, tile64AVX512_13x1, tile64AVX512_14x1),
		2: both(tile64AVX512_1x2, tile64AVX512_2x2, tile64AVX512_3x2, tile64AVX512_4x2, tile64AVX512_5x2, tile64AVX512_6x2, tile64AVX512_7x2,
			tile64AVX512_8x2, tile64AVX512_9x2, tile64AVX512_10x2, tile64AVX512_11x2, tile64AVX512_12x2, tile64AVX512_13x2, tile64AVX512_14x2),
		3: both(tile64AVX512_1x3, tile64AVX512_2x3, tile64AVX512_3x3, tile64AVX512_4x3, tile64AVX512_5x3, tile64AVX512_6x3, tile64AVX512_7x3,
			tile64AVX512_8x3),
	},
}

var avx512Family32 = family[float32]{
	lanes: 16, base: 2, rows: [5]int{0, 14, 14, 8}, scratch: &scratch32, pack: packByFour(packFour32AVX2),
	tiles: [5][maxRows + 1][2]tileFunc[float32]{
		1: both(tile32AVX512_1x1, tile32AVX512_2x1, tile32AVX512_3x1, tile32AVX512_4x1, tile32AVX512_5x1, tile32AVX512_6x1, tile32AVX512_7x1,
			tile32AVX512_8x1, tile32AVX512_9x1, tile32AVX512_10x1, tile32AVX512_11x1, tile32AVX512_12x1, tile32AVX512_13x1, tile32AVX512_14x1),
		2: both(tile32AVX512_1x2, tile32AVX512_2x2, tile32AVX512_3x2, tile32AVX512_4x2, tile32AVX512_5x2, tile32AVX512_6x2, tile32AVX512_7x2,
			tile32AVX512_8x2, tile32AVX512_9x2, tile32AVX512_10x2, tile32AVX512_11x2, tile32AVX512_12x2, tile32AVX512_13x2, tile32AVX512_14x2),
		3: both(tile32AVX512_1x3, tile32AVX512_2x3, tile32AVX512_3x3, tile32AVX512_4x3, tile32AVX512_5x3, tile32AVX512_6x3, tile32AVX512_7x3,
			tile32AVX512_8x3),
	},
}

// both lists kernels whose masked form serves whole vectors at the same speed.
func both[T float](tiles ...tileFunc[T]) (t [maxRows + 1][2]tileFunc[T]) {
	for i, f := range tiles {
		t[i+1] = [2]tileFunc[T]{f, f}
	}
	return t
}

//go:noescape
func gaussWeightsAVX512(n int, c float64, x, t, p, u, v *float64)

//go:noescape
func pathsMarkAVX512(count int, at *int32, length, from, rows *float64, mark *bool)
