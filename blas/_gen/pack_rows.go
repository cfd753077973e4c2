package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// packRows writes panel after panel, next numbers apart, each of rows rows of width numbers:
//
//	dst(panel·next + p·width + i) = src(p·ld + panel·width + i)
//
// which is B, or A in the form Aᵀ, in the layout that the kernels read. The caller takes a few
// rows at a time, so that each is read from its beginning to its end.
func packRows(width int) {
	TEXT(fmt.Sprintf("packRows64AVX2_%d", width), NOSPLIT, "func(panels, rows int, src *float64, ld int, dst *float64, next int)")
	Pragma("noescape")
	Load(Param("panels"), RCX)
	Load(Param("rows"), RDX)
	Load(Param("src"), RSI)
	Load(Param("ld"), R8)
	Load(Param("dst"), RDI)
	Load(Param("next"), R9)
	SHLQ(U8(3), R8)
	SHLQ(U8(3), R9)
	Label("panel")
	MOVQ(RSI, RAX)
	MOVQ(RDI, RBX)
	MOVQ(RDX, R10)
	Label("row")
	vectors := []VecPhysical{Y0, Y1, Y2, Y3}[:width/4]
	for i, v := range vectors {
		VMOVUPD(Mem{Base: RAX, Disp: 32 * i}, v)
	}
	if width%4 > 0 {
		VMOVUPD(Mem{Base: RAX, Disp: 8 * (width - 2)}, X4)
	}
	for i, v := range vectors {
		VMOVUPD(v, Mem{Base: RBX, Disp: 32 * i})
	}
	if width%4 > 0 {
		VMOVUPD(X4, Mem{Base: RBX, Disp: 8 * (width - 2)})
	}
	ADDQ(R8, RAX)
	ADDQ(U8(uint8(8*width)), RBX)
	DECQ(R10)
	JNE(LabelRef("row"))
	ADDQ(U8(uint8(8*width)), RSI)
	ADDQ(R9, RDI)
	DECQ(RCX)
	JNE(LabelRef("panel"))
	VZEROUPPER()
	RET()
}
