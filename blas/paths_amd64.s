//go:build !noasm

#include "textflag.h"

// Four registers hold the sixteen lanes. All lengths are finite or +Inf, never
// NaN nor −0, so that the order of VMINPD's operands does not matter.

// func pathsGatherAVX2(count int, at *int32, length, rows, best *float64)
TEXT ·pathsGatherAVX2(SB), NOSPLIT, $0-40
	MOVQ count+0(FP), CX
	MOVQ at+8(FP), SI
	MOVQ length+16(FP), DI
	MOVQ rows+24(FP), BX
	MOVQ best+32(FP), R8
	VMOVUPD (R8), Y0
	VMOVUPD 32(R8), Y1
	VMOVUPD 64(R8), Y2
	VMOVUPD 96(R8), Y3

gather:
	MOVLQSX      (SI), AX
	SHLQ         $7, AX
	VBROADCASTSD (DI), Y4
	VADDPD       (BX)(AX*1), Y4, Y5
	VADDPD       32(BX)(AX*1), Y4, Y6
	VADDPD       64(BX)(AX*1), Y4, Y7
	VADDPD       96(BX)(AX*1), Y4, Y8
	VMINPD       Y5, Y0, Y0
	VMINPD       Y6, Y1, Y1
	VMINPD       Y7, Y2, Y2
	VMINPD       Y8, Y3, Y3
	ADDQ         $4, SI
	ADDQ         $8, DI
	DECQ         CX
	JNE          gather
	VMOVUPD      Y0, (R8)
	VMOVUPD      Y1, 32(R8)
	VMOVUPD      Y2, 64(R8)
	VMOVUPD      Y3, 96(R8)
	VZEROUPPER
	RET

// func pathsScatterAVX2(count int, at *int32, length, from, rows *float64)
TEXT ·pathsScatterAVX2(SB), NOSPLIT, $0-40
	MOVQ count+0(FP), CX
	MOVQ at+8(FP), SI
	MOVQ length+16(FP), DI
	MOVQ from+24(FP), R8
	MOVQ rows+32(FP), BX
	VMOVUPD (R8), Y0
	VMOVUPD 32(R8), Y1
	VMOVUPD 64(R8), Y2
	VMOVUPD 96(R8), Y3

scatter:
	MOVLQSX      (SI), AX
	SHLQ         $7, AX
	VBROADCASTSD (DI), Y4
	VADDPD       Y0, Y4, Y5
	VADDPD       Y1, Y4, Y6
	VADDPD       Y2, Y4, Y7
	VADDPD       Y3, Y4, Y8
	VMINPD       (BX)(AX*1), Y5, Y5
	VMINPD       32(BX)(AX*1), Y6, Y6
	VMINPD       64(BX)(AX*1), Y7, Y7
	VMINPD       96(BX)(AX*1), Y8, Y8
	VMOVUPD      Y5, (BX)(AX*1)
	VMOVUPD      Y6, 32(BX)(AX*1)
	VMOVUPD      Y7, 64(BX)(AX*1)
	VMOVUPD      Y8, 96(BX)(AX*1)
	ADDQ         $4, SI
	ADDQ         $8, DI
	DECQ         CX
	JNE          scatter
	VZEROUPPER
	RET

// func pathsMarkAVX2(count int, at *int32, length, from, rows *float64, mark *bool)
TEXT ·pathsMarkAVX2(SB), NOSPLIT, $0-48
	MOVQ count+0(FP), CX
	MOVQ at+8(FP), SI
	MOVQ length+16(FP), DI
	MOVQ from+24(FP), R8
	MOVQ rows+32(FP), BX
	MOVQ mark+40(FP), R9
	VMOVUPD (R8), Y0
	VMOVUPD 32(R8), Y1
	VMOVUPD 64(R8), Y2
	VMOVUPD 96(R8), Y3

mark:
	MOVLQSX      (SI), AX
	MOVQ         AX, DX
	SHLQ         $7, AX
	VBROADCASTSD (DI), Y4
	VADDPD       Y0, Y4, Y5
	VADDPD       Y1, Y4, Y6
	VADDPD       Y2, Y4, Y7
	VADDPD       Y3, Y4, Y8
	VCMPPD       $17, (BX)(AX*1), Y5, Y9
	VCMPPD       $17, 32(BX)(AX*1), Y6, Y10
	VCMPPD       $17, 64(BX)(AX*1), Y7, Y11
	VCMPPD       $17, 96(BX)(AX*1), Y8, Y12
	VORPD        Y10, Y9, Y9
	VORPD        Y12, Y11, Y11
	VORPD        Y11, Y9, Y9
	VMOVMSKPD    Y9, R10
	TESTL        R10, R10
	JZ           kept
	VMINPD       (BX)(AX*1), Y5, Y5
	VMINPD       32(BX)(AX*1), Y6, Y6
	VMINPD       64(BX)(AX*1), Y7, Y7
	VMINPD       96(BX)(AX*1), Y8, Y8
	VMOVUPD      Y5, (BX)(AX*1)
	VMOVUPD      Y6, 32(BX)(AX*1)
	VMOVUPD      Y7, 64(BX)(AX*1)
	VMOVUPD      Y8, 96(BX)(AX*1)
	MOVB         $1, (R9)(DX*1)

kept:
	ADDQ $4, SI
	ADDQ $8, DI
	DECQ CX
	JNE  mark
	VZEROUPPER
	RET

// func pathsMarkAVX512(count int, at *int32, length, from, rows *float64, mark *bool)
TEXT ·pathsMarkAVX512(SB), NOSPLIT, $0-48
	MOVQ count+0(FP), CX
	MOVQ at+8(FP), SI
	MOVQ length+16(FP), DI
	MOVQ from+24(FP), R8
	MOVQ rows+32(FP), BX
	MOVQ mark+40(FP), R9
	VMOVUPD (R8), Z0
	VMOVUPD 64(R8), Z1

mark:
	MOVLQSX      (SI), AX
	MOVQ         AX, DX
	SHLQ         $7, AX
	VBROADCASTSD (DI), Z4
	VADDPD       Z0, Z4, Z5
	VADDPD       Z1, Z4, Z6
	VCMPPD       $17, (BX)(AX*1), Z5, K1
	VCMPPD       $17, 64(BX)(AX*1), Z6, K2
	KORTESTB     K1, K2
	JZ           kept
	VMOVUPD      Z5, K1, (BX)(AX*1)
	VMOVUPD      Z6, K2, 64(BX)(AX*1)
	MOVB         $1, (R9)(DX*1)

kept:
	ADDQ $4, SI
	ADDQ $8, DI
	DECQ CX
	JNE  mark
	VZEROUPPER
	RET
