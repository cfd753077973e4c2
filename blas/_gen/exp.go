package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// expTerms are, as in the library, the coefficients of e^r ≈ 1 + r + r²·q(r), constant first: q
// interpolates at the Chebyshev points of |r| ≤ ln 2/2, where the relative error is
// below 1.7·10⁻¹⁷.
var expTerms = []float64{
	1, 1, 0x1.0000000000001p-1, 0x1.5555555555556p-3,
	0x1.5555555553d63p-5, 0x1.11111111109b3p-7, 0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13,
	0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19, 0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26,
}

// exponential writes dst[i] = e^x[i] for 16 numbers at a time, as expGeneric
// spells it out.
func exponential() {
	constants := []float64{
		math.Log2E,
		// ln 2 in two parts; n times the first is exact.
		6.93147180369123816490e-01, 1.90821492927058770002e-10,
		0x1.8p52,  // adding it rounds to a whole number n, left in the low bits
		-746, 710, // beyond, the result is 0 and +Inf
	}
	const log2e, ln2hi, ln2lo, magic, least, most, first = 0, 1, 2, 3, 4, 5, 6
	constants = append(constants, expTerms...)
	table := GLOBL("exptable", RODATA|NOPTR)
	for i, v := range constants {
		for l := range 4 {
			DATA(32*i+8*l, F64(v))
		}
	}
	bias := GLOBL("expbias", RODATA|NOPTR)
	for l := range 4 {
		DATA(8*l, U64(1023))
	}
	at := func(i int) Mem { return table.Offset(32 * i) }
	TEXT("expAVX2", NOSPLIT, "func(blocks int, x, dst *float64)")
	Pragma("noescape")
	Load(Param("blocks"), RCX)
	Load(Param("x"), RSI)
	Load(Param("dst"), RDI)
	VMOVUPD(at(magic), Y15)
	VMOVUPD(at(least), Y14)
	VMOVUPD(at(most), Y13)
	VMOVDQU(bias, Y12)
	Label("loop")
	type chain struct{ r, t, p VecPhysical } // the argument left, n, the sum
	chains := []chain{{Y0, Y1, Y2}, {Y3, Y4, Y5}, {Y6, Y7, Y8}, {Y9, Y10, Y11}}
	for v, c := range chains {
		// MAX and MIN return the source named first here when one is NaN: x.
		VMOVUPD(Mem{Base: RSI, Disp: 32 * v}, c.r)
		VMAXPD(c.r, Y14, c.r)
		VMINPD(c.r, Y13, c.r)
		VMOVAPD(Y15, c.t)
		VFMADD231PD(at(log2e), c.r, c.t)
		VSUBPD(Y15, c.t, c.p) // n as a number
		VFNMADD231PD(at(ln2hi), c.p, c.r)
		VFNMADD231PD(at(ln2lo), c.p, c.r)
		VMOVUPD(at(first+len(expTerms)-1), c.p)
	}
	for i := len(expTerms) - 2; i >= 0; i-- {
		for _, c := range chains {
			VFMADD213PD(at(first+i), c.r, c.p) // p·r + term
		}
	}
	for v, c := range chains {
		// 2ⁿ in two factors, 2^⌊n/2⌋ and the rest, because n exceeds the exponents.
		// The shifts by 52 drop all but the low twelve bits.
		VPSRAD(U8(1), c.t, c.r)
		VPSUBD(c.r, c.t, c.t)
		VPADDQ(Y12, c.r, c.r)
		VPADDQ(Y12, c.t, c.t)
		VPSLLQ(U8(52), c.r, c.r)
		VPSLLQ(U8(52), c.t, c.t)
		VMULPD(c.r, c.p, c.p)
		VMULPD(c.t, c.p, c.p)
		VMOVUPD(c.p, Mem{Base: RDI, Disp: 32 * v})
	}
	SUBQ(I8(-128), RSI)
	SUBQ(I8(-128), RDI)
	DECQ(RCX)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
