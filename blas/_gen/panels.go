package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// grams writes the products XᵀY of four columns of X with four of each of
// several Y, over rows ld apart, from 0.
func grams(count int) {
	others := []string{"y0", "y1", "y2"}[:count]
	signature := "func(rows, ld int, x, y0, y1"
	if count == 3 {
		signature += ", y2"
	}
	TEXT(fmt.Sprintf("grams%dAVX2", count), NOSPLIT, signature+", out *float64)")
	Pragma("noescape")
	Load(Param("rows"), RCX)
	Load(Param("ld"), R8)
	Load(Param("x"), RSI)
	bases := []GPPhysical{RDI, RBX, RDX}[:count]
	for i, y := range others {
		Load(Param(y), bases[i])
	}
	Load(Param("out"), R9)
	SHLQ(U8(3), R8)
	all := []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11}[:4*count]
	for _, s := range all {
		VXORPD(s, s, s)
	}
	rows := []VecPhysical{Y12, Y13, Y14}[:count]
	Label("loop")
	for i, r := range rows {
		VMOVUPD(Mem{Base: bases[i]}, r)
	}
	for p := range 4 {
		VBROADCASTSD(Mem{Base: RSI, Disp: 8 * p}, Y15)
		for i, r := range rows {
			VFMADD231PD(r, Y15, all[4*i+p])
		}
	}
	ADDQ(R8, RSI)
	for _, b := range bases {
		ADDQ(R8, b)
	}
	DECQ(RCX)
	JNE(LabelRef("loop"))
	for i, s := range all {
		VMOVUPD(s, Mem{Base: R9, Disp: 32 * i})
	}
	VZEROUPPER()
	RET()
}

// panelConstants are numbers that the steps use, each in four lanes.
func panelConstants() Mem {
	table := GLOBL("panelconstants", RODATA|NOPTR)
	for i, v := range []float64{1e-16, 4, 2} {
		for l := range 4 {
			DATA(32*i+8*l, F64(v))
		}
	}
	return table
}

// stepFrame writes the loops of a step: over the rows, over the columns of a row
// four at a time (at R11), with begin, then over the columns p of the row (R12 of
// RAX) the code for u[p] in Y5 and the row p of the matrices (R13), then end.
func stepFrame(matrix string, begin, each, end func()) {
	Load(Param("rows"), RCX)
	Load(Param("w"), R8)
	Load(Param("cols"), RAX)
	Load(Param("u"), RSI)
	Load(Param("a"), RDI)
	Load(Param("floor"), R10)
	Load(Param("moved"), R11)
	VMOVUPD(Mem{Base: R11}, Y15)
	SHLQ(U8(3), R8)
	Label("row")
	XORQ(R11, R11)
	Label("columns")
	begin()
	XORQ(R12, R12)
	Load(Param(matrix), R13)
	ADDQ(R11, R13)
	Label("inner")
	VBROADCASTSD(Mem{Base: RSI, Index: R12, Scale: 8}, Y5)
	each()
	ADDQ(R8, R13)
	INCQ(R12)
	CMPQ(R12, RAX)
	JL(LabelRef("inner"))
	end()
	ADDQ(U8(32), R11)
	CMPQ(R11, R8)
	JL(LabelRef("columns"))
	ADDQ(R8, RSI)
	ADDQ(R8, RDI)
	ADDQ(R8, RBX)
	DECQ(RCX)
	JNE(LabelRef("row"))
	Load(Param("moved"), R11)
	VMOVUPD(Y15, Mem{Base: R11})
	VZEROUPPER()
	RET()
}

func at(base GPPhysical) Mem { return Mem{Base: base, Index: R11, Scale: 1} }

// finish multiplies the entries of U by the roots in r, floors them, counts how
// far they moved, and stores them over A.
func finish(r VecPhysical) {
	VMOVUPD(at(RSI), Y6)
	VMULPD(r, Y6, r)
	VMOVUPD(at(R10), Y7)
	VMAXPD(r, Y7, r) // the second source, r, where one is NaN
	VMOVUPD(r, at(RDI))
	VSUBPD(Y6, r, r)
	VFMADD231PD(r, r, Y15)
}

// ratio writes the step of PanelRatio; half: without B and Lb.
func ratio(constants Mem, half bool) {
	if half {
		TEXT("ratioHalfAVX2", NOSPLIT, "func(rows, w, cols int, u, a, la, floor, moved *float64)")
	} else {
		TEXT("ratioAVX2", NOSPLIT, "func(rows, w, cols int, u, a, b, la, lb, floor, moved *float64)")
	}
	Pragma("noescape")
	if !half {
		Load(Param("b"), RBX)
		Load(Param("lb"), R9)
		Load(Param("la"), R13)
		SUBQ(R13, R9)
	}
	stepFrame("la", func() {
		VMOVUPD(at(RDI), Y0)
		if half {
			VXORPD(Y1, Y1, Y1)
		} else {
			VMOVUPD(at(RBX), Y1)
		}
	}, func() {
		VFMADD231PD(Mem{Base: R13}, Y5, Y1)
		if !half {
			VFMADD231PD(Mem{Base: R13, Index: R9, Scale: 1}, Y5, Y0)
		}
	}, func() {
		VMOVUPD(constants.Offset(0), Y2)
		VMAXPD(Y1, Y2, Y1)
		VDIVPD(Y1, Y0, Y0)
		VSQRTPD(Y0, Y0)
		finish(Y0)
	})
}

// quartic writes the step of PanelQuartic; half: without B.
func quartic(constants Mem, half bool) {
	if half {
		TEXT("quarticHalfAVX2", NOSPLIT, "func(rows, w, cols int, u, a, m, s, floor *float64, alpha float64, moved *float64)")
	} else {
		TEXT("quarticAVX2", NOSPLIT, "func(rows, w, cols int, u, a, b, m, s, floor *float64, alpha float64, moved *float64)")
	}
	Pragma("noescape")
	if !half {
		Load(Param("b"), RBX)
	}
	Load(Param("s"), R9)
	VBROADCASTSD(argument("alpha"), Y14)
	stepFrame("m", func() {
		VXORPD(Y0, Y0, Y0)
	}, func() {
		VFMADD231PD(Mem{Base: R13}, Y5, Y0)
	}, func() {
		VMOVUPD(at(R9), Y4)
		VMULPD(at(RDI), Y4, Y1)
		VFMADD231PD(at(RSI), Y14, Y1) // c
		if half {
			VXORPD(Y2, Y2, Y2)
		} else {
			VMULPD(at(RBX), Y4, Y2) // b
		}
		VMULPD(Y2, Y2, Y3)
		VMULPD(constants.Offset(32), Y0, Y0)
		VFMADD231PD(Y1, Y0, Y3)
		VSQRTPD(Y3, Y3)
		VADDPD(Y3, Y2, Y3)
		VMOVUPD(constants.Offset(0), Y2)
		VMAXPD(Y3, Y2, Y3)
		VMULPD(constants.Offset(64), Y1, Y1)
		VDIVPD(Y3, Y1, Y0)
		VSQRTPD(Y0, Y0)
		finish(Y0)
	})
}

// panels writes the kernels for panels of nonnegative factors.
func panels() {
	grams(2)
	grams(3)
	constants := panelConstants()
	ratio(constants, false)
	ratio(constants, true)
	quartic(constants, false)
	quartic(constants, true)
}
