//go:build !noasm

#include "textflag.h"

// func rankTwoAVX2(n int, a float64, x *float64, b float64, y, row *float64)
//
// No operation is fused: the bits are those of the loop in Go.
TEXT ·rankTwoAVX2(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	VBROADCASTSD a+8(FP), Y14
	MOVQ         x+16(FP), SI
	VBROADCASTSD b+24(FP), Y15
	MOVQ         y+32(FP), DX
	MOVQ         row+40(FP), DI
	SHLQ         $3, CX
	ADDQ         CX, SI
	ADDQ         CX, DX
	ADDQ         CX, DI
	NEGQ         CX

rankTwoLoop:
	VMULPD  (SI)(CX*1), Y14, Y0
	VMULPD  (DX)(CX*1), Y15, Y1
	VADDPD  Y1, Y0, Y0
	VMOVUPD (DI)(CX*1), Y2
	VSUBPD  Y0, Y2, Y2
	VMOVUPD Y2, (DI)(CX*1)
	ADDQ    $32, CX
	JNE     rankTwoLoop
	VZEROUPPER
	RET
