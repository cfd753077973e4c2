package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// reduction writes a sum over n numbers in 16 partial sums: term i goes to sum
// i mod 16, by step(x, y, sum) with x in a register and y in memory or, at the
// end, in a register. The sums are added in a fixed tree.
func reduction(name string, tables masks, step func(y Op, x, sum VecPhysical)) {
	TEXT(name, NOSPLIT, "func(n int, x, y *float64) float64")
	Pragma("noescape")
	Load(Param("n"), RCX)
	Load(Param("x"), RSI)
	Load(Param("y"), RDI)
	sums := []VecPhysical{Y0, Y1, Y2, Y3}
	for _, s := range sums {
		VXORPD(s, s, s)
	}
	SUBQ(U8(16), RCX)
	JL(LabelRef("rest"))
	Label("loop")
	for i, s := range sums {
		x := []VecPhysical{Y4, Y5, Y6, Y7}[i]
		VMOVUPD(Mem{Base: RSI, Disp: 32 * i}, x)
		step(Mem{Base: RDI, Disp: 32 * i}, x, s)
	}
	SUBQ(I8(-128), RSI)
	SUBQ(I8(-128), RDI)
	SUBQ(U8(16), RCX)
	JGE(LabelRef("loop"))
	Label("rest")
	ADDQ(U8(16), RCX)
	for i, s := range sums {
		CMPQ(RCX, U8(4))
		JL(LabelRef(fmt.Sprintf("part%d", i)))
		if i == 3 {
			break
		}
		VMOVUPD(Mem{Base: RSI}, Y4)
		step(Mem{Base: RDI}, Y4, s)
		ADDQ(U8(32), RSI)
		ADDQ(U8(32), RDI)
		SUBQ(U8(4), RCX)
	}
	for i, s := range sums {
		Label(fmt.Sprintf("part%d", i))
		TESTQ(RCX, RCX)
		JE(LabelRef("sum"))
		LEAQ(tables[8], R13)
		SHLQ(U8(3), RCX)
		SUBQ(RCX, R13)
		VMOVUPD(Mem{Base: R13, Disp: 32}, Y6)
		VMASKMOVPD(Mem{Base: RSI}, Y6, Y4)
		VMASKMOVPD(Mem{Base: RDI}, Y6, Y5)
		step(Y5, Y4, s)
		if i < 3 {
			JMP(LabelRef("sum"))
		}
	}
	Label("sum")
	VADDPD(Y1, Y0, Y0)
	VADDPD(Y3, Y2, Y2)
	VADDPD(Y2, Y0, Y0)
	VEXTRACTF128(U8(1), Y0, X1)
	VADDPD(X1, X0, X0)
	VUNPCKHPD(X0, X0, X1)
	VADDSD(X1, X0, X0)
	Store(X0, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func vectors(tables masks) {
	reduction("dotAVX2", tables, func(y Op, x, sum VecPhysical) { VFMADD231PD(y, x, sum) })
	reduction("squaredDistanceAVX2", tables, func(y Op, x, sum VecPhysical) {
		VSUBPD(y, x, x)
		VFMADD231PD(x, x, sum)
	})
	axpy(tables, 1)
	axpy(tables, 4)
	scan(f64)
	scan(f32)
	scanSquares()
}

// axpy writes y += Σ aᵣ·xᵣ over the rows r of x, ld apart, in their order.
func axpy(tables masks, rows int) {
	if rows == 1 {
		TEXT("axpyAVX2", NOSPLIT, "func(n int, a float64, x, y *float64)")
	} else {
		TEXT("axpyFourAVX2", NOSPLIT, "func(n int, a, x *float64, ld int, y *float64)")
	}
	Pragma("noescape")
	Load(Param("n"), RCX)
	Load(Param("x"), RSI)
	Load(Param("y"), RDI)
	factors := []VecPhysical{Y12, Y13, Y14, Y15}[:rows]
	if rows == 1 {
		VBROADCASTSD(argument("a"), Y12)
	} else {
		Load(Param("a"), RAX)
		for i, f := range factors {
			VBROADCASTSD(Mem{Base: RAX, Disp: 8 * i}, f)
		}
		Load(Param("ld"), R8)
		SHLQ(U8(3), R8)
		LEAQ(Mem{Base: RSI, Index: R8, Scale: 2}, RDX)
		ADDQ(R8, RDX)
	}
	bases := []GPPhysical{RSI, RDX}
	advance := func(n uint8) {
		ADDQ(U8(n), RSI)
		if rows > 1 {
			ADDQ(U8(n), RDX)
		}
		ADDQ(U8(n), RDI)
	}
	SUBQ(U8(16), RCX)
	JL(LabelRef("rest"))
	Label("loop")
	for v := range 4 {
		y := []VecPhysical{Y0, Y1, Y2, Y3}[v]
		VMOVUPD(Mem{Base: RDI, Disp: 32 * v}, y)
		for r, f := range factors {
			x := strided(bases, r, R8)
			x.Disp = 32 * v
			VFMADD231PD(x, f, y)
		}
		VMOVUPD(y, Mem{Base: RDI, Disp: 32 * v})
	}
	SUBQ(I8(-128), RSI)
	if rows > 1 {
		SUBQ(I8(-128), RDX)
	}
	SUBQ(I8(-128), RDI)
	SUBQ(U8(16), RCX)
	JGE(LabelRef("loop"))
	Label("rest")
	ADDQ(U8(16), RCX)
	Label("quads")
	CMPQ(RCX, U8(4))
	JL(LabelRef("part"))
	VMOVUPD(Mem{Base: RDI}, Y0)
	for r, f := range factors {
		VFMADD231PD(strided(bases, r, R8), f, Y0)
	}
	VMOVUPD(Y0, Mem{Base: RDI})
	advance(32)
	SUBQ(U8(4), RCX)
	JMP(LabelRef("quads"))
	Label("part")
	TESTQ(RCX, RCX)
	JE(LabelRef("done"))
	LEAQ(tables[8], R13)
	SHLQ(U8(3), RCX)
	SUBQ(RCX, R13)
	VMOVUPD(Mem{Base: R13, Disp: 32}, Y6)
	VMASKMOVPD(Mem{Base: RDI}, Y6, Y0)
	for r, f := range factors {
		VMASKMOVPD(strided(bases, r, R8), Y6, Y1)
		VFMADD231PD(Y1, f, Y0)
	}
	VMASKMOVPD(Y0, Y6, Mem{Base: RDI})
	Label("done")
	VZEROUPPER()
	RET()
}

// scan writes the mask of the i with v[i] − h[i] ≥ t or v[i] − c ≥ r[i], two
// vectors at a time: a byte for doubles, two for singles. NaN passes neither.
func scan(e element) {
	const greaterOrEqual = 0x1d // ordered, quiet
	sub, cmp, or, gather, lanes := op3(VSUBPD), VCMPPD, op3(VORPD), VMOVMSKPD, 4
	if e.size == 4 {
		sub, cmp, or, gather, lanes = op3(VSUBPS), VCMPPS, op3(VORPS), VMOVMSKPS, 8
	}
	t := e.goType()
	TEXT("scan"+e.name+"AVX2", NOSPLIT, "func(pairs int, v, h, r *"+t+", c, t "+t+", mask *uint64) uint64")
	Pragma("noescape")
	Load(Param("pairs"), RCX)
	Load(Param("v"), RSI)
	Load(Param("h"), RDX)
	Load(Param("r"), RDI)
	Load(Param("mask"), RBX)
	e.broadcast(argument("c"), Y14)
	e.broadcast(argument("t"), Y15)
	XORQ(RAX, RAX)
	Label("loop")
	for v := range 2 {
		x, a, b := []VecPhysical{Y0, Y3}[v], []VecPhysical{Y1, Y4}[v], []VecPhysical{Y2, Y5}[v]
		e.load(Mem{Base: RSI, Disp: 32 * v}, x)
		sub(Mem{Base: RDX, Disp: 32 * v}, x, a)
		sub(Y14, x, b)
		cmp(U8(greaterOrEqual), Y15, a, a)
		cmp(U8(greaterOrEqual), Mem{Base: RDI, Disp: 32 * v}, b, b)
		or(a, b, a)
		gather(a, []GPPhysical{R8, R9}[v].As32())
	}
	SHLL(U8(uint8(lanes)), R9.As32())
	ORL(R9.As32(), R8.As32())
	ORL(R8.As32(), RAX.As32())
	if e.size == 8 {
		MOVB(R8.As8(), Mem{Base: RBX})
	} else {
		MOVW(R8.As16(), Mem{Base: RBX})
	}
	ADDQ(U8(64), RSI)
	ADDQ(U8(64), RDX)
	ADDQ(U8(64), RDI)
	ADDQ(U8(uint8(lanes/4)), RBX)
	DECQ(RCX)
	JNE(LabelRef("loop"))
	Store(RAX, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// scanSquares writes the mask of the i with g[i]·(r[i] − c)² + (h[i] − r[i]) ≥ t,
// eight at a time, a byte for each eight. NaN does not pass.
func scanSquares() {
	const greaterOrEqual = 0x1d // ordered, quiet
	TEXT("scanSquaresAVX2", NOSPLIT, "func(eights int, scale, h, r *float64, c, t float64, mask *uint64) uint64")
	Pragma("noescape")
	Load(Param("eights"), RCX)
	Load(Param("scale"), RSI)
	Load(Param("h"), RDX)
	Load(Param("r"), RDI)
	Load(Param("mask"), RBX)
	VBROADCASTSD(argument("c"), Y14)
	VBROADCASTSD(argument("t"), Y15)
	XORQ(RAX, RAX)
	Label("loop")
	for v := range 2 {
		r, u, sum := []VecPhysical{Y0, Y3}[v], []VecPhysical{Y1, Y4}[v], []VecPhysical{Y2, Y5}[v]
		VMOVUPD(Mem{Base: RDI, Disp: 32 * v}, r)
		VMOVUPD(Mem{Base: RDX, Disp: 32 * v}, sum)
		VSUBPD(r, sum, sum)
		VSUBPD(Y14, r, u)
		VMULPD(u, u, u)
		VFMADD231PD(Mem{Base: RSI, Disp: 32 * v}, u, sum)
		VCMPPD(U8(greaterOrEqual), Y15, sum, sum)
		VMOVMSKPD(sum, []GPPhysical{R8, R9}[v].As32())
	}
	SHLL(U8(4), R9.As32())
	ORL(R9.As32(), R8.As32())
	ORL(R8.As32(), RAX.As32())
	MOVB(R8.As8(), Mem{Base: RBX})
	ADDQ(U8(64), RSI)
	ADDQ(U8(64), RDX)
	ADDQ(U8(64), RDI)
	INCQ(RBX)
	DECQ(RCX)
	JNE(LabelRef("loop"))
	Store(RAX, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func op3(f func(...Op)) func(a, b, c Op) { return func(a, b, c Op) { f(a, b, c) } }

// axpy512 writes y += a·x with the widest vectors.
func axpy512() {
	TEXT("axpyAVX512", NOSPLIT, "func(n int, a float64, x, y *float64)")
	Pragma("noescape")
	Load(Param("n"), RCX)
	Load(Param("x"), RSI)
	Load(Param("y"), RDI)
	VBROADCASTSD(argument("a"), Z4)
	SUBQ(U8(32), RCX)
	JL(LabelRef("rest"))
	Label("loop")
	for v, y := range []VecPhysical{Z0, Z1, Z2, Z3} {
		VMOVUPD(Mem{Base: RDI, Disp: 64 * v}, y)
		VFMADD231PD(Mem{Base: RSI, Disp: 64 * v}, Z4, y)
		VMOVUPD(y, Mem{Base: RDI, Disp: 64 * v})
	}
	ADDQ(U32(256), RSI)
	ADDQ(U32(256), RDI)
	SUBQ(U8(32), RCX)
	JGE(LabelRef("loop"))
	Label("rest")
	ADDQ(U8(32), RCX)
	Label("eights")
	CMPQ(RCX, U8(8))
	JL(LabelRef("part"))
	VMOVUPD(Mem{Base: RDI}, Z0)
	VFMADD231PD(Mem{Base: RSI}, Z4, Z0)
	VMOVUPD(Z0, Mem{Base: RDI})
	ADDQ(U8(64), RSI)
	ADDQ(U8(64), RDI)
	SUBQ(U8(8), RCX)
	JMP(LabelRef("eights"))
	Label("part")
	TESTQ(RCX, RCX)
	JE(LabelRef("done"))
	BZHIQ(RCX, allOnes(), R13)
	KMOVW(R13.As32(), K1)
	VMOVUPD_Z(Mem{Base: RDI}, K1, Z0)
	VMOVUPD_Z(Mem{Base: RSI}, K1, Z1)
	VFMADD231PD(Z1, Z4, Z0)
	VMOVUPD(Z0, K1, Mem{Base: RDI})
	Label("done")
	VZEROUPPER()
	RET()
}
