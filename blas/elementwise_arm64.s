//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// n is a multiple of 4 throughout: two vectors at a time.

// func gaussArgumentsNEON(n int, c, least float64, x, t, dst *float64)
TEXT ·gaussArgumentsNEON(SB), NOSPLIT, $0-48
	MOVD  n+0(FP), R0
	FMOVD c+8(FP), F30
	FMOVD least+16(FP), F31
	MOVD  x+24(FP), R1
	MOVD  t+32(FP), R2
	MOVD  dst+40(FP), R3
	FNEGD F30, F30
	VDUP  V31.D[0], V31.D2

gaussLoop:
	// FMAXNM gives the least where the other is NaN.
	VLD1.P 32(R1), [V0.D2, V1.D2]
	VLD1.P 32(R2), [V2.D2, V3.D2]
	FSUB2(0, 2, 0)
	FSUB2(1, 3, 1)
	FMUL2(0, 0, 0)
	FMUL2(1, 1, 1)
	FMUL2E0(0, 30, 0)
	FMUL2E0(1, 30, 1)
	FMAXNM2(0, 31, 0)
	FMAXNM2(1, 31, 1)
	VST1.P [V0.D2, V1.D2], 32(R3)
	SUB    $4, R0
	CBNZ   R0, gaussLoop
	RET

// func weighNEON(n int, p, x, t, u, v *float64)
TEXT ·weighNEON(SB), NOSPLIT, $0-48
	MOVD n+0(FP), R0
	MOVD p+8(FP), R1
	MOVD x+16(FP), R2
	MOVD t+24(FP), R3
	MOVD u+32(FP), R4
	MOVD v+40(FP), R5

weighLoop:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	VLD1.P 32(R2), [V2.D2, V3.D2]
	VLD1.P 32(R3), [V4.D2, V5.D2]
	FMUL2(2, 0, 2)
	FMUL2(3, 1, 3)
	FMUL2(4, 0, 4)
	FMUL2(5, 1, 5)
	VST1.P [V2.D2, V3.D2], 32(R4)
	VST1.P [V4.D2, V5.D2], 32(R5)
	SUB    $4, R0
	CBNZ   R0, weighLoop
	RET

// func multiplyNEON(n int, x, t, dst *float64)
TEXT ·multiplyNEON(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD t+16(FP), R2
	MOVD dst+24(FP), R3

multiplyLoop:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	VLD1.P 32(R2), [V2.D2, V3.D2]
	FMUL2(0, 2, 0)
	FMUL2(1, 3, 1)
	VST1.P [V0.D2, V1.D2], 32(R3)
	SUB    $4, R0
	CBNZ   R0, multiplyLoop
	RET

// func quotientsNEON(n int, floor float64, x, t, dst *float64)
TEXT ·quotientsNEON(SB), NOSPLIT, $0-40
	MOVD  n+0(FP), R0
	FMOVD floor+8(FP), F31
	MOVD  x+16(FP), R1
	MOVD  t+24(FP), R2
	MOVD  dst+32(FP), R3
	VDUP  V31.D[0], V31.D2

quotientLoop:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	VLD1.P 32(R2), [V2.D2, V3.D2]
	FMAXNM2(2, 31, 2)
	FMAXNM2(3, 31, 3)
	FDIV2(0, 2, 0)
	FDIV2(1, 3, 1)
	VST1.P [V0.D2, V1.D2], 32(R3)
	SUB    $4, R0
	CBNZ   R0, quotientLoop
	RET

// func rootsNEON(n int, floor float64, x, dst *float64)
TEXT ·rootsNEON(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	FMOVD floor+8(FP), F31
	MOVD  x+16(FP), R1
	MOVD  dst+24(FP), R2
	VDUP  V31.D[0], V31.D2

rootLoop:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	FMAXNM2(0, 31, 0)
	FMAXNM2(1, 31, 1)
	FSQRT2(0, 0)
	FSQRT2(1, 1)
	VST1.P [V0.D2, V1.D2], 32(R2)
	SUB    $4, R0
	CBNZ   R0, rootLoop
	RET

// func multiplyRatiosNEON(n int, floor, least float64, num, den, y *float64)
TEXT ·multiplyRatiosNEON(SB), NOSPLIT, $0-48
	MOVD  n+0(FP), R0
	FMOVD floor+8(FP), F31
	FMOVD least+16(FP), F30
	MOVD  num+24(FP), R1
	MOVD  den+32(FP), R2
	MOVD  y+40(FP), R3
	VDUP  V31.D[0], V31.D2
	VDUP  V30.D[0], V30.D2

ratioLoop:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	VLD1.P 32(R2), [V2.D2, V3.D2]
	VLD1   (R3), [V4.D2, V5.D2]
	FMAXNM2(2, 31, 2)
	FMAXNM2(3, 31, 3)
	FDIV2(0, 2, 0)
	FDIV2(1, 3, 1)
	FMUL2(4, 0, 0)
	FMUL2(5, 1, 1)
	FCMGE2(0, 30, 2)
	FCMGE2(1, 30, 3)
	VAND   V2.B16, V0.B16, V0.B16
	VAND   V3.B16, V1.B16, V1.B16
	VST1.P [V0.D2, V1.D2], 32(R3)
	SUB    $4, R0
	CBNZ   R0, ratioLoop
	RET

// func rankTwoNEON(n int, a float64, x *float64, b float64, y, row *float64)
//
// No operation is fused: the bits are those of the loop in Go.
TEXT ·rankTwoNEON(SB), NOSPLIT, $0-48
	MOVD  n+0(FP), R0
	FMOVD a+8(FP), F30
	MOVD  x+16(FP), R1
	FMOVD b+24(FP), F31
	MOVD  y+32(FP), R2
	MOVD  row+40(FP), R3

rankTwoLoop:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	VLD1.P 32(R2), [V2.D2, V3.D2]
	VLD1   (R3), [V4.D2, V5.D2]
	FMUL2E0(0, 30, 0)
	FMUL2E0(1, 30, 1)
	FMUL2E0(2, 31, 2)
	FMUL2E0(3, 31, 3)
	FADD2(0, 2, 0)
	FADD2(1, 3, 1)
	FSUB2(4, 0, 4)
	FSUB2(5, 1, 5)
	VST1.P [V4.D2, V5.D2], 32(R3)
	SUB    $4, R0
	CBNZ   R0, rankTwoLoop
	RET

// func fixedNEON(quads int, coarse *int32, fine *uint8, values *float64)
TEXT ·fixedNEON(SB), NOSPLIT, $0-32
	MOVD quads+0(FP), R0
	MOVD coarse+8(FP), R1
	MOVD fine+16(FP), R2
	MOVD values+24(FP), R3

fixedLoop:
	VLD1.P  16(R1), [V0.S4]
	FMOVS.P 4(R2), F1
	VUSHLL  $0, V1.B8, V1.H8
	VUSHLL  $0, V1.H4, V1.S4
	SSHLL2LOW(0, 2)
	SSHLL2HIGH(0, 3)
	VUADDW  V1.S2, V2.D2, V2.D2
	VUADDW2 V1.S4, V3.D2, V3.D2
	SCVTF2(2, 2)
	SCVTF2(3, 3)
	VST1.P  [V2.D2, V3.D2], 32(R3)
	SUB     $1, R0
	CBNZ    R0, fixedLoop
	RET

// What expNEON multiplies with: log₂e, the two parts of ln 2 and the last term of Exp, by index;
// the number that rounds to whole ones, the limits of the argument and the bias of exponents; and
// the other terms, the last first. The first two are equal.
DATA expTable<>+0(SB)/8, $0x3ff71547652b82fe
DATA expTable<>+8(SB)/8, $0x3fe62e42fee00000
DATA expTable<>+16(SB)/8, $0x3dea39ef35793c76
DATA expTable<>+24(SB)/8, $0x3e5af38a9b0ec855
DATA expTable<>+32(SB)/8, $0x4338000000000000
DATA expTable<>+40(SB)/8, $0xc087500000000000 // −746
DATA expTable<>+48(SB)/8, $0x4086300000000000 // 710
DATA expTable<>+56(SB)/8, $1023
DATA expTable<>+64(SB)/8, $0x3e9289185613a3d6
DATA expTable<>+72(SB)/8, $0x3ec71de0dae63bb3
DATA expTable<>+80(SB)/8, $0x3efa019b90d2ae7a
DATA expTable<>+88(SB)/8, $0x3f2a01a01a7c41d5
DATA expTable<>+96(SB)/8, $0x3f56c16c1788bd90
DATA expTable<>+104(SB)/8, $0x3f811111111109b3
DATA expTable<>+112(SB)/8, $0x3fa5555555553d63
DATA expTable<>+120(SB)/8, $0x3fc5555555555556
DATA expTable<>+128(SB)/8, $0x3fe0000000000001
DATA expTable<>+136(SB)/8, $0x3ff0000000000000
GLOBL expTable<>(SB), RODATA|NOPTR, $144

// TERM writes to d, and the three registers after it, term + p·r of four vectors: the arguments
// r are V0 to V3, the sums p begin at the register p.
#define TERM(term, p, d, d0, d1, d2, d3) \
	VMOV term.B16, d0.B16   \
	VMOV term.B16, d1.B16   \
	VMOV term.B16, d2.B16   \
	VMOV term.B16, d3.B16   \
	FMLA2(p, 0, d)          \
	FMLA2((p)+1, 1, (d)+1)  \
	FMLA2((p)+2, 2, (d)+2)  \
	FMLA2((p)+3, 3, (d)+3)

#define ODD(term) TERM(term, 8, 12, V12, V13, V14, V15)
#define EVEN(term) TERM(term, 12, 8, V8, V9, V10, V11)

// func expNEON(sixteens int, x, dst *float64)
//
// Eight numbers at a time, as expGeneric spells it out: the arguments that are left in V0 to V3,
// the whole numbers n in V4 to V7, the sums in V8 to V11 and V12 to V15 by turns.
TEXT ·expNEON(SB), NOSPLIT, $0-24
	MOVD    sixteens+0(FP), R0
	MOVD    x+8(FP), R1
	MOVD    dst+16(FP), R2
	MOVD    $expTable<>(SB), R3
	LSL     $1, R0
	VLD1.P  32(R3), [V16.D2, V17.D2]
	VLD1R.P 8(R3), [V18.D2]
	VLD1R.P 8(R3), [V19.D2]
	VLD1R.P 8(R3), [V20.D2]
	VLD1R.P 8(R3), [V21.D2]
	VLD1R.P 8(R3), [V22.D2]
	VLD1R.P 8(R3), [V23.D2]
	VLD1R.P 8(R3), [V24.D2]
	VLD1R.P 8(R3), [V25.D2]
	VLD1R.P 8(R3), [V26.D2]
	VLD1R.P 8(R3), [V27.D2]
	VLD1R.P 8(R3), [V28.D2]
	VLD1R.P 8(R3), [V29.D2]
	VLD1R.P 8(R3), [V30.D2]
	VLD1R   (R3), [V31.D2]

expLoop:
	VLD1.P 64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	FMAX2(0, 19, 0)
	FMAX2(1, 19, 1)
	FMAX2(2, 19, 2)
	FMAX2(3, 19, 3)
	FMIN2(0, 20, 0)
	FMIN2(1, 20, 1)
	FMIN2(2, 20, 2)
	FMIN2(3, 20, 3)
	VMOV   V18.B16, V4.B16
	VMOV   V18.B16, V5.B16
	VMOV   V18.B16, V6.B16
	VMOV   V18.B16, V7.B16
	FMLA2E0(0, 16, 4)
	FMLA2E0(1, 16, 5)
	FMLA2E0(2, 16, 6)
	FMLA2E0(3, 16, 7)
	FSUB2(4, 18, 12)
	FSUB2(5, 18, 13)
	FSUB2(6, 18, 14)
	FSUB2(7, 18, 15)
	FMLS2E1(12, 16, 0)
	FMLS2E1(13, 16, 1)
	FMLS2E1(14, 16, 2)
	FMLS2E1(15, 16, 3)
	FMLS2E0(12, 17, 0)
	FMLS2E0(13, 17, 1)
	FMLS2E0(14, 17, 2)
	FMLS2E0(15, 17, 3)
	VMOV   V22.B16, V8.B16
	VMOV   V22.B16, V9.B16
	VMOV   V22.B16, V10.B16
	VMOV   V22.B16, V11.B16
	FMLA2E1(0, 17, 8)
	FMLA2E1(1, 17, 9)
	FMLA2E1(2, 17, 10)
	FMLA2E1(3, 17, 11)
	ODD(V23)
	EVEN(V24)
	ODD(V25)
	EVEN(V26)
	ODD(V27)
	EVEN(V28)
	ODD(V29)
	EVEN(V30)
	ODD(V31)
	EVEN(V31)

	// 2ⁿ in two factors, 2^⌊n/2⌋ and the rest, because n exceeds the exponents. The shifts by 52
	// drop all but the low twelve bits.
	SSHR4ONE(4, 0)
	SSHR4ONE(5, 1)
	SSHR4ONE(6, 2)
	SSHR4ONE(7, 3)
	VSUB   V0.S4, V4.S4, V4.S4
	VSUB   V1.S4, V5.S4, V5.S4
	VSUB   V2.S4, V6.S4, V6.S4
	VSUB   V3.S4, V7.S4, V7.S4
	VADD   V21.D2, V0.D2, V0.D2
	VADD   V21.D2, V1.D2, V1.D2
	VADD   V21.D2, V2.D2, V2.D2
	VADD   V21.D2, V3.D2, V3.D2
	VADD   V21.D2, V4.D2, V4.D2
	VADD   V21.D2, V5.D2, V5.D2
	VADD   V21.D2, V6.D2, V6.D2
	VADD   V21.D2, V7.D2, V7.D2
	VSHL   $52, V0.D2, V0.D2
	VSHL   $52, V1.D2, V1.D2
	VSHL   $52, V2.D2, V2.D2
	VSHL   $52, V3.D2, V3.D2
	VSHL   $52, V4.D2, V4.D2
	VSHL   $52, V5.D2, V5.D2
	VSHL   $52, V6.D2, V6.D2
	VSHL   $52, V7.D2, V7.D2
	FMUL2(8, 0, 8)
	FMUL2(9, 1, 9)
	FMUL2(10, 2, 10)
	FMUL2(11, 3, 11)
	FMUL2(8, 4, 8)
	FMUL2(9, 5, 9)
	FMUL2(10, 6, 10)
	FMUL2(11, 7, 11)
	VST1.P [V8.D2, V9.D2, V10.D2, V11.D2], 64(R2)
	SUB    $1, R0
	CBNZ   R0, expLoop
	RET
