//go:build !noasm

#include "textflag.h"

// func packFour64NEON(quads int, src *float64, ld int, dst *float64, width int)
TEXT ·packFour64NEON(SB), NOSPLIT, $0-40
	MOVD quads+0(FP), R0
	MOVD src+8(FP), R1
	MOVD ld+16(FP), R2
	MOVD dst+24(FP), R5
	MOVD width+32(FP), R6
	LSL  $3, R2
	LSL  $3, R6
	ADD  R2, R1, R3
	ADD  R2<<1, R1, R4
	ADD  R2, R4, R7

packDoubles:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	VLD1.P 32(R3), [V2.D2, V3.D2]
	VLD1.P 32(R4), [V4.D2, V5.D2]
	VLD1.P 32(R7), [V6.D2, V7.D2]
	VZIP1  V2.D2, V0.D2, V16.D2
	VZIP1  V6.D2, V4.D2, V17.D2
	VZIP2  V2.D2, V0.D2, V18.D2
	VZIP2  V6.D2, V4.D2, V19.D2
	VZIP1  V3.D2, V1.D2, V20.D2
	VZIP1  V7.D2, V5.D2, V21.D2
	VZIP2  V3.D2, V1.D2, V22.D2
	VZIP2  V7.D2, V5.D2, V23.D2
	VST1.P [V16.D2, V17.D2], (R5)(R6)
	VST1.P [V18.D2, V19.D2], (R5)(R6)
	VST1.P [V20.D2, V21.D2], (R5)(R6)
	VST1.P [V22.D2, V23.D2], (R5)(R6)
	SUB    $1, R0
	CBNZ   R0, packDoubles
	RET

// func packFour32NEON(quads int, src *float32, ld int, dst *float32, width int)
TEXT ·packFour32NEON(SB), NOSPLIT, $0-40
	MOVD quads+0(FP), R0
	MOVD src+8(FP), R1
	MOVD ld+16(FP), R2
	MOVD dst+24(FP), R5
	MOVD width+32(FP), R6
	LSL  $2, R2
	LSL  $2, R6
	ADD  R2, R1, R3
	ADD  R2<<1, R1, R4
	ADD  R2, R4, R7

packSingles:
	VLD1.P 16(R1), [V0.S4]
	VLD1.P 16(R3), [V1.S4]
	VLD1.P 16(R4), [V2.S4]
	VLD1.P 16(R7), [V3.S4]
	VTRN1  V1.S4, V0.S4, V4.S4
	VTRN2  V1.S4, V0.S4, V5.S4
	VTRN1  V3.S4, V2.S4, V6.S4
	VTRN2  V3.S4, V2.S4, V7.S4
	VZIP1  V6.D2, V4.D2, V16.D2
	VZIP1  V7.D2, V5.D2, V17.D2
	VZIP2  V6.D2, V4.D2, V18.D2
	VZIP2  V7.D2, V5.D2, V19.D2
	VST1.P [V16.S4], (R5)(R6)
	VST1.P [V17.S4], (R5)(R6)
	VST1.P [V18.S4], (R5)(R6)
	VST1.P [V19.S4], (R5)(R6)
	SUB    $1, R0
	CBNZ   R0, packSingles
	RET
