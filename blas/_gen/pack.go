package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// packTransposed writes dst(p·width + i) = src(i·ld + p) for 4 rows i and
// 4·quads columns p: B in the form Bᵀ, in the layout that the kernels read.
func packTransposed(e element) {
	name, shift := "packFour64AVX2", uint8(3)
	if e.size == 4 {
		name, shift = "packFour32AVX2", 2
	}
	TEXT(name, NOSPLIT, "func(quads int, src *"+e.goType()+", ld int, dst *"+e.goType()+", width int)")
	Pragma("noescape")
	Load(Param("quads"), RCX)
	Load(Param("src"), RSI)
	Load(Param("ld"), R8)
	Load(Param("dst"), RDI)
	Load(Param("width"), R9)
	SHLQ(U8(shift), R8)
	SHLQ(U8(shift), R9)
	LEAQ(Mem{Base: RSI, Index: R8, Scale: 2}, RDX)
	ADDQ(R8, RDX)
	LEAQ(Mem{Base: RDI, Index: R9, Scale: 2}, RBX)
	ADDQ(R9, RBX)
	rows := []Mem{{Base: RSI}, {Base: RSI, Index: R8, Scale: 1}, {Base: RSI, Index: R8, Scale: 2}, {Base: RDX}}
	columns := []Mem{{Base: RDI}, {Base: RDI, Index: R9, Scale: 1}, {Base: RDI, Index: R9, Scale: 2}, {Base: RBX}}
	Label("loop")
	if e.size == 8 {
		transposeDoubles(rows, columns)
	} else {
		transposeSingles(rows, columns)
	}
	ADDQ(U8(uint8(4*e.size)), RSI)
	ADDQ(U8(uint8(4*e.size)), RDX)
	LEAQ(Mem{Base: RDI, Index: R9, Scale: 4}, RDI)
	LEAQ(Mem{Base: RBX, Index: R9, Scale: 4}, RBX)
	DECQ(RCX)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func transposeDoubles(rows, columns []Mem) {
	for i, r := range []VecPhysical{Y0, Y1, Y2, Y3} {
		VMOVUPD(rows[i], r)
	}
	VUNPCKLPD(Y1, Y0, Y4)
	VUNPCKHPD(Y1, Y0, Y5)
	VUNPCKLPD(Y3, Y2, Y6)
	VUNPCKHPD(Y3, Y2, Y7)
	VPERM2F128(U8(0x20), Y6, Y4, Y0)
	VPERM2F128(U8(0x20), Y7, Y5, Y1)
	VPERM2F128(U8(0x31), Y6, Y4, Y2)
	VPERM2F128(U8(0x31), Y7, Y5, Y3)
	for i, r := range []VecPhysical{Y0, Y1, Y2, Y3} {
		VMOVUPD(r, columns[i])
	}
}

func transposeSingles(rows, columns []Mem) {
	for i, r := range []VecPhysical{X0, X1, X2, X3} {
		VMOVUPS(rows[i], r)
	}
	VUNPCKLPS(X1, X0, X4)
	VUNPCKHPS(X1, X0, X5)
	VUNPCKLPS(X3, X2, X6)
	VUNPCKHPS(X3, X2, X7)
	VUNPCKLPD(X6, X4, X0)
	VUNPCKHPD(X6, X4, X1)
	VUNPCKLPD(X7, X5, X2)
	VUNPCKHPD(X7, X5, X3)
	for i, r := range []VecPhysical{X0, X1, X2, X3} {
		VMOVUPS(r, columns[i])
	}
}
