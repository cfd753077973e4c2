package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// rowsOfCSR writes the frame of a product with rows of a compressed matrix:
// for each row begin, then for its entries, chains at a time, the code for the
// entry ahead of the next and its chain, then end.
func rowsOfCSR(name string, chains int, begin func(), entry func(chain, ahead int), end func()) {
	TEXT(name, NOSPLIT, "func(rows int, ptr *int, col *int32, val, x, y *float64)")
	Pragma("noescape")
	Load(Param("rows"), RCX)
	Load(Param("ptr"), RDX)
	Load(Param("col"), RSI)
	Load(Param("val"), RDI)
	Load(Param("x"), RBX)
	Load(Param("y"), R8)
	MOVQ(Mem{Base: RDX}, R9)
	Label("row")
	ADDQ(U8(8), RDX)
	MOVQ(Mem{Base: RDX}, R10)
	begin()
	LEAQ(Mem{Base: R9, Disp: chains}, R11)
	CMPQ(R11, R10)
	JG(LabelRef("rest"))
	Label("entries")
	for c := range chains {
		entry(c, c)
	}
	MOVQ(R11, R9)
	ADDQ(U8(uint8(chains)), R11)
	CMPQ(R11, R10)
	JLE(LabelRef("entries"))
	Label("rest")
	// The entries left begin the chains anew, one each.
	for c := range chains - 1 {
		CMPQ(R9, R10)
		JGE(LabelRef("store"))
		entry(c, 0)
		INCQ(R9)
	}
	Label("store")
	end()
	DECQ(RCX)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// products writes the CSR kernels: y = A·x in four chains a row, and Y = A·X for
// blocks of 4, 8 and 16 columns in two.
func products() {
	scalars := []VecPhysical{X0, X1, X2, X3}
	rowsOfCSR("spmvAVX2", 4, func() {
		for _, s := range scalars {
			VXORPD(s, s, s)
		}
	}, func(c, ahead int) {
		MOVLQSX(Mem{Base: RSI, Index: R9, Scale: 4, Disp: 4 * ahead}, RAX)
		VMOVSD(Mem{Base: RDI, Index: R9, Scale: 8, Disp: 8 * ahead}, X4)
		VFMADD231SD(Mem{Base: RBX, Index: RAX, Scale: 8}, X4, scalars[c])
	}, func() {
		VADDSD(X1, X0, X0)
		VADDSD(X3, X2, X2)
		VADDSD(X2, X0, X0)
		VMOVSD(X0, Mem{Base: R8})
		ADDQ(U8(8), R8)
	})
	all := []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7}
	for _, w := range []int{4, 8, 16} {
		vectors := w / 4
		rowsOfCSR(fmt.Sprintf("spmm%dAVX2", w), 2, func() {
			for _, s := range all[:2*vectors] {
				VXORPD(s, s, s)
			}
		}, func(c, ahead int) {
			MOVLQSX(Mem{Base: RSI, Index: R9, Scale: 4, Disp: 4 * ahead}, RAX)
			VBROADCASTSD(Mem{Base: RDI, Index: R9, Scale: 8, Disp: 8 * ahead}, Y8)
			SHLQ(U8(map[int]uint8{4: 5, 8: 6, 16: 7}[w]), RAX)
			for v := range vectors {
				VFMADD231PD(Mem{Base: RBX, Index: RAX, Scale: 1, Disp: 32 * v}, Y8, all[c*vectors+v])
			}
		}, func() {
			for v := range vectors {
				VADDPD(all[vectors+v], all[v], all[v])
				VMOVUPD(all[v], Mem{Base: R8, Disp: 32 * v})
			}
			ADDQ(U32(uint32(8*w)), R8)
		})
	}
}

// largest writes the maximum of 8·n unsigned 32-bit numbers.
func largest() {
	TEXT("largestAVX2", NOSPLIT, "func(eights int, col *int32) uint32")
	Pragma("noescape")
	Load(Param("eights"), RCX)
	Load(Param("col"), RSI)
	VPXOR(Y0, Y0, Y0)
	Label("loop")
	VPMAXUD(Mem{Base: RSI}, Y0, Y0)
	ADDQ(U8(32), RSI)
	DECQ(RCX)
	JNE(LabelRef("loop"))
	VEXTRACTI128(U8(1), Y0, X1)
	VPMAXUD(X1, X0, X0)
	VPSHUFD(U8(0x4e), X0, X1)
	VPMAXUD(X1, X0, X0)
	VPSHUFD(U8(0xb1), X0, X1)
	VPMAXUD(X1, X0, X0)
	VMOVD(X0, RAX.As32())
	Store(RAX.As32(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}
