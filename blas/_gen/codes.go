package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// codes512Rows is the number of samples of a tile of [codes512].
const codes512Rows = 8

// codes512 writes the products of eight samples with one or two groups of sixteen. One
// factor of VPDPBUSD has no sign: codes get one less by flipping their first bit, which
// adds 128 to each, and the sums begin at what that adds to them.
func codes512() {
	for _, groups := range []int{1, 2} {
		TEXT(fmt.Sprintf("codes%dAVX512", groups), NOSPLIT, "func(quads int, a, b *int8, next int, begin, c *int32, ldc int)")
		Pragma("noescape")
		Load(Param("quads"), RCX)
		Load(Param("a"), RSI)
		Load(Param("b"), RDX)
		Load(Param("next"), RBX) // from a group to the next, in bytes
		Load(Param("begin"), R8)
		Load(Param("c"), RDI)
		Load(Param("ldc"), R9)
		SHLQ(U8(2), R9)
		sums := func(row, g int) VecPhysical { return zmm[row*groups+g] }
		for r := range codes512Rows {
			VPBROADCASTD(Mem{Base: R8, Disp: 4 * r}, sums(r, 0))
			for g := 1; g < groups; g++ {
				VMOVDQA64(sums(r, 0), sums(r, g))
			}
		}
		flip, factor, unsigned := Z31, Z30, []VecPhysical{Z28, Z29}
		MOVL(U32(0x80808080), RAX.As32())
		VPBROADCASTD(RAX.As32(), flip)
		Label("loop")
		for g := range groups {
			at := Mem{Base: RDX}
			if g > 0 {
				at = Mem{Base: RDX, Index: RBX, Scale: 1}
			}
			VPXORD(at, flip, unsigned[g])
		}
		for r := range codes512Rows {
			VPBROADCASTD(Mem{Base: RSI, Disp: 4 * r}, factor)
			for g := range groups {
				VPDPBUSD(factor, unsigned[g], sums(r, g))
			}
		}
		ADDQ(U8(64), RSI)
		ADDQ(U8(64), RDX)
		DECQ(RCX)
		JNE(LabelRef("loop"))
		for r := range codes512Rows {
			for g := range groups {
				VMOVDQU32(sums(r, g), Mem{Base: RDI, Disp: 64 * g})
			}
			ADDQ(R9, RDI)
		}
		VZEROUPPER()
		RET()
	}
}

var zmm = []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15}

// codes2 writes the products of two samples with a group of sixteen, of codes that were
// widened to 16 bits: bytes multiplied in pairs would overflow.
func codes2() {
	TEXT("codesAVX2", NOSPLIT, "func(quads int, a, b *int16, c *int32, ldc int)")
	Pragma("noescape")
	Load(Param("quads"), RCX)
	Load(Param("a"), RSI)
	Load(Param("b"), RDX)
	Load(Param("c"), RDI)
	Load(Param("ldc"), R9)
	SHLQ(U8(2), R9)
	sums := [2][]VecPhysical{{Y0, Y1, Y2, Y3}, {Y4, Y5, Y6, Y7}}
	group := []VecPhysical{Y8, Y9, Y10, Y11}
	for r := range sums {
		for _, s := range sums[r] {
			VPXOR(s, s, s)
		}
	}
	Label("loop")
	for v, g := range group {
		VMOVDQU(Mem{Base: RDX, Disp: 32 * v}, g)
	}
	for r := range sums {
		VPBROADCASTQ(Mem{Base: RSI, Disp: 8 * r}, []VecPhysical{Y12, Y13}[r])
	}
	for r := range sums {
		for v, g := range group {
			term := []VecPhysical{Y14, Y15}[v%2]
			VPMADDWD([]VecPhysical{Y12, Y13}[r], g, term)
			VPADDD(term, sums[r][v], sums[r][v])
		}
	}
	SUBQ(I8(-128), RSI)
	SUBQ(I8(-128), RDX)
	DECQ(RCX)
	JNE(LabelRef("loop"))
	for r := range sums {
		for v := 0; v < 4; v += 2 {
			VPHADDD(sums[r][v+1], sums[r][v], Y14)
			VPERMQ(U8(0xd8), Y14, Y14)
			VMOVDQU(Y14, Mem{Base: RDI, Disp: 16 * v})
		}
		ADDQ(R9, RDI)
	}
	VZEROUPPER()
	RET()
}

// scanCodes writes the mask of the i with v[i] − h[i] > t or v[i] − c > r[i], sixteen at a
// time, and whether any is set.
func scanCodes() {
	TEXT("scanCodesAVX2", NOSPLIT, "func(sixteens int, v, h, r *int32, c, t int32, mask *uint64) uint64")
	Pragma("noescape")
	Load(Param("sixteens"), RCX)
	Load(Param("v"), RSI)
	Load(Param("h"), RDX)
	Load(Param("r"), RDI)
	Load(Param("mask"), RBX)
	for v, name := range []string{"c", "t"} {
		Load(Param(name), EAX)
		VMOVD(EAX, []VecPhysical{X14, X15}[v])
		VPBROADCASTD([]VecPhysical{X14, X15}[v], []VecPhysical{Y14, Y15}[v])
	}
	XORQ(RAX, RAX)
	Label("loop")
	for v := range 2 {
		x, a, b := []VecPhysical{Y0, Y3}[v], []VecPhysical{Y1, Y4}[v], []VecPhysical{Y2, Y5}[v]
		VMOVDQU(Mem{Base: RSI, Disp: 32 * v}, x)
		VPSUBD(Mem{Base: RDX, Disp: 32 * v}, x, a)
		VPSUBD(Y14, x, b)
		VPCMPGTD(Y15, a, a)
		VPCMPGTD(Mem{Base: RDI, Disp: 32 * v}, b, b)
		VPOR(a, b, a)
		VMOVMSKPS(a, []GPPhysical{R8, R9}[v].As32())
	}
	SHLL(U8(8), R9.As32())
	ORL(R9.As32(), R8.As32())
	ORL(R8.As32(), RAX.As32())
	MOVW(R8.As16(), Mem{Base: RBX})
	ADDQ(U8(64), RSI)
	ADDQ(U8(64), RDX)
	ADDQ(U8(64), RDI)
	ADDQ(U8(2), RBX)
	DECQ(RCX)
	JNE(LabelRef("loop"))
	Store(RAX, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
