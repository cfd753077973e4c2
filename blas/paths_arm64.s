//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Eight registers hold the sixteen lanes. All lengths are finite or +Inf, never NaN nor −0.

// LONGER leaves in V16 to V23 the row in V0 to V7, longer by V24.
#define LONGER \
	FADD2(0, 24, 16) \
	FADD2(1, 24, 17) \
	FADD2(2, 24, 18) \
	FADD2(3, 24, 19) \
	FADD2(4, 24, 20) \
	FADD2(5, 24, 21) \
	FADD2(6, 24, 22) \
	FADD2(7, 24, 23)

// LEAST leaves in V16 to V23 the least of them and of V8 to V15.
#define LEAST \
	FMIN2(16, 8, 16)  \
	FMIN2(17, 9, 17)  \
	FMIN2(18, 10, 18) \
	FMIN2(19, 11, 19) \
	FMIN2(20, 12, 20) \
	FMIN2(21, 13, 21) \
	FMIN2(22, 14, 22) \
	FMIN2(23, 15, 23)

// PLACE points R6 at the row of the next place, whose number stays in R8, and loads its length.
#define PLACE \
	MOVW.P  4(R1), R8           \
	VLD1R.P 8(R2), [V24.D2]     \
	ADD     R8<<7, R4, R6       \
	ADD     $64, R6, R7

// func pathsGatherNEON(count int, at *int32, length, rows, best *float64)
TEXT ·pathsGatherNEON(SB), NOSPLIT, $0-40
	MOVD count+0(FP), R0
	MOVD at+8(FP), R1
	MOVD length+16(FP), R2
	MOVD rows+24(FP), R4
	MOVD best+32(FP), R3
	ADD  $64, R3, R5
	VLD1 (R3), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1 (R5), [V12.D2, V13.D2, V14.D2, V15.D2]

gather:
	PLACE
	VLD1 (R6), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1 (R7), [V4.D2, V5.D2, V6.D2, V7.D2]
	LONGER
	FMIN2(8, 16, 8)
	FMIN2(9, 17, 9)
	FMIN2(10, 18, 10)
	FMIN2(11, 19, 11)
	FMIN2(12, 20, 12)
	FMIN2(13, 21, 13)
	FMIN2(14, 22, 14)
	FMIN2(15, 23, 15)
	SUB  $1, R0
	CBNZ R0, gather
	VST1 [V8.D2, V9.D2, V10.D2, V11.D2], (R3)
	VST1 [V12.D2, V13.D2, V14.D2, V15.D2], (R5)
	RET

// func pathsScatterNEON(count int, at *int32, length, from, rows *float64)
TEXT ·pathsScatterNEON(SB), NOSPLIT, $0-40
	MOVD count+0(FP), R0
	MOVD at+8(FP), R1
	MOVD length+16(FP), R2
	MOVD from+24(FP), R3
	MOVD rows+32(FP), R4
	VLD1.P 64(R3), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1 (R3), [V4.D2, V5.D2, V6.D2, V7.D2]

scatter:
	PLACE
	VLD1 (R6), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1 (R7), [V12.D2, V13.D2, V14.D2, V15.D2]
	LONGER
	LEAST
	VST1 [V16.D2, V17.D2, V18.D2, V19.D2], (R6)
	VST1 [V20.D2, V21.D2, V22.D2, V23.D2], (R7)
	SUB  $1, R0
	CBNZ R0, scatter
	RET

// func pathsMarkNEON(count int, at *int32, length, from, rows *float64, mark *bool)
TEXT ·pathsMarkNEON(SB), NOSPLIT, $0-48
	MOVD count+0(FP), R0
	MOVD at+8(FP), R1
	MOVD length+16(FP), R2
	MOVD from+24(FP), R3
	MOVD rows+32(FP), R4
	MOVD mark+40(FP), R9
	MOVD $1, R10
	VLD1.P 64(R3), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1 (R3), [V4.D2, V5.D2, V6.D2, V7.D2]

mark:
	PLACE
	VLD1 (R6), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1 (R7), [V12.D2, V13.D2, V14.D2, V15.D2]
	LONGER
	FCMGT2(8, 16, 24)
	FCMGT2(9, 17, 25)
	FCMGT2(10, 18, 26)
	FCMGT2(11, 19, 27)
	FCMGT2(12, 20, 28)
	FCMGT2(13, 21, 29)
	FCMGT2(14, 22, 30)
	FCMGT2(15, 23, 31)
	VORR V25.B16, V24.B16, V24.B16
	VORR V27.B16, V26.B16, V26.B16
	VORR V29.B16, V28.B16, V28.B16
	VORR V31.B16, V30.B16, V30.B16
	VORR V26.B16, V24.B16, V24.B16
	VORR V30.B16, V28.B16, V28.B16
	VORR V28.B16, V24.B16, V24.B16
	UMAXV4(24, 24)
	VMOV V24.S[0], R11
	CBZ  R11, kept
	LEAST
	VST1 [V16.D2, V17.D2, V18.D2, V19.D2], (R6)
	VST1 [V20.D2, V21.D2, V22.D2, V23.D2], (R7)
	MOVB R10, (R9)(R8)

kept:
	SUB  $1, R0
	CBNZ R0, mark
	RET
