package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// signed writes the products of rows of C with four columns of X, apart by the
// sign of C's entries: for each row 16 sums of max(c, 0)·x, four for each column,
// then 16 of −min(c, 0)·x, all added to the existing values.
func signed() {
	TEXT("signedAVX2", NOSPLIT, "func(rows, quads int, c *float64, ldc int, x, sums *float64)")
	Pragma("noescape")
	Load(Param("rows"), RCX)
	Load(Param("quads"), RDX)
	Load(Param("c"), RSI)
	Load(Param("ldc"), R8)
	Load(Param("x"), RBX)
	Load(Param("sums"), RDI)
	SHLQ(U8(3), R8)
	sums := []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7}
	VXORPD(Y8, Y8, Y8)
	Label("row")
	for i, s := range sums {
		VMOVUPD(Mem{Base: RDI, Disp: 32 * i}, s)
	}
	MOVQ(RSI, R9)
	MOVQ(RBX, R10)
	MOVQ(RDX, R11)
	Label("loop")
	VMOVUPD(Mem{Base: R9}, Y9)
	// MAX and MIN return the source named first here when one is NaN: c.
	VMAXPD(Y9, Y8, Y10)
	VMINPD(Y9, Y8, Y11)
	for q := range 4 {
		x := []VecPhysical{Y12, Y13, Y14, Y15}[q]
		VMOVUPD(Mem{Base: R10, Disp: 32 * q}, x)
		VFMADD231PD(x, Y10, sums[q])
		VFNMADD231PD(x, Y11, sums[4+q])
	}
	ADDQ(U8(32), R9)
	SUBQ(I8(-128), R10)
	DECQ(R11)
	JNE(LabelRef("loop"))
	for i, s := range sums {
		VMOVUPD(s, Mem{Base: RDI, Disp: 32 * i})
	}
	ADDQ(R8, RSI)
	ADDQ(U32(256), RDI)
	DECQ(RCX)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// signed512 is the same for four rows at once: a vector holds two columns' sums,
// and X is read once for the four.
func signed512() {
	TEXT("signedAVX512", NOSPLIT, "func(quads int, c *float64, ldc int, x, sums *float64)")
	Pragma("noescape")
	Load(Param("quads"), RDX)
	Load(Param("c"), RSI)
	Load(Param("ldc"), R8)
	Load(Param("x"), RBX)
	Load(Param("sums"), RDI)
	SHLQ(U8(3), R8)
	LEAQ(Mem{Base: RSI, Index: R8, Scale: 2}, R9)
	ADDQ(R8, R9)
	sums := []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15}
	for i, s := range sums {
		VMOVUPD(Mem{Base: RDI, Disp: 64 * i}, s)
	}
	VPXORQ(Z16, Z16, Z16)
	rows := []Mem{{Base: RSI}, {Base: RSI, Index: R8, Scale: 1}, {Base: RSI, Index: R8, Scale: 2}, {Base: R9}}
	Label("loop")
	VMOVUPD(Mem{Base: RBX}, Z17)
	VMOVUPD(Mem{Base: RBX, Disp: 64}, Z18)
	for r, at := range rows {
		c := []VecPhysical{Z19, Z22, Z25, Z28}[r]
		positive := []VecPhysical{Z20, Z23, Z26, Z29}[r]
		negative := []VecPhysical{Z21, Z24, Z27, Z30}[r]
		VBROADCASTF64X4(at, c)
		VMAXPD(c, Z16, positive)
		VMINPD(c, Z16, negative)
		VFMADD231PD(Z17, positive, sums[4*r])
		VFMADD231PD(Z18, positive, sums[4*r+1])
		VFNMADD231PD(Z17, negative, sums[4*r+2])
		VFNMADD231PD(Z18, negative, sums[4*r+3])
	}
	SUBQ(I8(-128), RBX)
	ADDQ(U8(32), RSI)
	ADDQ(U8(32), R9)
	DECQ(RDX)
	JNE(LabelRef("loop"))
	for i, s := range sums {
		VMOVUPD(s, Mem{Base: RDI, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}
