//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// func signedNEON(rows, quads int, c *float64, ldc int, x, sums *float64)
//
// The sums of max(c, 0)·x are in V0 to V7, two vectors for each column, those of −min(c, 0)·x in
// V8 to V15.
TEXT ·signedNEON(SB), NOSPLIT, $0-48
	MOVD rows+0(FP), R0
	MOVD quads+8(FP), R1
	MOVD c+16(FP), R2
	MOVD ldc+24(FP), R3
	MOVD x+32(FP), R4
	MOVD sums+40(FP), R5
	LSL  $3, R3
	VEOR V20.B16, V20.B16, V20.B16

signedRow:
	MOVD   R5, R6
	VLD1.P 64(R6), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P 64(R6), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R6), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1.P 64(R6), [V12.D2, V13.D2, V14.D2, V15.D2]
	MOVD   R2, R7
	MOVD   R4, R8
	MOVD   R1, R9

signedLoop:
	// FMAX and FMIN of NaN are NaN.
	VLD1.P 32(R7), [V16.D2, V17.D2]
	VLD1.P 64(R8), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1.P 64(R8), [V28.D2, V29.D2, V30.D2, V31.D2]
	FMAX2(16, 20, 18)
	FMAX2(17, 20, 19)
	FMIN2(16, 20, 16)
	FMIN2(17, 20, 17)
	FMLA2(24, 18, 0)
	FMLA2(25, 19, 1)
	FMLA2(26, 18, 2)
	FMLA2(27, 19, 3)
	FMLA2(28, 18, 4)
	FMLA2(29, 19, 5)
	FMLA2(30, 18, 6)
	FMLA2(31, 19, 7)
	FMLS2(24, 16, 8)
	FMLS2(25, 17, 9)
	FMLS2(26, 16, 10)
	FMLS2(27, 17, 11)
	FMLS2(28, 16, 12)
	FMLS2(29, 17, 13)
	FMLS2(30, 16, 14)
	FMLS2(31, 17, 15)
	SUB    $1, R9
	CBNZ   R9, signedLoop
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R5)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R5)
	VST1.P [V8.D2, V9.D2, V10.D2, V11.D2], 64(R5)
	VST1.P [V12.D2, V13.D2, V14.D2, V15.D2], 64(R5)
	ADD    R3, R2
	SUB    $1, R0
	CBNZ   R0, signedRow
	RET

// CLEAR8 makes eight registers zero.
#define CLEAR8(a, b, c, d, e, f, g, h) \
	VEOR a.B16, a.B16, a.B16 \
	VEOR b.B16, b.B16, b.B16 \
	VEOR c.B16, c.B16, c.B16 \
	VEOR d.B16, d.B16, d.B16 \
	VEOR e.B16, e.B16, e.B16 \
	VEOR f.B16, f.B16, f.B16 \
	VEOR g.B16, g.B16, g.B16 \
	VEOR h.B16, h.B16, h.B16

// GRAM adds the products of four numbers of a row of X, in V30 and V31, with four of Y, in y and
// the register after it, to the sums from d on.
#define GRAM(y, d) \
	FMLA2E0(y, 30, d)             \
	FMLA2E0((y)+1, 30, (d)+1)     \
	FMLA2E1(y, 30, (d)+2)         \
	FMLA2E1((y)+1, 30, (d)+3)     \
	FMLA2E0(y, 31, (d)+4)         \
	FMLA2E0((y)+1, 31, (d)+5)     \
	FMLA2E1(y, 31, (d)+6)         \
	FMLA2E1((y)+1, 31, (d)+7)

// func grams2NEON(rows, ld int, x, y0, y1, out *float64)
TEXT ·grams2NEON(SB), NOSPLIT, $0-48
	MOVD rows+0(FP), R0
	MOVD ld+8(FP), R1
	MOVD x+16(FP), R2
	MOVD y0+24(FP), R3
	MOVD y1+32(FP), R4
	MOVD out+40(FP), R6
	LSL  $3, R1
	CLEAR8(V0, V1, V2, V3, V4, V5, V6, V7)
	CLEAR8(V8, V9, V10, V11, V12, V13, V14, V15)

grams2Row:
	VLD1.P (R2)(R1), [V30.D2, V31.D2]
	VLD1.P (R3)(R1), [V24.D2, V25.D2]
	VLD1.P (R4)(R1), [V26.D2, V27.D2]
	GRAM(24, 0)
	GRAM(26, 8)
	SUB    $1, R0
	CBNZ   R0, grams2Row
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R6)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R6)
	VST1.P [V8.D2, V9.D2, V10.D2, V11.D2], 64(R6)
	VST1.P [V12.D2, V13.D2, V14.D2, V15.D2], 64(R6)
	RET

// func grams3NEON(rows, ld int, x, y0, y1, y2, out *float64)
TEXT ·grams3NEON(SB), NOSPLIT, $0-56
	MOVD rows+0(FP), R0
	MOVD ld+8(FP), R1
	MOVD x+16(FP), R2
	MOVD y0+24(FP), R3
	MOVD y1+32(FP), R4
	MOVD y2+40(FP), R5
	MOVD out+48(FP), R6
	LSL  $3, R1
	CLEAR8(V0, V1, V2, V3, V4, V5, V6, V7)
	CLEAR8(V8, V9, V10, V11, V12, V13, V14, V15)
	CLEAR8(V16, V17, V18, V19, V20, V21, V22, V23)

grams3Row:
	VLD1.P (R2)(R1), [V30.D2, V31.D2]
	VLD1.P (R3)(R1), [V24.D2, V25.D2]
	VLD1.P (R4)(R1), [V26.D2, V27.D2]
	VLD1.P (R5)(R1), [V28.D2, V29.D2]
	GRAM(24, 0)
	GRAM(26, 8)
	GRAM(28, 16)
	SUB    $1, R0
	CBNZ   R0, grams3Row
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R6)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R6)
	VST1.P [V8.D2, V9.D2, V10.D2, V11.D2], 64(R6)
	VST1.P [V12.D2, V13.D2, V14.D2, V15.D2], 64(R6)
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R6)
	VST1.P [V20.D2, V21.D2, V22.D2, V23.D2], 64(R6)
	RET
