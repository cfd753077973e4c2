//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// CLEAR makes the sixteen partial sums, V0 to V7, zero.
#define CLEAR \
	VEOR V0.B16, V0.B16, V0.B16 \
	VEOR V1.B16, V1.B16, V1.B16 \
	VEOR V2.B16, V2.B16, V2.B16 \
	VEOR V3.B16, V3.B16, V3.B16 \
	VEOR V4.B16, V4.B16, V4.B16 \
	VEOR V5.B16, V5.B16, V5.B16 \
	VEOR V6.B16, V6.B16, V6.B16 \
	VEOR V7.B16, V7.B16, V7.B16

// QUAD loads four numbers of each vector, REST the one to three that are left, R0, with zeros.
#define QUAD \
	VLD1.P 32(R1), [V16.D2, V17.D2] \
	VLD1.P 32(R2), [V24.D2, V25.D2]

#define REST(two, three, loaded) \
	VEOR   V17.B16, V17.B16, V17.B16 \
	VEOR   V25.B16, V25.B16, V25.B16 \
	CMP    $2, R0                    \
	BEQ    two                       \
	BGT    three                     \
	FMOVD  (R1), F16                 \
	FMOVD  (R2), F24                 \
	B      loaded                    \
three:                               \
	FMOVD  16(R1), F17               \
	FMOVD  16(R2), F25               \
two:                                 \
	VLD1   (R1), [V16.D2]            \
	VLD1   (R2), [V24.D2]            \
loaded:

// TOTAL adds the partial sums as partialSums.total does, and leaves the sum in F0.
#define TOTAL \
	FADD2(0, 2, 0) \
	FADD2(1, 3, 1) \
	FADD2(4, 6, 4) \
	FADD2(5, 7, 5) \
	FADD2(0, 4, 0) \
	FADD2(1, 5, 1) \
	FADD2(0, 1, 0) \
	FADDP1(0, 0)

// func dotNEON(n int, x, y *float64) float64
TEXT ·dotNEON(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	CLEAR
	LSR  $4, R0, R3
	CBZ  R3, dotQuads

dotLoop:
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R2), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1.P 64(R1), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1.P 64(R2), [V28.D2, V29.D2, V30.D2, V31.D2]
	FMLA2(16, 24, 0)
	FMLA2(17, 25, 1)
	FMLA2(18, 26, 2)
	FMLA2(19, 27, 3)
	FMLA2(20, 28, 4)
	FMLA2(21, 29, 5)
	FMLA2(22, 30, 6)
	FMLA2(23, 31, 7)
	SUB    $1, R3
	CBNZ   R3, dotLoop

dotQuads:
	UBFX $2, R0, $2, R3
	AND  $3, R0
	CBZ  R3, dotRest
	QUAD
	FMLA2(16, 24, 0)
	FMLA2(17, 25, 1)
	CMP  $1, R3
	BEQ  dotRest
	QUAD
	FMLA2(16, 24, 2)
	FMLA2(17, 25, 3)
	CMP  $2, R3
	BEQ  dotRest
	QUAD
	FMLA2(16, 24, 4)
	FMLA2(17, 25, 5)

dotRest:
	CBZ  R0, dotTotal
	REST(dotTwo, dotThree, dotLoaded)
	CMP  $1, R3
	BEQ  dotRest1
	BLT  dotRest0
	CMP  $2, R3
	BEQ  dotRest2
	FMLA2(16, 24, 6)
	FMLA2(17, 25, 7)
	B    dotTotal

dotRest0:
	FMLA2(16, 24, 0)
	FMLA2(17, 25, 1)
	B    dotTotal

dotRest1:
	FMLA2(16, 24, 2)
	FMLA2(17, 25, 3)
	B    dotTotal

dotRest2:
	FMLA2(16, 24, 4)
	FMLA2(17, 25, 5)

dotTotal:
	TOTAL
	FMOVD F0, ret+24(FP)
	RET

// func squaredDistanceNEON(n int, x, y *float64) float64
TEXT ·squaredDistanceNEON(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	CLEAR
	LSR  $4, R0, R3
	CBZ  R3, distanceQuads

distanceLoop:
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R2), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1.P 64(R1), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1.P 64(R2), [V28.D2, V29.D2, V30.D2, V31.D2]
	FSUB2(16, 24, 16)
	FSUB2(17, 25, 17)
	FSUB2(18, 26, 18)
	FSUB2(19, 27, 19)
	FSUB2(20, 28, 20)
	FSUB2(21, 29, 21)
	FSUB2(22, 30, 22)
	FSUB2(23, 31, 23)
	FMLA2(16, 16, 0)
	FMLA2(17, 17, 1)
	FMLA2(18, 18, 2)
	FMLA2(19, 19, 3)
	FMLA2(20, 20, 4)
	FMLA2(21, 21, 5)
	FMLA2(22, 22, 6)
	FMLA2(23, 23, 7)
	SUB    $1, R3
	CBNZ   R3, distanceLoop

distanceQuads:
	UBFX $2, R0, $2, R3
	AND  $3, R0
	CBZ  R3, distanceRest
	QUAD
	FSUB2(16, 24, 16)
	FSUB2(17, 25, 17)
	FMLA2(16, 16, 0)
	FMLA2(17, 17, 1)
	CMP  $1, R3
	BEQ  distanceRest
	QUAD
	FSUB2(16, 24, 16)
	FSUB2(17, 25, 17)
	FMLA2(16, 16, 2)
	FMLA2(17, 17, 3)
	CMP  $2, R3
	BEQ  distanceRest
	QUAD
	FSUB2(16, 24, 16)
	FSUB2(17, 25, 17)
	FMLA2(16, 16, 4)
	FMLA2(17, 17, 5)

distanceRest:
	CBZ  R0, distanceTotal
	REST(distanceTwo, distanceThree, distanceLoaded)
	FSUB2(16, 24, 16)
	FSUB2(17, 25, 17)
	CMP  $1, R3
	BEQ  distanceRest1
	BLT  distanceRest0
	CMP  $2, R3
	BEQ  distanceRest2
	FMLA2(16, 16, 6)
	FMLA2(17, 17, 7)
	B    distanceTotal

distanceRest0:
	FMLA2(16, 16, 0)
	FMLA2(17, 17, 1)
	B    distanceTotal

distanceRest1:
	FMLA2(16, 16, 2)
	FMLA2(17, 17, 3)
	B    distanceTotal

distanceRest2:
	FMLA2(16, 16, 4)
	FMLA2(17, 17, 5)

distanceTotal:
	TOTAL
	FMOVD F0, ret+24(FP)
	RET

// func axpyNEON(n int, a float64, x, y *float64)
TEXT ·axpyNEON(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	FMOVD a+8(FP), F31
	MOVD  x+16(FP), R1
	MOVD  y+24(FP), R2
	VDUP  V31.D[0], V31.D2
	LSR   $3, R0, R3
	CBZ   R3, axpyPairs

axpyLoop:
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1   (R2), [V20.D2, V21.D2, V22.D2, V23.D2]
	FMLA2(16, 31, 20)
	FMLA2(17, 31, 21)
	FMLA2(18, 31, 22)
	FMLA2(19, 31, 23)
	VST1.P [V20.D2, V21.D2, V22.D2, V23.D2], 64(R2)
	SUB    $1, R3
	CBNZ   R3, axpyLoop

axpyPairs:
	UBFX $1, R0, $2, R3
	CBZ  R3, axpyLast

axpyPair:
	VLD1.P 16(R1), [V16.D2]
	VLD1   (R2), [V20.D2]
	FMLA2(16, 31, 20)
	VST1.P [V20.D2], 16(R2)
	SUB    $1, R3
	CBNZ   R3, axpyPair

axpyLast:
	TBZ    $0, R0, axpyDone
	FMOVD  (R1), F16
	FMOVD  (R2), F20
	FMADDD F31, F20, F16, F20
	FMOVD  F20, (R2)

axpyDone:
	RET

// func axpyFourNEON(n int, a, x *float64, ld int, y *float64)
TEXT ·axpyFourNEON(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD a+8(FP), R1
	MOVD x+16(FP), R2
	MOVD ld+24(FP), R3
	MOVD y+32(FP), R6
	VLD4R (R1), [V28.D2, V29.D2, V30.D2, V31.D2]
	ADD  R3<<3, R2, R3
	MOVD ld+24(FP), R5
	ADD  R5<<3, R3, R4
	ADD  R5<<3, R4, R5
	LSR  $2, R0, R7
	CBZ  R7, fourRest

fourLoop:
	VLD1   (R6), [V0.D2, V1.D2]
	VLD1.P 32(R2), [V2.D2, V3.D2]
	VLD1.P 32(R3), [V4.D2, V5.D2]
	VLD1.P 32(R4), [V6.D2, V7.D2]
	VLD1.P 32(R5), [V16.D2, V17.D2]
	FMLA2(2, 28, 0)
	FMLA2(3, 28, 1)
	FMLA2(4, 29, 0)
	FMLA2(5, 29, 1)
	FMLA2(6, 30, 0)
	FMLA2(7, 30, 1)
	FMLA2(16, 31, 0)
	FMLA2(17, 31, 1)
	VST1.P [V0.D2, V1.D2], 32(R6)
	SUB    $1, R7
	CBNZ   R7, fourLoop

fourRest:
	ANDS $3, R0
	BEQ  fourDone

fourOne:
	FMOVD   (R6), F0
	FMOVD.P 8(R2), F2
	FMOVD.P 8(R3), F4
	FMOVD.P 8(R4), F6
	FMOVD.P 8(R5), F16
	FMADDD  F28, F0, F2, F0
	FMADDD  F29, F0, F4, F0
	FMADDD  F30, F0, F6, F0
	FMADDD  F31, F0, F16, F0
	FMOVD.P F0, 8(R6)
	SUBS    $1, R0
	BNE     fourOne

fourDone:
	RET

// ROWS points R9 to R12 at the rows of the next four places, and clears their sums, eight for
// each: V0 and V1 to V6 and V7.
#define ROWS \
	MOVW.P 4(R2), R9    \
	MOVW.P 4(R2), R10   \
	MOVW.P 4(R2), R11   \
	MOVW.P 4(R2), R12   \
	MADD   R3, R1, R9, R9    \
	MADD   R3, R1, R10, R10  \
	MADD   R3, R1, R11, R11  \
	MADD   R3, R1, R12, R12  \
	MOVD   R0, R6       \
	LSR    $5, R3, R7   \
	CLEAR

// COLUMNS loads the next eight columns: of x to V16 and V17, of the four rows to V18 to V25.
#define COLUMNS \
	VLD1.P 32(R6), [V16.S4, V17.S4]  \
	VLD1.P 32(R9), [V18.S4, V19.S4]  \
	VLD1.P 32(R10), [V20.S4, V21.S4] \
	VLD1.P 32(R11), [V22.S4, V23.S4] \
	VLD1.P 32(R12), [V24.S4, V25.S4]

// SUMS leaves the sums of the four rows in V0. Every row is summed in the same eight lanes
// whichever of the four it is: a distance has the same bits both ways round.
#define SUMS \
	FADD4(0, 1, 0)  \
	FADD4(2, 3, 2)  \
	FADD4(4, 5, 4)  \
	FADD4(6, 7, 6)  \
	FADDP4(0, 2, 0) \
	FADDP4(4, 6, 4) \
	FADDP4(0, 4, 0)

// func gatheredSquaresNEON(x, rows *float32, at *int32, width, count int, out *float32)
TEXT ·gatheredSquaresNEON(SB), NOSPLIT, $0-48
	MOVD x+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD at+16(FP), R2
	MOVD width+24(FP), R3
	MOVD count+32(FP), R4
	MOVD out+40(FP), R5
	LSL  $2, R3

squaresFour:
	SUBS $4, R4
	BLT  squaresDone
	ROWS

squaresColumns:
	COLUMNS
	FSUB4(16, 18, 18)
	FSUB4(17, 19, 19)
	FSUB4(16, 20, 20)
	FSUB4(17, 21, 21)
	FSUB4(16, 22, 22)
	FSUB4(17, 23, 23)
	FSUB4(16, 24, 24)
	FSUB4(17, 25, 25)
	FMLA4(18, 18, 0)
	FMLA4(19, 19, 1)
	FMLA4(20, 20, 2)
	FMLA4(21, 21, 3)
	FMLA4(22, 22, 4)
	FMLA4(23, 23, 5)
	FMLA4(24, 24, 6)
	FMLA4(25, 25, 7)
	SUB    $1, R7
	CBNZ   R7, squaresColumns
	SUMS
	VST1.P [V0.S4], 16(R5)
	B      squaresFour

squaresDone:
	RET

// func gatheredDotsNEON(x, rows *float32, at *int32, width, count int, out *float32)
TEXT ·gatheredDotsNEON(SB), NOSPLIT, $0-48
	MOVD x+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD at+16(FP), R2
	MOVD width+24(FP), R3
	MOVD count+32(FP), R4
	MOVD out+40(FP), R5
	LSL  $2, R3

dotsFour:
	SUBS $4, R4
	BLT  dotsDone
	ROWS

dotsColumns:
	COLUMNS
	FMLA4(18, 16, 0)
	FMLA4(19, 17, 1)
	FMLA4(20, 16, 2)
	FMLA4(21, 17, 3)
	FMLA4(22, 16, 4)
	FMLA4(23, 17, 5)
	FMLA4(24, 16, 6)
	FMLA4(25, 17, 7)
	SUB    $1, R7
	CBNZ   R7, dotsColumns
	SUMS
	VST1.P [V0.S4], 16(R5)
	B      dotsFour

dotsDone:
	RET

// func codesDotProduct(quads int, a, b *int8, next int, begin, c *int32, ldc int)
//
// Eight samples with one group, four at a time: sixteen vectors of sums.
TEXT ·codesDotProduct(SB), NOSPLIT, $0-56
	MOVD c+40(FP), R5
	MOVD ldc+48(FP), R6
	LSL  $2, R6
	MOVD a+8(FP), R1
	MOVD $2, R8

codesFour:
	MOVD quads+0(FP), R0
	MOVD R1, R3
	MOVD b+16(FP), R2
	CLEAR
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16

codesQuads:
	VLD1   (R3), [V16.B16]
	VLD1.P 64(R2), [V20.B16, V21.B16, V22.B16, V23.B16]
	ADD    $64, R3
	SDOT0(20, 16, 0)
	SDOT0(21, 16, 1)
	SDOT0(22, 16, 2)
	SDOT0(23, 16, 3)
	SDOT1(20, 16, 4)
	SDOT1(21, 16, 5)
	SDOT1(22, 16, 6)
	SDOT1(23, 16, 7)
	SDOT2(20, 16, 8)
	SDOT2(21, 16, 9)
	SDOT2(22, 16, 10)
	SDOT2(23, 16, 11)
	SDOT3(20, 16, 12)
	SDOT3(21, 16, 13)
	SDOT3(22, 16, 14)
	SDOT3(23, 16, 15)
	SUB    $1, R0
	CBNZ   R0, codesQuads

	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R5)
	ADD  R6, R5
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R5)
	ADD  R6, R5
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R5)
	ADD  R6, R5
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R5)
	ADD  R6, R5
	ADD  $16, R1
	SUB  $1, R8
	CBNZ R8, codesFour
	RET

// QUARTER adds the sums of four samples, four of each, and writes them.
#define QUARTER(a, b, c, d, to) \
	VADDP b.S4, a.S4, a.S4 \
	VADDP d.S4, c.S4, c.S4 \
	VADDP c.S4, a.S4, a.S4 \
	VST1.P [a.S4], 16(to)

// func codesNEON(quads int, a, b *int16, c *int32, ldc int)
//
// Two samples with one group, eight of it at a time: four sums of each product.
TEXT ·codesNEON(SB), NOSPLIT, $0-40
	MOVD b+16(FP), R2
	MOVD c+24(FP), R5
	MOVD ldc+32(FP), R6
	ADD  R6<<2, R5, R6
	MOVD $128, R7
	MOVD $2, R8

codesHalf:
	MOVD quads+0(FP), R0
	MOVD a+8(FP), R1
	ADD  $8, R1, R3
	MOVD R2, R4
	CLEAR
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16

codesLoop:
	VLD1R.P (R1)(R7), [V20.D2]
	VLD1R.P (R3)(R7), [V21.D2]
	VLD1.P  (R4)(R7), [V16.H8, V17.H8, V18.H8, V19.H8]
	SMLAL(16, 20, 0)
	SMLAL2(16, 20, 1)
	SMLAL(17, 20, 2)
	SMLAL2(17, 20, 3)
	SMLAL(18, 20, 4)
	SMLAL2(18, 20, 5)
	SMLAL(19, 20, 6)
	SMLAL2(19, 20, 7)
	SMLAL(16, 21, 8)
	SMLAL2(16, 21, 9)
	SMLAL(17, 21, 10)
	SMLAL2(17, 21, 11)
	SMLAL(18, 21, 12)
	SMLAL2(18, 21, 13)
	SMLAL(19, 21, 14)
	SMLAL2(19, 21, 15)
	SUB     $1, R0
	CBNZ    R0, codesLoop
	QUARTER(V0, V1, V2, V3, R5)
	QUARTER(V4, V5, V6, V7, R5)
	QUARTER(V8, V9, V10, V11, R6)
	QUARTER(V12, V13, V14, V15, R6)
	ADD     $64, R2
	SUB     $1, R8
	CBNZ    R8, codesHalf
	RET
